//! What tiebreak asks of PostgreSQL.

use crate::access::PostgresAccess;
use crate::dialect::PostgresDialect;
use crate::session::Server;
use crate::sqlstate::refusal;
use drivers::Refusal;
use drivers::admin::{self, QueryError, Rows};
use drivers::custom::{Check, checks, setup, tables};
use drivers::dialect::Dialect;
use drivers::{Database, SchemaError, StartTime, fact};
use engine::MakeLane;
use record::{Address, DriveOrder, Workload};
use std::time::Duration;

impl Database for PostgresAccess {
    fn refusal(&self, code: u16) -> Option<Refusal> {
        refusal(code)
    }

    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        let (access, lane_order) = (self.clone(), order.lanes[contender].clone());
        let server = move || Server::new(&access, &lane_order.address, Some(&lane_order.doing));
        drivers::lanes(order, contender, self.common.request_parts(), server)
    }

    fn plain(&self) -> Box<dyn Database> {
        Box::new(PostgresAccess::without_log_in(self.sending))
    }

    fn plain_name(&self) -> Option<String> {
        Some(format!("PostgreSQL {}", self.sending.name()))
    }

    fn keep_rows_in(&mut self, table: &str) {
        table.clone_into(&mut self.common.table);
    }

    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, QueryError> {
        let (server, statements) = (Server::new(self, address, None)?, statements.to_vec());
        admin::wait(async move || server.ask(&statements).await, timeout)
    }

    fn checks(&self, of: &Workload) -> Vec<Check> {
        const PREPARE: &str = "PREPARE tiebreak_check AS ";
        let prepare = |text: &str| (format!("{PREPARE}{text}"), PREPARE.len() as u32);
        checks(of, &PostgresDialect, &self.common.table, prepare)
    }

    /// The settings that determine what a commit waits for, and whether the contender's table
    /// survives a crash, if it exists.
    fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, QueryError> {
        const FACTS: [&str; 2] = [
            "SELECT name, setting FROM pg_settings WHERE name IN ('server_version', 'fsync', \
             'synchronous_commit', 'full_page_writes', 'wal_level', 'shared_buffers', \
             'max_connections') ORDER BY name",
            "SELECT 'started', floor(extract(epoch FROM pg_postmaster_start_time()))::bigint",
        ];
        let dialect = PostgresDialect;
        let persistence = format!(
            "SELECT 'table_persistence', CASE relpersistence WHEN 'p' THEN 'logged' WHEN 'u' THEN \
             'unlogged' ELSE 'temporary' END FROM pg_class WHERE oid = to_regclass({})",
            dialect.quoted(&dialect.name(&self.common.table))
        );
        let [settings, started] = FACTS.map(str::to_owned);
        let rows = self.ask(address, &[settings, started, persistence], timeout)?;
        Ok(admin::facts(rows))
    }

    fn source_of_facts(&self) -> (&'static str, &'static str) {
        ("pg_settings", "server_version")
    }

    fn is_durable(&self, facts: &[(String, String)]) -> Option<bool> {
        Some(
            fact(facts, "table_persistence").is_none_or(|kept| kept == "logged")
                && fact(facts, "fsync")? == "on"
                && fact(facts, "synchronous_commit")? != "off",
        )
    }

    fn asks_for_start(&self) -> Option<&'static str> {
        Some("SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint")
    }

    fn start(&self, _facts: &[(String, String)], answer: &[String]) -> Option<StartTime> {
        answer.first().cloned().map(StartTime::Exact)
    }

    fn count_rows(&self) -> String {
        let table = PostgresDialect.name(&self.common.table);
        format!("SELECT count(*), coalesce(sum(length(value)), 0) FROM {table}")
    }

    fn tables(&self, of: &Workload) -> Vec<String> {
        tables(of, &self.common.table)
    }

    fn schema(&self, kind: Option<&str>, of: &Workload) -> Result<Vec<String>, SchemaError> {
        let unlogged = kind == Some("unlogged");
        let own = if of.has_values() { self.table_schema(unlogged) } else { Vec::new() };
        Ok([own, setup(of, &PostgresDialect, &self.common.table)].concat())
    }

    fn find_table(&self, name: &str) -> Vec<String> {
        let dialect = PostgresDialect;
        vec![format!(
            "SELECT coalesce(obj_description(t.oid, 'pg_class'), ''), (SELECT \
             coalesce(string_agg(c.attname, ',' ORDER BY c.attnum), '') FROM pg_attribute c WHERE \
             c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped) FROM pg_class t WHERE \
             t.oid = to_regclass({})",
            dialect.quoted(&dialect.name(name))
        )]
    }

    fn comment_on_table(&self, name: &str, comment: &str) -> String {
        let dialect = PostgresDialect;
        format!("COMMENT ON TABLE {} IS {}", dialect.name(name), dialect.quoted(comment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivers::DatabaseAccess;
    use drivers::SqlAccess;
    use protocol::Access;
    use record::SqlProtocol;
    use std::net::TcpListener;

    #[test]
    fn the_table_is_the_contenders_own() {
        let plain = PostgresAccess::without_log_in(SqlProtocol::Prepared);
        let common = SqlAccess { table: "of \"a\"".to_owned(), ..plain.common };
        let access = PostgresAccess { common, ..plain };
        let [drops, creates] = &access.table_schema(true)[..] else { panic!("two statements") };
        assert_eq!(drops, r#"DROP TABLE IF EXISTS "of ""a""""#);
        assert!(creates.starts_with(r#"CREATE UNLOGGED TABLE "of ""a""" (key text"#), "{creates}");
        assert!(access.table_schema(false)[1].starts_with("CREATE TABLE "));
    }

    #[test]
    fn who_does_not_answer_is_a_fact_too() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let nobody = Address::Tcp(listener.local_addr().expect("bound"));
        drop(listener);
        let access = DatabaseAccess::new(PostgresAccess::without_log_in(SqlProtocol::Simple), None);
        let side_channel = access.side_channel(&nobody, None).expect("a database has one");
        let facts = side_channel.facts(Duration::from_secs(10)).expect("no library failed");
        let [fact] = &facts[..] else { panic!("one fact") };
        let line = fact.line.as_deref().unwrap_or("");
        assert!(fact.command == "pg_settings" && line.starts_with("not known: "), "{fact:?}");
    }
}
