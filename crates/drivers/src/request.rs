//! What is asked of a client library.

use engine::workload::{Arguments, Column, Feeds};
use record::Kind;

/// What a contender's operations speak of beside their workload.
pub(crate) struct Asks<'a> {
    /// The one statement, where that is what is asked.
    pub(crate) query: &'a str,
    /// Rows of feeds.
    pub(crate) feeds: &'a Feeds,
    /// How many times the statements of a user-defined operation that only writes are sent.
    pub(crate) batch_size: u32,
    /// The database is Cassandra: a scan brings rows in the order of the hashes of their
    /// keys, and there are wide rows.
    pub(crate) is_cassandra: bool,
}

/// What a request does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Action {
    /// The contender's one statement.
    #[default]
    Ask,
    /// Reads a value.
    Get,
    /// Writes a value, whether or not there is one.
    Set,
    /// Writes a value where there is none.
    Add,
    /// Removes a key.
    Delete,
    /// Reads so many values in order of their keys.
    Scan(u32),
}

impl Action {
    /// One of each kind, by [`Action::place`].
    pub(crate) const KINDS: [Action; 6] =
        [Action::Ask, Action::Get, Action::Set, Action::Add, Action::Delete, Action::Scan(1)];

    /// Its kind as a number: what is prepared apart.
    pub(crate) fn place(self) -> usize {
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

/// What is done to columns of a wide row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnColumns {
    /// Reads the newest.
    Newest,
    /// Reads one.
    One,
    /// Writes one.
    Insert,
}

impl OnColumns {
    /// All of them, by [`OnColumns::place`].
    pub(crate) const KINDS: [OnColumns; 3] = [OnColumns::Newest, OnColumns::One, OnColumns::Insert];

    /// Its number: what is prepared apart.
    pub(crate) fn place(self) -> usize {
        self as usize
    }

    /// What an operation of this kind does. Returns None if it is not on wide rows.
    pub(crate) fn of(kind: Kind) -> Option<OnColumns> {
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
pub(crate) struct Row {
    pub(crate) key: String,
    pub(crate) value: Vec<u8>,
    /// Set if it is on a wide row, of which the key is the user: what is done to which
    /// column. The action of a request is then not used.
    pub(crate) on_columns: Option<(OnColumns, Column)>,
    /// Set if it is a row of a user-defined table: the table's number, and the values of
    /// its columns.
    pub(crate) of_table: Option<(u32, Arguments)>,
}

/// One request, in buffers that are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    pub(crate) action: Action,
    pub(crate) row: Row,
    /// Which share of the mix it is of.
    pub(crate) share: u32,
    /// It is the read of an operation of this kind; a write follows.
    pub(crate) half: Option<Kind>,
    /// Set if it is a user-defined operation: `action` is then not used.
    pub(crate) own: Option<OwnRequest>,
}

/// One user-defined operation, in buffers that are used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnRequest {
    /// Its number in the workload.
    pub(crate) number: usize,
    /// What its places hold.
    pub(crate) arguments: Arguments,
    /// The same of the further times that its statements are sent in the same batch.
    pub(crate) further: Vec<Arguments>,
}

impl OwnRequest {
    /// What its places hold, for each time that its statements are sent.
    pub(crate) fn times(&self) -> impl Iterator<Item = &Arguments> {
        std::iter::once(&self.arguments).chain(&self.further)
    }
}
