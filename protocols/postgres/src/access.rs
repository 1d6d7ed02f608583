//! PostgreSQL, through tokio-postgres.

use crate::dialect::PostgresDialect;
use drivers::SqlAccess;
use drivers::dialect::Dialect;
use drivers::sql::Statements;
use engine::TlsAccess;
use record::SqlProtocol;

/// Access to PostgreSQL.
#[derive(Clone)]
pub struct PostgresAccess {
    /// What access to every database has.
    pub common: SqlAccess,
    /// How statements are sent.
    pub sending: SqlProtocol,
    /// TLS. None means without it.
    pub tls: Option<TlsAccess>,
}

impl PostgresAccess {
    /// See [`SqlAccess::without_log_in`].
    pub fn without_log_in(sending: SqlProtocol) -> PostgresAccess {
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
