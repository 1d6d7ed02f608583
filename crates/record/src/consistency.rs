//! How many replicas of a store must answer an operation.

use serde::{Deserialize, Serialize};

/// The consistency level of each operation. The row of a protocol lists the levels that it
/// has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Consistency {
    /// One replica.
    One,
    /// Two replicas.
    Two,
    /// Three replicas.
    Three,
    /// Most of all replicas.
    Quorum,
    /// All replicas.
    All,
    /// One replica in the data centre of the node that is asked.
    LocalOne,
    /// Most of the replicas in the data centre of the node that is asked.
    LocalQuorum,
    /// Most of the replicas in each data centre.
    EachQuorum,
    /// A read that sees uncommitted lightweight transactions.
    Serial,
    /// A read that sees uncommitted lightweight transactions of the data centre of the node that is asked.
    LocalSerial,
}

impl Consistency {
    /// All levels, in the order in which messages list them.
    pub const ALL: [Consistency; 10] = [
        Consistency::One,
        Consistency::Two,
        Consistency::Three,
        Consistency::Quorum,
        Consistency::All,
        Consistency::LocalOne,
        Consistency::LocalQuorum,
        Consistency::EachQuorum,
        Consistency::Serial,
        Consistency::LocalSerial,
    ];

    /// Whether a read and a write at this level always have a replica in common, however many
    /// replicas there are, so that a read returns what was acknowledged before. For the levels
    /// within one data centre this holds if both happen there.
    pub fn overlaps(self) -> bool {
        match self {
            Consistency::Quorum
            | Consistency::All
            | Consistency::LocalQuorum
            | Consistency::EachQuorum
            | Consistency::Serial
            | Consistency::LocalSerial => true,
            Consistency::One | Consistency::Two | Consistency::Three | Consistency::LocalOne => {
                false
            }
        }
    }

    /// Its name, as it is written in settings and in the journal.
    pub fn name(self) -> &'static str {
        match self {
            Consistency::One => "one",
            Consistency::Two => "two",
            Consistency::Three => "three",
            Consistency::Quorum => "quorum",
            Consistency::All => "all",
            Consistency::LocalOne => "local-one",
            Consistency::LocalQuorum => "local-quorum",
            Consistency::EachQuorum => "each-quorum",
            Consistency::Serial => "serial",
            Consistency::LocalSerial => "local-serial",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_journal_has_the_names_of_the_settings() {
        for level in Consistency::ALL {
            let written = serde_json::to_string(&level).expect("json");
            assert_eq!(written, format!("\"{}\"", level.name()));
        }
    }
}
