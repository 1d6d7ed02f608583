//! How long the server's thread was kept from its core while it had work.
//!
//! By the wall clock alone work would end on time even if another process had the core meanwhile,
//! so a neighbour would cost nothing.

use sys::clock::{cpu_of_this_thread as thread_cpu_ns, now as now_ns};

/// An interval measured by two clocks.
#[derive(Debug)]
pub(super) struct Preempted {
    wall: u64,
    cpu: u64,
}

impl Preempted {
    pub(super) fn new() -> Self {
        Preempted { wall: now_ns(), cpu: thread_cpu_ns() }
    }

    /// Begins a new interval. Returns the start of the old one and how long the thread did not run
    /// in it; that is meaningless if it slept.
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
