//! Oracle Database, through oracledb, Oracle's own driver in Rust.
//!
//! The library blocks, so each connection has a thread of its own (`thread`), to which the lane's
//! tasks pass their work through the interface in `link`. The library itself keeps up to 20
//! prepared statements for each connection; it pings nothing, and its pool is not used. Its text
//! is always UTF-8.

use crate::dialect::OracleDialect;
use drivers::Refusal;
use drivers::dialect::Dialect;
use drivers::{Announced, SqlAccess};

/// The cheapest statement.
pub(crate) const CHEAPEST: &str = "SELECT 1 FROM dual";

/// Maximum length of a value in bytes: the size of a RAW column on every server.
pub(crate) const VALUE_BYTES: u32 = 2000;

/// Access to Oracle, without TLS. Its database is a service (see [`is_service`]), and there is only
/// one way to send statements.
#[derive(Clone)]
pub struct OracleAccess {
    /// What access to every database has.
    pub common: SqlAccess,
    /// Addresses that its servers announce, and whether they may be dialled.
    pub announced: Announced,
}

impl OracleAccess {
    /// The statements that create the contender's table again and empty, for keys of at most this
    /// many bytes and values of [`VALUE_BYTES`].
    pub(crate) fn table_schema(&self, key_bytes: u32) -> Vec<String> {
        let table = OracleDialect.name(&self.common.table);
        vec![
            unless(&format!("DROP TABLE {table} PURGE"), NO_SUCH_TABLE),
            format!(
                "CREATE TABLE {table} (\"KEY\" VARCHAR2({key_bytes}) PRIMARY KEY, \"VALUE\" \
                 RAW({VALUE_BYTES}) NOT NULL)"
            ),
        ]
    }
}

/// The statement in a block that ignores the error with this number.
pub(crate) fn unless(statement: &str, error: u16) -> String {
    format!(
        "BEGIN EXECUTE IMMEDIATE {}; EXCEPTION WHEN OTHERS THEN IF SQLCODE != -{error} THEN RAISE; \
         END IF; END;",
        OracleDialect.quoted(statement)
    )
}

/// Whether this is a valid service name: it has no characters that end the name in the descriptor.
pub(crate) fn is_service(name: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-$#".contains(&byte);
    !name.is_empty() && name.bytes().all(part)
}

/// A row with this key exists; a table with this name exists; no table with this name exists.
pub(crate) const ALREADY_THERE: u16 = 1;
pub(crate) const NAME_IS_TAKEN: u16 = 955;
const NO_SUCH_TABLE: u16 = 942;

/// Names of the server's error numbers that a load can meet.
const ERRORS: &[(u16, &str)] = &[
    (ALREADY_THERE, "key_already_there"),
    (18, "too_many_sessions"),
    (20, "too_many_processes"),
    (28, "session_killed"),
    (60, "deadlock"),
    (904, "no_such_column"),
    (933, "syntax_error"),
    (936, "syntax_error"),
    (NO_SUCH_TABLE, "no_such_table"),
    (NAME_IS_TAKEN, "name_is_taken"),
    (1000, "too_many_cursors"),
    (1012, "not_logged_on"),
    (1013, "cancelled"),
    (1017, "wrong_password"),
    (1031, "not_allowed"),
    (1033, "starting_or_stopping"),
    (1034, "not_available"),
    (1045, "not_allowed_to_log_in"),
    (1089, "shutting_down"),
    (2391, "too_many_sessions_of_user"),
    (3113, "session_lost"),
    (3114, "not_connected"),
    (3135, "session_lost"),
    (4031, "out_of_shared_memory"),
    (12505, "no_such_sid"),
    (12514, "no_such_service"),
    (12516, "no_handler"),
    (12519, "no_handler"),
    (12520, "no_handler"),
    (12528, "instance_blocks_connections"),
    (12541, "no_listener"),
    (28000, "account_locked"),
    (28001, "password_expired"),
];

/// What a number of [`code`] means, as far as tiebreak reacts to it.
pub(crate) fn refusal(number: u16) -> Option<Refusal> {
    Refusal::of(code_names(), number)
}

/// Offset of Oracle's numbers in journals.
const FIRST_CODE: u16 = 1 << 15;

/// The number by which an error of Oracle is counted. Errors from ORA-32768 on share one.
pub fn code(error: u16) -> u16 {
    if error < FIRST_CODE { FIRST_CODE + error } else { FIRST_CODE }
}

/// Names of these numbers.
pub fn code_names() -> impl Iterator<Item = (u16, String)> {
    let known = ERRORS.iter().map(|(error, name)| (code(*error), (*name).to_owned()));
    known.chain([(FIRST_CODE, "error_beyond_ora_32767".to_owned())])
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn access(table: &str) -> OracleAccess {
        let common = SqlAccess {
            user: "u".to_owned(),
            database: "FREEPDB1".to_owned(),
            table: table.to_owned(),
            query: "SELECT 1 FROM dual".to_owned(),
            ..SqlAccess::without_log_in()
        };
        OracleAccess { common, announced: Announced::default() }
    }

    #[test]
    fn services_hold_nothing_that_ends_a_descriptor() {
        for name in ["FREEPDB1", "orcl.example.com", "a-b_c$d#e"] {
            assert!(is_service(name), "{name}");
        }
        for name in ["", "a)(b", "a b", "a=b", "a\"b", "ä"] {
            assert!(!is_service(name), "{name}");
        }
    }

    #[test]
    fn tables_are_created_again_whether_or_not_they_exist() {
        let [drops, creates] = &access("t").table_schema(20)[..] else { panic!("two statements") };
        assert_eq!(
            drops,
            "BEGIN EXECUTE IMMEDIATE 'DROP TABLE \"T\" PURGE'; EXCEPTION WHEN OTHERS THEN IF SQLCODE \
             != -942 THEN RAISE; END IF; END;"
        );
        assert_eq!(
            creates,
            "CREATE TABLE \"T\" (\"KEY\" VARCHAR2(20) PRIMARY KEY, \"VALUE\" RAW(2000) NOT NULL)"
        );
        let notes = unless("CREATE TABLE n (a VARCHAR2(1) DEFAULT 'x')", NAME_IS_TAKEN);
        assert!(notes.contains("DEFAULT ''x'')'; EXCEPTION"), "{notes}");
    }

    #[test]
    fn errors_have_names_of_their_own() {
        let of = |error| code_names().find(|known| known.0 == code(error)).map(|of| of.1);
        assert_eq!(of(1017).as_deref(), Some("wrong_password"));
        assert_eq!(of(12514).as_deref(), Some("no_such_service"));
        assert_eq!(of(65096).as_deref(), Some("error_beyond_ora_32767"));
        assert_eq!(of(2), None);
        assert_eq!(refusal(code(942)), Some(Refusal::NoSuchTable));
        assert_eq!(refusal(code(1033)), Some(Refusal::NotUp));
        assert_eq!(refusal(942), None);
    }
}
