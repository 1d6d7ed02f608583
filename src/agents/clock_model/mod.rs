//! The clock of another machine, from four time stamps with every message. Pure.
//!
//! A message is sent at `sent` and its answer arrives at `back`, both on our clock; the other
//! machine received the message at `received` and answered at `answered`, both on its clock. The
//! difference of the clocks is then known up to half the round trip, whatever the delays are.
//! Exchanges that were not delayed on their way have the smallest round trips and say the most, so
//! offset and drift are fitted to the tightest ones.

use record::limits::NUMBERS_BELOW;

/// At most this many exchanges are kept. When there are more, the tighter one of each two
/// neighbours is kept, so that the exchanges still cover the whole time.
const MOST: usize = 64;
/// Exchanges older than this are forgotten, as long as [`REMAIN`] exchanges are left: oscillators
/// follow the temperature.
const FORGOTTEN_NS: u64 = 60_000_000_000;
const REMAIN: usize = 8;
/// Exchanges whose round trip is more than this many times the smallest one are not fitted, as long
/// as [`TIGHT_AT_LEAST`] exchanges are left: a clock that stepped during an exchange makes that
/// exchange look tighter than all others, and only other exchanges can show that.
const TIGHT: u64 = 2;
const TIGHT_AT_LEAST: usize = 8;
/// The drift is fitted once exchanges cover this time. Within a shorter one the error of a single
/// exchange would look like a drift.
const SPAN_NS: u64 = 1_000_000_000;
/// Before the drift is fitted it is taken to be below this: oscillators are specified to be within
/// 100 millionths, and two of them differ by twice as much at most.
const DRIFT_UNKNOWN: f64 = 200e-6;
/// Clocks of machines differ by less than this (NTP refuses larger differences, too).
const MOST_DRIFT: f64 = 500e-6;

/// Four time stamps: the first and the last on our clock, the others on that of the other machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Exchange {
    pub(crate) sent: u64,
    pub(crate) received: u64,
    pub(crate) answered: u64,
    pub(crate) back: u64,
}

/// What one exchange says.
#[derive(Clone, Copy, Debug)]
struct Sample {
    /// Our time in the middle of it.
    at: u64,
    /// The other clock minus ours.
    offset_ns: i64,
    round_trip_ns: u64,
}

/// The line that fits the tightest exchanges.
#[derive(Clone, Copy, Debug)]
struct FittedLine {
    at: u64,
    offset_ns: f64,
    drift: f64,
    /// How wrong the drift may be.
    drift_within: f64,
    bound_ns: u64,
}

/// What is known of the other clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct ClockModel {
    samples: Vec<Sample>,
    exchanges: u64,
    line: Option<FittedLine>,
}

impl ClockModel {
    /// Adds one exchange. An exchange whose stamps contradict each other is ignored.
    pub(crate) fn add(&mut self, exchange: &Exchange) {
        let Some(sample) = self.sample(exchange) else { return };
        self.exchanges += 1;
        let oldest = sample.at.saturating_sub(FORGOTTEN_NS);
        let excess = self.samples.len().saturating_sub(REMAIN);
        let old = self.samples.iter().take(excess).take_while(|known| known.at < oldest).count();
        self.samples.drain(..old);
        if self.samples.len() >= MOST {
            let pairs = self.samples.chunks(2);
            let tighter = |pair: &[Sample]| pair.iter().copied().min_by_key(|s| s.round_trip_ns);
            self.samples = pairs.filter_map(tighter).collect();
        }
        self.samples.push(sample);
        self.line = fit(&self.samples);
    }

    /// What an exchange says. The other machine measures with its own clock how long it took to
    /// answer, which may be a whole slice. As long as the drift of that clock is uncertain, the
    /// round trip is taken to be longer, never shorter. Returns None if the exchange is impossible,
    /// because that clock stepped meanwhile.
    fn sample(&self, exchange: &Exchange) -> Option<Sample> {
        let ours = exchange.back.checked_sub(exchange.sent)?;
        let theirs = exchange.answered.checked_sub(exchange.received)? as f64;
        let there = difference(exchange.received, exchange.sent);
        let back = difference(exchange.answered, exchange.back);
        let offset_ns = (i128::from(there) + i128::from(back)) / 2;
        let (drift, known_within) = match self.line {
            Some(line) => (line.drift, line.drift_within),
            None => (0.0, DRIFT_UNKNOWN),
        };
        let round_trip_ns = ours as f64 - theirs / (1.0 + drift);
        let at_most_ns = round_trip_ns.max(1.0) + theirs * known_within;
        (round_trip_ns + theirs * known_within >= 0.0).then_some(Sample {
            at: exchange.sent + ours / 2,
            offset_ns: i64::try_from(offset_ns).ok()?,
            round_trip_ns: at_most_ns.round() as u64,
        })
    }

