//! `tiebreak watch`: reads the CPU time and memory of a target on its own machine, for a tiebreak
//! on another machine. It answers only clients that know its token, reads only, and supports no
//! other requests. The questions and answers are those of `wire::remote::watch`.

mod client;
mod server;
mod watched;

#[cfg(test)]
mod tests;

pub use client::{Client, describe};
pub use server::{Limits, serve};
pub use watched::{WatchedTarget, machine};

use std::time::Duration;

/// How long each step of a handshake, and each answer, may take. A machine whose cores are all busy
/// answers within some tens of milliseconds.
pub const TIMEOUT: Duration = Duration::from_secs(5);
