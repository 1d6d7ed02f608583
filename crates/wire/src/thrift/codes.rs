//! Codes of replies that are not a success, for [`Class::Error`], [`Reply::code`] and
//! [`Codec::refused`].
//!
//! Thrift has names, not numbers. These numbers are ours and never change, because journals contain
//! them. All are from 3000 to 3099, so that they differ from those of other codecs.
//!
//! [`Class::Error`]: crate::Class::Error
//! [`Reply::code`]: crate::Reply::code
//! [`Codec::refused`]: crate::Codec::refused

use crate::code_table::code_table;

code_table! {
    /// `TApplicationException`: the server does not know the call, or failed in it.
    APPLICATION = (3000, "application_exception"),
    /// `InvalidRequestException`: an unknown keyspace or column family, a malformed key.
    INVALID_REQUEST = (3001, "invalid_request"),
    /// `UnavailableException`: too few replicas are alive for the consistency level.
    UNAVAILABLE = (3002, "unavailable"),
    /// `TimedOutException`: too few replicas answered in time.
    TIMED_OUT = (3003, "timed_out"),
    /// `AuthenticationException`: the server rejects the user or the password.
    AUTHENTICATION = (3004, "authentication"),
    /// `AuthorizationException`: the user is not allowed to do that.
    AUTHORIZATION = (3005, "authorization"),
    /// `SchemaDisagreementException`: the nodes have different versions of the schema.
    SCHEMA_DISAGREEMENT = (3006, "schema_disagreement"),
}
