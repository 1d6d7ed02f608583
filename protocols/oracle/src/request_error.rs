//! Maps the library's errors to outcomes of operations.

use crate::access::code;
use drivers::request_error::{RequestError, failure};
use oracledb::{Error, ErrorKind};
use record::Failure;
use std::io;

/// Errors after which the session is lost (Oracle Database Error Messages).
const ENDING: [usize; 10] = [28, 1012, 1033, 1034, 1089, 2396, 3113, 3114, 3135, 12537];

pub(crate) fn request_error(error: &Error) -> RequestError {
    match error.kind() {
        ErrorKind::DbError(answer) => answered(answer.code(), ENDING.contains(&answer.code())),
        ErrorKind::InvalidServiceName(..) => answered(12514, true),
        ErrorKind::InvalidSid(..) => answered(12505, true),
        ErrorKind::ListenerRefusedConnection(_, _, _, code) => answered(*code, true),
        ErrorKind::CallTimeoutExceeded => RequestError::Failed(Failure::Timeout),
        ErrorKind::DeadConnection | ErrorKind::NotConnected | ErrorKind::UnableToRecover => {
            RequestError::Failed(Failure::Closed)
        }
        ErrorKind::TlsOperation => RequestError::Failed(Failure::Tls),
        ErrorKind::StreamOperation => RequestError::Failed(of_the_system(&error.to_string())),
        // A message that is unexpected, or that the library does not know.
        _ => RequestError::Failed(Failure::Protocol),
    }
}

fn answered(error: usize, closes: bool) -> RequestError {
    // Errors beyond that are counted as one.
    RequestError::ServerError { code: code(u16::try_from(error).unwrap_or(u16::MAX)), closes }
}

/// The class of an error of the system. The library only reports it as text, which ends in the
/// number, as the standard library writes it.
fn of_the_system(words: &str) -> Failure {
    let number = words.rsplit_once("(os error ").and_then(|(_, end)| end.strip_suffix(')'));
    match number.and_then(|number| number.parse().ok()).map(io::Error::from_raw_os_error) {
        // Only the lane interrupts calls, and only those that take too long.
        Some(error) if error.kind() == io::ErrorKind::Interrupted => Failure::Timeout,
        Some(error) => failure(&error),
        None => Failure::Reset,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_are_distinguished_by_their_numbers() {
        for (number, class) in [
            (111, Failure::Refused),
            (104, Failure::Reset),
            (32, Failure::Closed),
            (4, Failure::Timeout),
            (99, Failure::NoPort),
            (24, Failure::NoDescriptor),
        ] {
            let error = io::Error::from_raw_os_error(number);
            assert_eq!(of_the_system(&format!("stream operation failed: {error}")), class);
        }
        assert_eq!(of_the_system("stream operation failed"), Failure::Reset);
    }
}
