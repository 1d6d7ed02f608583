//! PostgreSQL, through tokio-postgres.

use crate::dialect::PostgresDialect;
use drivers::SqlAccess;
use drivers::dialect::Dialect;
use drivers::sql::Statements;
use engine::TlsAccess;

/// How statements are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sending {
    /// As text with values as literals: one message, parsed and planned each time.
    Simple,
    /// With bound values, parsed and planned each time, in one round trip.
    Extended,
    /// Prepared once for each connection.
    Prepared,
}

/// Access to PostgreSQL.
#[derive(Clone)]
pub struct PostgresAccess {
    /// What access to every database has.
    pub common: SqlAccess,
    /// How statements are sent.
    pub sending: Sending,
    /// TLS. None means without it.
    pub tls: Option<TlsAccess>,
}

impl PostgresAccess {
    /// See [`SqlAccess::without_log_in`].
    pub fn without_log_in(sending: Sending) -> PostgresAccess {
        PostgresAccess { common: SqlAccess::without_log_in(), sending, tls: None }
    }

    /// The statements that create the contender's table again and empty. `unlogged`: its writes
    /// need not survive a crash.
    pub fn table_schema(&self, unlogged: bool) -> Vec<String> {
        let table = PostgresDialect.name(&self.common.table);
        let unlogged = if unlogged { "UNLOGGED " } else { "" };
        vec![
            format!("DROP TABLE IF EXISTS {table}"),
            // Compared by bytes, so that keys sort like their numbers in any locale.
            format!(
                "CREATE {unlogged}TABLE {table} (key text COLLATE \"C\" PRIMARY KEY, value bytea \
                 NOT NULL)"
            ),
        ]
    }

    pub(crate) fn statements(&self) -> Statements {
        Statements::new(&PostgresDialect, &self.common.table, &self.common.query)
    }
}
