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
#[derive(Clone, Debug, PartialEq)]
pub struct Histogram(hdrhistogram::Histogram<u64>);

impl Default for Histogram {
    fn default() -> Self {
        Self::new()
    }
}

impl Histogram {
    /// An empty histogram, all memory allocated.
    pub fn new() -> Self {
        Histogram(hdrhistogram::Histogram::new_with_bounds(1, HIGHEST, 3).expect("constant bounds"))
    }

    /// Records one value. Never allocates.
    #[inline]
    pub fn record(&mut self, value: u64) {
        self.0.saturating_record(value);
    }

    /// How many values were recorded.
    pub fn len(&self) -> u64 {
        self.0.len()
    }

    /// Nothing was recorded.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value at quantile `q` (0 to 1): the highest value that its bucket
    /// stands for. None when empty.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        (!self.is_empty()).then(|| self.0.value_at_quantile(q))
    }

    /// The value of the `rank`-th smallest sample (1-based, clamped to the
    /// samples there are). None when empty.
    pub fn at_rank(&self, rank: u64) -> Option<u64> {
        if self.is_empty() {
            return None;
        }
        let rank = rank.clamp(1, self.len());
        let mut below = 0;
        for bucket in self.0.iter_recorded() {
            below += bucket.count_since_last_iteration();
            if below >= rank {
                return Some(bucket.value_iterated_to());
            }
        }
        Some(self.0.max())
    }

    /// Share of the samples that are at most `value`, 0 to 1.
    pub fn share_at_or_below(&self, value: u64) -> f64 {
        self.0.quantile_below(value)
    }

    /// The largest value, to 3 digits. None when empty.
    pub fn max(&self) -> Option<u64> {
        (!self.is_empty()).then(|| self.0.max())
    }

    /// The smallest value, to 3 digits. None when empty.
    pub fn min(&self) -> Option<u64> {
        (!self.is_empty()).then(|| self.0.min())
    }

    /// The mean. None when empty.
    pub fn mean(&self) -> Option<f64> {
        (!self.is_empty()).then(|| self.0.mean())
    }

    /// (highest value of the bucket, samples in it), ascending, empty ones
    /// left out.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        self.0
            .iter_recorded()
            .map(|bucket| (bucket.value_iterated_to(), bucket.count_since_last_iteration()))
    }

    /// Adds the samples of `other`.
    pub fn merge(&mut self, other: &Histogram) {
        self.0.add(&other.0).expect("same bounds");
    }

    /// Forgets all samples, keeps the memory.
    pub fn clear(&mut self) {
        self.0.reset();
    }

    /// HdrHistogram V2, compressed, base64: readable by other HdrHistogram tools.
    ///
    /// # Errors
    /// When the encoder fails (out of memory).
    pub fn encode(&self) -> Result<String, String> {
        let mut bytes = Vec::new();
        V2DeflateSerializer::new()
            .serialize(&self.0, &mut bytes)
            .map_err(|error| format!("histogram: {error:?}"))?;
        Ok(BASE64_STANDARD.encode(bytes))
    }

    /// The opposite of [`Histogram::encode`].
    ///
    /// # Errors
    /// When the text is no histogram.
    pub fn decode(text: &str) -> Result<Self, String> {
        let bytes = BASE64_STANDARD.decode(text).map_err(|error| format!("histogram: {error}"))?;
        let read: hdrhistogram::Histogram<u64> =
            Decode::new()
                .deserialize(&mut bytes.as_slice())
                .map_err(|error| format!("histogram: {error:?}"))?;
        // Into our own bounds, so that all histograms can be merged.
        let mut ours = Histogram::new();
        ours.0.add(&read).map_err(|error| format!("histogram: {error:?}"))?;
        Ok(ours)
    }
}

impl Serialize for Histogram {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        if self.is_empty() {
            return to.serialize_str("");
        }
        to.serialize_str(&self.encode().map_err(S::Error::custom)?)
    }
}

impl<'de> Deserialize<'de> for Histogram {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        if text.is_empty() {
            return Ok(Histogram::new());
        }
        Histogram::decode(&text).map_err(D::Error::custom)
    }
}
