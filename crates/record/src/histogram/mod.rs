//! Latencies and sizes as HdrHistograms: 3 digits, and nothing is clamped.

mod buckets;
mod decode;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use buckets::Buckets;
use hdrhistogram::serialization::{
    Serializer as Encode, V2DeflateSerializeError, V2DeflateSerializer,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};
use thiserror::Error;

/// One day in nanoseconds. No run is longer, so no latency is clamped.
const HIGHEST: u64 = 86_400_000_000_000;
/// The lowest value, the highest value, and the digits.
const BOUNDS: (u64, u64, u8) = (1, HIGHEST, 3);

/// A histogram of whole numbers (nanoseconds or bytes) with 3 significant
/// digits. Serialised as HdrHistogram V2, compressed, in base64.
///
/// An empty histogram allocates no memory: every trial has nine of them, a third of a megabyte
/// each, and most of them stay empty. One that was read from a journal allocates in proportion
/// to its buckets with samples: a few bytes of text must not become a third of a megabyte.
#[derive(Clone, Debug, Default)]
pub struct Histogram(Samples);

#[derive(Clone, Debug, Default)]
enum Samples {
    #[default]
    None,
    /// All buckets, ready for recording.
    All(hdrhistogram::Histogram<u64>),
    /// Only the buckets with samples, and the number of samples, which is above 0.
    Some(Buckets, u64),
}

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        self.buckets().eq(other.buckets())
    }
}

impl Histogram {
    /// An empty histogram without memory.
    pub fn new() -> Self {
        Histogram::default()
    }

    /// Allocates what recording needs, if that has not been done.
    pub fn make_ready(&mut self) {
        self.ready();
    }

    #[inline]
    fn ready(&mut self) -> &mut hdrhistogram::Histogram<u64> {
        if !matches!(self.0, Samples::All(_)) {
            self.allocate();
        }
        match &mut self.0 {
            Samples::All(all) => all,
            Samples::None | Samples::Some(..) => unreachable!("allocated just before"),
        }
    }

    #[cold]
    fn allocate(&mut self) {
        let mut all = empty();
        for (value, times) in self.buckets() {
            all.saturating_record_n(value, times);
        }
        self.0 = Samples::All(all);
    }

