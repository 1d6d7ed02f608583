//! The blocking lane: for clients that block, one thread for each connection, woken
//! for each slice.
//!
//! `lane` takes its threads (`place`) through the slices; they share a `desk`, where
//! `crate::drive` says which operation is next and when it is due. What an operation
//! does and what its answer is worth comes through the seam in `work`; what carries
//! it out, a store of files or a connection of a client library, through `tool`.
//!
//! Unlike in the event loop, threads and a lock: a call blocks. After warm-up
//! nothing here allocates or formats.

mod bell;
mod desk;
mod lane;
mod place;
mod tool;
mod work;

pub use lane::blocking_lanes;
pub use tool::{Heard, Tool};
pub use work::{Answer, Deed, Judged, Request, Work};
