//! The search for a rate near the capacity: rates are halved until one meets the objectives, then the capacity is
//! enclosed by bisection.

use super::{Part, Turn, length};
use record::Objective;

/// The search ends when its bracket is this narrow.
const BRACKET: f64 = 1.1;
/// How many times the rate is halved at most: down to 1/128 of the closed loop's throughput.
const HALVINGS: i32 = 7;

/// The next step of a search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step {
    /// Drive a turn.
    Drive {
        /// Operations per second.
        rate: f64,
        /// Its length, in nanoseconds, with the time that is not counted.
        length_ns: u64,
    },
    /// The search has ended.
    Done(Found),
}

/// What a search found. Rates are operations per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Found {
    /// A rate near the capacity: the middle of a bracket of 10 %.
    Near(f64),
    /// The objectives are missed even at this rate, the lowest that is tried.
    Below(f64),
    /// The generator was the slowest part where the objectives were missed. They are met at this rate; None if
    /// at none.
    GeneratorLimited(Option<f64>),
}

/// The search for one contender.
#[derive(Clone, Debug)]
pub struct Search {
    objectives: Vec<Objective>,
    lowest: f64,
    met: Option<f64>,
    /// The lowest rate at which the objectives were missed; at first the closed loop's throughput.
    missed: f64,
    /// What was slowest there.
    missed_by: Part,
}

impl Search {
    /// A search from half the throughput of a closed loop with the same connections, in operations per second. No
    /// higher rate can be sustained with them. `peak_part` is what limited the closed loop.
    pub fn new(objectives: &[Objective], closed_loop_peak: f64, peak_part: Part) -> Search {
        Search {
            objectives: objectives.to_vec(),
            lowest: closed_loop_peak / 2f64.powi(HALVINGS),
            met: None,
            missed: closed_loop_peak,
            missed_by: peak_part,
        }
    }

    /// The next step.
    pub fn step(&self) -> Step {
        let rate = match self.met {
            Some(met) if self.missed <= met * BRACKET => return Step::Done(self.found(met)),
            Some(met) => (met * self.missed).sqrt(),
            None if self.missed <= self.lowest => return Step::Done(self.nothing_met()),
            None => self.missed / 2.0,
        };
        Step::Drive { rate, length_ns: length::of_search_ns(&self.objectives, rate) }
    }

    /// Takes what the turn of the latest [`Step::Drive`] counted.
    pub fn observe(&mut self, turn: &Turn) {
        let is_missed =
            |(at, objective): (usize, &Objective)| turn.share_missed(at) > objective.may_miss();
        if self.objectives.iter().enumerate().any(is_missed) {
            self.missed = turn.rate;
            self.missed_by = turn.part;
        } else {
            self.met = Some(turn.rate);
        }
    }

    fn found(&self, met: f64) -> Found {
        match self.missed_by {
            Part::Generator => Found::GeneratorLimited(Some(met)),
            Part::Target | Part::Connections => Found::Near((met * self.missed).sqrt()),
        }
    }

    fn nothing_met(&self) -> Found {
        match self.missed_by {
            Part::Generator => Found::GeneratorLimited(None),
            Part::Target | Part::Connections => Found::Below(self.missed),
        }
    }
}
