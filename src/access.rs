//! How to get at a contender: by a codec of our own, or through the client
//! library that applications use.

#[cfg(feature = "oracle")]
use drivers::OracleAccess;
use drivers::{MysqlAccess, PostgresAccess};
use engine::{MakeLane, TlsAccess};
use record::{Address, Asked};
use std::time::Duration;

/// What talking to a contender takes, with its secrets: no `Debug`, no
/// `Serialize`.
#[derive(Clone)]
pub enum Access {
    /// By a lane of the engine's own.
    Engine(engine::Access),
    /// Through tokio-postgres.
    Postgres(PostgresAccess),
    /// Through mysql_async.
    Mysql(MysqlAccess),
    /// Through oracledb.
    #[cfg(feature = "oracle")]
    Oracle(OracleAccess),
}

impl Access {
    /// The lanes of one contender of the order: one for each worker.
    ///
    /// # Panics
    /// When the order has no such contender.
    pub fn lanes(&self, order: &Asked, contender: usize) -> Vec<MakeLane> {
        match self {
            Access::Engine(access) => access.lanes(order, contender),
            Access::Postgres(access) => access.lanes(order, contender),
            Access::Mysql(access) => access.lanes(order, contender),
            #[cfg(feature = "oracle")]
            Access::Oracle(access) => access.lanes(order, contender),
        }
    }

    /// Looks whether a log-in there keeps the password safe: only MySQL's library sends
    /// it to whoever asks for it.
    ///
    /// # Errors
    /// Why it is not safe, and what to do.
    pub(crate) fn check_log_in(&self, address: &Address, timeout: Duration) -> Result<(), String> {
        match self {
            Access::Mysql(access) => access.check_log_in(address, timeout),
            Access::Engine(_) | Access::Postgres(_) => Ok(()),
            #[cfg(feature = "oracle")]
            Access::Oracle(_) => Ok(()),
        }
    }

    /// Says in which table a database keeps the contender's rows.
    pub(crate) fn keep_rows_in(&mut self, table: &str) {
        match self {
            Access::Engine(_) => {}
            Access::Postgres(access) => table.clone_into(&mut access.table),
            Access::Mysql(access) => table.clone_into(&mut access.table),
            #[cfg(feature = "oracle")]
            Access::Oracle(access) => table.clone_into(&mut access.table),
        }
    }

    /// How TLS is spoken from the first byte on, if it is. Databases come to it after
    /// some words of their own.
    pub fn tls(&self) -> Option<&TlsAccess> {
        match self {
            Access::Engine(access) => access.tls(),
            Access::Postgres(_) | Access::Mysql(_) => None,
            #[cfg(feature = "oracle")]
            Access::Oracle(_) => None,
        }
    }
}
