//! Maps the library's errors to outcomes of operations, and the server's errors to the numbers by
//! which they are counted.

use drivers::Refusal;
use drivers::request_error::{RequestError, failure};
use record::Failure;
use scylla::errors::{
    BrokenConnectionError, BrokenConnectionErrorKind, ConnectionError, ConnectionPoolError,
    ConnectionSetupRequestErrorKind, DbError, ExecutionError, FrameHeaderParseError, MetadataError,
    NewSessionError, PrepareError, RequestAttemptError, UseKeyspaceError,
};

/// Offset of the protocol's codes, so that no other database uses the same numbers.
const FIRST_CODE: u16 = 20_000;

/// Codes that are unused in the protocol. Cassandra has one code for all statements that it can
/// parse but not execute, and only the message distinguishes them.
const NO_SUCH_TABLE: u16 = 0x2201;
const NO_SUCH_KEYSPACE: u16 = 0x2202;
const NO_SUCH_COLUMN: u16 = 0x2203;
const WRONG_TYPE: u16 = 0x2204;
const MUTATION_TOO_LARGE: u16 = 0x2205;
const REQUEST_TOO_LARGE: u16 = 0x2206;
/// All codes beyond those that are known.
const OTHER: u16 = 0x2FFF;

/// Names of the codes: those of the native protocol, version 4, section 9, and those above.
const ERRORS: &[(u16, &str)] = &[
    (0x0000, "server_error"),
    (0x000A, "protocol_violation"),
    (0x0100, "wrong_password"),
    (0x1000, "unavailable"),
    (0x1001, "overloaded"),
    (0x1002, "server_starts"),
    (0x1003, "truncate_error"),
    (0x1100, "write_timeout"),
    (0x1200, "read_timeout"),
    (0x1300, "read_failure"),
    (0x1400, "function_failure"),
    (0x1500, "write_failure"),
    (0x2000, "syntax_error"),
    (0x2100, "not_allowed"),
    (0x2200, "invalid"),
    (NO_SUCH_TABLE, "no_such_table"),
    (NO_SUCH_KEYSPACE, "no_such_keyspace"),
    (NO_SUCH_COLUMN, "no_such_column"),
    (WRONG_TYPE, "wrong_type"),
    (MUTATION_TOO_LARGE, "mutation_too_large"),
    (REQUEST_TOO_LARGE, "request_too_large"),
    (0x2300, "config_error"),
    (0x2400, "already_there"),
    (0x2500, "not_prepared"),
    (OTHER, "other_error"),
];

/// Beginnings or parts of messages of [`DbError::Invalid`], in lower case.
const INVALID: &[(&str, u16)] = &[
    ("unconfigured table", NO_SUCH_TABLE),
    ("no keyspace has been specified", NO_SUCH_KEYSPACE),
    ("keyspace '", NO_SUCH_KEYSPACE),
    ("keyspace ", NO_SUCH_KEYSPACE),
    ("table '", NO_SUCH_TABLE),
    ("table ", NO_SUCH_TABLE),
    ("undefined column name", NO_SUCH_COLUMN),
    ("undefined name", NO_SUCH_COLUMN),
    ("unknown identifier", NO_SUCH_COLUMN),
    ("invalid string constant", WRONG_TYPE),
    ("invalid integer constant", WRONG_TYPE),
    ("cannot be converted", WRONG_TYPE),
    ("oversized mutation", MUTATION_TOO_LARGE),
    ("request is too big", REQUEST_TOO_LARGE),
];

/// Names of the numbers by which its replies are counted.
pub fn code_names() -> impl Iterator<Item = (u16, String)> {
    ERRORS.iter().map(|(error, name)| (code(*error), (*name).to_owned()))
}

/// What a number of [`code`] means, as far as tiebreak reacts to it.
pub(crate) fn refusal(number: u16) -> Option<Refusal> {
    Refusal::of(code_names(), number)
}

/// The number by which an error of the protocol is counted.
pub(crate) fn code(error: u16) -> u16 {
    FIRST_CODE + error
}

