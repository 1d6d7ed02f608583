//! The hot path. A thread for each core, a poller for each lane, no tokio.
//!
//! `turn` is the loop, `speech` what a lane says, `connection` what happens on one
//! connection, `policy` when a connection is reused and from where it dials, `in_flight`
//! the operations of a connection, `allowance` how much is read before the clock is looked at again,
//! `socket` the system calls, `poll` epoll. After warm-up nothing here allocates (plain sockets),
//! locks or formats.

mod allowance;
mod connection;
mod hearing;
mod in_flight;
mod policy;
mod poll;
mod socket;
mod speech;
mod stream;
mod turn;

pub use policy::LOOPBACK_SOURCES;
pub use speech::{Broadcast, Push, Speech};
pub(crate) use turn::EventLane;
