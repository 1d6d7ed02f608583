//! Files as a cache: a store and the blocking lane that drives it.
//!
//! `store` reads and writes one file per key in the 256 directories of `directories`, under names
//! from `name`; `system` has the system calls and `errors` classifies their errors. `lane` runs
//! threads that call the store during the slices, and `verified` gives them the workload. After
//! warm-up nothing here allocates or formats.

mod directories;
mod errors;
mod facts;
mod lane;
mod name;
mod store;
mod system;
mod verified;

pub use facts::facts;
pub use lane::{Action, Answer, FileWork, Judged, Request, file_lanes};
pub use store::{FileLookup, Guard, Settings, Store, Stored};
pub use verified::{FilesAccess, lacks};
