//! A barrier at which workers on several cores change lanes together.

use crate::sync::{Condvar, Mutex};
use std::sync::PoisonError;

/// Like `std::sync::Barrier`, but it can be broken: if a worker has ended, the others are
/// released instead of waiting for ever. It waits in the kernel and never spins, because a
/// spinning worker would take the core that a target needs.
#[derive(Debug)]
pub(crate) struct Barrier {
    state: Mutex<BarrierState>,
    changed: Condvar,
    size: usize,
}

#[derive(Debug, Default, Hash)]
struct BarrierState {
    waiting: usize,
    generation: u64,
    broken: bool,
}

/// The barrier will never open again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BrokenBarrier;

impl Barrier {
    /// Creates a barrier for `size` workers.
    pub(crate) fn new(size: usize) -> Barrier {
        Barrier { state: Mutex::default(), changed: Condvar::new(), size }
    }

    /// Waits until all workers have arrived. Returns true in exactly one of them.
    ///
    /// # Errors
    /// Returns an error if the barrier is broken.
    pub(crate) fn wait(&self) -> Result<bool, BrokenBarrier> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting += 1;
        if state.waiting == self.size && !state.broken {
            state.waiting = 0;
            state.generation += 1;
            self.changed.notify_all();
            return Ok(true);
        }
        let generation = state.generation;
        while state.generation == generation && !state.broken {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        if state.generation == generation { Err(BrokenBarrier) } else { Ok(false) }
    }

    /// Releases all workers, now and for ever.
    pub(crate) fn break_it(&self) {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).broken = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pass_together_and_one_leads() {
        let barrier = Barrier::new(3);
        let leaders: usize = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| (0..100).filter(|_| barrier.wait() == Ok(true)).count()))
                .collect();
            workers.into_iter().map(|worker| worker.join().expect("no panic")).sum()
        });
        assert_eq!(leaders, 100);
    }

    #[test]
    fn a_broken_barrier_lets_everybody_go() {
        let barrier = Barrier::new(2);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| barrier.wait());
            barrier.break_it();
            assert_eq!(waiting.join().expect("no panic"), Err(BrokenBarrier));
        });
        assert_eq!(barrier.wait(), Err(BrokenBarrier));
    }
}
