//! What is being driven, for those who watch a run.

use crate::clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Stands for a contender that is not known.
const UNKNOWN: u32 = u32::MAX;

/// Tells another thread whether a slice still waits for replies although sending has stopped.
#[derive(Clone, Debug, Default)]
pub struct Driving {
    slice: Arc<Slice>,
    /// The contender of each lane.
    contenders: Vec<u32>,
}

#[derive(Debug, Default)]
struct Slice {
    contender: AtomicU32,
    /// On the engine's clock.
    sends_until: AtomicU64,
    /// How many workers have not ended it.
    workers: AtomicU32,
}

/// What a slice waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waits {
    /// None if it is not known.
    pub contender: Option<u32>,
    /// The time since sending stopped.
    pub time: Duration,
}

impl Driving {
    /// Returns a handle on the same slice for lanes that drive these contenders.
    pub fn of_lanes(&self, contenders: &[usize]) -> Driving {
        let contenders = contenders.iter().map(|contender| *contender as u32).collect();
        Driving { slice: self.slice.clone(), contenders }
    }

    /// Notes that a worker drives a slice of this lane, and sends until this time of the engine's clock.
    /// None if the lane is not known.
    pub fn begin(&self, lane: Option<usize>, sends_until: u64) {
        let contender = lane.and_then(|lane| self.contenders.get(lane));
        self.slice.contender.store(contender.copied().unwrap_or(UNKNOWN), Relaxed);
        self.slice.sends_until.store(sends_until, Relaxed);
        self.slice.workers.fetch_add(1, Relaxed);
    }

    /// Notes that this worker has ended it.
    pub fn end(&self) {
        self.slice.workers.fetch_sub(1, Relaxed);
    }

    /// Notes that no slice is driven.
    pub fn over(&self) {
        self.slice.workers.store(0, Relaxed);
    }

    /// Returns what is waited for. None if nothing is, or operations are still sent.
    pub fn waits(&self) -> Option<Waits> {
        let Slice { contender, sends_until, workers } = &*self.slice;
        let time = clock::now().checked_sub(sends_until.load(Relaxed))?;
        let contender = Some(contender.load(Relaxed)).filter(|contender| *contender != UNKNOWN);
        (workers.load(Relaxed) > 0).then_some(Waits { contender, time: Duration::from_nanos(time) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slice_waits_once_sending_has_stopped_until_all_workers_have_ended_it() {
        let driving = Driving::default().of_lanes(&[5, 3]);
        assert_eq!(driving.waits(), None, "nothing is driven");
        driving.begin(Some(1), u64::MAX);
        assert_eq!(driving.waits(), None, "it still sends");
        driving.end();
        for _ in 0..2 {
            driving.begin(Some(1), clock::now());
        }
        driving.end();
        assert_eq!(driving.waits().and_then(|waits| waits.contender), Some(3));
        driving.end();
        assert_eq!(driving.waits(), None, "no worker waits");
        driving.begin(None, clock::now());
        assert_eq!(driving.waits().map(|waits| waits.contender), Some(None));
        driving.over();
        assert_eq!(driving.waits(), None, "it is over");
    }
}
