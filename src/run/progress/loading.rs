//! The progress of a load. Pure.

use std::ops::Range;
use std::time::{Duration, Instant};
use text::units::{show_count, show_rate};

/// The remaining time and share.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Remaining {
    /// None if it takes longer than was expected.
    pub(super) time: Option<Duration>,
    /// The completed share, 0 to 1.
    pub(super) done: f64,
}

/// The load of one store, updated at the end of each chunk.
#[derive(Debug)]
pub(super) struct LoadSoFar {
    keys: u64,
    /// What is counted: keys, or columns.
    what: &'static str,
    from: u64,
    began: Instant,
    upto: u64,
    /// When it reached that key.
    at: Instant,
}

impl LoadSoFar {
    pub(super) fn new(keys: Range<u64>, what: &'static str, now: Instant) -> LoadSoFar {
        let (from, keys) = (keys.start, keys.end);
        LoadSoFar { keys, what, from, began: now, upto: from, at: now }
    }

    pub(super) fn reached(&mut self, upto: u64, now: Instant) {
        (self.upto, self.at) = (upto, now);
    }

    /// Formats the progress, such as `300k of 1M keys, 120 k/s`.
    pub(super) fn text(&self) -> String {
        let rate = self.rate().map(|rate| format!(", {}", show_rate(rate)));
        let (upto, keys) = (show_count(self.upto), show_count(self.keys));
        format!("{upto} of {keys} {}{}", self.what, rate.unwrap_or_default())
    }

    /// The remaining time by the rate so far. Returns None before there is a rate.
    pub(super) fn left(&self, now: Instant) -> Option<Remaining> {
        let whole = (self.keys - self.upto.min(self.keys)) as f64 / self.rate()?;
        let since = now.saturating_duration_since(self.at);
        let whole = Duration::try_from_secs_f64(whole).unwrap_or(Duration::MAX);
        let done = self.upto as f64 / self.keys.max(1) as f64;
        Some(Remaining { time: Some(whole.saturating_sub(since)), done: done.min(1.0) })
    }

    /// Keys per second.
    fn rate(&self) -> Option<f64> {
        let took = self.at.saturating_duration_since(self.began).as_secs_f64();
        let keys = self.upto.saturating_sub(self.from) as f64;
        (took > 0.0 && keys > 0.0).then(|| keys / took)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rate_and_time_left_count_what_this_load_wrote() {
        let start = Instant::now();
        let at = |s: f64| start + Duration::from_secs_f64(s);
        let mut load = LoadSoFar::new(400_000..1_000_000, "keys", start);
        assert_eq!(load.text(), "400k of 1M keys");
        assert_eq!(load.left(at(1.0)), None);
        load.reached(700_000, at(2.5));
        assert_eq!(load.text(), "700k of 1M keys, 120 k/s");
        let left = |s: f64| load.left(at(s)).map(|left| (left.time, left.done));
        assert_eq!(left(2.5), Some((Some(Duration::from_millis(2500)), 0.7)));
        assert_eq!(left(3.5), Some((Some(Duration::from_millis(1500)), 0.7)));
        assert_eq!(left(9.0), Some((Some(Duration::ZERO), 0.7)));
    }
}
