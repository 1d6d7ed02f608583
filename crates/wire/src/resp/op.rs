//! Operations.

use crate::{List, Value};

/// One operation, borrowed. Keys may hold any bytes.
#[derive(Clone, Copy, Debug)]
pub enum Op<'a> {
    /// The value of a key.
    Get(&'a [u8]),
    /// Writes a value.
    Set(Set<'a>),
    /// The values of several keys in one request. An item's number is its
    /// key's place in the list.
    MGet(List<'a>),
    /// Adds 1 to a number; the sum is the reply's value.
    Incr(&'a [u8]),
    /// Removes keys.
    Del(List<'a>),
    /// Any command: its name and its arguments. Commands are refused if replies would no longer
    /// correspond to requests one by one (SUBSCRIBE, MONITOR, CLIENT REPLY, …) or if they undo the
    /// opening (HELLO, RESET, QUIT).
    Command(List<'a>),
}

/// A value to be written, which never expires.
#[derive(Clone, Copy, Debug)]
pub struct Set<'a> {
    /// The key.
    pub key: &'a [u8],
    /// The value.
    pub value: Value<'a>,
    /// The condition of the write.
    pub when: When,
}

/// On which condition a value is written. If it does not hold, the reply is the error
/// [`NOT_SET`](super::codes::NOT_SET).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum When {
    /// Always.
    #[default]
    Always,
    /// If the key is absent (NX).
    Absent,
    /// If the key is present (XX).
    Present,
}
