//! Was the generator the slower part?
//!
//! Two servers that differed by 1.3 × in CPU once read the same throughput,
//! because one generator core was slower than either. So a generator that was
//! hardly idle may have measured itself.

use crate::evidence::Evidence;

/// A generator that is idle for a smaller share of its time than this may have
/// been the slower part.
pub(crate) const HELD_BACK_BELOW: f64 = 0.05;

/// The generator's idle share where, in closed loop, the contender's figures may
/// be the generator's own: it was hardly idle, and the target's CPU cannot say
/// that the target was busy as well.
pub(crate) fn held_back(evidence: &Evidence, contender: u32) -> Option<f64> {
    let at = contender as usize;
    let driven = evidence.contenders.get(at).filter(|driven| driven.closed())?;
    // Nothing in the record tells a target's CPU time yet, in sight or not.
    let unknown = !evidence.cpu_in_sight(at);
    let idle = evidence.generator_idle(at).filter(|_| driven.judged.operations > 0 && unknown)?;
    (idle < HELD_BACK_BELOW).then_some(idle)
}
