//! A load is divided into chunks; after each one its progress is reported and its fingerprint
//! stored. Pure.

use std::time::Duration;

/// How long a chunk should take to write, and the maximum. Progress is reported about once a
/// second.
const WANTED: Duration = Duration::from_millis(800);
const LONGEST: Duration = Duration::from_secs(10);

/// Each chunk is a call of the engine, which opens its connections anew: 10 ms for a cache, seconds
/// for a database that starts a process for each. It should write for this many times as long as
/// opening takes.
const TIMES_OVERHEAD: u32 = 4;

/// Keys of the first chunk, while the rate is unknown.
const FIRST: u64 = 2000;

/// How many times larger than the previous one a chunk may be: a store that answered quickly once
/// may not do so again.
const MOST_GROWTH: u64 = 16;

/// A chunk that was written.
#[derive(Clone, Copy, Debug)]
pub(super) struct Chunk {
    pub(super) keys: u64,
    /// The time while its connections were open.
    pub(super) writing: Duration,
    /// The time including opening and closing them.
    pub(super) took: Duration,
}

/// How many keys the next chunk has.
pub(super) fn next(last: Option<Chunk>) -> u64 {
    let Some(Chunk { keys, writing, took }) = last else { return FIRST };
    let overhead = took.saturating_sub(writing);
    let wanted = (overhead * TIMES_OVERHEAD).clamp(WANTED, LONGEST);
    let keys_then = keys as f64 * wanted.as_secs_f64() / writing.as_secs_f64().max(1e-9);
    (keys_then as u64).clamp(1, keys.saturating_mul(MOST_GROWTH).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(keys: u64, writing_ms: u64, took_ms: u64) -> u64 {
        let [writing, took] = [writing_ms, took_ms].map(Duration::from_millis);
        next(Some(Chunk { keys, writing, took }))
    }

    #[test]
    fn chunks_become_as_long_as_wanted() {
        assert_eq!(next(None), FIRST);
        // 100 000 keys a second: 80 000 in 800 ms, but a chunk is at most 16 times as large as the
        // previous one.
        assert_eq!(after(2000, 20, 30), 32_000);
        assert_eq!(after(32_000, 320, 330), 80_000);
        // The store has become slower, and then as slow as possible.
        assert_eq!(after(80_000, 8000, 8010), 8000);
        assert_eq!(after(1, 60_000, 60_010), 1);
        assert_eq!(after(500, 0, 0), 8000);
    }

    #[test]
    fn connections_that_are_slow_to_open_make_no_small_chunks() {
        // Four times as long as opening takes.
        assert_eq!(after(2000, 500, 1500), 16_000);
        assert_eq!(after(16_000, 4000, 5000), 16_000);
        // The length of a chunk is bounded.
        assert_eq!(after(16_000, 4000, 64_000), 40_000);
    }
}
