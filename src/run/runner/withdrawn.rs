//! Contenders that leave a ranking: one that fails does not end it for the others.

use super::environment::Halt;
use super::segments::FEWEST;
use super::session::{RunSession, TrialWriter};
use record::{Event, Withdrawn};
use std::io::Write;

impl<W: Write> TrialWriter<'_, W> {
    /// Those who have not left, by number.
    pub(super) fn remaining(&self) -> Vec<usize> {
        (0..self.has_left.len()).filter(|at| !self.has_left[*at]).collect()
    }

    /// Those of them whom this round holds.
    pub(super) fn contenders_of(&self, round: u32) -> Vec<usize> {
        let mut who = self.remaining();
        who.retain(|at| self.plan.question.holds(round, *at as u32));
        who
    }

    /// How many trials this round has.
    pub(super) fn trials_in(&self, round: u32) -> usize {
        self.trials_a_round.unwrap_or_else(|| self.contenders_of(round).len())
    }

    /// Whether contenders that fail leave. Several machines that drive together cannot leave one out.
    pub(super) fn is_ranking(&self) -> bool {
        self.plan.question.is_ranked && self.plan.agents == 0
    }

    /// Lets a contender leave for this reason, or says why better than when it left. `round` is 0 outside the
    /// rounds.
    ///
    /// # Errors
    /// If contenders are not ranked, or if fewer than two remain; or if the journal cannot be written.
    pub(super) fn withdraw(&mut self, at: usize, round: u32, why: String) -> Result<(), Halt> {
        if !self.is_ranking() {
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
        self.progress.say_always(&format!("caution: `{}` leaves the ranking: {why}", known.name));
        if self.remaining().len() < FEWEST {
            return Err(Halt::Target(format!("fewer than two contenders remain: {why}")));
        }
        Ok(())
    }
}

impl<W: Write> RunSession<'_, W> {
    /// Does something to each of these contenders that has not left. One that fails leaves, if that is possible.
    pub(super) fn each_remaining(
        &mut self,
        order: Vec<usize>,
        mut step: impl FnMut(&mut Self, usize) -> Result<(), Halt>,
    ) -> Result<(), Halt> {
        for contender in order {
            if self.writer.has_left[contender] {
                continue;
            }
            match step(self, contender) {
                Err(Halt::Target(why)) => {
                    self.writer.withdraw(contender, 0, why)?;
                    self.stop_targets(&|at| at == contender)?;
                }
                other => other?,
            }
        }
        Ok(())
    }

    /// How the target of a contender has ended; where contenders do not leave, also how another one has.
    pub(super) fn ended(&mut self, contender: usize) -> Option<String> {
        let is_ranking = self.writer.is_ranking();
        let ended = self.environment.ended_targets();
        let of = |(at, _): &(usize, String)| !is_ranking || *at == contender;
        ended.into_iter().find(of).map(|(_, how)| how)
    }

    /// Lets those leave whose targets have ended, and ends the targets of all that left. Says why the programs of
    /// those who were driven failed.
    pub(super) fn let_ended_ones_leave(&mut self, driven: &[usize]) -> Result<(), Halt> {
        for (contender, how) in self.environment.ended_targets() {
            self.writer.withdraw(contender, 0, how)?;
        }
        for at in driven.iter().filter(|at| self.writer.has_left[**at]).copied().collect::<Vec<_>>()
        {
            if let Some(error) = self.environment.program_error(at) {
                let name = &self.plan.contenders[at].name;
                self.writer.withdraw(at, 0, format!("`{name}`: {error}"))?;
            }
        }
        if self.writer.has_left.contains(&true) {
            let has_left = self.writer.has_left.clone();
            self.stop_targets(&|at| has_left[at])?;
        }
        Ok(())
    }
}
