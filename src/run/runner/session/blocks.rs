//! Launches and rounds that hold only some contenders of a ranking.

use super::{RunSession, Segment, TrialWriter, segments};
use crate::run::runner::environment::Halt;
use record::{Plan, Question, StoreMoment};
use std::io::Write;

impl<W: Write> TrialWriter<'_, W> {
    /// What the launches after that of this segment cost, each of those that it holds, in nanoseconds.
    pub(super) fn later_launches_ns(&self, question: &Question, from: &Segment) -> u64 {
        if question.has_load_points_apart() {
            // Each launch drives all load points.
            let launches = segments::launches_after(question, from);
            return self.launch_ns().saturating_mul(launches.into());
        }
        let is_later = |of: &Segment| of.launch.is_some() && of.first_round > from.first_round;
        let later = segments::of(question).into_iter().filter(is_later);
        let launched = later.flat_map(|of| self.contenders_of(question, of.first_round));
        launched.map(|at| self.launch_costs_ns[at]).fold(0, u64::saturating_add)
    }
}

impl<W: Write> RunSession<'_, W> {
    /// Whether nothing can be compared in these rounds, because all others have left their block.
    pub(super) fn is_too_small(&self, plan: &Plan, segment: &Segment) -> bool {
        let question = &plan.question;
        let held = self.writer.contenders_of(question, segment.first_round).len();
        !question.blocks.is_empty() && held < segments::FEWEST.min(question.width())
    }

    /// Launches those whom the launch of this segment holds, after the targets of the launch before were ended. The
    /// first launch is that of the pilot, which drove all: it goes on with those whom it holds.
    pub(super) fn begin_launch(
        &mut self,
        question: &Question,
        segment: &Segment,
    ) -> Result<(), Halt> {
        if question.restarts == 0 {
            return Ok(());
        }
        let held = 0..self.plan.contenders.len() as u32;
        let is_apart = question.has_load_points_apart();
        let is_away = |at: u32| !is_apart && !question.holds(segment.first_round, at);
        let is_away: Vec<bool> = held.map(is_away).collect();
        match segment.launch {
            Some(launch) => {
                self.ask_stores(StoreMoment::RoundsEnd)?;
                self.stop_targets(&|_| true)?;
                self.writer.is_away = is_away;
                // Load points with processes of their own were launched in between.
                self.launch_targets(if is_apart { self.writer.launch + 1 } else { launch })
            }
            None if is_away.contains(&true) => {
                self.stop_targets(&|at| is_away[at])?;
                self.writer.is_away = is_away;
                Ok(())
            }
            None => Ok(()),
        }
    }
}
