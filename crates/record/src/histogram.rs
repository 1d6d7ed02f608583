//! Latencies and sizes as HdrHistograms: 3 digits, nothing clamped.

use base64::{Engine as _, prelude::BASE64_STANDARD};
use hdrhistogram::serialization::{
    Deserializer as Decode, Serializer as Encode, V2DeflateSerializer,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _, ser::Error as _};

/// One day in nanoseconds: no run is longer, so no latency is clamped.
const HIGHEST: u64 = 86_400_000_000_000;

/// A histogram of whole numbers (nanoseconds or bytes) with 3 significant
/// digits. Serialised as HdrHistogram V2, compressed, in base64.
///
/// An empty one owns no memory: there are nine in every trial, a third of a
/// megabyte each, and most of them stay empty.
#[derive(Clone, Debug, Default)]
pub struct Histogram(Option<hdrhistogram::Histogram<u64>>);

impl PartialEq for Histogram {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(mine), Some(theirs)) => mine == theirs,
            _ => self.is_empty() && other.is_empty(),
        }
    }
}

impl Histogram {
    /// An empty histogram without memory.
    pub fn new() -> Self {
        Histogram(None)
    }

    /// Allocates what recording needs, if that has not been done.
    pub fn make_ready(&mut self) {
        self.ready();
    }

    #[inline]
    fn ready(&mut self) -> &mut hdrhistogram::Histogram<u64> {
        self.0.get_or_insert_with(empty)
    }

    /// Records one value. Never allocates once the histogram is ready.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.ready().saturating_record(value);
    }

    /// Records one value so many times.
    #[inline]
    pub fn record_many(&mut self, value: u64, times: u64) {
        self.ready().saturating_record_n(value, times);
    }

    /// How many values were recorded.
    pub fn len(&self) -> u64 {
        self.0.as_ref().map_or(0, hdrhistogram::Histogram::len)
    }

    /// Nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The samples, unless there are none.
    fn some(&self) -> Option<&hdrhistogram::Histogram<u64>> {
        self.0.as_ref().filter(|histogram| !histogram.is_empty())
    }

    /// The value at quantile `q` (0 to 1): the highest value that its bucket
    /// stands for. None when empty.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        self.some().map(|histogram| histogram.value_at_quantile(q))
    }

    /// The value of the `rank`-th smallest sample (1-based, clamped to the
    /// samples there are). None when empty.
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

    /// Share of the samples that are at most `value`, 0 to 1; 1 when empty.
    pub fn share_at_or_below(&self, value: u64) -> f64 {
        self.some().map_or(1.0, |histogram| histogram.quantile_below(value))
    }

    /// The largest value, to 3 digits. None when empty.
    pub fn max(&self) -> Option<u64> {
        self.some().map(hdrhistogram::Histogram::max)
    }

    /// The smallest value, to 3 digits. None when empty.
    pub fn min(&self) -> Option<u64> {
        self.some().map(hdrhistogram::Histogram::min)
    }

    /// (highest value of the bucket, samples in it), ascending, empty ones
    /// left out.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.some()
            .into_iter()
            .flat_map(hdrhistogram::Histogram::iter_recorded)
            .map(|bucket| (bucket.value_iterated_to(), bucket.count_since_last_iteration()))
    }

    /// Adds the samples of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        match (&mut self.0, other.some()) {
            (_, None) => {}
            (Some(mine), Some(theirs)) => mine.add(theirs).expect("same bounds"),
            (mine, Some(theirs)) => *mine = Some(theirs.clone()),
        }
    }

    /// HdrHistogram V2, compressed, base64: readable by other HdrHistogram
    /// tools. Of an empty histogram the empty text.
    ///
    /// # Errors
    /// When the encoder fails (out of memory).
    pub fn encode(&self) -> Result<String, String> {
        let Some(histogram) = self.some() else { return Ok(String::new()) };
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(histogram, &mut bytes)
            .map_err(|error| format!("histogram: {error:?}"))?;
        Ok(BASE64_STANDARD.encode(bytes))
    }

    /// The opposite of [`Histogram::encode`].
    ///
    /// # Errors
    /// When the text is no histogram.
    pub fn decode(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Ok(Histogram::new());
        }
        let bytes = BASE64_STANDARD.decode(text).map_err(|error| format!("histogram: {error}"))?;
        let read: hdrhistogram::Histogram<u64> =
            Decode::new()
                .deserialize(&mut bytes.as_slice())
                .map_err(|error| format!("histogram: {error:?}"))?;
        // Into our own bounds, so that all histograms can be merged.
        let mut ours = empty();
        ours.add(&read).map_err(|error| format!("histogram: {error:?}"))?;
        Ok(Histogram(Some(ours)))
    }
}

fn empty() -> hdrhistogram::Histogram<u64> {
    hdrhistogram::Histogram::new_with_bounds(1, HIGHEST, 3).expect("constant bounds")
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
