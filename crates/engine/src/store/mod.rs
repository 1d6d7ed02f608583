//! Lanes that speak to stores of keys and values: one workload, whatever the
//! protocol.

mod lane;
mod ledger;
mod memcached;
mod numbers;
mod resp;
mod said;
mod verify;

pub use memcached::{MemcachedAccess, memcached_lacks, memcached_lanes};
pub use numbers::Numbers;
pub use resp::{RespAccess, resp_lacks, resp_lanes};
pub use said::{Parts, Said, Task};
pub use verify::{Memo, Verifier};
