//! Oracle Database, through oracledb, Oracle's own driver in Rust. It blocks, so its
//! connections are threads of a blocking lane.
//!
//! What the library does by itself: it keeps statements prepared, 20 for each
//! connection; it pings nothing, and its pool is not used. Its text is UTF-8, always.

mod quiet;
mod session;
mod trouble;

use engine::blocking::{Answer, Judged, Request, Work, blocking_lanes};
use engine::{Broken, MakeLane, Numbers};
use record::{Address, Asked, Doing, LaneAsked, Reuse, Told};
use session::Session;
use std::sync::Once;
use std::time::Duration;
use tokio_rustls::rustls::crypto::ring;

/// The character sets that the library can speak in.
pub const CHARSETS: [&str; 1] = ["AL32UTF8"];

/// How to get at a contender, with its secrets: no `Debug`, no `Serialize`.
#[derive(Clone)]
pub struct OracleAccess {
    /// Who logs in.
    pub user: String,
    /// By which password.
    pub password: String,
    /// The service that the listener connects to. See [`is_service`].
    pub service: String,
    /// The one statement, a query.
    pub query: String,
    /// Where operations go on from one call of the engine to the next.
    pub numbers: Numbers,
}

impl OracleAccess {
    /// The lanes of one contender of the order: one for each worker.
    ///
    /// # Panics
    /// When the order has no such contender.
    pub fn lanes(&self, order: &Asked, contender: usize) -> Vec<MakeLane> {
        let (access, asked) = (self.clone(), order.lanes[contender].clone());
        let session = self.session(&asked);
        let made = session.as_ref().map(|_| ()).map_err(|broken| broken.0.clone());
        // Where there is none no thread is started: each worker says why.
        let session = session.unwrap_or_else(|_| Session::of_nothing());
        blocking_lanes(order, contender, session, &self.numbers, move |_| {
            made.clone().map_err(Broken)?;
            check(&asked, &access.query)?;
            Ok(Work { state: (), ask: |_, _, (), _| {}, judge })
        })
    }

    fn session(&self, asked: &LaneAsked) -> Result<Session, Broken> {
        let Address::Tcp(to) = &asked.address else {
            return Err(Broken("oracle is spoken over TCP; give HOST:PORT".to_owned()));
        };
        if !is_service(&self.service) {
            return Err(Broken("the name of the service is none".to_owned()));
        }
        let descriptor = format!(
            "(DESCRIPTION=(ADDRESS=(PROTOCOL=TCP)(HOST={})(PORT={}))(CONNECT_DATA=(SERVICE_NAME={})))",
            to.ip(),
            to.port(),
            self.service
        );
        // The library's message would quote what it was given.
        let config = oracledb::Config::default()
            .set_credentials(&self.user, &self.password)
            .set_transport_connect_timeout(Some(Duration::from_nanos(asked.timeout_ns)))
            .set_connect_string(&descriptor)
            .map_err(|_| Broken("the driver does not take the address".to_owned()))?;
        Ok(Session::new(config, &self.query, asked.reuse))
    }
}

/// Whether this can be the name of a service: nothing that ends the name in the
/// descriptor that it is put into.
pub fn is_service(name: &str) -> bool {
    let part = |byte: u8| byte.is_ascii_alphanumeric() || b"._-$#".contains(&byte);
    !name.is_empty() && name.bytes().all(part)
}

/// Why a statement is none for this lane; none: it is.
pub fn lacks(query: &str) -> Option<&'static str> {
    let word = query.trim_start().split(|c: char| !c.is_ascii_alphabetic()).next();
    let is_query = word.is_some_and(|word| {
        word.eq_ignore_ascii_case("SELECT") || word.eq_ignore_ascii_case("WITH")
    });
    // Nothing would commit it, and its undo would grow with the run.
    (!is_query).then_some(
        "a statement on Oracle is a SELECT; writes, which want a commit, are not here yet",
    )
}

/// Whether the lane can do what is asked.
fn check(asked: &LaneAsked, query: &str) -> Result<(), Broken> {
    let why = match asked {
        _ if asked.depth > 1 => {
            "a connection of a client library has one operation at a time; leave out depth, or \
             ask for connections"
        }
        _ if asked.doing != Doing::Ask => "a workload on Oracle is not here yet",
        _ if matches!(asked.reuse, Reuse::Pool(_)) => "a pool on Oracle is not here yet",
        _ => return lacks(query).map_or(Ok(()), |why| Err(Broken(why.to_owned()))),
    };
    Err(Broken(why.to_owned()))
}

/// A query without a row found nothing.
fn judge(_: &mut (), _: &mut (), _: &Request, answer: Answer<'_>) -> Judged {
    let told = match answer {
        Answer::Rows { rows: 0, .. } => Told::Miss,
        _ => Told::Ok,
    };
    Judged { code: 0, told }
}

/// Says which provider of cryptography TLS has where nobody says: the library brings
/// a second one, and rustls refuses to choose between two.
pub(crate) fn settle_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // Somebody else may have settled it.
        let _ = ring::default_provider().install_default();
    });
}

/// What the server's error numbers are called, as far as a load meets them.
const ERRORS: &[(u16, &str)] = &[
    (18, "too_many_sessions"),
    (20, "too_many_processes"),
    (28, "session_killed"),
    (60, "deadlock"),
    (904, "no_such_column"),
    (933, "syntax_error"),
    (936, "syntax_error"),
    (942, "no_such_table"),
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

/// Above all numbers that other databases are counted by: what is added to Oracle's.
const FIRST_CODE: u16 = 1 << 15;

/// The number by which an error of Oracle's is counted; those from ORA-32768 on are
/// counted as one.
pub fn code(error: usize) -> u16 {
    match u16::try_from(error) {
        Ok(error) if error < FIRST_CODE => FIRST_CODE + error,
        _ => FIRST_CODE,
    }
}

/// Names of these numbers.
pub(crate) fn error_names() -> impl Iterator<Item = (u16, String)> {
    let known = ERRORS.iter().map(|(error, name)| (code(usize::from(*error)), (*name).to_owned()));
    known.chain([(FIRST_CODE, "error_beyond_ora_32767".to_owned())])
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn only_queries_are_taken() {
        for query in ["SELECT 1 FROM dual", " select * from t", "WITH a AS (SELECT 1) SELECT 2"] {
            assert_eq!(lacks(query), None, "{query}");
        }
        for query in ["", "INSERT INTO t VALUES (1)", "BEGIN NULL; END;", "selection"] {
            assert!(lacks(query).is_some(), "{query}");
        }
    }

    #[test]
    fn a_query_without_rows_found_nothing() {
        let told = |rows| {
            judge(&mut (), &mut (), &Request::default(), Answer::Rows { rows, bytes: 0 }).told
        };
        assert_eq!((told(0), told(2)), (Told::Miss, Told::Ok));
    }

    #[test]
    fn errors_have_names_of_their_own() {
        let of = |error| error_names().find(|known| known.0 == code(error)).map(|of| of.1);
        assert_eq!(of(1017).as_deref(), Some("wrong_password"));
        assert_eq!(of(12514).as_deref(), Some("no_such_service"));
        assert_eq!(of(65096).as_deref(), Some("error_beyond_ora_32767"));
        assert_eq!(of(1), None);
    }
}
