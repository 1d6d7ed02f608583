//! WebSocket as a client speaks it (RFC 6455), without extensions.
//!
//! [`Upgrade`] holds the request that asks for the upgrade, encoded once, ahead of the run;
//! [`WebSocket`] sends it with a key of its own on every connection, checks the answer, and
//! then sends a message for every operation. The next message of the server is its reply:
//! servers that echo do so in order. [`WebSocket::member`] is a connection to a room, where no
//! message answers another: all messages of the server are pushes.
//!
//! Messages are never collected in memory, and a frame that breaks the standard is a
//! [`Fault`](crate::Fault), never skipped.

mod codec;
pub mod codes;
pub mod faults;
mod frame;
mod limits;
mod random;
mod upgrade;
mod utf8;

pub use codec::{Op, WebSocket};
pub use frame::{Kind, mask};
pub use limits::Limits;
pub use upgrade::{ROOM_BYTES, Upgrade, accept};
