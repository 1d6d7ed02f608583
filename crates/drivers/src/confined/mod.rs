//! Limits what a server can make a client library do to the process.
//!
//! Libraries allocate, call themselves and loop by numbers that a server sends. They open their
//! sockets themselves, and over TLS only they see the frames, so nothing can look at these numbers
//! before the library does. But their effects can be stopped: a thread that runs a library can
//! neither request more memory than replies need nor exhaust its stack without being held for ever,
//! and its heartbeat says so. What waits for the thread then goes on without it. An allocator
//! cannot unwind, and a stack that is exhausted cannot be unwound safely, so the thread is not
//! used again; it ends with the process.

use engine::Heartbeat;
use sys::confined::LimitedAllocator;

/// What a library may fill at once beside replies: its tables and buffers.
const BESIDE_BYTES: u64 = 64 << 20;

#[global_allocator]
static ALLOCATOR: LimitedAllocator = LimitedAllocator;

/// Runs a client library on the calling thread, within limits that allow replies of this many bytes.
pub fn confined<T>(heartbeat: &Heartbeat, reply_bytes: u64, library: impl FnOnce() -> T) -> T {
    let filled_bytes = BESIDE_BYTES.saturating_add(reply_bytes.saturating_mul(2));
    let library = || heartbeat.in_library(library);
    sys::confined::confined(heartbeat.limit(), filled_bytes, library)
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::{Exceeded, Lost, Watchdog};
    use std::hint::black_box;
    use std::time::Duration;

    /// Runs this within limits for replies of 1 MiB, and returns why it does not come back, if it does not.
    fn outcome(library: impl FnOnce() + Send + 'static) -> Option<Lost> {
        let heartbeat = Heartbeat::default();
        let mut watchdog = Watchdog::of(heartbeat.clone());
        let thread = std::thread::spawn(move || confined(&heartbeat, 1 << 20, library));
        loop {
            if let Some(lost) = watchdog.look(&thread) {
                assert!(!thread.is_finished());
                return Some(lost);
            }
            if thread.is_finished() {
                return None;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn a_library_cannot_fill_more_memory_than_replies_need() {
        let zeroed = |bytes: usize| outcome(move || drop(black_box(vec![0u8; bytes])));
        assert_eq!(zeroed(60 << 20), None);
        assert_eq!(zeroed(67 << 20), Some(Exceeded::Memory(67 << 20).into()));
        let grown = outcome(|| {
            let mut all = black_box(vec![1u8; 1 << 20]);
            while all.len() < 1 << 30 {
                all.extend_from_within(..);
            }
        });
        assert!(
            matches!(grown, Some(Lost::Held(Exceeded::Memory(66_000_000..=140_000_000)))),
            "{grown:?}"
        );
    }

    /// A library may reserve what a length of four bytes announces; see `memory`.
    #[test]
    fn a_library_cannot_reserve_more_than_any_frame_has() {
        let reserved = |bytes| outcome(move || drop(black_box(Vec::<u8>::with_capacity(bytes))));
        assert_eq!(reserved(3 << 30), None);
        assert_eq!(reserved(5 << 30), Some(Exceeded::Memory(5 << 30).into()));
        assert_eq!(reserved(35 << 40), Some(Exceeded::Memory(35 << 40).into()));
    }

    #[test]
    fn a_library_cannot_exhaust_the_stack() {
        fn nested(depth: u64) -> u64 {
            if depth == 0 { 0 } else { black_box(nested(black_box(depth - 1)) + 1) }
        }
        assert_eq!(outcome(|| assert_eq!(nested(100), 100)), None);
        assert_eq!(outcome(|| assert_eq!(nested(1 << 40), 1 << 40)), Some(Exceeded::Stack.into()));
    }

    #[test]
    fn a_panic_ends_the_limits() {
        let ended = std::panic::catch_unwind(|| {
            confined(&Heartbeat::default(), 0, || std::panic::resume_unwind(Box::new(())))
        });
        assert!(ended.is_err());
        drop(black_box(vec![0u8; 100 << 20]));
    }
}
