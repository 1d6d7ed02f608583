//! The seam to what blocks: what a thread carries out its operations with.

use super::work::{Answer, Request};
use crate::clock;
use record::Failure;

/// A store of files, a connection of a client library. Each thread has its own. A
/// call that takes too long is interrupted by a signal (`EINTR`), again and again
/// until it is back.
pub trait Tool: Send + Sync + 'static {
    /// What the threads are called.
    const NAME: &'static str;
    /// How long it may take to say goodbye before that is interrupted, in
    /// nanoseconds.
    const GOODBYE_NS: u64;

    /// One for another thread.
    fn another(&self) -> Self;

    /// Makes ready ahead of the operations. Returns whether it is: if not, the first
    /// operation tries again, and is counted.
    fn open(&mut self, heard: &mut Heard) -> bool;

    /// Carries out a request, which has time until `gives_up`.
    ///
    /// # Errors
    /// When no answer came.
    fn perform<'a>(
        &mut self,
        request: &Request,
        gives_up: u64,
        buffer: &'a mut Vec<u8>,
        heard: &mut Heard,
    ) -> Result<Answer<'a>, Failure>;

    /// How long, in nanoseconds, what comes behind the operation may take before it is
    /// interrupted; none: nothing does. It belongs to the operation's turn, and not to
    /// its time.
    fn settles_within(&self) -> Option<u64>;

    /// Does what comes behind the operation.
    fn settle(&mut self);
}

/// What is heard of an operation beside its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heard {
    /// When it was asked; 0: it was not.
    pub(super) asked: u64,
    /// When its reply began; 0: that is not known apart from its end.
    pub(super) began: u64,
    /// How long a connection took to open, log-in and all, if one was.
    pub(super) opened_ns: Option<u64>,
}

impl Heard {
    pub(super) fn asked_at(sent: u64) -> Heard {
        Heard { asked: sent, ..Heard::default() }
    }

    /// Nothing is asked yet: first a connection must be opened.
    pub fn connects(&mut self) {
        self.asked = 0;
    }

    /// A connection was opened, which began then.
    pub fn connected(&mut self, since: u64) {
        self.opened_ns = Some(clock::now() - since);
    }

    /// The request is sent now.
    pub fn asks(&mut self) {
        self.asked = clock::now();
    }

    /// The reply begins.
    pub fn begins(&mut self) {
        self.began = clock::now();
    }
}
