//! Operations.

use super::Admin;
use crate::{List, Value};

/// How many replicas must have answered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(i32)]
pub enum Consistency {
    /// One of them.
    #[default]
    One = 1,
    /// Most of them.
    Quorum = 2,
    /// Most of those in the server's own data centre.
    LocalQuorum = 3,
    /// Most of those in each data centre.
    EachQuorum = 4,
    /// All of them.
    All = 5,
    /// One, or a hint that is kept for one.
    Any = 6,
    /// Two of them.
    Two = 7,
    /// Three of them.
    Three = 8,
}

/// Where columns are: in a row of a family, or in one super column of it.
#[derive(Clone, Copy, Debug)]
pub struct Parent<'a> {
    /// The column family.
    pub family: &'a [u8],
    /// The super column. None in a family without super columns, and for all of them.
    pub super_column: Option<&'a [u8]>,
}

/// Which columns of a row.
#[derive(Clone, Copy, Debug)]
pub enum Columns<'a> {
    /// Those of these names.
    Named(List<'a>),
    /// The first `count` from `start` to `finish`; an empty name means that end of the row.
    Range {
        /// The first name.
        start: &'a [u8],
        /// The last name.
        finish: &'a [u8],
        /// Whether they are read from the last to the first.
        reversed: bool,
        /// How many at most.
        count: u32,
    },
}

/// A column to be written.
#[derive(Clone, Copy, Debug)]
pub struct Column<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// Its value.
    pub value: Value<'a>,
    /// Decides which of two writes wins: the later one. By convention, microseconds since 1970.
    pub timestamp: i64,
    /// After this many seconds it expires. None means never.
    pub ttl: Option<u32>,
}

/// One operation, borrowed. Keys, names and values may hold any bytes.
#[derive(Clone, Copy, Debug)]
pub enum Op<'a> {
    /// One column (`get`).
    Get {
        /// The row.
        key: &'a [u8],
        /// Where the column is.
        parent: Parent<'a>,
        /// Its name.
        column: &'a [u8],
        /// How many replicas must answer.
        consistency: Consistency,
    },
    /// Columns of a row (`get_slice`).
    Slice {
        /// The row.
        key: &'a [u8],
        /// Where the columns are.
        parent: Parent<'a>,
        /// Which of them.
        columns: Columns<'a>,
        /// Whether each value comes after its column's name.
        names: bool,
        /// How many replicas must answer.
        consistency: Consistency,
    },
    /// Columns of several rows (`multiget_slice`).
    MultiSlice {
        /// The rows. One that is named several times is answered once, at its first place.
        keys: List<'a>,
        /// Where the columns are.
        parent: Parent<'a>,
        /// Which of them.
        columns: Columns<'a>,
        /// How many replicas must answer.
        consistency: Consistency,
    },
    /// Writes one column (`insert`).
    Insert {
        /// The row.
        key: &'a [u8],
        /// Where the column is.
        parent: Parent<'a>,
        /// The column.
        column: Column<'a>,
        /// How many replicas must answer.
        consistency: Consistency,
    },
    /// Removes one column that is not later than `timestamp` (`batch_mutate`).
    Delete {
        /// The row.
        key: &'a [u8],
        /// Where the column is.
        parent: Parent<'a>,
        /// Its name.
        column: &'a [u8],
        /// As [`Column::timestamp`].
        timestamp: i64,
        /// How many replicas must answer.
        consistency: Consistency,
    },
    /// The version of the interface (`describe_version`); the body is its text.
    DescribeVersion,
    /// A query about the cluster or a change of its schema.
    Admin(Admin<'a>),
}
