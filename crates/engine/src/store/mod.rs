//! Lanes for stores of keys and values: one workload, whatever the protocol.

mod columns;
mod encoder;
mod lane;
mod ledger;
mod numbers;
mod sharding;
mod verify;

pub use encoder::{Encoder, Parts, Task};
pub use lane::{
    NO_COMMANDS, NO_ORDER, NOT_WIDE, SEVERAL_KEYS, Sharded, StoreEncoding, store_lanes,
};
pub use numbers::Numbers;
pub use verify::{Memo, Verifier};
