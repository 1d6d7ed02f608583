//! The exceptions of calls, and their meaning.

use super::codes;
use crate::Class;

/// Which exceptions a call has, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Exceptions {
    /// `describe_version`.
    #[default]
    Nothing,
    /// `login`.
    Login,
    /// `set_keyspace`.
    Invalid,
    /// `get`.
    Get,
    /// `describe_keyspace`.
    Describe,
    /// Changes of the schema.
    Schema,
    /// All others.
    Usual,
}

impl Exceptions {
    /// The meaning of the exception of this number. Returns None if the call does not have it.
    pub(super) fn class_of(self, exception: u8) -> Option<Class> {
        let code = match (self, exception) {
            (Exceptions::Get, 2) | (Exceptions::Describe, 1) => return Some(Class::Miss),
            (Exceptions::Login, 1) => codes::AUTHENTICATION,
            (Exceptions::Login, 2) => codes::AUTHORIZATION,
            (Exceptions::Invalid | Exceptions::Get | Exceptions::Schema | Exceptions::Usual, 1)
            | (Exceptions::Describe, 2) => codes::INVALID_REQUEST,
            (Exceptions::Schema, 2) => codes::SCHEMA_DISAGREEMENT,
            (Exceptions::Usual, 2) | (Exceptions::Get, 3) => codes::UNAVAILABLE,
            (Exceptions::Usual, 3) | (Exceptions::Get, 4) => codes::TIMED_OUT,
            _ => return None,
        };
        Some(Class::Error(code))
    }
}
