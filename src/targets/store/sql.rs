//! Asking a database about itself, and the note that is kept in it.

mod tables;

use super::{About, Start};
use crate::access::Access;
use crate::fnv::fnv1a;
use crate::shown::shown;
use drivers::{MysqlAccess, PostgresAccess, Rows, Unasked};
use engine::workload::longest_key;
use record::{Address, Fact, Workload};
use std::time::{Duration, Instant};

/// Notes of all contenders, one row each.
const NOTES: &str = "tiebreak_notes";

/// A session begins with a log-in, and PostgreSQL's with a process: beside 64 others on
/// a busy machine it was not there after 2 s.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two questions to a server that is still starting.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(50);
/// Making a table anew drops an old one first, whatever was in it.
const PATIENCE_FOR_TABLES: Duration = Duration::from_secs(60);
/// Counting rows means looking at all of them.
const PATIENCE_FOR_COUNTS: Duration = Duration::from_secs(30);

/// A database, as it is asked.
pub(super) struct Database {
    server: Server,
    /// Which kind of table the contender's rows are in; none: the server's choice.
    kind: Option<String>,
}

enum Server {
    Postgres(PostgresAccess),
    Mysql(MysqlAccess),
    #[cfg(feature = "oracle")]
    Oracle(drivers::OracleAccess),
}

impl Database {
    /// The one behind this access, with rows in this kind of table; none where it is
    /// none.
    pub(super) fn of(access: &Access, kind: Option<&str>) -> Option<Database> {
        let server = match access {
            Access::Postgres(access) => Server::Postgres(access.clone()),
            Access::Mysql(access) => Server::Mysql(access.clone()),
            Access::Engine(_) => return None,
            #[cfg(feature = "oracle")]
            Access::Oracle(access) => Server::Oracle(access.clone()),
        };
        Some(Database { server, kind: kind.map(str::to_owned) })
    }

    pub(super) fn about(&self, address: &Address) -> Result<About, String> {
        let facts = self.facts(address)?;
        let (items, bytes) = self.counted(address);
        Ok(About {
            items,
            bytes,
            evictions: None,
            start: self.start(address, &facts),
            durable: self.durable(&facts),
            facts: self.words(&facts),
        })
    }

