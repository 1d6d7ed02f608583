//! PostgreSQL, through tokio-postgres.

mod column;
mod own;
mod session;
mod tls;

use crate::access::SqlAccess;
use crate::admin::{self, Rows, Unasked};
use crate::lane::{self, Asks};
use crate::own::{Check, checks, setup};
use crate::sql::{Dialect, Statements};
use engine::{MakeLane, TlsAccess};
use record::{Address, Asked, Workload};
use session::Server;
use std::time::Duration;

/// How statements are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// As text with its values written out: one message, parsed and planned each
    /// time.
    Simple,
    /// With its values bound, parsed and planned each time, in one round trip.
    Extended,
    /// Prepared once for each connection.
    Prepared,
}

/// How to get at PostgreSQL.
pub type PostgresAccess = SqlAccess<Protocol, TlsAccess>;

impl PostgresAccess {
    /// The lanes of one contender of the order: one for each worker.
    ///
    /// # Panics
    /// When the order has no such contender.
    pub fn lanes(&self, order: &Asked, contender: usize) -> Vec<MakeLane> {
        let (access, asked) = (self.clone(), order.lanes[contender].clone());
        let server =
            move || Ok(Server::new(&access, &asked.address)?.doing(&asked.doing, &access.table));
        let asks = Asks { query: &self.query, feeds: &self.feeds };
        lane::lanes(order, contender, &self.numbers, asks, server)
    }

    /// Asks the server, outside of any measurement, and waits for its answers.
    ///
    /// # Errors
    /// When it does not answer, or with an error.
    pub fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, Unasked> {
        admin::wait(Server::new(self, address)?.ask(statements), timeout)
    }

    /// What the server says of itself: its version, when it started (in seconds since
    /// 1970), the settings that decide what a commit waits for, and whether the
    /// contender's table survives a crash, where there is one. Names and values; the
    /// text is the server's own.
    ///
    /// # Errors
    /// When it does not answer, or with an error.
    pub fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, Unasked> {
        const FACTS: [&str; 2] = [
            "SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'fsync', \
             'synchronous_commit', 'full_page_writes', 'wal_level', 'shared_buffers', \
             'max_connections') ORDER BY name",
            "SELECT 'started', floor(extract(epoch FROM pg_postmaster_start_time()))::bigint",
        ];
        let dialect = Dialect::Postgres;
        let persistence = format!(
            "SELECT 'table_persistence', CASE relpersistence WHEN 'p' THEN 'logged' WHEN 'u' THEN \
             'unlogged' ELSE 'temporary' END FROM pg_class WHERE oid = to_regclass({})",
            dialect.quoted(&dialect.name(&self.table))
        );
        let [settings, started] = FACTS.map(str::to_owned);
        let rows = self.ask(address, &[settings, started, persistence], timeout)?;
        Ok(admin::facts(rows))
    }

    /// The statements that make the contender's table, anew and empty.
    /// `unlogged`: its writes need not survive a crash.
    pub fn schema(&self, unlogged: bool) -> Vec<String> {
        let table = Dialect::Postgres.name(&self.table);
        let unlogged = if unlogged { "UNLOGGED " } else { "" };
        vec![
            format!("DROP TABLE IF EXISTS {table}"),
            // By bytes, so that keys sort as their numbers do whatever the locale.
            format!(
                "CREATE {unlogged}TABLE {table} (key text COLLATE \"C\" PRIMARY KEY, value bytea \
                 NOT NULL)"
            ),
        ]
    }

    /// The statements that a workload of one's own wants once, before its load, with
    /// the names of the contender's tables in them.
    pub fn setup(&self, of: &Workload) -> Vec<String> {
        setup(of, Dialect::Postgres, &self.table)
    }

    /// How to ask whether the server takes the statements of a workload of one's own.
    pub fn checks(&self, of: &Workload) -> Vec<Check> {
        const PREPARE: &str = "PREPARE tiebreak_check AS ";
        let prepare = |text: &str| (format!("{PREPARE}{text}"), PREPARE.len() as u32);
        checks(of, Dialect::Postgres, &self.table, prepare)
    }

    fn statements(&self) -> Statements {
        Statements::new(Dialect::Postgres, &self.table, &self.query)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::Numbers;
    use engine::workload::Feeds;

    #[test]
    fn the_table_is_the_contenders_own() {
        let access = PostgresAccess {
            user: "u".to_owned(),
            password: None,
            database: "d".to_owned(),
            table: "of \"a\"".to_owned(),
            query: "SELECT 1".to_owned(),
            protocol: Protocol::Prepared,
            tls: None,
            may_ask_for_key: false,
            reply_bytes: None,
            numbers: Numbers::new(1),
            feeds: Feeds::default(),
        };
        let [drops, creates] = &access.schema(true)[..] else { panic!("two statements") };
        assert_eq!(drops, r#"DROP TABLE IF EXISTS "of ""a""""#);
        assert!(creates.starts_with(r#"CREATE UNLOGGED TABLE "of ""a""" (key text"#), "{creates}");
        assert!(access.schema(false)[1].starts_with("CREATE TABLE "));
    }
}
