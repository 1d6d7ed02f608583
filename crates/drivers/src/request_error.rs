//! Errors of requests, and their causes.

use record::Failure;
use std::error::Error;
use std::io;

/// Why a request failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestError {
    /// The server answered with an error.
    ServerError {
        /// The number by which it is counted.
        code: u16,
        /// Whether it also ends the connection.
        closes: bool,
    },
    /// No answer came.
    Failed(Failure),
}

impl RequestError {
    /// Whether the connection is lost.
    pub fn closes(self) -> bool {
        match self {
            RequestError::ServerError { closes, .. } => closes,
            RequestError::Failed(_) => true,
        }
    }
}

impl RequestError {
    /// Returns this error as one that occurred before a session exists: the connection is lost.
    pub fn before_a_session(self) -> RequestError {
        match self {
            RequestError::ServerError { code, .. } => {
                RequestError::ServerError { code, closes: true }
            }
            failed => failed,
        }
    }
}

impl From<io::Error> for RequestError {
    fn from(error: io::Error) -> RequestError {
        RequestError::Failed(failure(&error))
    }
}

/// The class of an error of the system or of TLS, as in the engine.
pub fn failure(error: &io::Error) -> Failure {
    use io::ErrorKind as Kind;
    if let Some(inner) = error.get_ref()
        && inner.is::<tokio_rustls::rustls::Error>()
    {
        return Failure::Tls;
    }
    match error.kind() {
        // A unix socket that does not exist, or whose backlog is full.
        Kind::ConnectionRefused | Kind::NotFound | Kind::PermissionDenied | Kind::WouldBlock => {
            Failure::Refused
        }
        Kind::BrokenPipe | Kind::UnexpectedEof | Kind::NotConnected => Failure::Closed,
        Kind::TimedOut => Failure::Timeout,
        Kind::AddrNotAvailable | Kind::AddrInUse => Failure::NoPort,
        Kind::OutOfMemory => Failure::NoMemory,
        Kind::NetworkUnreachable | Kind::HostUnreachable | Kind::NetworkDown => {
            Failure::Unreachable
        }
        Kind::ConnectionReset | Kind::ConnectionAborted => Failure::Reset,
        Kind::InvalidData | Kind::InvalidInput => Failure::Protocol,
        Kind::FileTooLarge => Failure::TooLarge,
        _ => by_number(error),
    }
}

/// Errors without a kind in the standard library.
fn by_number(error: &io::Error) -> Failure {
    const EMFILE: i32 = 24;
    const ENFILE: i32 = 23;
    const ENOBUFS: i32 = 105;
    match error.raw_os_error() {
        Some(EMFILE | ENFILE) => Failure::NoDescriptor,
        Some(ENOBUFS) => Failure::NoMemory,
        Some(_) => Failure::Reset,
        None => Failure::Protocol,
    }
}

/// The system's error that caused an error of a library, if there is one.
pub fn system_error<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a io::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref::<io::Error>() {
            return Some(found);
        }
        next = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::FaultOwner;

    #[test]
    fn each_error_has_its_class_and_its_owner() {
        let table = [
            (io::Error::from_raw_os_error(111), Failure::Refused, FaultOwner::Target),
            (io::Error::from_raw_os_error(104), Failure::Reset, FaultOwner::Target),
            (io::Error::from_raw_os_error(32), Failure::Closed, FaultOwner::Target),
            (io::Error::from_raw_os_error(110), Failure::Timeout, FaultOwner::Target),
            (io::Error::from_raw_os_error(99), Failure::NoPort, FaultOwner::Generator),
            (io::Error::from_raw_os_error(24), Failure::NoDescriptor, FaultOwner::Generator),
            (io::Error::from_raw_os_error(12), Failure::NoMemory, FaultOwner::Generator),
            (io::Error::from_raw_os_error(105), Failure::NoMemory, FaultOwner::Generator),
            (io::Error::from_raw_os_error(113), Failure::Unreachable, FaultOwner::Host),
            (io::ErrorKind::UnexpectedEof.into(), Failure::Closed, FaultOwner::Target),
            (io::Error::other("what?"), Failure::Protocol, FaultOwner::Target),
            (
                io::Error::new(
                    io::ErrorKind::InvalidData,
                    tokio_rustls::rustls::Error::DecryptError,
                ),
                Failure::Tls,
                FaultOwner::Target,
            ),
        ];
        for (error, class, fault_owner) in table {
            assert_eq!(
                (failure(&error), failure(&error).fault_owner()),
                (class, fault_owner),
                "{error}"
            );
        }
    }

    #[test]
    fn an_error_of_the_system_is_found_behind_others() {
        let behind = io::Error::other(io::Error::from_raw_os_error(111));
        let found = system_error(&behind).expect("an error of the system");
        assert_eq!(found.kind(), io::ErrorKind::Other, "the first of them");
        assert!(system_error(&std::fmt::Error).is_none());
    }
}
