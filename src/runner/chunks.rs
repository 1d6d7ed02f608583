//! A load goes in chunks: between two of them its progress is told and its
//! fingerprint kept. Pure.

use std::time::Duration;

/// How long a chunk is to take. Each is a call of the engine, which opens its
/// connections anew: about 10 ms of 800. Progress is told about each second.
const WANTED: Duration = Duration::from_millis(800);

/// Keys of the first chunk, when the rate is not known.
const FIRST: u64 = 2000;

/// How many times as large as the one before a chunk may be: a store that
/// answered quickly once may not do so again.
const MOST_GROWTH: u64 = 16;

/// How many keys the next chunk has: `last` are those of the one before, and how
/// long they took.
pub(super) fn next(last: Option<(u64, Duration)>) -> u64 {
    let Some((keys, took)) = last else { return FIRST };
    let wanted = keys as f64 * WANTED.as_secs_f64() / took.as_secs_f64().max(1e-9);
    (wanted as u64).clamp(1, keys.saturating_mul(MOST_GROWTH).max(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_become_as_long_as_wanted() {
        let ms = Duration::from_millis;
        assert_eq!(next(None), FIRST);
        // 100 000 keys a second: 80 000 in 800 ms, but not in one leap.
        assert_eq!(next(Some((2000, ms(20)))), 32_000);
        assert_eq!(next(Some((32_000, ms(320)))), 80_000);
        // It has become slower, and slow as can be.
        assert_eq!(next(Some((80_000, ms(8000)))), 8000);
        assert_eq!(next(Some((1, ms(60_000)))), 1);
        assert_eq!(next(Some((500, Duration::ZERO))), 8000);
    }
}
