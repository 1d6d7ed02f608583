//! The operations that Cassandra can be asked for.

use crate::error::Error;
use crate::value::{Columns, Value};

/// Which row.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// The keyspace, exactly as it is called.
    pub keyspace: &'a str,
    /// The table, or the column family, exactly as it is called.
    pub table: &'a str,
    /// The row's key.
    pub key: &'a Value,
}

/// What to do with the row.
#[derive(Clone, Copy, Debug)]
pub enum Operation<'a> {
    /// Read all of its columns.
    Row,
    /// Read the columns of this super column, or of the row with this clustering value.
    SuperColumn(&'a Value),
    /// Read so many columns with the greatest names, the greatest one first.
    Newest(u32),
    /// Write these columns.
    Insert(&'a Columns),
}

/// All that a connection needs to know of a call.
pub(crate) struct Call<'a> {
    pub(crate) row: Row<'a>,
    pub(crate) level: Consistency,
    pub(crate) operation: Operation<'a>,
    /// Microseconds since 1970: the time of what is written.
    pub(crate) time: i64,
}

/// How many replicas must answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Consistency {
    /// A write is done when any node has it.
    Any,
    /// One.
    One,
    /// Two.
    Two,
    /// Three.
    Three,
    /// More than half.
    Quorum,
    /// All.
    All,
    /// More than half of those of this data centre.
    LocalQuorum,
    /// More than half of those of each data centre.
    EachQuorum,
    /// One of this data centre.
    LocalOne,
}

/// Name; number in CQL; number in Thrift.
const LEVELS: [(Consistency, &str, u16, i32); 9] = [
    (Consistency::Any, "any", 0, 6),
    (Consistency::One, "one", 1, 1),
    (Consistency::Two, "two", 2, 7),
    (Consistency::Three, "three", 3, 8),
    (Consistency::Quorum, "quorum", 4, 2),
    (Consistency::All, "all", 5, 5),
    (Consistency::LocalQuorum, "local_quorum", 6, 3),
    (Consistency::EachQuorum, "each_quorum", 7, 4),
    (Consistency::LocalOne, "local_one", 10, 11),
];

impl Consistency {
    /// The level with this name.
    ///
    /// # Errors
    /// An unknown name.
    pub fn from_name(name: &str) -> Result<Consistency, Error> {
        let level = LEVELS.iter().find(|level| level.1.eq_ignore_ascii_case(name));
        level.map(|level| level.0).ok_or_else(|| {
            let names = LEVELS.map(|level| level.1).join(", ");
            Error::invalid(format!("the consistency must be one of {names}"))
        })
    }

    pub(crate) fn in_cql(self) -> u16 {
        self.level().2
    }

    pub(crate) fn in_thrift(self) -> i32 {
        self.level().3
    }

    fn level(self) -> &'static (Consistency, &'static str, u16, i32) {
        LEVELS.iter().find(|level| level.0 == self).unwrap_or(&LEVELS[1])
    }
}
