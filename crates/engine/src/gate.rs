//! Several processes that drive the same contenders at the same time.

use std::sync::Arc;

/// Decides when slices start, so that no process drives a contender while another process still
/// drives the one before. It is called between two slices, never while one is driven.
pub trait Gate: Send + Sync {
    /// Called when all workers of this process have ended the slice before `index` (or, before the
    /// first slice, are ready for it), by one of them at a time. Returns when the slice at `index`
    /// starts, as a time of [`crate::clock::now`], or None if the run ends.
    fn next(&self, index: u64) -> Option<u64>;

    /// Called between two rounds, when all workers of this process have ended the slice before
    /// `index`, by one of them at a time. Returns when all processes have ended the round, so that
    /// connections can be renewed. Returns false if the run ends.
    fn round_ended(&self, index: u64) -> bool;
}

/// The position of this process among those that drive an order together, each with the same
/// number of workers. Its worker *w* is worker `rank + size · w` of all, so what the processes
/// record is together what one process with all those workers would record.
pub struct Together {
    /// Its number, from 0.
    pub rank: usize,
    /// How many processes there are.
    pub size: usize,
    /// Decides when slices start.
    pub gate: Arc<dyn Gate>,
}
