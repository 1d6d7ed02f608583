//! What tiebreak needs from a database, independently of its client library.

use crate::admin::{QueryError, Rows};
use crate::custom::Check;
use crate::refusal::Refusal;
use engine::{EngineError, MakeLane};
use protocol::side_channel::TasksLeft;
use record::{Address, DriveOrder, Nodes, Workload};
use std::time::Duration;
use thiserror::Error;

/// Why a login is not made.
#[derive(Debug, Error)]
pub enum LoginError {
    /// The client library cannot be set up.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// It would give the password away. The text has the reason and the remedy.
    #[error("{0}")]
    Unsafe(String),
}

/// Why a table cannot store the workload's values.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SchemaError {
    /// A value is too long for MySQL's engine MEMORY.
    #[error(
        "a table of the engine MEMORY cannot store values of {bytes} bytes: its rows have at most \
         65535 bytes, which leaves {most}; use shorter values, or another engine"
    )]
    ValueTooLong {
        /// Length of the longest value.
        bytes: u32,
        /// The longest that fits.
        most: u32,
    },
}

/// Access to a database through its client library, including secrets.
pub trait Database: CloneDatabase + Send + Sync {
    /// What an answer with this error code means. Returns None if tiebreak does not react to it.
    fn refusal(&self, code: u16) -> Option<Refusal>;

    /// Creates the lanes of one contender of the order: one for each worker.
    ///
    /// # Panics
    /// Panics if the order has no such contender.
    fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane>;

    /// Returns an access with the cheapest statement and, if the null server answers, without login
    /// and TLS: it measures the minimum cost of the protocol.
    fn plain(&self) -> Box<dyn Database>;

    /// The key under which the own cost of such a lane is kept. Returns None if the cost depends on
    /// the server.
    fn plain_name(&self) -> Option<String>;

    /// Sets the table of the contender's rows.
    fn keep_rows_in(&mut self, table: &str);

    /// Checks whether a login keeps the password safe.
    ///
    /// # Errors
    /// Returns an error with the reason and the remedy if it does not.
    fn check_login(&self, _address: &Address, _timeout: Duration) -> Result<(), LoginError> {
        Ok(())
    }

    /// Sends statements to the server, outside of any measurement, and waits for the answers.
    ///
    /// # Errors
    /// Returns an error if the server does not answer, or answers with an error.
    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, QueryError>;

    /// Questions that check whether the server accepts the user-defined statements of a workload.
    /// Returns an empty list if that cannot be checked without executing them.
    fn checks(&self, _of: &Workload) -> Vec<Check> {
        Vec::new()
    }

    /// What the server reports about itself, as names and values: its version, its start (in
    /// seconds since 1970, called `started`), and what a commit waits for. The text is the
    /// server's own.
    ///
    /// # Errors
    /// Returns an error if the server does not answer, or answers with an error.
    fn facts(
        &self,
        address: &Address,
        timeout: Duration,
    ) -> Result<Vec<(String, String)>, QueryError>;

    /// The nodes to which it was connected so far, and the announced addresses that were not dialled.
    /// Returns None if its servers announce none.
    fn nodes(&self) -> Option<Nodes> {
        None
    }

    /// The source of the facts, and the name of the one with the version.
    fn source_of_facts(&self) -> (&'static str, &'static str);

    /// Whether a commit waits for the disk, according to these facts. Returns None if they do not
    /// show it.
    fn is_durable(&self, facts: &[(String, String)]) -> Option<bool>;

    /// What identifies this start of the server, from these facts and the result of
    /// [`Database::asks_for_start`]. Returns None if it is not known.
    fn start(&self, facts: &[(String, String)], answer: &[String]) -> Option<StartTime>;

    /// The statement that identifies the server and its start, if one is needed.
    fn asks_for_start(&self) -> Option<&'static str>;

    /// How much later work a load has left to the server, such as compactions. Returns None if a
    /// load leaves no such work.
    ///
    /// # Errors
    /// Returns an error if the server does not answer, or does not report it.
    fn work_left(
        &self,
        _address: &Address,
        _timeout: Duration,
    ) -> Option<Result<TasksLeft, QueryError>> {
        None
    }

    /// The statement that counts the rows of the contender's table and sums the lengths of their
    /// values.
    fn count_rows(&self) -> String;

    /// Names of the tables that a load of this workload creates.
    fn tables(&self, of: &Workload) -> Vec<String>;

    /// The statements that create them again and empty. `kind` is the kind of table; None means the
    /// server's default.
    ///
    /// # Errors
    /// Returns an error if a table of this kind cannot store the workload's values.
    fn schema(&self, kind: Option<&str>, of: &Workload) -> Result<Vec<String>, SchemaError>;

    /// The statement that creates the table of tiebreak's notes unless it exists.
    fn create_notes(&self, name: &str) -> String {
        format!("CREATE TABLE IF NOT EXISTS {name} {NOTE_COLUMNS}")
    }

    /// The statements that return the comment of a table in the first cell, and the names of its
    /// columns in all others: one in each, or several separated by commas.
    fn find_table(&self, name: &str) -> Vec<String>;

    /// The statement that sets the comment of a table.
    fn comment_on_table(&self, name: &str, comment: &str) -> String;
}

/// The columns of the table of notes, for databases with these types.
pub const NOTE_COLUMNS: &str = "(name VARCHAR(100) PRIMARY KEY, note VARCHAR(1000) NOT NULL)";

/// One start of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StartTime {
    /// Identified by its time, to the microsecond.
    Exact(String),
    /// Identified by its time to the second, and by the server.
    Second {
        /// What distinguishes it from other servers.
        server: String,
        /// Seconds since 1970.
        began: u64,
    },
}

/// How it is copied through a reference to the trait.
pub trait CloneDatabase {
    /// Returns a copy.
    fn copy(&self) -> Box<dyn Database>;
}

impl<T: Database + Clone + 'static> CloneDatabase for T {
    fn copy(&self) -> Box<dyn Database> {
        Box::new(self.clone())
    }
}

impl Clone for Box<dyn Database> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// The value of the fact with this name.
pub fn fact<'a>(facts: &'a [(String, String)], name: &str) -> Option<&'a str> {
    facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
