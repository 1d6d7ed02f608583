//! The hot path. It has a thread for each core and a poller for each lane, and does not use
//! tokio.
//!
//! `turn` is the loop, `dialogue` the protocol side of a lane, `connection` one connection,
//! `policy` decides when a connection is reused and from which address it dials, `in_flight` has
//! the operations of a connection, `allowance` limits how much is read before the clock is read
//! again, `socket` has the system calls, `sys::Epoll` waits. After warm-up nothing here allocates
//! (plain sockets), locks or formats.

mod allowance;
mod codec_events;
mod connection;
mod dialogue;
mod in_flight;
mod policy;
mod socket;
mod stream;
mod turn;

pub use dialogue::{Broadcast, Dialogue, Push};
pub use policy::LOOPBACK_SOURCES;
pub(crate) use turn::EventLane;
