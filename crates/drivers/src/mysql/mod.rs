//! MySQL and MariaDB, through mysql_async.

mod session;

use crate::admin::{self, Rows, Unasked};
use crate::lane;
use crate::sql::{Dialect, Statements};
use engine::{MakeLane, Numbers};
use record::{Address, Asked};
use session::Server;
use std::path::PathBuf;
use std::time::Duration;

/// How statements are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// As text with its values written out.
    Text,
    /// Prepared once for each connection, values in binary.
    Prepared,
}

/// TLS as the library wants it said: it keeps its own roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MysqlTls {
    /// A file of certificates that are trusted beside the public ones.
    pub roots: Option<PathBuf>,
    /// The certificate is not verified.
    pub insecure: bool,
    /// The name that the certificate must be for; none: the address.
    pub name: Option<String>,
}

/// How to get at a contender, with its secrets: no `Debug`, no `Serialize`.
#[derive(Clone)]
pub struct MysqlAccess {
    /// Who logs in.
    pub user: String,
    /// By which password.
    pub password: Option<String>,
    /// The database.
    pub database: String,
    /// The contender's own table. See [`MysqlAccess::schema`].
    pub table: String,
    /// The one statement, where that is what is asked.
    pub query: String,
    /// How statements are sent.
    pub protocol: Protocol,
    /// TLS; none: plain.
    pub tls: Option<MysqlTls>,
    /// Where operations go on from one call of the engine to the next.
    pub numbers: Numbers,
}

impl MysqlAccess {
    /// The lanes of one contender of the order: one for each worker.
    ///
    /// # Panics
    /// When the order has no such contender.
    pub fn lanes(&self, order: &Asked, contender: usize) -> Vec<MakeLane> {
        let (access, address) = (self.clone(), order.lanes[contender].address.clone());
        let server = move || Server::new(&access, &address);
        lane::lanes(order, contender, &self.numbers, &self.query, server)
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
        let server =
            Server::new(self, address).map_err(|broken| Unasked { code: None, why: broken.0 })?;
        admin::wait(server.ask(statements), timeout)
    }

    /// What the server says of itself: its version, how long it runs, and the settings
    /// that decide what a commit waits for. Names and values; the text is the server's
    /// own.
    ///
    /// # Errors
    /// When it does not answer, or with an error.
    pub fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, Unasked> {
        const FACTS: [&str; 2] = [
            "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('version', \
             'innodb_flush_log_at_trx_commit', 'sync_binlog', 'log_bin', 'innodb_doublewrite', \
             'innodb_buffer_pool_size', 'max_connections', 'max_allowed_packet')",
            "SHOW GLOBAL STATUS LIKE 'Uptime'",
        ];
        let rows = self.ask(address, &FACTS.map(str::to_owned), timeout)?;
        Ok(admin::facts(rows))
    }

    /// The statements that make the contender's table, anew and empty, for keys and
    /// values of so many bytes at most. `engine`: MEMORY, InnoDB, …; none: the
    /// server's own choice.
    ///
    /// The index is ordered, also where a hash would be the default: what is
    /// compared are engines, and scans must be possible. Values are VARBINARY, which
    /// MEMORY can hold, up to 60 000 bytes.
    pub fn schema(&self, engine: Option<&str>, key_bytes: u32, value_bytes: u32) -> Vec<String> {
        let table = Dialect::Mysql.name(&self.table);
        let value = match value_bytes {
            ..=60_000 => format!("VARBINARY({value_bytes})"),
            _ => "LONGBLOB".to_owned(),
        };
        let engine = engine
            .map_or(String::new(), |engine| format!(" ENGINE = {}", Dialect::Mysql.name(engine)));
        vec![
            format!("DROP TABLE IF EXISTS {table}"),
            format!(
                "CREATE TABLE {table} (`key` VARCHAR({key_bytes}) CHARACTER SET utf8mb4 COLLATE \
                 utf8mb4_bin NOT NULL, `value` {value} NOT NULL, PRIMARY KEY (`key`) USING \
                 BTREE){engine}"
            ),
        ]
    }

    fn statements(&self) -> Statements {
        Statements::new(Dialect::Mysql, &self.table, &self.query)
    }
}

/// What the server's error numbers are called, as far as a load meets them.
pub(crate) const ERRORS: &[(u16, &str)] = &[
    (1040, "too_many_connections"),
    (1044, "not_allowed"),
    (1045, "wrong_password"),
    (1049, "no_such_database"),
    (1053, "server_shut_down"),
    (1054, "no_such_column"),
    (1064, "syntax_error"),
    (1114, "table_full"),
    (1142, "not_allowed"),
    (1146, "no_such_table"),
    (1203, "too_many_connections_of_user"),
    (1205, "lock_timeout"),
    (1213, "deadlock"),
    (1290, "read_only"),
    (1317, "statement_timeout"),
    (1366, "wrong_type"),
    (1406, "value_too_long"),
    (1969, "statement_timeout"),
];

/// What one of them is called.
pub fn error_name(code: u16) -> Option<&'static str> {
    ERRORS.iter().find(|(known, _)| *known == code).map(|(_, name)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_fits_its_engine_and_its_values() {
        let access = MysqlAccess {
            user: "u".to_owned(),
            password: None,
            database: "d".to_owned(),
            table: "a`b".to_owned(),
            query: "SELECT 1".to_owned(),
            protocol: Protocol::Text,
            tls: None,
            numbers: Numbers::new(1),
        };
        let [drops, creates] = &access.schema(Some("MEMORY"), 20, 1000)[..] else {
            panic!("two statements")
        };
        assert_eq!(drops, "DROP TABLE IF EXISTS `a``b`");
        assert!(creates.starts_with("CREATE TABLE `a``b` (`key` VARCHAR(20) "), "{creates}");
        assert!(creates.contains("`value` VARBINARY(1000) NOT NULL"), "{creates}");
        assert!(creates.ends_with("USING BTREE) ENGINE = `MEMORY`"), "{creates}");
        assert!(access.schema(None, 20, 70_000)[1].contains("`value` LONGBLOB"));
        assert!(access.schema(None, 20, 70_000)[1].ends_with("USING BTREE)"));
    }

    #[test]
    fn errors_that_a_load_meets_have_names() {
        assert_eq!(error_name(1040), Some("too_many_connections"));
        assert_eq!(error_name(1), None);
    }
}
