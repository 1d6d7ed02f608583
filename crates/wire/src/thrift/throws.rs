//! The exceptions of calls, and their meaning.

use super::codes;
use crate::Class;

/// Which exceptions a call has, by their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Throws {
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

impl Throws {
    /// The meaning of the exception of this number. Returns None if the call does not have it.
    pub(super) fn class_of(self, exception: u8) -> Option<Class> {
        let code = match (self, exception) {
            (Throws::Get, 2) | (Throws::Describe, 1) => return Some(Class::Miss),
            (Throws::Login, 1) => codes::AUTHENTICATION,
            (Throws::Login, 2) => codes::AUTHORIZATION,
            (Throws::Invalid | Throws::Get | Throws::Schema | Throws::Usual, 1)
            | (Throws::Describe, 2) => codes::INVALID_REQUEST,
            (Throws::Schema, 2) => codes::SCHEMA_DISAGREEMENT,
            (Throws::Usual, 2) | (Throws::Get, 3) => codes::UNAVAILABLE,
            (Throws::Usual, 3) | (Throws::Get, 4) => codes::TIMED_OUT,
            _ => return None,
        };
        Some(Class::Error(code))
    }
}
