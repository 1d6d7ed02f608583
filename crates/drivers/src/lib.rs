//! The same load as the engine's, through the client libraries that applications
//! use: PostgreSQL by tokio-postgres, MySQL and MariaDB by mysql_async, Oracle by
//! oracledb (feature `oracle`).
//!
//! The only room where an async runtime and drivers of vendors compile. A lane
//! here is driven by the same braid as all others, and records the same things in
//! the same way: due times from the same schedule, operations from the same
//! workload, values verified alike. What differs is who speaks to the server.
//!
//! `lane` takes a runtime of its own through the slices. `place` is the life of one
//! of its tasks, an application's worker; the tasks meet at the `desk`. `serving`
//! is the workload, `driver` the seam to a library, `sql` the statements. `pool`
//! holds connections that are shared; `pace` is how a lane waits. Where a library blocks,
//! as `oracle`'s does, each of its connections has a thread of its own.
#![deny(unsafe_code)]

mod access;
mod admin;
mod budget;
mod desk;
mod driver;
mod guard;
mod lane;
pub mod mysql;
#[cfg_attr(
    not(feature = "oracle"),
    allow(dead_code, reason = "without its library only the tests use it")
)]
pub mod oracle;
mod own;
mod pace;
mod place;
mod pool;
pub mod postgres;
mod serving;
mod sql;
mod sqlstate;
mod trouble;

pub use access::SqlAccess;
pub use admin::{Rows, Unasked};
pub use budget::REPLY_BYTES;
pub use mysql::MysqlAccess;
pub use oracle::OracleAccess;
pub use own::Check;
pub use postgres::PostgresAccess;
pub use serving::lacks;
pub use sql::TABLE_COMMENT;

/// Names of the numbers that replies of databases are counted by.
pub fn code_names() -> impl Iterator<Item = (u16, String)> {
    let of_mysql = mysql::ERRORS.iter().map(|(code, name)| (*code, (*name).to_owned()));
    let names = sqlstate::names().chain(of_mysql);
    names.chain(oracle::error_names())
}

#[cfg(test)]
mod tests {
    use super::code_names;

    #[test]
    fn errors_that_a_load_meets_have_names() {
        let of = |code| code_names().find(|(known, _)| *known == code).map(|(_, name)| name);
        assert_eq!(of(1040).as_deref(), Some("too_many_connections"));
        assert_eq!(of(crate::oracle::code(1017)).as_deref(), Some("wrong_password"));
        assert_eq!(of(999), None);
    }
}
