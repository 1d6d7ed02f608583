//! What follows from two readings of each target, before and after a slice.

use crate::TargetReading;
use record::{Slice, WatchedSlice};

/// The readings of one target before and after a slice.
type Readings = (Option<TargetReading>, Option<TargetReading>);

/// Adds to a slice what its targets used between two readings of all of them, by number.
pub fn note_targets(
    slice: &mut Slice,
    before: &[Option<TargetReading>],
    after: &[Option<TargetReading>],
) {
    let targets = before.iter().copied().zip(after.iter().copied());
    slice.target_cpu_ns = targets.clone().map(cpu_used).collect();
    if after.iter().any(|after| after.is_some_and(|it| it.watched.is_some())) {
        slice.watched = targets.map(watched).collect();
    }
}

fn cpu_used((before, after): Readings) -> Option<u64> {
    Some(after?.cpu_ns - before?.cpu_ns)
}

/// How a watcher read the target at both ends, if one did.
fn watched((before, after): Readings) -> Option<WatchedSlice> {
    let (before, after) = (before?.watched?, after?.watched?);
    let stolen = || after.steal_ns?.checked_sub(before.steal_ns?);
    Some(WatchedSlice {
        from_ns: before.at_ns,
        until_ns: after.at_ns,
        asked_ns: [before.asked_ns, after.asked_ns],
        steal_ns: stolen(),
    })
}
