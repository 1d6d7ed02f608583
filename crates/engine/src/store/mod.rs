//! Lanes for stores of keys and values: one workload, whatever the protocol.

mod columns;
mod encoder;
mod lane;
mod ledger;
mod memcached;
mod numbers;
mod resp;
mod sharding;
mod thrift;
mod verify;

pub use encoder::{Encoder, Parts, Task};
pub use lane::{NOT_WIDE, SEVERAL_KEYS, Sharded};
pub use memcached::{MemcachedAccess, memcached_lacks, memcached_lanes};
pub use numbers::Numbers;
pub use resp::{RespAccess, resp_lacks, resp_lanes};
pub use thrift::{THRIFT_COLUMN, ThriftAccess, ThriftEpoch, thrift_lacks, thrift_lanes};
pub use verify::{Memo, Verifier};
