//! Contenders that leave a ranking or a sweep: one that fails does not end it for the others.

use super::environment::Halt;
use super::segments::FEWEST;
use super::session::{RunSession, TrialWriter};
use record::{Event, Question, Withdrawn};
use std::io::Write;

impl<W: Write> TrialWriter<'_, W> {
    /// Those who have not left, by number.
    pub(super) fn remaining(&self) -> Vec<usize> {
        (0..self.has_left.len()).filter(|at| !self.has_left[*at]).collect()
    }

    /// Those of them whom this round of this question holds.
    pub(super) fn contenders_of(&self, question: &Question, round: u32) -> Vec<usize> {
        let mut who = self.remaining();
        who.retain(|at| question.holds(round, *at as u32));
        who
    }

    pub(super) fn trials_in(&self, round: u32) -> usize {
        self.trials_a_round.unwrap_or_else(|| self.contenders_of(&self.plan.question, round).len())
    }

    /// Whether contenders that fail leave: those of a ranking, and the load points of a sweep. Several machines that
    /// drive together cannot leave one out.
    pub(super) fn can_leave(&self) -> bool {
        let has_others = self.plan.question.is_ranked || self.plan.sweep.is_some();
        has_others && self.plan.agents == 0
    }

    /// The contenders whose target is that of this one: itself, and its other load points.
    fn of_same_target(&self, contender: usize) -> Vec<usize> {
        let owner = self.plan.target_of(contender);
        (0..self.has_left.len()).filter(|at| self.plan.target_of(*at) == owner).collect()
    }

    /// Whether the target of this contender is still driven, at whatever load point.
    pub(super) fn is_driven(&self, contender: usize) -> bool {
        self.of_same_target(contender).into_iter().any(|at| !self.has_left[at])
    }

    /// Lets a contender leave with all of its load points: what failed is their target.
    fn withdraw_target(&mut self, contender: usize, why: &str) -> Result<(), Halt> {
        self.of_same_target(contender)
            .into_iter()
            .try_for_each(|at| self.withdraw(at, 0, why.to_owned()))
    }

    /// Lets a contender leave for this reason, or says why better than when it left. `round` is 0 outside the
    /// rounds.
    ///
    /// # Errors
    /// If contenders do not leave, or if fewer than two remain; or if the journal cannot be written.
    pub(super) fn withdraw(&mut self, at: usize, round: u32, why: String) -> Result<(), Halt> {
        if !self.can_leave() {
            return Err(Halt::Target(why));
        }
        let known = &self.plan.contenders[at];
        let launch = if known.launch.is_empty() { 0 } else { self.launch };
        // The last lines of a log are told in one.
        let why = why.lines().map(str::trim).collect::<Vec<_>>().join(" ");
        let withdrawn = Withdrawn { contender: at as u32, launch, round, why: why.clone() };
        self.note_for_judge(&Event::Withdrawn(withdrawn))?;
        if std::mem::replace(&mut self.has_left[at], true) {
            return Ok(());
        }
        let what = if self.plan.question.is_ranked { "ranking" } else { "sweep" };
        self.progress.say_always(&format!("caution: `{}` leaves the {what}: {why}", known.name));
        if self.remaining().len() < FEWEST {
            return Err(Halt::Target(format!("fewer than two contenders remain: {why}")));
        }
        Ok(())
    }
}

impl<W: Write> RunSession<'_, W> {
    /// Does something to each of these contenders that has not left and is not away. One that fails leaves with its
    /// other load points, if that is possible.
    pub(super) fn each_remaining(
        &mut self,
        order: Vec<usize>,
        step: impl FnMut(&mut Self, usize) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        self.each_that(|writer, at| !writer.has_left[at] && !writer.is_away[at], order, step)
    }

    /// Does something to each of these contenders that is needed, as [`each_remaining`](Self::each_remaining).
    pub(super) fn each_that(
        &mut self,
        is_needed: impl Fn(&TrialWriter<'_, W>, usize) -> bool,
        order: Vec<usize>,
        mut step: impl FnMut(&mut Self, usize) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        for contender in order {
            if !is_needed(&self.writer, contender) {
                continue;
            }
            match step(self, contender) {
                Err(Halt::Target(why)) => {
                    self.writer.withdraw_target(contender, &why)?;
                    self.stop_undriven_targets()?;
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// How the target of a contender has ended; where contenders do not leave, also how another one has.
    pub(super) fn ended(&mut self, contender: usize) -> Option<String> {
        let can_leave = self.writer.can_leave();
        let owner = self.plan.target_of(contender);
        let ended = self.environment.ended_targets();
        let of = |(at, _): &(usize, String)| !can_leave || *at == owner;
        ended.into_iter().find(of).map(|(_, how)| how)
    }

    /// Lets those leave whose targets have ended, and ends the targets of all that left. Says why the programs of
    /// those who were driven failed.
    pub(super) fn let_ended_ones_leave(&mut self, driven: &[usize]) -> Result<(), Halt> {
        for (contender, how) in self.environment.ended_targets() {
            self.writer.withdraw_target(contender, &how)?;
        }
        for at in driven.iter().filter(|at| self.writer.has_left[**at]).copied().collect::<Vec<_>>()
        {
            if let Some(error) = self.environment.program_error(at) {
                let name = &self.plan.contenders[at].name;
                self.writer.withdraw(at, 0, format!("`{name}`: {error}"))?;
            }
        }
        if self.writer.has_left.contains(&true) { self.stop_undriven_targets() } else { Ok(()) }
    }

    /// Ends the targets of which no load point is driven any more.
    fn stop_undriven_targets(&mut self) -> Result<(), Halt> {
        let each = 0..self.plan.contenders.len();
        let is_driven: Vec<bool> = each.map(|at| self.writer.is_driven(at)).collect();
        self.stop_targets(&|at| !is_driven[at])
    }
}
