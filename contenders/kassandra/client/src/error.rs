//! What went wrong, by class, and what is left of the connection.

use std::fmt;

/// Class of an error. The number is the code of the PHP exception.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// No host could be reached, or the connection was lost.
    Connection = 1,
    /// No reply in time, or the server waited in vain for its replicas.
    Timeout = 2,
    /// Too few replicas are alive, or the server takes no requests now.
    Unavailable = 3,
    /// The request or an argument is wrong.
    Invalid = 4,
    /// The row or the super column does not exist.
    NotFound = 5,
    /// The server refuses the user or the password, or asks for them.
    Authentication = 6,
    /// The user may not do this.
    Authorization = 7,
    /// The server failed.
    Server = 8,
    /// The server sent what its protocol does not allow.
    Protocol = 9,
    /// A reply or a request is larger than the limit.
    TooLarge = 10,
    /// The server or the data use something that this client does not support.
    Unsupported = 11,
}

impl Kind {
    /// Every class.
    pub const ALL: [Kind; 11] = [
        Kind::Connection,
        Kind::Timeout,
        Kind::Unavailable,
        Kind::Invalid,
        Kind::NotFound,
        Kind::Authentication,
        Kind::Authorization,
        Kind::Server,
        Kind::Protocol,
        Kind::TooLarge,
        Kind::Unsupported,
    ];

    /// Its name, as PHP sees it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Connection => "connection",
            Kind::Timeout => "timeout",
            Kind::Unavailable => "unavailable",
            Kind::Invalid => "invalid",
            Kind::NotFound => "not_found",
            Kind::Authentication => "authentication",
            Kind::Authorization => "authorization",
            Kind::Server => "server",
            Kind::Protocol => "protocol",
            Kind::TooLarge => "too_large",
            Kind::Unsupported => "unsupported",
        }
    }
}

/// What can be done with the connection after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It is as it was.
    Usable,
    /// A late reply may come, or it is unknown what comes; it must be closed.
    Broken,
    /// The server had closed it, and sent no byte of a reply.
    Closed,
}

/// An error that the caller gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Its class.
    pub kind: Kind,
    /// One line of printable text. Holds no password.
    pub message: String,
    pub(crate) fate: Fate,
}

/// Longest text of a server that is repeated, in characters.
const LONGEST: usize = 1000;

impl Error {
    /// An error after which the connection can be used.
    pub fn new(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), fate: Fate::Usable }
    }

    /// An error in the caller's arguments.
    pub fn invalid(message: impl Into<String>) -> Error {
        Error::new(Kind::Invalid, message)
    }

    /// An error after which the connection must be closed.
    pub(crate) fn broken(kind: Kind, message: impl Into<String>) -> Error {
        Error { kind, message: message.into(), fate: Fate::Broken }
    }

    /// The server's bytes are not what its protocol allows.
    pub(crate) fn protocol(what: &str) -> Error {
        Error::broken(Kind::Protocol, format!("the server's reply is malformed: {what}"))
    }

    /// An error that the server reports by itself. `name` is what the protocol calls it.
    pub(crate) fn reported(kind: Kind, name: &str, text: &[u8]) -> Error {
        match printable(text) {
            text if text.is_empty() => Error::new(kind, name),
            text => Error::new(kind, format!("{name}: {text}")),
        }
    }

    /// The same error, with the host that caused it.
    pub(crate) fn at(mut self, host: &impl fmt::Display) -> Error {
        self.message = format!("{host}: {}", self.message);
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.name(), self.message)
    }
}

impl std::error::Error for Error {}

/// Text of a server as one line without control characters, shortened.
fn printable(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let shown = text.chars().take(LONGEST);
    shown.map(|it| if it.is_control() { ' ' } else { it }).collect()
}
