//! Codes of replies that are not a success, for [`Class::Error`] and [`Reply::code`].
//!
//! memcached has words, not numbers. These numbers are ours and never change, because journals
//! contain them. All are from 1000 to 1999, so that they differ from those of other protocols.
//!
//! [`Class::Error`]: crate::Class::Error
//! [`Reply::code`]: crate::Reply::code

/// `ERROR`: the server does not know the command.
pub const ERROR: u16 = 1001;
/// `CLIENT_ERROR` of a kind that has no code of its own.
pub const CLIENT_ERROR: u16 = 1002;
/// `SERVER_ERROR` of a kind that has no code of its own.
pub const SERVER_ERROR: u16 = 1003;
/// `SERVER_ERROR out of memory …`: storing an object, or writing a reply.
pub const OUT_OF_MEMORY: u16 = 1004;
/// `SERVER_ERROR object too large for cache`.
pub const TOO_LARGE: u16 = 1005;
/// `NOT_STORED`, `NS`: the condition of the write does not hold.
pub const NOT_STORED: u16 = 1006;
/// `EXISTS`, `EX`: the value was changed since it was read.
pub const EXISTS: u16 = 1007;
/// `NOT_FOUND`, `NF`: there is nothing under the key
/// ([`Class::Miss`](crate::Class::Miss)).
pub const NOT_FOUND: u16 = 1008;
/// `BUSY …`.
pub const BUSY: u16 = 1009;
/// `CLIENT_ERROR bad data chunk`: a value was not as long as announced.
pub const BAD_DATA_CHUNK: u16 = 1010;
/// `CLIENT_ERROR bad command line format`.
pub const BAD_COMMAND: u16 = 1011;
/// `CLIENT_ERROR cannot increment or decrement non-numeric value`.
pub const NON_NUMERIC: u16 = 1012;
/// `CLIENT_ERROR unauthenticated` or `authentication failure`.
pub const UNAUTHENTICATED: u16 = 1013;
/// `ERROR Too many open connections`; the server closes.
pub const TOO_MANY_CONNECTIONS: u16 = 1014;

/// Every code and its name in a report.
pub const TABLE: &[(u16, &str)] = &[
    (ERROR, "error"),
    (CLIENT_ERROR, "client_error"),
    (SERVER_ERROR, "server_error"),
    (OUT_OF_MEMORY, "out_of_memory"),
    (TOO_LARGE, "too_large"),
    (NOT_STORED, "not_stored"),
    (EXISTS, "exists"),
    (NOT_FOUND, "not_found"),
    (BUSY, "busy"),
    (BAD_DATA_CHUNK, "bad_data_chunk"),
    (BAD_COMMAND, "bad_command"),
    (NON_NUMERIC, "non_numeric"),
    (UNAUTHENTICATED, "unauthenticated"),
    (TOO_MANY_CONNECTIONS, "too_many_connections"),
];

/// The name of a code. Returns None if it is not of this protocol.
pub fn name(code: u16) -> Option<&'static str> {
    TABLE.iter().find(|entry| entry.0 == code).map(|entry| entry.1)
}
