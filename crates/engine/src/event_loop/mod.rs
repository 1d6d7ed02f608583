//! The hot path. A thread for each core, a poller for each lane, no tokio.
//!
//! `turn` is the loop, `speech` what a lane says, `connection` what happens on one
//! connection, `policy` when a connection is reused and from where it dials, `in_flight`
//! the operations of a connection, `allowance` how much is read before the clock is looked at again,
//! `socket` the system calls, `poll` epoll. After warm-up nothing here allocates (plain sockets),
//! locks or formats.

mod allowance;
mod codec_events;
mod connection;
mod dialogue;
mod in_flight;
mod policy;
mod poll;
mod socket;
mod stream;
mod turn;

pub use dialogue::{Broadcast, Dialogue, Push};
pub use policy::LOOPBACK_SOURCES;
pub(crate) use turn::EventLane;
