//! Queries a database about itself, and reads and writes the note in it.

mod tables;

use crate::{Database, QueryError, Refusal, Rows, StartTime};
use engine::clock;
use protocol::secrets::quote;
use protocol::side_channel::{About, ServerStart, SideChannel, TasksLeft};
use record::{Address, Fact, Workload};
use std::time::Duration;
use text::fnv::fnv1a;

/// Notes of all contenders, one row each.
const NOTES: &str = "tiebreak_notes";

/// How long a query may take. A session begins with a login, and in PostgreSQL with a new process:
/// with 64 others on a busy machine that took more than 2 s.
const TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two queries to a server that is still starting.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(50);
/// How long creating the tables may take. An old table is dropped first, however large it was.
const TABLES_TIMEOUT: Duration = Duration::from_secs(60);
/// How long counting rows may take. All of them are read.
const COUNTS_TIMEOUT: Duration = Duration::from_secs(30);

/// A database to query.
pub(super) struct DatabaseChannel {
    server: Box<dyn Database>,
    address: Address,
    /// The kind of the contender's table. None means the server's default.
    kind: Option<String>,
}

impl DatabaseChannel {
    /// The database at this address, with rows in this kind of table.
    pub(super) fn new(
        server: Box<dyn Database>,
        address: &Address,
        kind: Option<&str>,
    ) -> DatabaseChannel {
        DatabaseChannel { server, address: address.clone(), kind: kind.map(str::to_owned) }
    }

    /// Returns the facts of a server that was just launched. PostgreSQL listens before it accepts
    /// queries.
    fn facts_once_up(&self, timeout: Duration) -> Result<Vec<(String, String)>, QueryError> {
        let deadline = clock::now() + TIMEOUT.as_nanos() as u64;
        loop {
            match self.server.facts(&self.address, timeout) {
                Err(query_error)
                    if self.is(&query_error, Refusal::NotUp) && clock::now() < deadline =>
                {
                    std::thread::sleep(BETWEEN_QUESTIONS);
                }
                answered => return answered,
            }
        }
    }

    /// Names and values of its version and of the settings that a commit depends on.
    fn settings(&self) -> Result<Vec<(String, String)>, String> {
        self.server.facts(&self.address, TIMEOUT).map_err(in_words)
    }

    /// What a server reports about itself, as facts for the report.
    fn words(&self, facts: &[(String, String)]) -> Vec<Fact> {
        let (command, version) = self.server.source_of_facts();
        // The start time is not a setting, and the table belongs to the contender.
        let passing = ["started", "table_engine", "table_persistence"];
        let (versions, others): (Vec<_>, Vec<_>) = facts
            .iter()
            .filter(|(name, _)| !passing.contains(&name.as_str()))
            .partition(|(name, _)| name == version);
        let version = versions.first().map_or("of an unknown version", |(_, version)| version);
        let settings =
            others.iter().map(|(name, value)| format!("{} {}", quote(name), quote(value)));
        let settings: Vec<String> = settings.collect();
        let line =
            |command: &str, line: String| Fact { command: command.to_owned(), line: Some(line) };
        vec![line("version", quote(version)), line(command, settings.join(", "))]
    }

    /// Rows of the contender's table, and bytes of their values. Returns None if there is no such
    /// table.
    fn counted(&self) -> (Option<u64>, Option<u64>) {
        let count = self.server.count_rows();
        let row = self.first_row(&[count], COUNTS_TIMEOUT).ok().flatten();
        let mut cells = row.into_iter().flatten().map(|cell| cell.parse().ok());
        (cells.next().flatten(), cells.next().flatten())
    }

    /// Identifies the server and its current start.
    fn start(&self, facts: &[(String, String)]) -> Option<ServerStart> {
        let answer = match self.server.asks_for_start() {
            Some(what) => self.first_row(&[what.to_owned()], TIMEOUT).ok()??,
            None => Vec::new(),
        };
        Some(match self.server.start(facts, &answer)? {
            StartTime::Exact(start) => ServerStart::Run(start),
            StartTime::Second { server, began } => {
                ServerStart::Process { pid: fnv1a(server.as_bytes()), began }
            }
        })
    }

