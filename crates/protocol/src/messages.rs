//! Servers that send messages back.

use crate::Access;
use engine::{Numbers, TlsAccess};
use record::MessageKind;

/// The properties of a protocol of messages beyond those of every protocol.
pub struct Messages {
    /// The shortest message, which has its number in it, in bytes.
    pub shortest: u32,
    /// The names by which TLS negotiates the protocol that it begins with (ALPN).
    pub alpn: &'static [&'static [u8]],
    /// Makes the access to one.
    pub connect: fn(MessageParts<'_>) -> Result<Box<dyn Access>, String>,
}

/// What is needed to connect to a server of messages. No `Debug`: headers can be secret.
pub struct MessageParts<'a> {
    /// The path and the query.
    pub target: &'a str,
    /// The host, as the server is told it.
    pub host: &'a str,
    /// The user's headers.
    pub headers: &'a [(String, Vec<u8>)],
    /// The kind of the messages.
    pub kind: MessageKind,
    /// The length of each, in bytes.
    pub bytes: u32,
    /// Members of a room. None if there are no rooms.
    pub members: Option<u32>,
    /// None means without TLS.
    pub tls: Option<TlsAccess>,
    /// The numbers from which operations continue in the next call of the engine.
    pub numbers: Numbers,
}