/// Classifies an error of an operation.
pub(crate) fn of_execution(error: &ExecutionError) -> RequestError {
    match error {
        ExecutionError::LastAttemptError(error) => of_attempt(error),
        ExecutionError::ConnectionPoolError(error) => of_pool(error),
        ExecutionError::PrepareError(error) => of_prepare(error),
        ExecutionError::UseKeyspaceError(error) => of_use_keyspace(error),
        ExecutionError::MetadataError(error) => of_metadata(error),
        ExecutionError::RequestTimeout(_) => RequestError::Failed(Failure::Timeout),
        // A value that does not fit its column.
        ExecutionError::BadQuery(_) => answered(WRONG_TYPE),
        _ => RequestError::Failed(Failure::Protocol),
    }
}

/// Whether the cluster was too busy for a write, which may succeed later.
pub(crate) fn is_busy(error: &ExecutionError) -> bool {
    let ExecutionError::LastAttemptError(RequestAttemptError::DbError(error, _)) = error else {
        return false;
    };
    matches!(
        error,
        DbError::WriteTimeout { .. } | DbError::Overloaded | DbError::Unavailable { .. }
    )
}

/// Classifies an error of preparing a statement.
pub(crate) fn of_prepare(error: &PrepareError) -> RequestError {
    match error {
        PrepareError::ConnectionPoolError(error) => of_pool(error),
        PrepareError::AllAttemptsFailed { first_attempt } => of_attempt(first_attempt),
        _ => RequestError::Failed(Failure::Protocol),
    }
}

/// Classifies an error of opening a session.
pub(crate) fn of_opening(error: &NewSessionError) -> RequestError {
    let request_error = match error {
        NewSessionError::MetadataError(error) => of_metadata(error),
        NewSessionError::UseKeyspaceError(error) => of_use_keyspace(error),
        NewSessionError::FailedToResolveAnyHostname(_) => {
            RequestError::Failed(Failure::Unreachable)
        }
        _ => RequestError::Failed(Failure::Protocol),
    };
    request_error.before_a_session()
}

fn of_metadata(error: &MetadataError) -> RequestError {
    match error {
        MetadataError::ConnectionPoolError(error) => of_pool(error),
        _ => RequestError::Failed(Failure::Protocol),
    }
}

fn of_use_keyspace(error: &UseKeyspaceError) -> RequestError {
    match error {
        UseKeyspaceError::RequestError(error) => of_attempt(error),
        UseKeyspaceError::RequestTimeout(_) => RequestError::Failed(Failure::Timeout),
        _ => answered(NO_SUCH_KEYSPACE),
    }
}

fn of_attempt(error: &RequestAttemptError) -> RequestError {
    match error {
        RequestAttemptError::DbError(error, message) => of_server(error, message),
        RequestAttemptError::BrokenConnectionError(error) => broken(error),
        RequestAttemptError::SerializationError(_) => answered(WRONG_TYPE),
        RequestAttemptError::UnableToAllocStreamId => RequestError::Failed(Failure::Starved),
        _ => RequestError::Failed(Failure::Protocol),
    }
}

fn of_pool(error: &ConnectionPoolError) -> RequestError {
    match error {
        ConnectionPoolError::Broken { last_connection_error } => {
            of_connection(last_connection_error)
        }
        ConnectionPoolError::Initializing => RequestError::Failed(Failure::Refused),
        _ => RequestError::Failed(Failure::Protocol),
    }
}

fn of_connection(error: &ConnectionError) -> RequestError {
    match error {
        ConnectionError::ConnectTimeout => RequestError::Failed(Failure::Timeout),
        ConnectionError::IoError(error) => RequestError::Failed(failure(error)),
        ConnectionError::NoSourcePortForShard(_) => RequestError::Failed(Failure::NoPort),
        ConnectionError::BrokenConnection(error) => broken(error),
        ConnectionError::UseKeyspaceError(error) => of_use_keyspace(error),
        ConnectionError::ConnectionSetupRequestError(error) => match error.get_error() {
            ConnectionSetupRequestErrorKind::DbError(error, message) => of_server(error, message),
            ConnectionSetupRequestErrorKind::BrokenConnection(error) => broken(error),
            ConnectionSetupRequestErrorKind::MissingAuthentication => answered(0x0100),
            _ => RequestError::Failed(Failure::Protocol),
        },
        _ => RequestError::Failed(Failure::Protocol),
    }
}

