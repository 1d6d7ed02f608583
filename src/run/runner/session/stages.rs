//! Lengths that are found while a run lasts: a second stage, the rounds that fit into a time, and the end at a
//! look.

use super::{RunSession, Segment, orders, segments};
use crate::plan::length::rule::OVERHEAD;
use crate::plan::question::require::Requirement;
use crate::run::runner::environment::Halt;
use judge::stats::{rounds, stein};
use record::{Event, Launches, LengthRule, PilotChoice, Plan};
use std::io::Write;
use std::time::Duration;
use text::units::{show_counted, show_ns, show_percent};

impl<W: Write> RunSession<'_, W> {
    /// Drives the first stage alone, and records what it shows.
    pub(super) fn first_stage(&mut self, plan: &Plan, choice: &PilotChoice) -> Result<(), Halt> {
        let question = &plan.question;
        let first = stein::first_stage(question.compared(), question.alpha);
        let stage = plan.clone().with_replicates(first.min(question.replicates()));
        self.segments(&stage, choice, segments::of(&stage.question))?;
        let Some(shown) = self.writer.judge().and_then(|judge| judge.stage()) else {
            return Ok(());
        };
        self.writer.write_and_sync(&Event::SecondStage(shown))
    }

    /// The plan with the replicates of both stages, if the run has a second one.
    pub(super) fn second_stage(&mut self, plan: &Plan) -> Result<Option<Plan>, Halt> {
        let Some(see) = plan.question.length.see() else { return Ok(None) };
        let Some(stage) = self.writer.judge().and_then(|judge| judge.stage()) else {
            return Ok(None);
        };
        // Synced before the first replicate that it asks for.
        self.writer.write_and_sync(&Event::SecondStage(stage))?;
        if let Some(judge) = self.writer.judge() {
            judge.second_stage(&stage);
        }
        let unit = if plan.question.restarts > 0 { "launch" } else { "round" };
        let sees = if stage.sees > see {
            format!("the most that there may be, which call a true {}", show_percent(stage.sees))
        } else {
            format!("which call a true {}", show_percent(see))
        };
        self.writer.progress.say(&format!(
            "first stage: {} vary by {}; {} in all, {sees} with a chance of 80 %",
            if unit == "launch" { "launches" } else { "rounds" },
            show_percent(stage.deviation),
            show_counted(stage.replicates.into(), unit)
        ));
        let more = stage.replicates > plan.question.replicates();
        Ok(more.then(|| plan.clone().with_replicates(stage.replicates)))
    }

    /// Chooses as many launches or rounds as fit into the time that was given, if it was.
    pub(super) fn fit_into_time(&self, plan: &Plan, choice: &mut PilotChoice) {
        let Some(within_ns) = plan.question.length.within_ns() else { return };
        let left_ns = within_ns.saturating_sub(self.began.elapsed().as_nanos() as u64);
        let each = plan.question.rounds_of_a_launch();
        let rounds = Plan { rounds: each.unwrap_or(1), ..plan.clone() };
        let whole = Segment { first_round: 1, rounds: rounds.rounds, launch: None };
        let driven_ns =
            nanoseconds(driven(&rounds, choice, &whole, &self.writer.remaining())) * OVERHEAD;
        let launch_ns = each.map_or(0.0, |_| self.writer.launch_ns() as f64 * OVERHEAD);
        // The first launch is under way.
        let fit = (left_ns as f64 + launch_ns) / (driven_ns + launch_ns).max(1.0);
        let fewest = rounds::fewest(plan.question.compared(), plan.question.alpha);
        let most = record::limits::MOST_ROUNDS / each.unwrap_or(1).max(1);
        let number = (fit as u32).clamp(fewest, most.max(fewest));
        let unit = if each.is_some() { "launch" } else { "round" };
        let within = show_ns(within_ns);
        let number_text = show_counted(number.into(), unit);
        choice.why.push(if fit < f64::from(fewest) {
            format!("{number_text}, the fewest that can decide; they take longer than {within}")
        } else {
            format!("{number_text}, as many as fit into {within}")
        });
        match each {
            Some(rounds) => choice.launches = Some(Launches { launches: number, rounds }),
            None => choice.rounds = Some(number),
        }
    }

    /// Whether the run may end at the look that was just reached: it is decided, and with short rounds every
    /// requirement is decided, too.
    pub(super) fn is_decided(&mut self, plan: &Plan) -> bool {
        let Some(judge) = self.writer.judge() else { return false };
        if !judge.decided() {
            return false;
        }
        let requirements = &self.plan.requirements;
        if requirements.is_empty()
            || !matches!(plan.question.length, LengthRule::ShortRounds { .. })
        {
            return true;
        }
        let comparisons = judge.comparisons_so_far();
        requirements.iter().all(|text| {
            let requirement = Requirement::parse(text, &plan.question);
            requirement.is_ok_and(|requirement| requirement.is_decided(&comparisons))
        })
    }
}

/// How long the rounds of this segment are driven for these contenders, with the last replies of their slices.
pub(super) fn driven(
    plan: &Plan,
    choice: &PilotChoice,
    segment: &Segment,
    who: &[usize],
) -> Duration {
    let order = orders::rounds(plan, choice, segment, who);
    let all_p50_ns: u64 = choice.saw.iter().map(|seen| seen.p50_ns).sum();
    let slices = u64::from(order.slices_per_round());
    if !plan.question.blocks.is_empty() {
        let drains_ns = all_p50_ns.saturating_mul(slices) / choice.saw.len().max(1) as u64;
        let turns = plan.question.turns_from(segment.first_round);
        // Each round has contenders of its own, and a warm-up unless it is one of several of a load point. Those of
        // later launches belong to the launches.
        let warm_ups = if choice.load_points_apart {
            plan.contenders.len() as u64
        } else if plan.question.restarts > 0 {
            who.len() as u64
        } else {
            turns
        };
        let driven_ns = (order.driven_in_round_ns() + drains_ns).saturating_mul(turns);
        let warm_ups_ns = order.warm_up.least_ns.saturating_mul(warm_ups);
        return Duration::from_nanos(driven_ns.saturating_add(warm_ups_ns));
    }
    let drains_ns = all_p50_ns.saturating_mul(slices.saturating_mul(order.rounds.into()));
    super::length(&order) + Duration::from_nanos(drains_ns)
}

fn nanoseconds(time: Duration) -> f64 {
    time.as_nanos() as f64
}
