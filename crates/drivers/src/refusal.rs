//! Why a database refuses, as far as tiebreak reacts to it.

/// Why a database refuses what it is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is starting, or shutting down.
    NotUp,
    /// It has as many connections as it takes.
    TooManyConnections,
    /// It does not let this user in, or not with this password.
    LogIn,
    /// The listener knows no service of this name.
    NoSuchService,
    /// It has no database of this name.
    NoSuchDatabase,
    /// This user may not do that.
    NotAllowed,
    /// The statement names a table that is not there.
    NoSuchTable,
    /// The statement names a column that is not there.
    NoSuchColumn,
    /// It does not understand the statement.
    SyntaxError,
}