fn broken(error: &BrokenConnectionError) -> RequestError {
    let Some(kind) = error.downcast_ref::<BrokenConnectionErrorKind>() else {
        return RequestError::Failed(Failure::Closed);
    };
    RequestError::Failed(match kind {
        BrokenConnectionErrorKind::KeepaliveTimeout(_) => Failure::Timeout,
        BrokenConnectionErrorKind::WriteError(error) => failure(error),
        // The library does not give the system's error as the source of its own.
        BrokenConnectionErrorKind::FrameHeaderParseError(error) => match error {
            FrameHeaderParseError::HeaderIoError(error)
            | FrameHeaderParseError::BodyChunkIoError(_, error) => failure(error),
            FrameHeaderParseError::ConnectionClosed(..) => Failure::Closed,
            _ => Failure::Protocol,
        },
        BrokenConnectionErrorKind::ChannelError => Failure::Closed,
        BrokenConnectionErrorKind::TooManyOrphanedStreamIds(_) => Failure::Timeout,
        _ => Failure::Protocol,
    })
}

/// An error that the server sent. Only those that end a session close it.
fn of_server(error: &DbError, message: &str) -> RequestError {
    let code = match error {
        DbError::ServerError => 0x0000,
        DbError::ProtocolError => 0x000A,
        DbError::AuthenticationError => 0x0100,
        DbError::Unavailable { .. } => 0x1000,
        DbError::Overloaded => 0x1001,
        DbError::IsBootstrapping => 0x1002,
        DbError::TruncateError => 0x1003,
        DbError::WriteTimeout { .. } => 0x1100,
        DbError::ReadTimeout { .. } => 0x1200,
        DbError::ReadFailure { .. } => 0x1300,
        DbError::FunctionFailure { .. } => 0x1400,
        DbError::WriteFailure { .. } => 0x1500,
        DbError::SyntaxError => 0x2000,
        DbError::Unauthorized => 0x2100,
        DbError::Invalid => invalid(message),
        DbError::ConfigError => 0x2300,
        DbError::AlreadyExists { .. } => 0x2400,
        DbError::Unprepared { .. } => 0x2500,
        _ => OTHER,
    };
    answered(code)
}

/// Classifies a statement that cannot be executed.
fn invalid(message: &str) -> u16 {
    let message = message.to_ascii_lowercase();
    let begins = |start: &str| message.starts_with(start) && message.contains("does not exist");
    let found = INVALID.iter().find(|(text, _)| match *text {
        "keyspace '" | "keyspace " | "table '" | "table " => begins(text),
        text => message.contains(text),
    });
    found.map_or(0x2200, |(_, code)| *code)
}

fn answered(error: u16) -> RequestError {
    RequestError::ServerError { code: code(error), closes: false }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_that_cannot_be_executed_are_distinguished_by_their_messages() {
        for (message, name) in [
            ("unconfigured table t", "no_such_table"),
            ("table t does not exist", "no_such_table"),
            ("keyspace k does not exist", "no_such_keyspace"),
            ("Keyspace 'k' does not exist", "no_such_keyspace"),
            ("Undefined column name b in table a.t", "no_such_column"),
            ("Invalid STRING constant (x) for \"v\" of type int", "wrong_type"),
            ("Rejected an oversized mutation (100055/65536) for keyspace: a", "mutation_too_large"),
            ("Some partition key parts are missing: key", "invalid"),
        ] {
            let number = code(invalid(message));
            let found = code_names().find(|(known, _)| *known == number);
            assert_eq!(found.map(|of| of.1).as_deref(), Some(name), "{message}");
        }
    }

    #[test]
    fn numbers_have_meanings() {
        let numbers = || code_names().map(|(number, _)| number);
        assert!(numbers().all(|number| (20_000..32_768).contains(&number)));
        assert_eq!(refusal(942), None);
        assert_eq!(refusal(code(0x0100)), Some(Refusal::LogIn));
        assert_eq!(refusal(code(0x1100)), None);
    }
}
