//! Files as a cache: a store, driven by a blocking lane.
//!
//! `store` reads and writes one file a key in the 256 folders of `folders`,
//! under names from `name`; `system` is the system calls and `trouble` what
//! their errors mean. `lane` hands a store to the threads of a blocking lane
//! (`crate::blocking`), `verified` the workload. After warm-up nothing here allocates
//! or formats.

mod facts;
mod folders;
mod lane;
mod name;
mod store;
mod system;
mod trouble;
mod verified;

pub use crate::blocking::{Answer, Deed, Judged, Request, Work};
pub use facts::facts;
pub use lane::file_lanes;
pub use store::{Found, Guard, Settings, Store, Stored};
pub use verified::{FilesAccess, lacks};
