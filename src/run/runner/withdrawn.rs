//! Contenders that leave a ranking: one that fails does not end it for the others.

use super::environment::Halt;
use super::session::{RunSession, TrialWriter};
use record::{Event, Seen, TrialRecord, Withdrawn};
use std::io::Write;

/// Fewer contenders cannot be compared.
pub(super) const FEWEST: usize = 2;

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

/// Replaces the numbers of lanes in a trial by those of the contenders that they drive, of so many.
pub(super) fn number_by_contender(trial: &mut TrialRecord, who: &[usize], contenders: usize) {
    trial.contender = who[trial.contender as usize] as u32;
    if who.len() < contenders {
        renumber(&mut trial.seen, who, contenders);
    }
}

fn renumber(seen: &mut Seen, who: &[usize], contenders: usize) {
    for slice in &mut seen.slices {
        let number = |lane: u32| who.get(lane as usize).map(|at| *at as u32);
        slice.after = slice.after.and_then(number);
        slice.target_cpu_ns = spread(&slice.target_cpu_ns, who, contenders);
        slice.watched = spread(&slice.watched, who, contenders);
    }
    let parts = seen.groups.iter_mut().chain(&mut seen.requests);
    parts.for_each(|part| renumber(part, who, contenders));
}

/// What was read of the lanes, by contender. Nothing if nothing was read.
fn spread<T: Clone>(of_lanes: &[Option<T>], who: &[usize], contenders: usize) -> Vec<Option<T>> {
    if of_lanes.is_empty() {
        return Vec::new();
    }
    let mut all = vec![None; contenders];
    for (at, read) in who.iter().zip(of_lanes) {
        all[*at].clone_from(read);
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::{Phase, Slice};

    #[test]
    fn lanes_become_contenders() {
        let slice = |after, cpu: &[Option<u64>]| Slice {
            after,
            target_cpu_ns: cpu.to_vec(),
            ..Slice::default()
        };
        let with = |slices| Seen { slices, ..Seen::default() };
        let read = [Some(5), Some(7)];
        let mut seen = with(vec![slice(Some(0), &read), slice(None, &[])]);
        seen.requests = vec![with(vec![slice(Some(1), &read)])];
        let mut trial = example::trial(Phase::Round, 1, seen);
        number_by_contender(&mut trial, &[1, 3], 5);
        let wanted = [None, Some(5), None, Some(7), None];
        assert_eq!(trial.contender, 3);
        assert_eq!(trial.seen.slices, [slice(Some(1), &wanted), slice(None, &[])]);
        assert_eq!(trial.seen.requests[0].slices, [slice(Some(3), &wanted)]);
        let all = trial.clone();
        number_by_contender(&mut trial, &[0, 1, 2, 3, 4], 5);
        assert_eq!(trial, all);
    }
}