    /// Records one value. Never allocates once the histogram is ready.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.ready().saturating_record(value);
    }

    /// Records one value `count` times.
    #[inline]
    pub fn record_many(&mut self, value: u64, times: u64) {
        self.ready().saturating_record_n(value, times);
    }

    /// The number of values recorded.
    pub fn len(&self) -> u64 {
        match &self.0 {
            Samples::None => 0,
            Samples::All(all) => all.len(),
            Samples::Some(_, total) => *total,
        }
    }

    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The value at quantile `q` (0 to 1): the highest value of its bucket. Returns None if the
    /// histogram is empty.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        match &self.0 {
            Samples::None => None,
            Samples::All(all) => (!all.is_empty()).then(|| all.value_at_quantile(q)),
            // At 0 HdrHistogram gives the lowest value of the bucket.
            Samples::Some(..) if q == 0.0 => self.at_rank(1).map(buckets::lowest),
            Samples::Some(_, total) => self.at_rank(rank(q, *total)),
        }
    }

    /// The value of the `rank`-th smallest sample (from 1 on, clamped to the number of samples).
    /// Returns None if the histogram is empty.
    pub fn at_rank(&self, rank: u64) -> Option<u64> {
        let rank = rank.clamp(1, self.len().max(1));
        let mut below = 0;
        for (value, count) in self.buckets() {
            below += count;
            if below >= rank {
                return Some(value);
            }
        }
        None
    }

    /// Share of the samples that are at most `value`, 0 to 1. Returns 1 if the histogram is empty.
    pub fn share_at_or_below(&self, value: u64) -> f64 {
        match &self.0 {
            Samples::None => 1.0,
            Samples::All(all) => all.quantile_below(value),
            Samples::Some(some, total) => {
                let most = buckets::highest(value);
                let below = some.partition_point(|(bucket, _)| *bucket <= most);
                let below: u64 = some[..below].iter().map(|(_, count)| count).sum();
                below as f64 / *total as f64
            }
        }
    }

    /// The largest value, to 3 digits. Returns None if the histogram is empty.
    pub fn max(&self) -> Option<u64> {
        match &self.0 {
            Samples::None => None,
            Samples::All(all) => (!all.is_empty()).then(|| all.max()),
            Samples::Some(some, _) => some.last().map(|(value, _)| *value),
        }
    }

    /// The smallest value, to 3 digits. Returns None if the histogram is empty.
    pub fn min(&self) -> Option<u64> {
        match &self.0 {
            Samples::None => None,
            Samples::All(all) => (!all.is_empty()).then(|| all.min()),
            Samples::Some(some, _) => some.first().map(|(value, _)| buckets::lowest(*value)),
        }
    }

    /// (highest value of the bucket, samples in it), ascending. Empty buckets are left out.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let (all, some) = match &self.0 {
            Samples::None => (None, None),
            Samples::All(all) => (Some(all).filter(|all| !all.is_empty()), None),
            Samples::Some(some, _) => (None, Some(some)),
        };
        all.into_iter()
            .flat_map(hdrhistogram::Histogram::iter_recorded)
            .map(|bucket| (bucket.value_iterated_to(), bucket.count_since_last_iteration()))
            .chain(some.into_iter().flatten().copied())
    }

    /// How many values were recorded since `before`, which is an earlier state of this histogram, and
    /// their median. Returns None if there are none.
    pub fn median_since(&self, before: &Histogram) -> Option<(u64, u64)> {
        let new = self.len().checked_sub(before.len()).filter(|new| *new > 0)?;
        let mut earlier = before.buckets().peekable();
        let mut seen = 0;
        for (value, count) in self.buckets() {
            let known = earlier.next_if(|(at, _)| *at == value).map_or(0, |(_, count)| count);
            seen += count - known.min(count);
            if 2 * seen >= new {
                return Some((new, value));
            }
        }
        None
    }

    /// Adds the samples of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        if other.is_empty() {
            return;
        }
        match (&mut self.0, &other.0) {
            (Samples::None, _) => *self = other.clone(),
            (Samples::All(mine), Samples::All(theirs)) => mine.add(theirs).expect("same bounds"),
            (Samples::Some(mine, total), Samples::Some(theirs, more)) => {
                let sum = total.checked_add(*more);
                match (sum, buckets::merged(mine, theirs)) {
                    (Some(sum), Some(both)) => (*total, *mine) = (sum, both),
                    _ => self.add(other),
                }
            }
            _ => self.add(other),
        }
    }

    /// Adds bucket by bucket; counts saturate.
    fn add(&mut self, other: &Histogram) {
        other.buckets().for_each(|(value, times)| self.record_many(value, times));
    }

    /// HdrHistogram V2, compressed, in base64, which other HdrHistogram tools can read. An empty
    /// histogram gives an empty text.
    ///
    /// # Errors
    /// Returns an error if the encoder fails (out of memory).
    pub fn encode(&self) -> Result<String, HistogramError> {
        if self.is_empty() {
            return Ok(String::new());
        }
        let Samples::All(all) = &self.0 else {
            let mut ready = self.clone();
            ready.make_ready();
            return ready.encode();
        };
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(all, &mut bytes).map_err(HistogramError::Encoder)?;
        Ok(BASE64_STANDARD.encode(bytes))
    }

    /// The opposite of [`Histogram::encode`].
    ///
    /// # Errors
    /// Returns an error if the text is not a histogram that tiebreak wrote.
    pub fn decode(text: &str) -> Result<Self, HistogramError> {
        if text.is_empty() {
            return Ok(Histogram::new());
        }
        let (some, total) = decode::decode(text)?;
        Ok(Histogram(if total == 0 { Samples::None } else { Samples::Some(some, total) }))
    }
}

/// Why a histogram cannot be written or read.
#[derive(Debug, Error)]
pub enum HistogramError {
    /// The encoder failed.
    #[error("histogram: {0:?}")]
    Encoder(V2DeflateSerializeError),
    /// The text is not base64.
    #[error("histogram: {0}")]
    Base64(#[from] base64::DecodeError),
    /// The text is of another form than that of [`Histogram::encode`].
    #[error("histogram: tiebreak does not write this form")]
    Form,
}

/// The rank of quantile `q` among so many samples.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "`as` saturates")]
fn rank(q: f64, samples: u64) -> u64 {
    (q.min(1.0) * samples as f64).ceil() as u64
}

fn empty() -> hdrhistogram::Histogram<u64> {
    let (low, high, digits) = BOUNDS;
    hdrhistogram::Histogram::new_with_bounds(low, high, digits).expect("constant bounds")
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&self.encode().map_err(S::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Histogram::decode(&String::deserialize(from)?).map_err(D::Error::custom)
    }
}
