//! The search for capacities, and their rounds.

use super::{Drive, RunSession, everyone};
use crate::run::runner::environment::Halt;
use crate::run::runner::orders::{self, TurnOrder};
use engine::interleaving::{Sequence, sequence};
use judge::capacity::{Found, Step, TURNS, UNCOUNTED_NS};
use judge::capacity_run::CapacityRun;
use record::{Interleave, PilotChoice, Plan, StoreMoment};
use std::io::Write;
use std::time::Duration;
use text::units::{nanoseconds, show_counted, show_ns, show_rate, show_whole_seconds};

/// What the pilot's choice is where capacities are sought: the lengths are fixed in the plan.
pub(super) fn chosen(plan: &Plan, choice: PilotChoice) -> PilotChoice {
    let slice_ns = plan.round_ns / TURNS as u64;
    PilotChoice {
        interleave: Interleave::Turns,
        slice_ns,
        round_ns: plan.round_ns,
        burn_in_ns: vec![UNCOUNTED_NS; plan.contenders.len()],
        why: vec![format!(
            "three turns of {} for each contender in every round, at rates around its capacity; arrivals in the \
             first {} of a turn are not counted",
            show_ns(slice_ns),
            show_ns(UNCOUNTED_NS)
        )],
        ..choice
    }
}

