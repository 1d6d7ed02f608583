//! Keeps tiebreak's own threads that drive nothing off the generator's cores.

use std::thread::JoinHandle;
use sys::affinity::{self, CpuSet};

/// Keeps the calling thread on these cores until it is dropped; then it may run where it could
/// before. Without cores, or if the system refuses, it stays where it is.
pub(crate) struct Kept {
    before: CpuSet,
}

impl Kept {
    /// Threads and processes that the caller starts meanwhile inherit the cores.
    pub(crate) fn on(cores: &[u32]) -> Option<Kept> {
        let before = affinity::allowed(0).ok()?;
        affinity::pin(0, &set(cores)?).ok()?;
        Some(Kept { before })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // The set comes from the system, which does not refuse it.
        let _ = affinity::pin(0, &self.before);
    }
}

/// Puts a thread on these cores. If there are none, or if the system refuses, it stays where it is.
pub(crate) fn place<T>(thread: &JoinHandle<T>, cores: &[u32]) {
    if let Some(set) = set(cores) {
        let _ = affinity::pin_thread(thread, &set);
    }
}

fn set(cores: &[u32]) -> Option<CpuSet> {
    affinity::set(cores).ok().filter(|_| !cores.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::system::cores::Facts;

    #[test]
    fn a_thread_is_kept_on_a_core_and_let_go() {
        let allowed = || Facts::read().expect("the system tells its cores").allowed;
        let all = allowed();
        let last = *all.last().expect("a core");
        let kept = Kept::on(&[last]).expect("a core of ours");
        assert_eq!(allowed(), [last]);
        drop(kept);
        assert_eq!(allowed(), all);
    }

    #[test]
    fn without_a_core_that_there_can_be_nothing_changes() {
        assert!(Kept::on(&[]).is_none());
        assert!(Kept::on(&[1 << 20]).is_none());
    }
}
