//! How long the server's thread was kept from its core while it had work.
//!
//! By the wall clock alone a piece of work ends when it was due to, also where
//! another process had the core meanwhile: a neighbour would cost nothing.

use super::sys::{now_ns, thread_cpu_ns};

/// A stretch of time by two clocks.
#[derive(Debug)]
pub(super) struct Preempted {
    wall: u64,
    cpu: u64,
}

impl Preempted {
    pub(super) fn new() -> Self {
        Preempted { wall: now_ns(), cpu: thread_cpu_ns() }
    }

    /// Begins a new stretch. Gives the start of the old one and for how long of
    /// it the thread did not run; without meaning where it slept.
    pub(super) fn next(&mut self) -> (u64, u64) {
        let old = std::mem::replace(self, Preempted::new());
        let ran = self.cpu.saturating_sub(old.cpu);
        (old.wall, (self.wall - old.wall).saturating_sub(ran))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_without_the_core_is_found_and_work_is_not() {
        let mut preempted = Preempted::new();
        let begun = now_ns();
        std::thread::sleep(std::time::Duration::from_millis(30));
        let (from, missed) = preempted.next();
        assert!(from <= begun && missed >= 25_000_000, "{missed}");
        let until = thread_cpu_ns() + 20_000_000;
        while thread_cpu_ns() < until {}
        let (from, missed) = preempted.next();
        let took = now_ns() - from;
        assert!(missed <= took - 20_000_000, "{missed} of {took}");
    }
}
