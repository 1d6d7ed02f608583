//! Keeps tiebreak's own threads that drive nothing off the generator's cores.

use std::mem;

/// Keeps the calling thread on these cores until it is dropped; then it may run where it could
/// before. Without cores, or if the system refuses, it stays where it is.
pub(super) struct Kept {
    before: libc::cpu_set_t,
}

impl Kept {
    /// Threads and processes that the caller starts meanwhile inherit the cores.
    pub(super) fn on(cores: &[u32]) -> Option<Kept> {
        // SAFETY: an all-zero cpu_set_t is valid, and the call writes at most its size.
        let before = unsafe {
            let mut before: libc::cpu_set_t = mem::zeroed();
            let size = size_of_val(&before);
            (libc::sched_getaffinity(0, size, &mut before) == 0).then_some(before)?
        };
        // SAFETY: no argument can be wrong.
        place(unsafe { libc::pthread_self() }, cores).then_some(Kept { before })
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        // SAFETY: the set comes from the system, so it is valid and is not refused.
        unsafe { libc::sched_setaffinity(0, size_of_val(&self.before), &self.before) };
    }
}

/// Puts a thread that is not joined yet on these cores. Returns false if there are none, or
/// if the system refuses: then it stays where it is.
pub(super) fn place(thread: libc::pthread_t, cores: &[u32]) -> bool {
    let most = 8 * size_of::<libc::cpu_set_t>();
    if cores.is_empty() || cores.iter().any(|core| *core as usize >= most) {
        return false;
    }
    // SAFETY: an all-zero cpu_set_t is valid, every core is inside it, and the thread exists.
    unsafe {
        let mut set: libc::cpu_set_t = mem::zeroed();
        cores.iter().for_each(|core| libc::CPU_SET(*core as usize, &mut set));
        libc::pthread_setaffinity_np(thread, size_of_val(&set), &set) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cores::Facts;

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
