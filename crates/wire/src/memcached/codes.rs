//! Codes of replies that are not a success, for [`Class::Error`] and [`Reply::code`].
//!
//! memcached has words, not numbers. These numbers are ours and never change, because journals
//! contain them. All are from 1000 to 1999, so that they differ from those of other protocols.
//!
//! [`Class::Error`]: crate::Class::Error
//! [`Reply::code`]: crate::Reply::code

use crate::code_table::code_table;

code_table! {
    /// `ERROR`: the server does not know the command.
    ERROR = (1001, "error"),
    /// `CLIENT_ERROR` of a kind that has no code of its own.
    CLIENT_ERROR = (1002, "client_error"),
    /// `SERVER_ERROR` of a kind that has no code of its own.
    SERVER_ERROR = (1003, "server_error"),
    /// `SERVER_ERROR out of memory …`: storing an object, or writing a reply.
    OUT_OF_MEMORY = (1004, "out_of_memory"),
    /// `SERVER_ERROR object too large for cache`.
    TOO_LARGE = (1005, "too_large"),
    /// `NOT_STORED`, `NS`: the condition of the write does not hold.
    NOT_STORED = (1006, "not_stored"),
    /// `EXISTS`, `EX`: the value was changed since it was read.
    EXISTS = (1007, "exists"),
    /// `NOT_FOUND`, `NF`: there is nothing under the key
    /// ([`Class::Miss`](crate::Class::Miss)).
    NOT_FOUND = (1008, "not_found"),
    /// `BUSY …`.
    BUSY = (1009, "busy"),
    /// `CLIENT_ERROR bad data chunk`: a value was not as long as announced.
    BAD_DATA_CHUNK = (1010, "bad_data_chunk"),
    /// `CLIENT_ERROR bad command line format`.
    BAD_COMMAND = (1011, "bad_command"),
    /// `CLIENT_ERROR cannot increment or decrement non-numeric value`.
    NON_NUMERIC = (1012, "non_numeric"),
    /// `CLIENT_ERROR unauthenticated` or `authentication failure`.
    UNAUTHENTICATED = (1013, "unauthenticated"),
    /// `ERROR Too many open connections`; the server closes.
    TOO_MANY_CONNECTIONS = (1014, "too_many_connections"),
}
