//! Codes of replies that are not a success, for [`Class::Error`], [`Reply::code`] and
//! [`Codec::refused`].
//!
//! Thrift has names, not numbers. These numbers are ours and never change, because journals contain
//! them. All are from 3000 to 3099, so that they differ from those of other codecs.
//!
//! [`Class::Error`]: crate::Class::Error
//! [`Reply::code`]: crate::Reply::code
//! [`Codec::refused`]: crate::Codec::refused

/// `TApplicationException`: the server does not know the call, or failed in it.
pub const APPLICATION: u16 = 3000;
/// `InvalidRequestException`: an unknown keyspace or column family, a malformed key.
pub const INVALID_REQUEST: u16 = 3001;
/// `UnavailableException`: too few replicas are alive for the consistency level.
pub const UNAVAILABLE: u16 = 3002;
/// `TimedOutException`: too few replicas answered in time.
pub const TIMED_OUT: u16 = 3003;
/// `AuthenticationException`: the server rejects the user or the password.
pub const AUTHENTICATION: u16 = 3004;
/// `AuthorizationException`: the user is not allowed to do that.
pub const AUTHORIZATION: u16 = 3005;
/// `SchemaDisagreementException`: the nodes have different versions of the schema.
pub const SCHEMA_DISAGREEMENT: u16 = 3006;

/// Every code and its name in a report.
pub const TABLE: &[(u16, &str)] = &[
    (APPLICATION, "application_exception"),
    (INVALID_REQUEST, "invalid_request"),
    (UNAVAILABLE, "unavailable"),
    (TIMED_OUT, "timed_out"),
    (AUTHENTICATION, "authentication"),
    (AUTHORIZATION, "authorization"),
    (SCHEMA_DISAGREEMENT, "schema_disagreement"),
];

/// The name of a code. Returns None if it is not of this protocol.
pub fn name(code: u16) -> Option<&'static str> {
    TABLE.iter().find(|entry| entry.0 == code).map(|entry| entry.1)
}