    /// The same of a server that was just launched: PostgreSQL's port listens before it
    /// takes questions.
    fn facts_once_up(&self, address: &Address) -> Result<Vec<(String, String)>, String> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.ask_facts(address) {
                Err(unasked)
                    if is_called(&unasked, "server_starts") && Instant::now() < deadline =>
                {
                    std::thread::sleep(BETWEEN_QUESTIONS);
                }
                answered => return answered.map_err(in_words),
            }
        }
    }

    /// Names and values of what its version is and what a commit waits for.
    fn facts(&self, address: &Address) -> Result<Vec<(String, String)>, String> {
        self.ask_facts(address).map_err(in_words)
    }

    fn ask_facts(&self, address: &Address) -> Result<Vec<(String, String)>, Unasked> {
        match &self.server {
            Server::Postgres(access) => access.facts(address, PATIENCE),
            Server::Mysql(access) => access.facts(address, PATIENCE),
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => access.facts(address, PATIENCE),
        }
    }

    /// What it is asked for its settings with, and which of them is its version.
    fn command(&self) -> (&'static str, &'static str) {
        match &self.server {
            Server::Postgres(_) => ("pg_settings", "server_version"),
            Server::Mysql(_) => ("SHOW VARIABLES", "version"),
            #[cfg(feature = "oracle")]
            Server::Oracle(_) => ("v$parameter", "version"),
        }
    }

    /// What a server says of itself, as facts of the report.
    pub(super) fn words(&self, facts: &[(String, String)]) -> Vec<Fact> {
        let (command, version) = self.command();
        // When it started is no setting, and the table is the contender's.
        let passing = ["started", "table_engine", "table_persistence"];
        let (versions, others): (Vec<_>, Vec<_>) = facts
            .iter()
            .filter(|(name, _)| !passing.contains(&name.as_str()))
            .partition(|(name, _)| name == version);
        let version = versions.first().map_or("of an unknown version", |(_, version)| version);
        let settings =
            others.iter().map(|(name, value)| format!("{} {}", shown(name), shown(value)));
        let settings: Vec<String> = settings.collect();
        let line =
            |command: &str, line: String| Fact { command: command.to_owned(), line: Some(line) };
        vec![line("version", shown(version)), line(command, settings.join(", "))]
    }

    pub(super) fn own_words(&self, address: &Address) -> Vec<Fact> {
        match self.facts_once_up(address) {
            Ok(facts) => self.words(&facts),
            Err(why) => {
                let command = self.command().0.to_owned();
                vec![Fact { command, line: Some(format!("not known: {why}")) }]
            }
        }
    }

    /// Whether a commit waits for the disk, by its settings and by what the table is;
    /// none where they don't say.
    fn durable(&self, facts: &[(String, String)]) -> Option<bool> {
        let of = |name: &str| {
            facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
        };
        match &self.server {
            Server::Postgres(_) => Some(
                of("table_persistence").is_none_or(|kept| kept == "logged")
                    && of("fsync")? == "on"
                    && of("synchronous_commit")? != "off",
            ),
            // Other engines write when they like.
            Server::Mysql(_) => Some(
                of("table_engine").is_none_or(|engine| engine == "InnoDB")
                    && of("innodb_flush_log_at_trx_commit")? == "1",
            ),
            // Waiting is what it does unless it is told not to.
            #[cfg(feature = "oracle")]
            Server::Oracle(_) => Some(!of("commit_wait")?.contains("NOWAIT")),
        }
    }

    /// Rows of the contender's table, and bytes of their values; none where there is
    /// no such table.
    fn counted(&self, address: &Address) -> (Option<u64>, Option<u64>) {
        let count = match &self.server {
            Server::Postgres(access) => format!(
                "SELECT count(*), coalesce(sum(length(value)), 0) FROM \"{}\"",
                access.table
            ),
            Server::Mysql(access) => format!(
                "SELECT COUNT(*), COALESCE(SUM(LENGTH(`value`)), 0) FROM `{}`",
                access.table
            ),
            // What has the length is two digits for each byte.
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => format!(
                "SELECT COUNT(*), COALESCE(SUM(LENGTH(\"VALUE\")), 0) / 2 FROM \"{}\"",
                access.table.to_uppercase()
            ),
        };
        let row = self.first_row(address, &[count], PATIENCE_FOR_COUNTS).ok().flatten();
        let mut cells = row.into_iter().flatten().map(|cell| cell.parse().ok());
        (cells.next().flatten(), cells.next().flatten())
    }

    /// Which start of which server this is. PostgreSQL knows when it was started to
    /// the microsecond; MySQL to the second, so that it is told apart from others by
    /// where it is.
    fn start(&self, address: &Address, facts: &[(String, String)]) -> Option<Start> {
        const STARTED: &str =
            "SELECT (extract(epoch FROM pg_postmaster_start_time()) * 1000000)::bigint";
        let ask = |what: &str| self.first_row(address, &[what.to_owned()], PATIENCE).ok()?;
        match &self.server {
            Server::Postgres(_) => ask(STARTED)?.into_iter().next().map(Start::Run),
            Server::Mysql(_) => {
                let place = ask("SELECT @@hostname, @@port, @@datadir")?;
                let pid = fnv1a(place.join("\n").as_bytes());
                let (_, began) = facts.iter().find(|(name, _)| name == "started")?;
                Some(Start::Process { pid, began: began.parse().ok()? })
            }
            // Not everybody may ask for it.
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => {
                let (_, began) = facts.iter().find(|(name, _)| name == "started")?;
                let pid = fnv1a(access.database.as_bytes());
                Some(Start::Process { pid, began: began.parse().ok()? })
            }
        }
    }

    pub(super) fn recall(&self, address: &Address, key: &str) -> Result<Option<Vec<u8>>, String> {
        let asked = format!("SELECT note FROM {NOTES} WHERE name = {}", quoted(key));
        match self.first_row(address, &[asked], PATIENCE) {
            Ok(row) => Ok(row.and_then(|row| row.into_iter().next()).map(String::into_bytes)),
            Err(unasked) if is_no_table(&unasked) => Ok(None),
            Err(unasked) => Err(in_words(unasked)),
        }
    }

    pub(super) fn keep(&self, address: &Address, key: &str, text: &str) -> Result<(), String> {
        const COLUMNS: &str = "(name VARCHAR(100) PRIMARY KEY, note VARCHAR(1000) NOT NULL)";
        let make = match &self.server {
            #[cfg(feature = "oracle")]
            Server::Oracle(_) => {
                drivers::oracle::create_if_missing(&format!("CREATE TABLE {NOTES} {COLUMNS}"))
            }
            _ => format!("CREATE TABLE IF NOT EXISTS {NOTES} {COLUMNS}"),
        };
        let remove = format!("DELETE FROM {NOTES} WHERE name = {}", quoted(key));
        let write = format!("INSERT INTO {NOTES} VALUES ({}, {})", quoted(key), quoted(text));
        self.ask(address, &[make, remove, write], PATIENCE).map(drop).map_err(in_words)
    }

    pub(super) fn forget(&self, address: &Address, key: &str) -> Result<(), String> {
        let remove = format!("DELETE FROM {NOTES} WHERE name = {}", quoted(key));
        match self.ask(address, &[remove], PATIENCE) {
            Err(unasked) if !is_no_table(&unasked) => Err(in_words(unasked)),
            _ => Ok(()),
        }
    }

    /// Makes the contender's tables, anew and empty, in place of those that tiebreak made: that of keys and values where this
    /// workload has values, and what its own statements want.
    pub(super) fn make_tables(&self, address: &Address, workload: &Workload) -> Result<(), String> {
        self.check_tables(address, workload)?;
        let kind = self.kind.as_deref();
        let mut statements = match &self.server {
            _ if !workload.has_values() => Vec::new(),
            Server::Postgres(access) => access.schema(kind == Some("unlogged")),
            Server::Mysql(access) => {
                let key_bytes = longest_key(workload) as u32;
                access.schema(kind, key_bytes, workload.value.most())?
            }
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => access.schema(longest_key(workload) as u32),
        };
        statements.extend(match &self.server {
            Server::Postgres(access) => access.setup(workload),
            Server::Mysql(access) => access.setup(workload),
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => access.setup(workload),
        });
        self.ask(address, &statements, PATIENCE_FOR_TABLES).map(drop).map_err(in_words)?;
        self.mark_tables(address, workload)
    }

    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        patience: Duration,
    ) -> Result<Vec<Rows>, Unasked> {
        match &self.server {
            Server::Postgres(access) => access.ask(address, statements, patience),
            Server::Mysql(access) => access.ask(address, statements, patience),
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => access.ask(address, statements, patience),
        }
    }

    /// The cells of the first row of the first statement that are not NULL.
    fn first_row(
        &self,
        address: &Address,
        statements: &[String],
        patience: Duration,
    ) -> Result<Option<Vec<String>>, Unasked> {
        let rows = self.ask(address, statements, patience)?;
        let first = rows.into_iter().next().and_then(|rows| rows.into_iter().next());
        Ok(first.map(|row| row.into_iter().flatten().collect()))
    }
}

/// The server's own words, escaped.
fn in_words(unasked: Unasked) -> String {
    shown(unasked.why)
}

fn is_no_table(unasked: &Unasked) -> bool {
    is_called(unasked, "no_such_table")
}

/// Whether this is the name of the error that the server answered with.
fn is_called(unasked: &Unasked, wanted: &str) -> bool {
    let mut names = drivers::code_names();
    unasked.code.is_some_and(|code| names.any(|(known, name)| known == code && name == wanted))
}

/// A text of ours, in SQL: keys and notes hold no backslash.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::alone;
    use crate::targets::ports;
    use drivers::postgres::Protocol;

    #[test]
    fn who_does_not_answer_is_a_fact_too() {
        let nobody = Address::Tcp(([127, 0, 0, 1], ports::free().expect("a port")).into());
        let database = Database::of(&alone::postgres(Protocol::Simple), None).expect("a database");
        let [fact] = &database.own_words(&nobody)[..] else { panic!("one fact") };
        let line = fact.line.as_deref().unwrap_or("");
        assert!(fact.command == "pg_settings" && line.starts_with("not known: "), "{fact:?}");
    }
}
