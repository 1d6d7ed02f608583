//! The same load as the engine's, through the client libraries that applications
//! use: PostgreSQL by tokio-postgres, MySQL and MariaDB by mysql_async, Oracle by
//! oracledb (feature `oracle`), Cassandra by scylla.
//!
//! This is the only crate with an async runtime and drivers of vendors. A lane here is driven
//! through the same interleaved slices as all others, and records the same things in the same
//! way: due times from the same schedule, operations from the same workload, values verified
//! alike. Only the code that communicates with the server differs.
//!
//! `lane` drives the slices on a runtime of its own. `slot_task` has the code of one of its tasks,
//! which acts as an application's worker; the tasks share the `scheduler`. `serving` is the
//! workload, `driver` the interface to a library, `sql` the statements. `pool` has the shared
//! connections; `pace` is how a lane waits. If a library blocks, as `oracle`'s does, each of its
//! connections has a thread of its own.
#![deny(unsafe_code)]

mod access;
mod admin;
mod announced;
mod budget;
pub mod cassandra;
#[allow(unsafe_code, reason = "an allocator and a signal handler")]
mod confined;
mod custom;
mod database;
mod database_access;
mod driver;
mod events;
mod guard;
mod lane;
mod memory;
pub mod mysql;
#[cfg_attr(
    not(feature = "oracle"),
    allow(dead_code, reason = "without its library only the tests use it")
)]
pub mod oracle;
mod pace;
mod panics;
mod pool;
pub mod postgres;
mod provider;
mod refusal;
mod refused;
mod request;
mod request_error;
mod scheduler;
mod serving;
mod side_channel;
mod slot_task;
mod sql;
mod sqlstate;
mod writes;

pub use access::{CHEAPEST, SqlAccess};
pub use admin::{QueryError, Rows, stop_asking_on};
pub use announced::Announced;
pub use budget::REPLY_BYTES;
pub use cassandra::CassandraAccess;
pub use custom::Check;
pub use database::{Database, LoginError, SchemaError, StartTime};
pub use database_access::{DatabaseAccess, access_of};
pub use mysql::MysqlAccess;
pub use oracle::OracleAccess;
pub use postgres::PostgresAccess;
pub use refusal::{Refusal, not_ready};
pub use serving::lacks;
pub use writes::only_writes;
