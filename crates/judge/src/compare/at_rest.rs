//! The CPU time that a contender's target uses while others are driven, and its effect on a
//! comparison.

use super::Compared;
use crate::{
    evidence::Evidence,
    verdict::{Charged, Comparison, Word},
};
use record::Metric;
use text::{lists, units};

/// CPU at rest above this share of one core is worth a note.
pub(crate) const NOTE_ABOVE: f64 = 0.005;
/// Above this share of one core, a verdict requires that the charged ratio leads to the same word.
pub(crate) const CAUTION_ABOVE: f64 = 0.01;

/// Whether a word that the interval gives was withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Withheld {
    No,
    /// More replicates could change this.
    ForNow,
    /// No number of replicates would change this.
    ForGood,
}

impl Compared {
    /// Targets that work while they rest change the figures of others and save time in their own.
    /// Throughput can be charged with that time: a word stands if the charged ratio gives the same.
    /// Times cannot be charged; in slices there is no word on them, while in turns each contender
    /// pays for its own pauses. The CPU time per operation already includes the time at rest.
    pub(super) fn withhold_where_targets_work_at_rest(
        &self,
        evidence: &Evidence,
        comparison: &mut Comparison,
    ) -> Withheld {
        let restless = [self.pair.a, self.pair.b].into_iter().filter_map(|side| {
            let share = evidence.cpu_at_rest(side as usize)?;
            let used = format!("{} of a core", units::show_percent(share));
            (share > CAUTION_ABOVE).then(|| format!("{} used {used}", evidence.name(side)))
        });
        let restless: Vec<String> = restless.collect();
        if restless.is_empty() {
            return Withheld::No;
        }
        let observed = format!("{} while at rest", lists::listed(&restless));
        match self.metric {
            Metric::TargetCpu | Metric::PeakMemory => Withheld::No,
            Metric::Throughput => uncharged(&observed, comparison),
            _ if !evidence.is_interleaved_in_slices() => Withheld::No,
            _ => {
                comparison.verdict = Word::Undecided;
                comparison.because.push(format!(
                    "{observed}: in slices this work is missing from its own response times and \
                     slows the others down; use --interleave turns for a verdict on response times"
                ));
                Withheld::ForGood
            }
        }
    }
}

/// Withholds a word that the charged ratio does not give.
fn uncharged(observed: &str, comparison: &mut Comparison) -> Withheld {
    let charged = comparison.charged;
    let same = charged.is_some_and(|charged| charged.verdict == comparison.verdict);
    if comparison.verdict == Word::Undecided || same {
        return Withheld::No;
    }
    let word = match comparison.verdict {
        Word::Equivalent => "equivalent",
        Word::Faster => "faster",
        _ => "slower",
    };
    let objection = match &charged {
        Some(charged) => {
            format!("with this time charged to its owner the ratio is {}", figures(charged))
        }
        None => {
            "this time cannot be charged, because the CPU time of the two is not known".to_owned()
        }
    };
    comparison.because.push(format!("the interval says {word}, but {observed}: {objection}"));
    comparison.verdict = Word::Undecided;
    match charged {
        Some(Charged { verdict: Word::Undecided, .. }) => Withheld::ForNow,
        _ => Withheld::ForGood,
    }
}

fn figures(charged: &Charged) -> String {
    let ratio = units::show_ratio(charged.ratio);
    match charged.interval {
        Some((low, high)) => {
            format!("{ratio} ({} to {})", units::show_ratio(low), units::show_ratio(high))
        }
        None => ratio,
    }
}
