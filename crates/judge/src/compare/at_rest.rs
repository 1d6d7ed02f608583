//! What a contender's target does while it rests, and what that does to a
//! comparison.

use super::Asked;
use crate::{
    evidence::Evidence,
    verdict::{Charged, Comparison, Word},
};
use record::Metric;
use text::{lists, units};

/// CPU at rest above this share of one core is worth a note.
pub(crate) const NOTE_ABOVE: f64 = 0.005;
/// Above this share of one core a word must be the charged ratio's as well.
pub(crate) const CAUTION_ABOVE: f64 = 0.01;

/// Whether a word that the interval gives was taken away again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Withheld {
    No,
    /// More replicates could give it back.
    ForNow,
    /// No number of replicates would.
    ForGood,
}

impl Asked {
    /// Targets that work while they rest change the others' figures and spare
    /// their own. Throughput can be charged with that: a word stands if the
    /// charged ratio gives the same. Times cannot; in slices there is no word on
    /// them, while in turns each contender pays for its pauses itself. What an
    /// operation costs in CPU has the time at rest in it.
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
        let seen = format!("{} while at rest", lists::listed(&restless));
        match self.metric {
            Metric::TargetCpu => Withheld::No,
            Metric::Throughput => uncharged(&seen, comparison),
            _ if !evidence.braided() => Withheld::No,
            _ => {
                comparison.verdict = Word::Undecided;
                comparison.because.push(format!(
                    "{seen}: in slices that is missing from its own response times and falls into \
                     the others'; --interleave turns gives a verdict on them"
                ));
                Withheld::ForGood
            }
        }
    }
}

/// Takes away a word that the charged ratio does not give.
fn uncharged(seen: &str, comparison: &mut Comparison) -> Withheld {
    let charged = comparison.charged;
    let same = charged.is_some_and(|charged| charged.verdict == comparison.verdict);
    if comparison.verdict == Word::Undecided || same {
        return Withheld::No;
    }
    let said = match comparison.verdict {
        Word::Equivalent => "equivalent",
        Word::Faster => "faster",
        _ => "slower",
    };
    let but = match &charged {
        Some(charged) => format!("charged with it the ratio is {}", figures(charged)),
        None => "it cannot be charged, since the CPU time of both is not known".to_owned(),
    };
    comparison.because.push(format!("the interval says {said}, but {seen}: {but}"));
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
