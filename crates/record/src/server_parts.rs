//! Parts of a server's work, as it reports them in its replies (`Server-Timing`).

use crate::Histogram;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeMap;

/// Maximum number of parts that are recorded for one contender. Further ones are left out, because
/// a server that invents names must not exhaust memory.
const MOST_PARTS: usize = 16;

/// How long each part took, in nanoseconds, by name. Merging is associative and commutative as
/// long as there are no more than 16.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ServerParts(#[serde(deserialize_with = "at_most")] BTreeMap<String, Histogram>);

impl ServerParts {
    /// Records one part of one reply. Allocates only if the name is new.
    pub fn record(&mut self, part: &[u8], took_ns: u64) {
        let Ok(part) = str::from_utf8(part) else { return };
        if let Some(took) = self.0.get_mut(part) {
            took.record(took_ns);
        } else if self.0.len() < MOST_PARTS {
            self.0.entry(part.to_owned()).or_default().record(took_ns);
        }
    }

    /// Names and times, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Histogram)> {
        self.0.iter().map(|(name, took)| (name.as_str(), took))
    }

    /// Whether the server reported no part.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds other measurements.
    pub fn merge(&mut self, other: &ServerParts) {
        for (name, took) in &other.0 {
            if let Some(known) = self.0.get_mut(name) {
                known.merge(took);
            } else if self.0.len() < MOST_PARTS {
                self.0.insert(name.clone(), took.clone());
            }
        }
    }
}

/// Rejects more parts: a journal with more was not written by tiebreak.
fn at_most<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, Histogram>, D::Error> {
    let parts = BTreeMap::deserialize(from)?;
    if parts.len() > MOST_PARTS {
        return Err(D::Error::custom(format!("more than {MOST_PARTS} parts of a server's work")));
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_distinguished_by_name_and_limited() {
        let mut one = ServerParts::default();
        assert!(one.is_empty());
        one.record(b"db", 5);
        one.record(b"db", 7);
        one.record(b"\xff", 7);
        let mut other = ServerParts::default();
        for n in 0..100 {
            other.record(format!("part{n}").as_bytes(), 1);
        }
        other.record(b"db", 9);
        assert_eq!(other.iter().count(), MOST_PARTS);
        one.merge(&other);
        let found: Vec<(&str, u64)> = one.iter().map(|(name, took)| (name, took.len())).collect();
        assert_eq!((found.len(), found[0]), (MOST_PARTS, ("db", 2)));
    }
}
