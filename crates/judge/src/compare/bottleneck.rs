//! Was the generator the slower part?
//!
//! Two servers that differed by 1.3 × in CPU once read the same throughput,
//! because one generator core was slower than either. So where a generator was
//! hardly idle and the target was not at its limit, the throughput is the
//! generator's own.

use crate::{evidence::Evidence, say};

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
/// that is known.
pub(crate) fn held_back(evidence: &Evidence, contender: u32) -> Option<HeldBack> {
    let at = contender as usize;
    let driven = evidence.contenders.get(at).filter(|driven| driven.closed())?;
    let idle = evidence.generator_idle(at).filter(|_| driven.judged.operations > 0)?;
    let busy = evidence.target_busy(at);
    let at_its_limit = busy.is_some_and(|busy| busy >= AT_ITS_LIMIT_FROM);
    (idle < HELD_BACK_BELOW && !at_its_limit).then_some(HeldBack { idle, busy })
}
