//! Holds a thread that requests too much memory or exhausts its stack, in place of ending the process.
//!
//! An allocator cannot unwind, and a stack that is exhausted cannot be unwound safely. So the thread waits for
//! ever, which others see in a [`Limit`], and it ends with the process.

mod allocator;
mod stack;

pub use allocator::LimitedAllocator;

use std::cell::Cell;
use std::error::Error;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The limit that a client library exceeded. Its thread is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exceeded {
    /// It requested this many bytes at once.
    Memory(u64),
    /// It called itself too often.
    Stack,
}

impl fmt::Display for Exceeded {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Exceeded::Memory(bytes) => {
                write!(to, "the client library requested {bytes} bytes of memory for a reply")
            }
            Exceeded::Stack => to.write_str(
                "a reply that is nested too deeply exhausted the stack of the client library",
            ),
        }
    }
}

impl Error for Exceeded {}

/// Shows other threads whether a thread is held, and why. It holds bytes, or [`STACK`]; 0 if no limit was exceeded.
#[derive(Debug, Default)]
pub struct Limit(AtomicU64);

const STACK: u64 = 1;

impl Limit {
    /// Returns which limit was exceeded, or None.
    pub fn exceeded(&self) -> Option<Exceeded> {
        match self.0.load(Relaxed) {
            0 => None,
            STACK => Some(Exceeded::Stack),
            bytes => Some(Exceeded::Memory(bytes)),
        }
    }

    /// Notes that a limit was exceeded. It may be called from a signal handler and from an allocator.
    pub fn note(&self, exceeded: Exceeded) {
        let exceeded = match exceeded {
            Exceeded::Memory(bytes) => bytes.max(STACK + 1),
            Exceeded::Stack => STACK,
        };
        self.0.store(exceeded, Relaxed);
    }
}

/// What limits the calling thread.
struct Limits {
    limit: *const Limit,
    /// The longest block that may be filled.
    filled_bytes: u64,
    /// The lowest address of the thread's stack.
    stack: usize,
}

thread_local! {
    /// Null unless the thread is confined. A pointer without a destructor, because an allocator and a signal
    /// handler read it.
    static LIMITS: Cell<*const Limits> = const { Cell::new(std::ptr::null()) };
}

/// Calls this on the calling thread, which is held if it exhausts its stack or requests a block of more bytes than
/// these to fill it. Memory is limited in programs whose allocator is [`LimitedAllocator`].
pub fn confined<T>(limit: &Limit, filled_bytes: u64, call: impl FnOnce() -> T) -> T {
    stack::prepare();
    let limits = Limits { limit, filled_bytes, stack: stack::lowest() };
    let _entered = Entered(LIMITS.replace(&raw const limits));
    call()
}

/// Restores the limits before, also after a panic.
struct Entered(*const Limits);

impl Drop for Entered {
    fn drop(&mut self) {
        LIMITS.set(self.0);
    }
}

/// The limits of the calling thread. Returns None if it is not confined.
fn limits() -> Option<&'static Limits> {
    // SAFETY: `confined` resets the pointer before its limits go, on the same thread, and no caller keeps
    // the reference beyond its own call.
    unsafe { LIMITS.get().as_ref() }
}

/// Holds the calling thread for ever.
fn hold(limits: &Limits, exceeded: Exceeded) -> ! {
    // SAFETY: `confined` borrows it as long as the limits stand.
    unsafe { &*limits.limit }.note(exceeded);
    loop {
        // SAFETY: it only waits, and may be called from a signal handler.
        unsafe { libc::pause() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_says_what_was_exceeded() {
        for exceeded in [Exceeded::Memory(1 << 40), Exceeded::Stack] {
            let limit = Limit::default();
            assert_eq!(limit.exceeded(), None);
            limit.note(exceeded);
            assert_eq!(limit.exceeded(), Some(exceeded));
        }
    }

    #[test]
    fn a_panic_ends_the_limits() {
        let ended = std::panic::catch_unwind(|| {
            confined(&Limit::default(), 0, || std::panic::resume_unwind(Box::new(())))
        });
        assert!(ended.is_err() && limits().is_none());
    }
}
