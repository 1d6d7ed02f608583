//! Shows from outside whether a thread will come back from what it does: a client library can be
//! made to compute for ever, to request more memory than there is, or to exhaust its stack.

use crate::clock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread::JoinHandle;
use std::time::Duration;
use sys::confined::{Exceeded, Limit};
use thiserror::Error;

/// How often a watchdog should look.
pub const LOOK_EVERY: Duration = Duration::from_millis(200);
/// The CPU time between two beats that no reply needs: some thousand times what the longest takes.
const LONGEST_COMPUTING_NS: u64 = 4_000_000_000;
/// Looks at a slice that should have ended, one after the other, until it is given up. They are counted
/// because time also passes for a process that is frozen.
const LATE_LOOKS: u32 = 50;

/// Why a thread does not come back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum Lost {
    /// Its client library exceeded a limit.
    #[error(transparent)]
    Held(#[from] Exceeded),
    /// The client library computed for this many seconds without a pause.
    #[error("the client library computed for {0} s over a reply, without end")]
    Computing(u64),
    /// A slice did not end.
    #[error("a slice did not end although its time was over")]
    Late,
}

/// What one thread shows of itself. Clones show the same thread.
#[derive(Clone, Debug, Default)]
pub struct Heartbeat(Arc<Shown>);

#[derive(Debug, Default)]
struct Shown {
    /// Whether a client library runs, and how often it has come back so far.
    in_library: AtomicBool,
    beats: AtomicU64,
    /// The lane that is driven or serviced.
    lane: AtomicU32,
    /// When the slice must have ended, on the engine's clock. 0 if none is driven.
    gives_up: AtomicU64,
    /// The limit of the library.
    limit: Limit,
}

impl Heartbeat {
    /// Runs a client library on the calling thread. It must beat at every turn.
    pub fn in_library<T>(&self, call: impl FnOnce() -> T) -> T {
        self.beat();
        self.0.in_library.store(true, Relaxed);
        let done = call();
        self.0.in_library.store(false, Relaxed);
        done
    }

    /// Notes that the library has come back.
    pub fn beat(&self) {
        self.0.beats.fetch_add(1, Relaxed);
    }

    /// The limit of the client library. If it is exceeded, the thread is held.
    pub fn limit(&self) -> &Limit {
        &self.0.limit
    }

    /// Notes which lane is driven or serviced.
    pub(crate) fn at_lane(&self, lane: usize) {
        self.0.lane.store(lane as u32, Relaxed);
    }

    /// Notes when the slice must have ended; 0 once it has.
    pub(crate) fn gives_up(&self, at: u64) {
        self.0.gives_up.store(at, Relaxed);
    }

    /// The lane that was driven or serviced last.
    pub(crate) fn lane(&self) -> u32 {
        self.0.lane.load(Relaxed)
    }
}

/// Looks at the heartbeat of a thread.
#[derive(Debug)]
pub struct Watchdog {
    heartbeat: Heartbeat,
    /// The beat that was seen last, and the CPU time of the thread then.
    beats: u64,
    cpu_ns: u64,
    late_looks: u32,
}

impl Watchdog {
    /// Watches this thread.
    pub fn of(heartbeat: Heartbeat) -> Watchdog {
        Watchdog { heartbeat, beats: 0, cpu_ns: 0, late_looks: 0 }
    }

    /// What it watches.
    pub(crate) fn heartbeat(&self) -> &Heartbeat {
        &self.heartbeat
    }

    /// Looks once at the heartbeat of this thread, which was not joined yet. Returns None while it may still
    /// come back.
    pub fn look<T>(&mut self, thread: &JoinHandle<T>) -> Option<Lost> {
        let in_library = self.heartbeat.0.in_library.load(Relaxed);
        self.find(clock::now(), in_library.then(|| clock::cpu_of(thread)))
    }

    /// `now`: on the engine's clock. `cpu_ns`: CPU time of the thread so far. None if no library runs.
    fn find(&mut self, now: u64, cpu_ns: Option<u64>) -> Option<Lost> {
        let shown = &*self.heartbeat.0;
        if let Some(exceeded) = shown.limit.exceeded() {
            return Some(exceeded.into());
        }
        let gives_up = shown.gives_up.load(Relaxed);
        self.late_looks = if gives_up > 0 && now > gives_up { self.late_looks + 1 } else { 0 };
        if self.late_looks > LATE_LOOKS {
            return Some(Lost::Late);
        }
        let too_long = cpu_ns.is_some_and(|cpu_ns| self.computes_too_long(cpu_ns));
        too_long.then_some(Lost::Computing(LONGEST_COMPUTING_NS / 1_000_000_000))
    }

    fn computes_too_long(&mut self, cpu_ns: u64) -> bool {
        let beats = self.heartbeat.0.beats.load(Relaxed);
        if std::mem::replace(&mut self.beats, beats) != beats {
            self.cpu_ns = cpu_ns;
        }
        cpu_ns.saturating_sub(self.cpu_ns) > LONGEST_COMPUTING_NS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_that_cannot_go_on_says_why() {
        for exceeded in [Exceeded::Memory(1 << 40), Exceeded::Stack] {
            let heartbeat = Heartbeat::default();
            let mut watchdog = Watchdog::of(heartbeat.clone());
            assert_eq!(watchdog.find(0, None), None);
            heartbeat.limit().note(exceeded);
            assert_eq!(watchdog.find(0, None), Some(Lost::Held(exceeded)));
        }
    }

    #[test]
    fn a_slice_that_ends_a_little_late_is_not_given_up() {
        let heartbeat = Heartbeat::default();
        let mut watchdog = Watchdog::of(heartbeat.clone());
        heartbeat.gives_up(100);
        let looks = |watchdog: &mut Watchdog, times| {
            (0..times).filter(|_| watchdog.find(101, None) == Some(Lost::Late)).count()
        };
        assert_eq!(looks(&mut watchdog, LATE_LOOKS), 0);
        heartbeat.gives_up(0);
        assert_eq!(looks(&mut watchdog, 1), 0);
        heartbeat.gives_up(100);
        assert_eq!(looks(&mut watchdog, LATE_LOOKS), 0, "another slice");
        assert_eq!(looks(&mut watchdog, 2), 2);
    }

    /// Beats come from the library's turns, so time counts only between two of them.
    #[test]
    fn computing_counts_only_within_one_turn_of_a_library() {
        let heartbeat = Heartbeat::default();
        let mut watchdog = Watchdog::of(heartbeat.clone());
        assert_eq!(
            (watchdog.find(0, None), watchdog.find(0, None)),
            (None, None),
            "no library runs"
        );
        let mut at = |seconds: u64| watchdog.find(0, Some(seconds * 1_000_000_000));
        heartbeat.beat();
        assert_eq!((at(101), at(105)), (None, None));
        heartbeat.beat();
        assert_eq!((at(106), at(110)), (None, None), "another turn");
        assert_eq!(at(111), Some(Lost::Computing(4)));
        assert_eq!(watchdog.find(0, None), None);
    }
}
