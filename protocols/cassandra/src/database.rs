//! What tiebreak asks of Cassandra.

use crate::access::{CassandraAccess, Sending};
use crate::dialect::CassandraDialect;
use crate::request_error::refusal;
use crate::session::Server;
use crate::settings::CassandraSettings;
use drivers::Refusal;
use drivers::admin::{self, QueryError, Rows};
use drivers::custom::{setup, tables};
use drivers::dialect::Dialect;
use drivers::request::RequestParts;
use drivers::{Database, SchemaError, StartTime, fact};
use engine::MakeLane;
use protocol::side_channel::TasksLeft;
use record::{Address, DriveOrder, Nodes, Workload};
use std::time::Duration;

impl CassandraAccess {
    /// Asks a server, which is created on the thread of the question because its sessions cannot leave it.
    fn wait<T: Send + 'static>(
        &self,
        address: &Address,
        question: impl AsyncFnOnce(Server) -> Result<T, QueryError> + Send + 'static,
        timeout: Duration,
    ) -> Result<T, QueryError> {
        let (access, address) = (self.clone(), address.clone());
        admin::wait(async move || question(Server::new(&access, &address, None)?).await, timeout)
    }
}

impl Database for CassandraAccess {
    fn refusal(&self, code: u16) -> Option<Refusal> {
        refusal(code)
    }

    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        let (access, lane_order) = (self.clone(), order.lanes[contender].clone());
        let server = move || {
            crate::custom::check(&lane_order.doing)?;
            Server::new(&access, &lane_order.address, Some(&lane_order))
        };
        let request_parts = RequestParts {
            batch_size: self.sending.settings.batch_size,
            is_partitioned: true,
            ..self.common.request_parts()
        };
        drivers::lanes(order, contender, request_parts, server)
    }

    fn plain(&self) -> Box<dyn Database> {
        Box::new(CassandraAccess::cheapest(self.sending.plain()))
    }

    fn plain_name(&self) -> Option<String> {
        let Sending { prepares, settings, .. } = self.sending.plain();
        let CassandraSettings {
            is_token_aware, page_size, write_coalescing, sockets_per_node, ..
        } = settings;
        Some(format!(
            "Cassandra {}, {}, pages of {page_size}, coalescing {}, {sockets_per_node} sockets",
            if prepares { "prepared" } else { "simple" },
            if is_token_aware { "token-aware" } else { "round-robin" },
            if write_coalescing { "on" } else { "off" },
        ))
    }

    /// With its keyspace, so that the table is found whatever keyspace a session uses.
    fn keep_rows_in(&mut self, table: &str) {
        self.common.table = format!("{}.{table}", self.common.database);
    }

    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, QueryError> {
        let statements = statements.to_vec();
        self.wait(address, async move |server| server.ask(&statements).await, timeout)
    }

    /// Its version and its nodes and, from 4.0 on, what a write waits for.
    fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, QueryError> {
        const LOCAL: &str = "SELECT release_version, partitioner FROM system.local";
        const PEERS: &str = "SELECT count(*) FROM system.peers";
        const SETTINGS: &str = "SELECT name, value FROM system_views.settings WHERE name IN \
                                ('commitlog_sync', 'commitlog_sync_period', 'num_tokens')";
        let local = self.ask(address, &[LOCAL.to_owned(), PEERS.to_owned()], timeout)?;
        let cell = |rows: &Rows, at: usize| rows.first()?.get(at)?.clone();
        let named = |name: &str, value: Option<String>| Some((name.to_owned(), value?));
        let peers = cell(&local[1], 0).and_then(|peers| peers.parse::<u64>().ok());
        let mut facts: Vec<(String, String)> = [
            named("version", cell(&local[0], 0)),
            named("partitioner", cell(&local[0], 1)),
            named("nodes", peers.map(|peers| (peers + 1).to_string())),
        ]
        .into_iter()
        .flatten()
        .collect();
        let keyspace = format!(
            "SELECT replication, durable_writes FROM system_schema.keyspaces WHERE keyspace_name \
             = {}",
            CassandraDialect.quoted(&self.common.database)
        );
        if let Ok(rows) = self.ask(address, &[keyspace], timeout) {
            facts.extend(named("replication", cell(&rows[0], 0)));
            facts.extend(named("durable_writes", cell(&rows[0], 1)));
        }
        // The session notes to which nodes it is connected.
        let _ = self.wait(address, async |server| server.open_to_ask().await.map(drop), timeout);
        let settings = self.ask(address, &[SETTINGS.to_owned()], timeout);
        facts.extend(settings.map(admin::facts).unwrap_or_default());
        Ok(facts)
    }

    fn nodes(&self) -> Option<Nodes> {
        self.announced.nodes()
    }

    fn source_of_facts(&self) -> (&'static str, &'static str) {
        ("system tables", "version")
    }

    /// The commit log is synced before a write is acknowledged, or some seconds later.
    fn is_durable(&self, facts: &[(String, String)]) -> Option<bool> {
        if fact(facts, "durable_writes") == Some("false") {
            return Some(false);
        }
        Some(fact(facts, "commitlog_sync")? != "periodic")
    }

    fn asks_for_start(&self) -> Option<&'static str> {
        Some("SELECT host_id, gossip_generation FROM system.local")
    }

    fn start(&self, _facts: &[(String, String)], answer: &[String]) -> Option<StartTime> {
        match answer {
            [host, generation] => Some(StartTime::Exact(format!("{host}@{generation}"))),
            _ => None,
        }
    }

    fn work_left(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Option<Result<TasksLeft, QueryError>> {
        Some(self.wait(address, async |server| server.work_left().await, timeout))
    }

    /// CQL has no function for the length of a blob.
    fn count_rows(&self) -> String {
        format!("SELECT count(*) FROM {}", CassandraDialect.name(&self.common.table))
    }

    fn tables(&self, of: &Workload) -> Vec<String> {
        tables(of, &self.common.table)
    }

    fn schema(&self, kind: Option<&str>, of: &Workload) -> Result<Vec<String>, SchemaError> {
        let custom =
            if of.has_values() { self.table_schema(kind, of.is_wide()) } else { Vec::new() };
        let setup = setup(of, &CassandraDialect, &self.common.table);
        Ok([vec![self.make_keyspace()], custom, setup].concat())
    }

    fn create_notes(&self, name: &str) -> String {
        format!("CREATE TABLE IF NOT EXISTS {name} (name text PRIMARY KEY, note text)")
    }

    fn find_table(&self, name: &str) -> Vec<String> {
        let of_table = self.of_table(name);
        vec![
            format!("SELECT comment FROM system_schema.tables {of_table}"),
            format!("SELECT column_name FROM system_schema.columns {of_table}"),
        ]
    }

    fn comment_on_table(&self, name: &str, comment: &str) -> String {
        let dialect = CassandraDialect;
        format!("ALTER TABLE {} WITH comment = {}", dialect.name(name), dialect.quoted(comment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use engine::workload::preset;
    use record::Consistency;

    fn access() -> CassandraAccess {
        let sending = Sending {
            prepares: true,
            consistency: Consistency::One,
            replication: 3,
            settings: CassandraSettings::default(),
        };
        let mut access = CassandraAccess::cheapest(sending);
        access.common.database = "app".to_owned();
        access.keep_rows_in("tiebreak00");
        access
    }

    #[test]
    fn a_load_makes_its_keyspace_and_its_table() {
        let schema = access().schema(Some("leveled"), &preset("kv").expect("a preset"));
        let schema = schema.expect("it fits");
        let [keyspace, drops, creates] = &schema[..] else { panic!("three statements") };
        assert_eq!(
            keyspace,
            r#"CREATE KEYSPACE IF NOT EXISTS "app" WITH replication = {'class': 'SimpleStrategy', 'replication_factor': 3}"#
        );
        assert_eq!(drops, r#"DROP TABLE IF EXISTS "app"."tiebreak00""#);
        assert!(
            creates
                .ends_with("replaces it' AND compaction = {'class': 'LeveledCompactionStrategy'}"),
            "{creates}"
        );
    }

    /// The own cost of a lane is kept under this name.
    #[test]
    fn lanes_that_cost_alike_have_one_plain_name() {
        let name = |change: fn(&mut Sending)| {
            let mut access = access();
            change(&mut access.sending);
            access.plain_name().expect("a null server answers it")
        };
        let same = name(|_| {});
        assert_eq!(
            same,
            "Cassandra prepared, token-aware, pages of 5000, coalescing off, 1 sockets"
        );
        assert_eq!(name(|of| of.consistency = Consistency::All), same);
        assert_eq!(name(|of| of.settings.is_compressed = true), same);
        assert_eq!(name(|of| of.settings.batch_size = 10), same);
        let others: [fn(&mut Sending); 4] = [
            |of| of.prepares = false,
            |of| of.settings.sockets_per_node = 4,
            |of| of.settings.write_coalescing = true,
            |of| of.settings.is_token_aware = false,
        ];
        for change in others {
            assert_ne!(name(change), same);
        }
    }

    #[test]
    fn a_load_of_wide_rows_makes_a_table_with_the_newest_first() {
        let schema = access().schema(Some("leveled"), &preset("wide-rows").expect("a preset"));
        let creates = &schema.expect("it fits")[2];
        let order = "PRIMARY KEY ((user, type), at)) WITH CLUSTERING ORDER BY (at DESC) AND \
                     comment = 'made by tiebreak; its next load replaces it' AND compaction";
        assert!(creates.contains(order), "{creates}");
    }

    #[test]
    fn a_table_is_found_in_its_keyspace() {
        let [comment, columns] = &access().find_table("app.tiebreak00")[..] else {
            panic!("two statements")
        };
        for statement in [comment, columns] {
            let wanted = "WHERE keyspace_name = 'app' AND table_name = 'tiebreak00'";
            assert!(statement.ends_with(wanted), "{statement}");
        }
        assert_eq!(access().find_table("tiebreak_notes").len(), 2);
    }

    #[test]
    fn a_write_waits_for_the_disk_unless_the_log_is_synced_periodically() {
        for (facts, wanted) in [
            (&[("commitlog_sync", "periodic")][..], Some(false)),
            (&[("commitlog_sync", "batch")], Some(true)),
            (&[("commitlog_sync", "batch"), ("durable_writes", "false")], Some(false)),
            (&[("version", "3.11.19")], None),
        ] {
            let facts: Vec<(String, String)> = facts
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect();
            assert_eq!(access().is_durable(&facts), wanted, "{facts:?}");
        }
    }
}
