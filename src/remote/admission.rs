//! Limits how many connections are handled at the same time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// One of a limited number of admissions. It becomes free when it is dropped.
pub(crate) struct Admission(Arc<AtomicUsize>);

impl Admission {
    /// Takes one of `most` admissions, of which `taken` are taken. Returns None if all are.
    pub(crate) fn take(taken: &Arc<AtomicUsize>, most: usize) -> Option<Admission> {
        let more = |taken| (taken < most).then_some(taken + 1);
        taken.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(Admission(Arc::clone(taken)))
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
