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
mod request;
mod request_error;
mod scheduler;
mod serving;
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
pub use database::{Database, LoginError, PendingWork, SchemaError, StartTime};
pub use mysql::MysqlAccess;
pub use oracle::OracleAccess;
pub use postgres::PostgresAccess;
pub use refusal::Refusal;
pub use serving::lacks;
pub use sql::TABLE_COMMENT;
pub use writes::only_writes;

/// Names of the numbers by which replies of databases are counted.
pub fn code_names() -> impl Iterator<Item = (u16, String)> {
    let of_sql = postgres::code_names().chain(mysql::code_names()).chain(oracle::code_names());
    of_sql.chain(cassandra::code_names())
}

/// What an answer that is counted by this number means. Returns None if tiebreak does not react to
/// it.
pub fn refusal(code: u16) -> Option<Refusal> {
    let of_sql =
        sqlstate::refusal(code).or_else(|| mysql::refusal(code)).or_else(|| oracle::refusal(code));
    of_sql.or_else(|| cassandra::refusal(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_that_a_load_meets_have_names() {
        let of = |code| code_names().find(|(known, _)| *known == code).map(|(_, name)| name);
        assert_eq!(of(1040).as_deref(), Some("too_many_connections"));
        assert_eq!(of(crate::oracle::code(1017)).as_deref(), Some("wrong_password"));
        assert_eq!(of(999), None);
    }

    #[test]
    fn each_database_has_numbers_of_its_own() {
        for code in [sqlstate::code("42P01"), 1146, oracle::code(942)] {
            assert_eq!(refusal(code), Some(Refusal::NoSuchTable), "{code}");
        }
        for code in [sqlstate::code("57P03"), 1053, oracle::code(1033)] {
            assert_eq!(refusal(code), Some(Refusal::NotUp), "{code}");
        }
        assert_eq!(refusal(sqlstate::code("40P01")), None);
        assert_eq!(refusal(942), None);
    }
}
