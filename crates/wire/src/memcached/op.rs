//! Operations.

use crate::{List, Value};

/// How operations are written. Servers accept both on one connection; the choice is part of a
/// contender's settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// `get`, `set`, `delete`, …
    #[default]
    Text,
    /// `mg`, `ms`, `md`, `ma`, `mn`.
    Meta,
}

/// One operation, borrowed. Keys are 1 to 250 bytes without blanks and control
/// bytes.
#[derive(Clone, Copy, Debug)]
pub enum Op<'a> {
    /// The value of a key.
    Get(&'a [u8]),
    /// The value of a key, and its unique number
    /// ([`Memcached::unique`](super::Memcached::unique)).
    Gets(&'a [u8]),
    /// The values of several keys in one request: `get` with all of them, or a
    /// quiet `mg` for each and `mn` at the end. An item's number is its key's
    /// place in the list.
    MultiGet(List<'a>),
    /// Writes a value.
    Store(Store<'a>),
    /// Removes a key.
    Delete(&'a [u8]),
    /// Adds to a number; the sum is the reply's value.
    Incr {
        /// The key of the number.
        key: &'a [u8],
        /// What is added.
        by: u64,
    },
    /// Subtracts from a number, but not below 0; the difference is the reply's value.
    Decr {
        /// The key of the number.
        key: &'a [u8],
        /// What is subtracted.
        by: u64,
    },
    /// Sets a new time of expiry.
    Touch {
        /// The key.
        key: &'a [u8],
        /// Seconds, up to 30 days; more is a time since 1970; 0 is never.
        expires: u32,
    },
    /// The server's version, as the reply's value.
    Version,
    /// The general counters: each line's name and value are an item; see
    /// [`stat`](super::stat).
    Stats,
}

/// A value to be written, without flags, that never expires.
#[derive(Clone, Copy, Debug)]
pub struct Store<'a> {
    /// The condition of the write, and how it is done.
    pub mode: Mode,
    /// The key.
    pub key: &'a [u8],
    /// The value.
    pub value: Value<'a>,
}

/// On which condition a value is written, and how.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Always.
    Set,
    /// If the key is absent.
    Add,
    /// If the key is present.
    Replace,
    /// After the existing value.
    Append,
    /// If the value's unique number is still this one.
    Cas(u64),
}