    /// Returns how many exchanges the model rests on.
    pub(crate) fn exchanges(&self) -> u64 {
        self.exchanges
    }

    /// Returns the smallest round trip, or None before the first exchange.
    pub(crate) fn round_trip_ns(&self) -> Option<u64> {
        self.samples.iter().map(|sample| sample.round_trip_ns).min()
    }

    /// Returns how wrong the model may be at our time `at`, as a number that a journal can hold: half
    /// the smallest round trip, plus the largest residual of the exchanges that were fitted, plus what
    /// the drift may have added since the last of them. Returns None before the first exchange.
    pub(crate) fn bound_ns(&self, at: u64) -> Option<u64> {
        let line = self.line?;
        let age = at.saturating_sub(line.at) as f64;
        let bound_ns = line.bound_ns.saturating_add((age * line.drift_within).round() as u64);
        // A model that is wrong by eleven days says as little as one that is wrong by more.
        Some(bound_ns.min(NUMBERS_BELOW - 1))
    }

    /// Returns how much faster the other clock is, as a fraction.
    pub(crate) fn drift(&self) -> f64 {
        self.line.map_or(0.0, |line| line.drift)
    }

    /// Returns the other clock minus ours, at our time `at`, or 0 before the first exchange.
    pub(crate) fn offset_ns(&self, at: u64) -> i64 {
        let Some(line) = self.line else { return 0 };
        (line.offset_ns + line.drift * difference(at, line.at) as f64).round() as i64
    }

    /// Returns what the other clock shows at our time `at`.
    pub(crate) fn theirs(&self, at: u64) -> u64 {
        at.saturating_add_signed(self.offset_ns(at))
    }

    /// Returns our time when the other clock shows `theirs`.
    pub(crate) fn ours(&self, theirs: u64) -> u64 {
        let Some(line) = self.line else { return theirs };
        let there = line.at.saturating_add_signed(line.offset_ns.round() as i64);
        let since = difference(theirs, there) as f64 / (1.0 + line.drift);
        line.at.saturating_add_signed(since.round() as i64)
    }
}

fn difference(one: u64, other: u64) -> i64 {
    one.wrapping_sub(other) as i64
}

/// Least squares over the tightest exchanges, the tighter ones with more weight.
fn fit(samples: &[Sample]) -> Option<FittedLine> {
    let mut round_trips: Vec<u64> = samples.iter().map(|sample| sample.round_trip_ns).collect();
    round_trips.sort_unstable();
    let smallest = *round_trips.first()?;
    let last = round_trips[round_trips.len().min(TIGHT_AT_LEAST) - 1];
    let limit = last.max(TIGHT * smallest);
    let tight: Vec<&Sample> =
        samples.iter().filter(|sample| sample.round_trip_ns <= limit).collect();
    let (first, last) = (tight.first()?, tight.last()?);
    let weight = |sample: &Sample| (smallest as f64 / sample.round_trip_ns as f64).powi(2);
    let x = |sample: &Sample| difference(sample.at, last.at) as f64;
    let y = |sample: &Sample| difference(sample.offset_ns as u64, last.offset_ns as u64) as f64;
    let mean = |value: &dyn Fn(&Sample) -> f64| {
        let sum: f64 = tight.iter().map(|sample| weight(sample) * value(sample)).sum();
        sum / tight.iter().map(|sample| weight(sample)).sum::<f64>()
    };
    let (mean_x, mean_y) = (mean(&x), mean(&y));
    let square = mean(&|sample| (x(sample) - mean_x).powi(2));
    let covers = last.at - first.at >= SPAN_NS && square > 0.0;
    let span = last.at - first.at;
    // The tightest exchanges at both ends are off by half a round trip at most.
    let drift_within =
        if covers { (smallest as f64 / span as f64).min(DRIFT_UNKNOWN) } else { DRIFT_UNKNOWN };
    let drift = if covers {
        let product = mean(&|sample| (x(sample) - mean_x) * (y(sample) - mean_y));
        (product / square).clamp(-MOST_DRIFT, MOST_DRIFT)
    } else {
        0.0
    };
    let at_last = mean_y - drift * mean_x;
    let off = |sample: &&Sample| (y(sample) - at_last - drift * x(sample)).abs();
    let residual = tight.iter().map(off).fold(0.0, f64::max);
    Some(FittedLine {
        at: last.at,
        offset_ns: last.offset_ns as f64 + at_last,
        drift,
        drift_within,
        bound_ns: smallest / 2 + residual.round() as u64,
    })
}

#[cfg(test)]
mod tests;
