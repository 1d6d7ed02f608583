//! What the comparisons of `tiebreak conformance self` found, counted.

use crate::run::judging::Judged;
use judge::stats::two_stages::{BOTH, FIRST, TwoStages};
use judge::verdict::Word;
use protocol::Error;
use record::Metric;
use report::alone::Spread;
use report::self_test::{EqualPair, PlantedDifference};
use report::words;
use std::fmt;

/// How many comparisons of each known difference are made.
pub(crate) const EACH: u32 = 6;
/// If the audit refuses more comparisons of one server with itself, the test ends: it would say
/// something about the few others only.
const MOST_VOID: u32 = 2;

/// Compares one server with itself until the rule of two stages has a result. `compare` makes the
/// n-th of so many comparisons, and returns None if it was stopped.
pub(crate) fn compare_equal(
    mut compare: impl FnMut(u32, u32) -> Result<Option<Found>, Error>,
) -> Result<EqualPair, Error> {
    let mut alike = EqualPair::default();
    let (mut stages, mut sizes) = (TwoStages::default(), Sizes::default());
    while alike.passed.is_none() && alike.void <= MOST_VOID {
        let stage = if stages.compared < FIRST { FIRST } else { BOTH };
        let Some(found) = compare(alike.compared + 1, stage + alike.void)? else { break };
        alike.compared += 1;
        sizes.add(&found);
        match found.word {
            Word::Void => alike.void += 1,
            word => alike.passed = stages.add(word.is_difference()),
        }
    }
    alike.different = stages.different;
    (alike.longest_round, alike.median_width) = (sizes.longest_round, sizes.median_width());
    Ok(alike)
}

/// Compares two servers, of which the second does `percent` more work, several times. `compare`
/// makes the n-th comparison, and returns None if it was stopped.
pub(crate) fn compare_known(
    percent: u32,
    mut compare: impl FnMut(u32) -> Result<Option<Found>, Error>,
) -> Result<PlantedDifference, Error> {
    let truth = 100.0 / f64::from(100 + percent);
    let mut known = PlantedDifference { percent, ..PlantedDifference::default() };
    let mut sizes = Sizes::default();
    for number in 1..=EACH {
        let Some(found) = compare(number)? else { break };
        known.compared += 1;
        known.found += u32::from(found.word == Word::Slower);
        known.wrong += u32::from(found.word == Word::Faster);
        known.void += u32::from(found.word == Word::Void);
        known.covered += u32::from(found.covers(truth));
        sizes.add(&found);
    }
    (known.longest_round, known.median_width) = (sizes.longest_round, sizes.median_width());
    Ok(known)
}

/// The widths of the intervals of several comparisons, and their longest round.
#[derive(Default)]
struct Sizes {
    widths: Vec<f64>,
    longest_round: Option<f64>,
}

impl Sizes {
    fn add(&mut self, found: &Found) {
        self.widths.extend(found.width());
        self.longest_round = Some(found.round.max(self.longest_round.unwrap_or(0.0)));
    }

    fn median_width(self) -> Option<f64> {
        (!self.widths.is_empty()).then(|| Spread::of(self.widths, "").median)
    }
}

/// The last difference before the first that was missed: smaller ones could have been found by
/// chance.
pub(crate) fn smallest_found(known: &[PlantedDifference]) -> Option<u32> {
    let found = known.iter().take_while(|known| known.is_found());
    found.last().map(|known| known.percent)
}

/// What one comparison says about throughput.
pub(crate) struct Found {
    word: Word,
    /// The ends of the interval of the ratio. None without an interval.
    interval: Option<(f64, f64)>,
    /// How long each server was driven in a round, in seconds.
    round: f64,
}

impl Found {
    /// Whatever was not compared is void.
    pub(crate) fn of(judged: &Judged) -> Found {
        let comparisons = judged.verdict().comparisons();
        let primary = comparisons.iter().find(|comparison| comparison.primary);
        let run = judged.report_input();
        let round_ns = run.pilot.map_or(run.header.plan.round_ns, |pilot| pilot.round_ns);
        Found {
            word: primary.map_or(Word::Void, |primary| primary.verdict),
            interval: primary.and_then(|primary| primary.low.zip(primary.high)),
            round: round_ns as f64 / 1e9,
        }
    }

    fn covers(&self, truth: f64) -> bool {
        self.interval.is_some_and(|(low, high)| low <= truth && truth <= high)
    }

    /// Upper end ÷ lower end − 1. None if the audit refused the comparison.
    fn width(&self) -> Option<f64> {
        let (low, high) = self.interval.filter(|_| self.word != Word::Void)?;
        (low > 0.0).then(|| high / low - 1.0)
    }
}

impl fmt::Display for Found {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(words::word(self.word, Metric::Throughput))?;
        match self.interval {
            Some((low, high)) => write!(out, " ({low:.3}x to {high:.3}x)"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;
