//! The reasons of refusals by databases, as far as tiebreak reacts to them.

use protocol::NotReady;

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

/// What the names of errors in reports say, which mean the same in all databases.
const NAMED: [(&str, Refusal); 15] = [
    ("server_starts", Refusal::NotUp),
    ("server_shut_down", Refusal::NotUp),
    ("starting_or_stopping", Refusal::NotUp),
    ("shutting_down", Refusal::NotUp),
    ("too_many_connections", Refusal::TooManyConnections),
    ("wrong_password", Refusal::LogIn),
    ("not_allowed_to_log_in", Refusal::LogIn),
    ("no_such_sid", Refusal::NoSuchService),
    ("no_such_service", Refusal::NoSuchService),
    ("no_such_database", Refusal::NoSuchDatabase),
    ("no_such_keyspace", Refusal::NoSuchDatabase),
    ("not_allowed", Refusal::NotAllowed),
    ("no_such_table", Refusal::NoSuchTable),
    ("no_such_column", Refusal::NoSuchColumn),
    ("syntax_error", Refusal::SyntaxError),
];

impl Refusal {
    /// What the error with this number means, of those that have these names. Returns None if
    /// tiebreak does not react to it.
    pub fn of(mut names: impl Iterator<Item = (u16, String)>, number: u16) -> Option<Refusal> {
        let (_, name) = names.find(|(known, _)| *known == number)?;
        NAMED.iter().find(|(known, _)| *known == name).map(|(_, refusal)| *refusal)
    }

    /// What is wrong with a statement, if its text is the only reason.
    pub fn wrong_statement(self) -> Option<&'static str> {
        match self {
            Refusal::NoSuchTable => Some("the statement refers to a table that does not exist"),
            Refusal::NoSuchColumn => Some("the statement refers to a column that does not exist"),
            Refusal::SyntaxError => Some("it cannot parse the statement"),
            _ => None,
        }
    }
}

/// Explains the error with which a database answers.
pub fn not_ready(refusal: Option<Refusal>) -> NotReady {
    let Some(refusal) = refusal else { return NotReady::ERROR };
    match refusal {
        Refusal::NotUp => NotReady::NotYet("it is starting or shutting down"),
        Refusal::TooManyConnections => NotReady::NotYet("it has reached its limit of connections"),
        Refusal::LogIn => NotReady::Never(
            "it rejects the user or the password (SCHEME://USER:PASSWORD@HOST/NAME)",
        ),
        Refusal::NoSuchService => NotReady::Never("its listener does not know this service"),
        Refusal::NoSuchDatabase => NotReady::Never("the database does not exist"),
        Refusal::NotAllowed => {
            NotReady::Never("it does not allow this user to execute the statement")
        }
        Refusal::NoSuchTable | Refusal::NoSuchColumn | Refusal::SyntaxError => {
            refusal.wrong_statement().map_or(NotReady::ERROR, NotReady::Never)
        }
    }
}
