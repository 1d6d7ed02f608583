//! Was the generator the slower part?
//!
//! Two servers that differed by 1.3 × in CPU once read the same throughput,
//! because one generator core was slower than either. So where a generator was
//! hardly idle and the target was not at its limit, the throughput is the
//! generator's own.

use super::{Asked, at_rest::Withheld};
use crate::{
    evidence::Evidence,
    say,
    verdict::{Comparison, Word},
};
use record::Metric;

/// A generator that is idle for a smaller share of its time than this may have
/// been the slower part.
pub(crate) const HELD_BACK_BELOW: f64 = 0.05;
/// A target that used this share of the cores that it may use, or more, was at
/// its limit.
pub(crate) const AT_ITS_LIMIT_FROM: f64 = 0.95;

/// A contender that the generator held back, or may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct HeldBack {
    /// Share of its time that the generator's threads were idle.
    pub(crate) idle: f64,
    /// Share of its cores that the target used: then it is certain. None: not
    /// known.
    pub(crate) busy: Option<f64>,
}

impl HeldBack {
    /// The target had cores to spare.
    pub(crate) fn certain(&self) -> bool {
        self.busy.is_some()
    }

    /// `the generator was idle for 2.0 % of the time of b, and its target used
    /// 60 % of its cores`.
    pub(crate) fn figures(&self, name: &str) -> String {
        let target = match self.busy {
            Some(busy) => format!("its target used {} of its cores", say::percent(busy)),
            None => "how busy its target was is not known".to_owned(),
        };
        let idle = say::percent(self.idle);
        format!("the generator was idle for only {idle} of the time of {name}, and {target}")
    }
}

/// Whether, in closed loop, the contender's figures are the generator's own, or
/// may be: it was hardly idle, and the target was not at its limit, as far as
/// that is known. Where the generator does the target's work itself its figures
/// are what was asked for.
pub(crate) fn held_back(evidence: &Evidence, contender: u32) -> Option<HeldBack> {
    let at = contender as usize;
    if evidence.question.done_by_generator.get(at).copied().unwrap_or(false) {
        return None;
    }
    let driven = evidence.contenders.get(at).filter(|driven| driven.closed())?;
    let idle = evidence.generator_idle(at).filter(|_| driven.judged.operations > 0)?;
    let busy = evidence.target_busy(at);
    (idle < HELD_BACK_BELOW && !at_its_limit(evidence, at)).then_some(HeldBack { idle, busy })
}

/// The target used nearly all of the cores that it may use, as far as is known.
pub(crate) fn at_its_limit(evidence: &Evidence, contender: usize) -> bool {
    // Stolen time counts for both: on which core it was is not known.
    let stolen = evidence.stolen_from_target(contender).unwrap_or(0.0);
    evidence.target_busy(contender).is_some_and(|busy| busy + stolen >= AT_ITS_LIMIT_FROM)
}

impl Asked {
    /// Where the generator was the slower part for both, the ratio is one of its
    /// own figures; and equal figures that may be its own are not called
    /// equivalent. In closed loop that goes for times as well: they follow from
    /// throughput and the number of connections. It does not go for what an
    /// operation costs.
    pub(super) fn withhold_what_may_be_the_generators(
        &self,
        evidence: &Evidence,
        comparison: &mut Comparison,
    ) -> Withheld {
        if self.metric == Metric::TargetCpu {
            return Withheld::No;
        }
        let sides = [self.pair.a, self.pair.b].into_iter();
        let held: Vec<_> =
            sides.filter_map(|side| Some((side, held_back(evidence, side)?))).collect();
        let both = held.iter().filter(|(_, held)| held.certain()).count() == 2;
        if !both && (held.is_empty() || comparison.verdict != Word::Equivalent) {
            return Withheld::No;
        }
        let figures = held.iter().map(|(side, held)| held.figures(evidence.name(*side)));
        let figures = figures.collect::<Vec<_>>().join("; ");
        comparison.because.push(match both {
            true => format!("{figures}: both figures are the generator's own"),
            false => format!(
                "the interval says equivalent, but {figures}: equal figures may be the generator's \
                 own"
            ),
        });
        comparison.verdict = Word::Undecided;
        Withheld::ForGood
    }

    /// "At least": only the contender that is ahead may have been held back.
    pub(super) fn mark_at_least(&self, evidence: &Evidence, comparison: &mut Comparison) {
        let (ahead, behind) = match comparison.verdict {
            Word::Faster => (self.pair.b, self.pair.a),
            Word::Slower => (self.pair.a, self.pair.b),
            _ => return,
        };
        let held = held_back(evidence, ahead).filter(|_| held_back(evidence, behind).is_none());
        let Some(held) = held.filter(|_| self.metric == Metric::Throughput) else { return };
        comparison.at_least = true;
        comparison.because.push(format!(
            "at least: the generator {} {}, which is ahead",
            if held.certain() { "held back" } else { "may have held back" },
            evidence.name(ahead)
        ));
    }
}
