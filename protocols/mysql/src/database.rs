//! What tiebreak asks of MySQL and MariaDB.

use crate::access::{MysqlAccess, refusal};
use crate::dialect::MysqlDialect;
use crate::session::Server;
use drivers::Refusal;
use drivers::admin::{self, QueryError, Rows};
use drivers::custom::{Check, checks, setup, tables};
use drivers::dialect::Dialect;
use drivers::{Database, LoginError, SchemaError, StartTime, fact};
use engine::MakeLane;
use engine::workload::longest_key;
use record::{Address, DriveOrder, Workload};
use std::sync::OnceLock;
use std::time::Duration;

/// Why no password is sent without TLS if the guard has no effect.
const UNGUARDED: &str = "tiebreak cannot see what its client library for MySQL sends, and so cannot \
                         keep the password from a server that requests it: use TLS \
                         (?sslmode=verify-full), or a unix socket";

impl Database for MysqlAccess {
    fn refusal(&self, code: u16) -> Option<Refusal> {
        refusal(code)
    }

    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        let (access, lane_order) = (self.clone(), order.lanes[contender].clone());
        let server = move || Server::new(&access, &lane_order.address, Some(&lane_order.doing));
        drivers::lanes(order, contender, self.common.request_parts(), server)
    }

    fn plain(&self) -> Box<dyn Database> {
        Box::new(MysqlAccess::without_log_in(self.sending))
    }

    fn plain_name(&self) -> Option<String> {
        Some(format!("MySQL {}", self.sending.name()))
    }

    fn keep_rows_in(&mut self, table: &str) {
        table.clone_into(&mut self.common.table);
    }

    /// Logs in once: a server without TLS must not be able to read the password. A server that does
    /// not answer, or refuses the login, is safe. Later logins are guarded in the same way; that
    /// this has an effect is checked first.
    ///
    /// # Errors
    /// Returns an error with the reason and the remedy if the login is not safe.
    fn check_login(&self, address: &Address, timeout: Duration) -> Result<(), LoginError> {
        let server = Server::new(self, address, None)?;
        // It depends on the program alone, so once is enough.
        static GUARDED: OnceLock<()> = OnceLock::new();
        if server.is_guarded() && GUARDED.get().is_none() {
            let guarded = admin::wait(async || Ok(crate::probe::is_guarded().await?), timeout);
            if guarded != Ok(true) {
                return Err(LoginError::Unsafe(UNGUARDED.to_owned()));
            }
            GUARDED.get_or_init(|| ());
        }
        match admin::wait(async move || server.unsafe_log_in().await, timeout) {
            Ok(Some(refusal)) => Err(LoginError::Unsafe(refusal.to_string())),
            _ => Ok(()),
        }
    }

    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, QueryError> {
        // Created here, because it needs a thread without a runtime.
        let (server, statements) = (Server::new(self, address, None)?, statements.to_vec());
        admin::wait(async move || server.ask(&statements).await, timeout)
    }

    fn checks(&self, of: &Workload) -> Vec<Check> {
        let prepare =
            |text: &str| (format!("PREPARE tiebreak_check FROM {}", MysqlDialect.quoted(text)), 0);
        checks(of, &MysqlDialect, &self.common.table, prepare)
    }

    /// Its start, to within one second; the settings that determine what a commit waits for; and
    /// the engine of the contender's table, if it exists.
    fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, QueryError> {
        const SETTINGS: &str = "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', \
             'innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', 'innodb_doublewrite', \
             'innodb_buffer_pool_size', 'max_heap_table_size', 'max_connections', \
             'max_allowed_packet')";
        const NOW_AND_UPTIME: [&str; 2] =
            ["SELECT 'now', UNIX_TIMESTAMP()", "SHOW GLOBAL STATUS LIKE 'Uptime'"];
        let engine = format!(
            "SELECT 'table_engine', ENGINE FROM information_schema.TABLES WHERE TABLE_SCHEMA = \
             DATABASE() AND TABLE_NAME = {}",
            MysqlDialect.quoted(&self.common.table)
        );
        let [now, uptime] = NOW_AND_UPTIME.map(str::to_owned);
        let mut rows = self.ask(address, &[SETTINGS.to_owned(), engine, now, uptime], timeout)?;
        let clock = admin::facts(rows.split_off(2));
        let mut facts = admin::facts(rows);
        // No variable contains the start.
        let number = |at: usize| clock.get(at).and_then(|(_, value)| value.parse::<u64>().ok());
        if let (Some(now), Some(up)) = (number(0), number(1)) {
            facts.push(("started".to_owned(), now.saturating_sub(up).to_string()));
        }
        Ok(facts)
    }

    fn source_of_facts(&self) -> (&'static str, &'static str) {
        ("SHOW VARIABLES", "version")
    }

    fn is_durable(&self, facts: &[(String, String)]) -> Option<bool> {
        // Other engines do not wait for the disk.
        Some(
            fact(facts, "table_engine").is_none_or(|engine| engine == "InnoDB")
                && fact(facts, "innodb_flush_log_at_trx_commit")? == "1",
        )
    }

    fn asks_for_start(&self) -> Option<&'static str> {
        Some("SELECT @@hostname, @@port, @@datadir")
    }

    fn start(&self, facts: &[(String, String)], answer: &[String]) -> Option<StartTime> {
        let began = fact(facts, "started")?.parse().ok()?;
        (!answer.is_empty()).then(|| StartTime::Second { server: answer.join("\n"), began })
    }

    fn count_rows(&self) -> String {
        let table = MysqlDialect.name(&self.common.table);
        format!("SELECT COUNT(*), COALESCE(SUM(LENGTH(`value`)), 0) FROM {table}")
    }

    fn tables(&self, of: &Workload) -> Vec<String> {
        tables(of, &self.common.table)
    }

    fn schema(&self, kind: Option<&str>, of: &Workload) -> Result<Vec<String>, SchemaError> {
        let own = if of.has_values() {
            self.table_schema(kind, longest_key(of) as u32, of.value.most())?
        } else {
            Vec::new()
        };
        Ok([own, setup(of, &MysqlDialect, &self.common.table)].concat())
    }

    fn find_table(&self, name: &str) -> Vec<String> {
        vec![format!(
            "SELECT t.TABLE_COMMENT, (SELECT COALESCE(GROUP_CONCAT(c.COLUMN_NAME ORDER BY \
             c.ORDINAL_POSITION), '') FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = \
             t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME) FROM information_schema.TABLES t \
             WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = {}",
            MysqlDialect.quoted(name)
        )]
    }

    fn comment_on_table(&self, name: &str, comment: &str) -> String {
        let dialect = MysqlDialect;
        format!("ALTER TABLE {} COMMENT = {}", dialect.name(name), dialect.quoted(comment))
    }
}