    /// The table of notes does not exist. Before a first load Cassandra does not have the keyspace
    /// either.
    fn has_no_notes(&self, query_error: &QueryError) -> bool {
        self.is(query_error, Refusal::NoSuchTable) || self.is(query_error, Refusal::NoSuchDatabase)
    }

    fn is(&self, query_error: &QueryError, refusal: Refusal) -> bool {
        query_error.code.and_then(|code| self.server.refusal(code)) == Some(refusal)
    }

    fn ask(&self, statements: &[String], timeout: Duration) -> Result<Vec<Rows>, QueryError> {
        self.server.ask(&self.address, statements, timeout)
    }

    /// The cells of the first row of the first statement that are not NULL.
    fn first_row(
        &self,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Option<Vec<String>>, QueryError> {
        let rows = self.ask(statements, timeout)?;
        let first = rows.into_iter().next().and_then(|rows| rows.into_iter().next());
        Ok(first.map(|row| row.into_iter().flatten().collect()))
    }
}

impl SideChannel for DatabaseChannel {
    fn query(&self) -> Result<About, String> {
        let facts = self.settings()?;
        let (items, bytes) = self.counted();
        Ok(About {
            items,
            bytes,
            room: None,
            reuses_room: false,
            evictions: None,
            start: self.start(&facts),
            durable: self.server.is_durable(&facts),
            facts: self.words(&facts),
        })
    }

    /// What the server reports about itself, or why that is not known.
    ///
    /// # Errors
    /// If its answer makes the client library fail.
    fn facts(&self, timeout: Duration) -> Result<Vec<Fact>, String> {
        match self.facts_once_up(timeout) {
            Ok(facts) => Ok(self.words(&facts)),
            Err(query_error) if query_error.breaks_library => Err(in_words(query_error)),
            Err(query_error) => {
                let command = self.server.source_of_facts().0.to_owned();
                let line = format!("not known: {}", in_words(query_error));
                Ok(vec![Fact { command, line: Some(line) }])
            }
        }
    }

    /// See [`drivers::Database::work_left`].
    fn work_left(&self) -> Option<Result<TasksLeft, String>> {
        Some(self.server.work_left(&self.address, TIMEOUT)?.map_err(in_words))
    }

    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        let query = format!("SELECT note FROM {NOTES} WHERE name = {}", quoted(key));
        match self.first_row(&[query], TIMEOUT) {
            Ok(row) => Ok(row.and_then(|row| row.into_iter().next()).map(String::into_bytes)),
            Err(query_error) if self.has_no_notes(&query_error) => Ok(None),
            Err(query_error) => Err(in_words(query_error)),
        }
    }

    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        let make = self.server.create_notes(NOTES);
        let remove = format!("DELETE FROM {NOTES} WHERE name = {}", quoted(key));
        let write =
            format!("INSERT INTO {NOTES} (name, note) VALUES ({}, {})", quoted(key), quoted(text));
        self.ask(&[make, remove, write], TIMEOUT).map(drop).map_err(in_words)
    }

    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        let remove = format!("DELETE FROM {NOTES} WHERE name = {}", quoted(key));
        match self.ask(&[remove], TIMEOUT) {
            Err(query_error) if !self.has_no_notes(&query_error) => Err(in_words(query_error)),
            _ => Ok(()),
        }
    }

    /// Creates the contender's tables, empty, replacing those that tiebreak made: the table of keys
    /// and values if this workload has values, and the tables that its own statements need.
    fn create_tables(&self, workload: &Workload) -> Result<(), String> {
        self.check_tables(workload)?;
        let statements = self.server.schema(self.kind.as_deref(), workload);
        let statements = statements.map_err(|error| error.to_string())?;
        self.ask(&statements, TABLES_TIMEOUT).map(drop).map_err(in_words)?;
        self.mark_tables(workload)
    }
}

/// The server's own words, escaped.
fn in_words(query_error: QueryError) -> String {
    quote(query_error.why)
}

/// A text of ours as an SQL literal; keys and notes contain no backslash.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}
