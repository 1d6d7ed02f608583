//! The numbers at which a contender's operations continue: a run calls the engine several times
//! (pilot, segments), and issues each operation only once.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The next operation of each worker. It is accessed when a lane is created and when it closes,
/// never in between.
#[derive(Clone, Debug)]
pub struct Numbers(Arc<[AtomicU64]>);

impl Numbers {
    /// Starts from the beginning, for `workers` workers.
    pub fn new(workers: usize) -> Numbers {
        Numbers::starting(0, workers)
    }

    /// Starts from operation `first`.
    pub fn starting(first: u64, workers: usize) -> Numbers {
        let starts = (first..).take(workers.max(1));
        Numbers(starts.map(AtomicU64::new).collect())
    }

    /// Returns the first operation of this worker.
    pub fn next(&self, worker: usize) -> u64 {
        self.0.get(worker).map_or(worker as u64, |next| next.load(Ordering::Relaxed))
    }

    /// Keeps the operation at which this worker ended.
    pub fn keep(&self, worker: usize, next: u64) {
        if let Some(kept) = self.0.get(worker) {
            kept.store(next, Ordering::Relaxed);
        }
    }
}
