//! The same load as the engine's, through the client libraries that applications use: what all of them
//! share. A database itself is in its protocol's crate, with its library.
//!
//! A lane here is driven through the same interleaved slices as all others, and records the same things in
//! the same way: due times from the same schedule, operations from the same workload, values verified
//! alike. Only the code that communicates with the server differs.
//!
//! `lane` drives the slices on a runtime of its own. `slot_task` has the code of one of its tasks,
//! which acts as an application's worker; the tasks share the `scheduler`. `serving` is the
//! workload, `driver` the interface to a library, `sql` the statements in a `dialect`. `pool` has the
//! shared connections; `pace` is how a lane waits.
#![deny(unsafe_code)]

mod access;
pub mod admin;
mod announced;
pub mod budget;
mod confined;
pub mod custom;
mod database;
mod database_access;
pub mod dialect;
pub mod driver;
pub mod events;
mod lane;
mod memory;
mod pace;
mod panics;
mod pool;
mod refusal;
mod refused;
pub mod request;
pub mod request_error;
mod scheduler;
mod serving;
mod side_channel;
mod slot_task;
pub mod sql;
#[cfg(any(test, feature = "testing"))]
pub mod testing;

pub use access::{CHEAPEST, SqlAccess};
pub use admin::{QueryError, Rows, stop_asking_on};
pub use announced::Announced;
pub use confined::confined;
pub use database::{Database, LoginError, NOTE_COLUMNS, SchemaError, StartTime, fact};
pub use database_access::DatabaseAccess;
pub use lane::lanes;
pub use panics::{of_another_thread, unless_it_panics};
pub use refusal::{Refusal, not_ready};
pub use scheduler::keep_waker;
pub use serving::{lacks, lacks_beside_wide_rows};
pub use sql::{only_writes, says_returning};
