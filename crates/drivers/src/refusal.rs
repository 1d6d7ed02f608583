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

impl Refusal {
    /// What is wrong with a statement, if its text is the only reason.
    pub(crate) fn wrong_statement(self) -> Option<&'static str> {
        match self {
            Refusal::NoSuchTable => Some("the statement refers to a table that does not exist"),
            Refusal::NoSuchColumn => Some("the statement refers to a column that does not exist"),
            Refusal::SyntaxError => Some("it cannot parse the statement"),
            Refusal::NotUp
            | Refusal::TooManyConnections
            | Refusal::LogIn
            | Refusal::NoSuchService
            | Refusal::NoSuchDatabase
            | Refusal::NotAllowed => None,
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{cassandra, mysql, oracle, postgres, sqlstate};

    #[test]
    fn errors_that_a_load_meets_have_names() {
        let of = |names: Vec<(u16, String)>, code| {
            names.into_iter().find(|(known, _)| *known == code).map(|(_, name)| name)
        };
        let full = of(mysql::code_names().collect(), 1040);
        assert_eq!(full.as_deref(), Some("too_many_connections"));
        let password = of(oracle::code_names().collect(), oracle::code(1017));
        assert_eq!(password.as_deref(), Some("wrong_password"));
        assert_eq!(of(mysql::code_names().collect(), 999), None);
    }

    #[test]
    fn each_database_knows_its_refusals() {
        let no_table = Some(Refusal::NoSuchTable);
        assert_eq!(postgres::refusal(sqlstate::code("42P01")), no_table);
        assert_eq!(mysql::refusal(1146), no_table);
        assert_eq!(oracle::refusal(oracle::code(942)), no_table);
        let not_up = Some(Refusal::NotUp);
        assert_eq!(postgres::refusal(sqlstate::code("57P03")), not_up);
        assert_eq!(mysql::refusal(1053), not_up);
        assert_eq!(oracle::refusal(oracle::code(1033)), not_up);
        assert_eq!(postgres::refusal(sqlstate::code("40P01")), None);
        for refusal in [postgres::refusal, mysql::refusal, oracle::refusal, cassandra::refusal] {
            assert_eq!(refusal(942), None);
        }
    }
}
