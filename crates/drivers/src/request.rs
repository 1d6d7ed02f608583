//! The requests to a client library.

use engine::Numbers;
use engine::workload::{Arguments, Column, Feeds};
use record::Kind;

/// What a contender's operations use besides their workload.
#[derive(Clone)]
pub struct RequestParts {
    /// The statement, if the contender has only one.
    pub query: String,
    /// Rows of feeds.
    pub feeds: Feeds,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
    /// How many times the statements of a user-defined operation that only writes are sent.
    pub batch_size: u32,
    /// Whether the database spreads its rows by the hashes of their keys: a scan returns rows in the order
    /// of these hashes, and there are wide rows.
    pub is_partitioned: bool,
    /// See [`SqlAccess::reply_bytes`](crate::SqlAccess::reply_bytes).
    pub reply_bytes: Option<u64>,
}

/// What a request does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// The contender's one statement.
    #[default]
    Ask,
    /// Reads a value.
    Get,
    /// Writes a value, whether or not the key exists.
    Set,
    /// Writes a value if the key does not exist.
    Add,
    /// Removes a key.
    Delete,
    /// Reads this many values in order of their keys.
    Scan(u32),
}

impl Action {
    /// One of each kind, by [`Action::index`].
    pub const KINDS: [Action; 6] =
        [Action::Ask, Action::Get, Action::Set, Action::Add, Action::Delete, Action::Scan(1)];

    /// Its kind as a number, by which statements are prepared separately.
    pub fn index(self) -> usize {
        match self {
            Action::Ask => 0,
            Action::Get => 1,
            Action::Set => 2,
            Action::Add => 3,
            Action::Delete => 4,
            Action::Scan(_) => 5,
        }
    }
}

/// An operation on columns of a wide row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnColumns {
    /// Reads the newest.
    Newest,
    /// Reads one.
    One,
    /// Writes one.
    Insert,
}

impl OnColumns {
    /// All of them, by [`OnColumns::index`].
    pub const KINDS: [OnColumns; 3] = [OnColumns::Newest, OnColumns::One, OnColumns::Insert];

    /// Its number, by which statements are prepared separately.
    pub fn index(self) -> usize {
        self as usize
    }

    /// The operation of this kind. Returns None if it is not on wide rows.
    pub fn of(kind: Kind) -> Option<OnColumns> {
        match kind {
            Kind::Newest => Some(OnColumns::Newest),
            Kind::OneColumn => Some(OnColumns::One),
            Kind::InsertColumn => Some(OnColumns::Insert),
            _ => None,
        }
    }
}

/// A key and its value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// The key.
    pub key: String,
    /// The value.
    pub value: Vec<u8>,
    /// The operation and the column, if it is on a wide row, whose key is the user. The action of
    /// a request is then not used.
    pub on_columns: Option<(OnColumns, Column)>,
    /// Set if it is a row of a user-defined table: the table's number, and the values of
    /// its columns.
    pub of_table: Option<(u32, Arguments)>,
}

/// One request, in buffers that are reused.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What it does, unless the row is one of columns or the operation is user-defined.
    pub action: Action,
    /// Its key and value.
    pub row: Row,
    /// Its share of the mix.
    pub share: u32,
    /// Set if it is the read of an operation of this kind, after which a write follows.
    pub half: Option<Kind>,
    /// Set if it is a user-defined operation: `action` is then not used.
    pub custom: Option<CustomRequest>,
}

/// One user-defined operation, in buffers that are reused.
#[derive(Clone, Debug, Default)]
pub struct CustomRequest {
    /// Its number in the workload.
    pub number: usize,
    /// The values of its placeholders.
    pub arguments: Arguments,
    /// The values for the further times that its statements are sent in the same batch.
    pub further: Vec<Arguments>,
}

impl CustomRequest {
    /// The values of its placeholders, for each time that its statements are sent.
    pub fn times(&self) -> impl Iterator<Item = &Arguments> {
        std::iter::once(&self.arguments).chain(&self.further)
    }
}
