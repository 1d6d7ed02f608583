//! Phases of an operation that only client libraries or some protocols have.

use crate::{Histogram, ServerParts};
use serde::{Deserialize, Serialize};

/// How long the phases took, in nanoseconds. The other phases are in [`crate::Seen`]:
/// `connect_time`, `tls_time`, and `first_byte_time` for the query. Merging is associative and
/// commutative.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Phases {
    /// The wait for a connection of the pool, including its check. Operations due in a burn-in are
    /// left out.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub acquire: Histogram,
    /// The login, for every connection opened. Includes connect and TLS if the library does not
    /// report them separately.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub log_in: Histogram,
    /// The upgrade from HTTP to WebSocket, for every connection opened: from the end of connect
    /// and TLS to the answer.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub upgrade: Histogram,
    /// The preparation of a statement, for every statement prepared.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub prepare: Histogram,
    /// From the beginning of a reply to its end. Operations due in a burn-in are left out.
    #[serde(default, skip_serializing_if = "Histogram::is_empty")]
    pub fetch: Histogram,
    /// Parts of the server's work that it reports in its replies. Operations due in a burn-in are
    /// left out.
    #[serde(default, skip_serializing_if = "ServerParts::is_empty")]
    pub server: ServerParts,
}

impl Phases {
    /// Whether nothing was recorded.
    pub fn is_empty(&self) -> bool {
        let all = [&self.acquire, &self.log_in, &self.upgrade, &self.prepare, &self.fetch];
        all.into_iter().all(Histogram::is_empty) && self.server.is_empty()
    }

    /// Adds other measurements.
    pub(crate) fn merge(&mut self, other: &Phases) {
        self.acquire.merge(&other.acquire);
        self.log_in.merge(&other.log_in);
        self.upgrade.merge(&other.upgrade);
        self.prepare.merge(&other.prepare);
        self.fetch.merge(&other.fetch);
        self.server.merge(&other.server);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merging_adds_each_phase_to_its_own() {
        let mut one = Phases::default();
        assert!(one.is_empty());
        one.acquire.record(5);
        one.log_in.record(6);
        let mut other = Phases::default();
        one.upgrade.record(6);
        other.prepare.record(7);
        other.fetch.record(8);
        other.fetch.record(9);
        other.server.record(b"db", 10);
        one.merge(&other);
        assert_eq!(one.server.iter().map(|(_, took)| took.len()).sum::<u64>(), 1);
        let of = [&one.acquire, &one.log_in, &one.upgrade, &one.prepare, &one.fetch];
        assert_eq!(of.map(Histogram::len), [1, 1, 1, 1, 2]);
        assert!(!one.is_empty());
    }
}
