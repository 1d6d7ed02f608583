//! Answers of a server outside of any measurement, as text.

use crate::request_error;
use drivers::admin::Rows;
use drivers::events::Events;
use drivers::request_error::RequestError;
use scylla::errors::{
    ConnectionError, ConnectionPoolError, ConnectionSetupRequestErrorKind, ExecutionError,
    MetadataError, NewSessionError, RequestAttemptError,
};
use scylla::response::query_result::QueryResult;
use scylla::value::{CqlValue, Row};
use std::error::Error;

/// The rows of an answer as text.
pub(crate) fn rows(of: QueryResult) -> Rows {
    let Ok(of) = of.into_rows_result() else { return Vec::new() };
    let Ok(rows) = of.rows::<Row>() else { return Vec::new() };
    let cells = |row: Row| row.columns.iter().map(|cell| cell.as_ref().map(text)).collect();
    rows.filter_map(Result::ok).map(cells).collect()
}

/// A value as it is written in CQL, but texts without quotes.
fn text(of: &CqlValue) -> String {
    match of {
        CqlValue::Text(text) | CqlValue::Ascii(text) => text.clone(),
        CqlValue::Map(pairs) => {
            let pairs = pairs.iter().map(|(key, value)| format!("{}: {}", text(key), text(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

/// Classifies an error, and records the server's words if it is the server's.
pub(crate) fn explained(error: &ExecutionError, events: &mut Events<'_>) -> RequestError {
    events.explained(request_error::of_execution(error), || of_execution(error))
}

/// The message of an error of a statement: the server's own, if it sent one.
pub(crate) fn of_execution(error: &ExecutionError) -> String {
    match error {
        ExecutionError::LastAttemptError(RequestAttemptError::DbError(_, message)) => {
            message.clone()
        }
        other => of_error(other),
    }
}

/// Why no session could be opened: the server's own message, if it sent one.
pub(crate) fn of_opening(error: &NewSessionError) -> String {
    let NewSessionError::MetadataError(MetadataError::ConnectionPoolError(
        ConnectionPoolError::Broken { last_connection_error },
    )) = error
    else {
        return of_error(error);
    };
    match last_connection_error {
        ConnectionError::ConnectionSetupRequestError(setup) => match setup.get_error() {
            ConnectionSetupRequestErrorKind::DbError(_, message) => message.clone(),
            ConnectionSetupRequestErrorKind::MissingAuthentication => {
                "it requires a user and a password".to_owned()
            }
            other => of_error(other),
        },
        other => of_error(other),
    }
}

/// The message of an error: that of the innermost error that it consists of.
pub(crate) fn of_error(error: &(dyn Error + 'static)) -> String {
    let mut innermost = error;
    while let Some(next) = innermost.source() {
        innermost = next;
    }
    innermost.to_string()
}
