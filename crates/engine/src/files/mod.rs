//! Files as a cache: a blocking lane, and the store that it drives.
//!
//! `store` reads and writes one file a key in the 256 folders of `folders`,
//! under names from `name`; `system` is the system calls and `trouble` what
//! their errors mean. `lane` takes its threads (`place`) through the slices;
//! they share a `desk`, where `crate::drive` says which operation is next and when
//! it is due. What an operation does comes through the seam in `work`; `verified` puts
//! the workload there.
//!
//! Unlike in the event loop, threads and a lock: a file's call blocks. After
//! warm-up nothing here allocates or formats.

mod bell;
mod desk;
mod facts;
mod folders;
mod interrupt;
mod lane;
mod name;
mod place;
mod store;
mod system;
mod trouble;
mod verified;
mod work;

pub use facts::facts;
pub use lane::file_lanes;
pub use store::{Found, Guard, Settings, Store, Stored};
pub use verified::{FilesAccess, lacks};
pub use work::{Answer, Deed, Judged, Request, Work};