impl<W: Write> RunSession<'_, W> {
    /// Searches the capacity of each contender, then drives all of them around it in rounds.
    pub(super) fn capacities(&mut self, plan: &Plan, choice: &PilotChoice) -> Result<(), Halt> {
        let mut run = CapacityRun::new(&plan.question, choice);
        self.ask_stores(StoreMoment::RoundsBegin)?;
        for contender in everyone(plan) {
            self.search(plan, contender, &mut run)?;
        }
        let driven = run.driven();
        if driven.is_empty() {
            return Ok(());
        }
        let turns = TURNS * driven.len();
        self.writer.trials_a_round = Some(turns);
        self.writer.progress.trials_a_round(turns as u32);
        let mut are_said = vec![false; plan.contenders.len()];
        for round in 1..=plan.rounds {
            let left = self.turns_left(plan, round, turns);
            if round > 1 && plan.question.rounds_of_a_launch().is_some() {
                self.launch_anew(plan, choice, round)?;
            }
            if round == 1 {
                self.announce_turns(plan, left, turns);
            }
            if round == 1 || plan.question.rounds_of_a_launch().is_some() {
                self.writer.progress.phase("round", left, plan.rounds);
            }
            self.drive_turns(plan, choice, round, &mut run)?;
            self.say_small_slopes(plan, &run, &mut are_said);
            if run.finds_nothing_more() {
                break;
            }
        }
        Ok(())
    }

    /// Says of each contender once, as soon as it is sure, that its percentile depends little on the rate.
    fn say_small_slopes(&self, plan: &Plan, run: &CapacityRun, are_said: &mut [bool]) {
        for (at, is_said) in are_said.iter_mut().enumerate().filter(|(_, is_said)| !**is_said) {
            let Some(rounds) = run.rounds(at) else { continue };
            let name = &plan.contenders[at].name;
            let flag = if plan.question.pairs.is_empty() { "--duration" } else { "--within" };
            let what = if rounds.surely_hardly_depends() {
                "hardly depends on the rate: it has no capacity".to_owned()
            } else if rounds.is_surely_slow() {
                format!(
                    "rises slowly with the rate: a sharp figure takes 6 minutes or more ({flag} 6min)"
                )
            } else {
                continue;
            };
            let rounds = show_counted(run.complete_rounds().into(), "round");
            self.writer.progress.say(&format!("{name}: after {rounds} its percentile {what}"));
            *is_said = true;
        }
    }

    /// Searches a rate near the capacity of one contender.
    fn search(&mut self, plan: &Plan, contender: usize, run: &mut CapacityRun) -> Result<(), Halt> {
        let name = &plan.contenders[contender].name;
        self.writer.progress.phase(&format!("searching the capacity of {name}"), Duration::ZERO, 0);
        let mut level = 0;
        loop {
            let (rate, length_ns) = match run.step(contender) {
                Step::Drive { rate, length_ns } => (rate, length_ns),
                Step::Done(found) => {
                    self.writer.progress.say(&format!("search: {name}: {}", in_words(found)));
                    return Ok(());
                }
            };
            let order = TurnOrder { contender, round: 0, level, rate, length_ns };
            self.drive_turn(Drive::Search, plan, &order, run)?;
            level += 1;
        }
    }

    /// Drives the turns of all contenders in drawn order. Their rates follow from the rounds before.
    fn drive_turns(
        &mut self,
        plan: &Plan,
        choice: &PilotChoice,
        round: u32,
        run: &mut CapacityRun,
    ) -> Result<(), Halt> {
        let turns: Vec<TurnOrder> = run
            .driven()
            .into_iter()
            .flat_map(|contender| {
                let rates = run.rates(contender).into_iter().flatten();
                (0u32..).zip(rates).map(move |(level, rate)| TurnOrder {
                    contender,
                    round,
                    level,
                    rate,
                    length_ns: choice.slice_ns,
                })
            })
            .collect();
        for at in sequence(Sequence::Turns, plan.seed, round, turns.len() as u32) {
            self.drive_turn(Drive::Turn, plan, &turns[at as usize], run)?;
        }
        Ok(())
    }

    fn drive_turn(
        &mut self,
        what: Drive,
        plan: &Plan,
        turn: &TurnOrder,
        run: &mut CapacityRun,
    ) -> Result<(), Halt> {
        self.writer.segment = self.writer.end;
        let driven = self.drive(what, &orders::turn(plan, turn), &[turn.contender])?;
        driven.iter().for_each(|trial| run.add(trial));
        Ok(())
    }

    /// Launches all targets again and warms them up.
    fn launch_anew(&mut self, plan: &Plan, choice: &PilotChoice, launch: u32) -> Result<(), Halt> {
        self.ask_stores(StoreMoment::RoundsEnd)?;
        self.stop_targets(&|_| true)?;
        self.launch_targets(launch)?;
        let who = everyone(plan);
        self.drive_together(Drive::Rounds, &orders::warm_up_again(plan, choice, &who), &who)?;
        self.ask_stores(StoreMoment::RoundsBegin)
    }

    /// How long the rounds from this one on take, with the launches between them and without drains.
    fn turns_left(&self, plan: &Plan, round: u32, turns: usize) -> Duration {
        let rounds = u64::from(plan.rounds + 1 - round);
        let turns_ns = (plan.round_ns / TURNS as u64).saturating_mul(turns as u64);
        let is_launched = plan.question.rounds_of_a_launch().is_some();
        let launch_ns = if is_launched { self.writer.launch_ns() } else { 0 };
        let launches_ns = launch_ns.saturating_mul(rounds - u64::from(round == 1));
        Duration::from_nanos(turns_ns.saturating_mul(rounds).saturating_add(launches_ns))
    }

    fn announce_turns(&self, plan: &Plan, left: Duration, turns: usize) {
        let launches = match plan.question.rounds_of_a_launch() {
            None => "",
            Some(_) => ", each with a launch of its own",
        };
        self.writer.progress.say(&format!(
            "about {} from here on: {} of {turns} turns{launches}",
            show_whole_seconds(nanoseconds(left)),
            show_counted(plan.rounds.into(), "round")
        ));
    }
}

fn in_words(found: Found) -> String {
    match found {
        Found::Near(rate) => format!("about {}", show_rate(rate)),
        Found::Below(0.0) => {
            "nothing was answered in the pilot, so no rate is known to begin at".to_owned()
        }
        Found::Below(rate) => {
            format!("the objectives are missed even at {}, the lowest rate", show_rate(rate))
        }
        Found::GeneratorLimited(Some(rate)) => {
            format!("at least {}: the generator cannot drive it harder", show_rate(rate))
        }
        Found::GeneratorLimited(None) => "the generator cannot drive it hard enough".to_owned(),
    }
}
