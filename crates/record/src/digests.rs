//! Digests of reply bodies, which show whether the contenders sent the same.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// How many distinct digests are kept by name.
const KEPT: usize = 16;

/// Counts of distinct 64-bit digests. Only the 16 smallest are kept by name: this rule makes
/// merging associative and commutative, which "the first 16 seen" would not be. Recording never
/// allocates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Digests {
    kept: [(u64, u64); KEPT],
    len: usize,
    others: u64,
}

impl Digests {
    /// Counts one body with this digest.
    pub fn record(&mut self, digest: u64) {
        self.add(digest, 1);
    }

    fn add(&mut self, digest: u64, count: u64) {
        match self.kept[..self.len].binary_search_by_key(&digest, |entry| entry.0) {
            Ok(at) => self.kept[at].1 += count,
            Err(KEPT) => self.others += count,
            Err(at) => {
                if self.len == KEPT {
                    self.others += self.kept[KEPT - 1].1;
                } else {
                    self.len += 1;
                }
                self.kept[at..self.len].rotate_right(1);
                self.kept[at] = (digest, count);
            }
        }
    }

    /// (digest, how many bodies), ascending by digest.
    pub fn kept(&self) -> &[(u64, u64)] {
        &self.kept[..self.len]
    }

    /// Bodies whose digest is not kept by name.
    pub fn others(&self) -> u64 {
        self.others
    }

    /// All bodies that were digested.
    pub fn total(&self) -> u64 {
        self.others + self.kept().iter().map(|entry| entry.1).sum::<u64>()
    }

    /// Adds the counts of `other`.
    pub fn merge(&mut self, other: &Digests) {
        for &(digest, count) in other.kept() {
            self.add(digest, count);
        }
        self.others += other.others;
    }
}

#[derive(Serialize, Deserialize)]
struct SerializedDigests {
    kept: Vec<(String, u64)>,
    #[serde(default)]
    others: u64,
}

impl Serialize for Digests {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let kept = self.kept().iter();
        SerializedDigests {
            kept: kept.map(|(digest, n)| (format!("{digest:016x}"), *n)).collect(),
            others: self.others,
        }
        .serialize(to)
    }
}

impl<'de> Deserialize<'de> for Digests {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let written = SerializedDigests::deserialize(from)?;
        let mut digests = Digests { others: written.others, ..Digests::default() };
        for (digest, count) in written.kept {
            let digest = u64::from_str_radix(&digest, 16).map_err(D::Error::custom)?;
            digests.add(digest, count);
        }
        Ok(digests)
    }
}
