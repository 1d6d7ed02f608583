//! The reasons of refusals by databases, as far as tiebreak reacts to them.

/// Why a database refuses a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is starting or shutting down.
    NotUp,
    /// It has reached its limit of connections.
    TooManyConnections,
    /// It rejects this user or this password.
    LogIn,
    /// The listener has no service with this name.
    NoSuchService,
    /// It has no database with this name.
    NoSuchDatabase,
    /// This user does not have the permission.
    NotAllowed,
    /// The statement refers to a table that does not exist.
    NoSuchTable,
    /// The statement refers to a column that does not exist.
    NoSuchColumn,
    /// It cannot parse the statement.
    SyntaxError,
}
