//! How many replicas of a store must answer an operation.

use crate::named::named;
use serde::{Deserialize, Serialize};

named! {
    /// The consistency level of each operation. The row of a protocol lists the levels that it
    /// has.
    pub enum Consistency {
        /// One replica.
        One = "one",
        /// Two replicas.
        Two = "two",
        /// Three replicas.
        Three = "three",
        /// Most of all replicas.
        Quorum = "quorum",
        /// All replicas.
        All = "all",
        /// One replica in the data centre of the node that is asked.
        LocalOne = "local-one",
        /// Most of the replicas in the data centre of the node that is asked.
        LocalQuorum = "local-quorum",
        /// Most of the replicas in each data centre.
        EachQuorum = "each-quorum",
        /// A read that sees uncommitted lightweight transactions.
        Serial = "serial",
        /// A read that sees uncommitted lightweight transactions of the data centre of the node that is asked.
        LocalSerial = "local-serial",
    }
}

impl Consistency {
    /// Whether a read and a write at this level always have a replica in common, however many
    /// replicas there are, so that a read returns what was acknowledged before. For the levels
    /// within one data centre this holds if both happen there.
    pub fn overlaps(self) -> bool {
        use Consistency::{LocalOne, One, Three, Two};
        !matches!(self, One | Two | Three | LocalOne)
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
