//! Statements outside of the measurement: what a server reports about itself, and the schema
//! before a load.

use crate::budget::{self, QUESTION_BYTES};
use crate::confined::confined;
use crate::memory::Watch;
use crate::panics::watched;
use crate::request_error::RequestError;
use engine::{EngineError, Heartbeat, LOOK_EVERY, Stop, Watchdog};
use futures_util::future::{Either, select};
use std::pin::pin;
use std::sync::OnceLock;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;
use tokio::runtime::Builder;
use tokio::task::LocalSet;

/// How often the memory that an answer takes is checked.
const LOOK_AFTER: Duration = Duration::from_millis(10);

/// The rows of one statement as text. None is NULL.
pub type Rows = Vec<Vec<Option<String>>>;

/// Why a server could not be asked, or the error that it returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryError {
    /// The number by which the lanes count this answer. None if no answer came.
    pub code: Option<u16>,
    /// A message that may contain the server's own text, so it must be escaped before it is shown.
    pub why: String,
    /// The position in the statement, in characters from 1 on, if the server reports it
    /// (PostgreSQL).
    pub position: Option<u32>,
    /// Whether the client library failed while it read the answer, or did not come back from it.
    pub breaks_library: bool,
}

impl QueryError {
    /// `why`: the message of the library.
    pub fn new(error: RequestError, why: impl ToString) -> QueryError {
        let code = match error {
            RequestError::ServerError { code, .. } => Some(code),
            RequestError::Failed(_) => None,
        };
        QueryError { code, ..without(why) }
    }
}

impl From<EngineError> for QueryError {
    fn from(broken: EngineError) -> QueryError {
        QueryError { breaks_library: matches!(broken, EngineError::Lane { .. }), ..without(broken) }
    }
}

impl From<std::io::Error> for QueryError {
    fn from(error: std::io::Error) -> QueryError {
        without(error)
    }
}

/// Names and values, from rows of both.
pub fn facts(rows: Vec<Rows>) -> Vec<(String, String)> {
    let fact = |row: Vec<Option<String>>| {
        let mut row = row.into_iter().flatten();
        Some((row.next()?, row.next()?))
    };
    rows.into_iter().flatten().filter_map(fact).collect()
}

/// Ends every wait for an answer once it is raised. A static, because a signal ends the process as a whole.
static STOP: OnceLock<Stop> = OnceLock::new();

/// Makes [`wait`] end early once this is raised.
pub fn stop_asking_on(stop: Stop) {
    // It is the same one every time.
    let _ = STOP.set(stop);
}

/// Waits for an answer, at most for this time. The question has a thread of its own, because the library
/// may not come back from it.
pub fn wait<T: Send + 'static>(
    question: impl AsyncFnOnce() -> Result<T, QueryError> + Send + 'static,
    timeout: Duration,
) -> Result<T, QueryError> {
    let heartbeat = Heartbeat::default();
    let mut watchdog = Watchdog::of(heartbeat.clone());
    let (send, answers) = mpsc::channel();
    let ask = move || {
        let ask = || watched(|| answer(question, &heartbeat, timeout));
        // The receiver is gone if nobody waits any more.
        let _ = send.send(confined(&heartbeat, QUESTION_BYTES, ask));
    };
    let thread = std::thread::Builder::new().name("question".to_owned()).spawn(ask)?;
    loop {
        match answers.recv_timeout(LOOK_EVERY / 4) {
            Ok(answered) => return answered?,
            Err(RecvTimeoutError::Disconnected) => return Err(without("the question ended")),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Some(lost) = watchdog.look(&thread) {
            return Err(EngineError::lane(lost).into());
        }
        if STOP.get().is_some_and(Stop::raised) {
            return Err(without("stopped by a signal"));
        }
    }
}

/// The error of a question without an answer.
pub fn without(why: impl ToString) -> QueryError {
    QueryError { code: None, why: why.to_string(), position: None, breaks_library: false }
}

/// Asks on a runtime of its own.
fn answer<T>(
    question: impl AsyncFnOnce() -> Result<T, QueryError>,
    heartbeat: &Heartbeat,
    timeout: Duration,
) -> Result<T, QueryError> {
    let runtime = Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| without(format!("cannot create a runtime: {error}")))?;
    let answer = async {
        let (answer, watch) = (pin!(question()), pin!(too_much_is_reserved(heartbeat)));
        match tokio::time::timeout(timeout, select(answer, watch)).await {
            Ok(Either::Left((answered, _))) => answered,
            Ok(Either::Right(_)) => Err(budget::too_large(QUESTION_BYTES).into()),
            Err(_) => Err(without(format!("no answer within {timeout:?}"))),
        }
    };
    let answered = LocalSet::new().block_on(&runtime, answer);
    // Does not wait for a connection that hangs.
    runtime.shutdown_background();
    answered
}

/// Returns when the library has reserved more memory than any answer needs.
async fn too_much_is_reserved(heartbeat: &Heartbeat) {
    let mut watch = Watch::new(QUESTION_BYTES);
    while !watch.is_over() {
        heartbeat.beat();
        tokio::time::sleep(LOOK_AFTER).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Failure;

    #[test]
    fn an_answer_that_does_not_come_is_not_waited_for() {
        let never = async || std::future::pending::<Result<(), QueryError>>().await;
        let Err(query_error) = wait(never, Duration::from_millis(1)) else { panic!("it came") };
        assert_eq!(query_error.code, None);
        assert!(query_error.why.starts_with("no answer within"), "{}", query_error.why);
    }

    #[test]
    fn a_library_that_does_not_come_back_is_left_behind() {
        let fills = async || -> Result<(), QueryError> {
            drop(std::hint::black_box(vec![0u8; 1 << 30]));
            Ok(())
        };
        let Err(query_error) = wait(fills, Duration::from_secs(60)) else { panic!("it came") };
        assert_eq!(
            query_error.why,
            "the client library requested 1073741824 bytes of memory for a reply"
        );
    }

    #[test]
    fn facts_are_rows_of_a_name_and_a_value() {
        let row = |cells: &[Option<&str>]| {
            cells.iter().map(|cell| cell.map(str::to_owned)).collect::<Vec<_>>()
        };
        let rows = vec![vec![row(&[Some("fsync"), Some("on")])], vec![row(&[Some("x"), None])]];
        assert_eq!(facts(rows), [("fsync".to_owned(), "on".to_owned())]);
    }

    #[test]
    fn the_code_of_a_refusal_is_kept() {
        let error = RequestError::ServerError { code: 1040, closes: true };
        assert_eq!(QueryError::new(error, "too many").code, Some(1040));
        assert_eq!(QueryError::new(RequestError::Failed(Failure::Refused), "no").code, None);
    }
}
