//! Lanes that speak to stores of keys and values: one workload, whatever the
//! protocol.

mod lane;
mod ledger;
mod memcached;
mod numbers;
mod resp;
mod said;
mod template;
mod verify;

pub(crate) use said::{Said, Task};
pub(crate) use verify::{Memo, Verifier};

pub use memcached::{MemcachedAccess, memcached_lacks, memcached_lanes};
pub use numbers::Numbers;
pub use resp::{RespAccess, resp_lacks, resp_lanes};
