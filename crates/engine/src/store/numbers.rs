//! Where a contender's operations go on: a run calls the engine several times
//! (pilot, segments), and no operation of it is issued twice.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The next operation of each worker. Touched when a lane is made and when it
/// closes, never in between.
#[derive(Clone, Debug)]
pub struct Numbers(Arc<[AtomicU64]>);

impl Numbers {
    /// From the beginning, for so many workers.
    pub fn new(workers: usize) -> Numbers {
        Numbers::starting(0, workers)
    }

    /// The same, from this operation on.
    pub fn starting(first: u64, workers: usize) -> Numbers {
        let starts = (first..).take(workers.max(1));
        Numbers(starts.map(AtomicU64::new).collect())
    }

    /// Where this worker begins.
    pub fn next(&self, worker: usize) -> u64 {
        self.0.get(worker).map_or(worker as u64, |next| next.load(Ordering::Relaxed))
    }

    /// Where this worker ended.
    pub fn keep(&self, worker: usize, next: u64) {
        if let Some(kept) = self.0.get(worker) {
            kept.store(next, Ordering::Relaxed);
        }
    }
}
