//! Connections between tiebreak on two machines: sockets, the token, and the handshake in which
//! both sides prove that they know it. The bytes are those of `wire::remote`, whose documentation
//! says how to add messages. The messages after the handshake belong to the modules that send them.

mod admission;
mod connection;
mod handshake;
mod token;

#[cfg(test)]
mod tests;

pub(crate) use admission::Admission;
pub use connection::{Connection, RemoteError};
pub use handshake::{admit, introduce, refuse};
pub use token::Token;
