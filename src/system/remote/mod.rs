//! Connections between tiebreak on two machines: sockets, the token, and the handshake in which
//! both sides prove that they know it and agree on the keys that sign all that follows. The bytes
//! are those of `wire::remote`, whose documentation says how to add messages. The messages after the handshake belong to the modules that send them.

mod connection;
mod frame_key;
mod handshake;
mod listening;
mod places;
mod token;

#[cfg(test)]
mod signature_tests;
#[cfg(test)]
mod tests;

pub(crate) use connection::WriteHalf;
pub use connection::{Connection, RemoteError};
pub use handshake::{admit, connect, join};
pub(crate) use listening::accept;
pub use places::{Place, Places};
pub use token::Token;
