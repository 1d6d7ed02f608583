//! What tiebreak asks of a database, whichever client library leads there.

use crate::admin::{Rows, Unasked};
use crate::own::Check;
use engine::MakeLane;
use record::{Address, Asked, Workload};
use std::time::Duration;

/// A way to a database through its client library, with its secrets.
pub trait Database: Send + Sync {
    /// The scheme of its addresses.
    fn scheme(&self) -> &'static str;

    /// The lanes of one contender of the order: one for each worker.
    ///
    /// # Panics
    /// When the order has no such contender.
    fn lanes(&self, order: &Asked, contender: usize) -> Vec<MakeLane>;

    /// The same way with the cheapest statement that there is, and without logins and TLS
    /// where the null server answers: what every way of speaking it costs at least.
    fn plain(&self) -> Box<dyn Database>;

    /// What tells a lane made plain from others. Returns None if what it costs depends on
    /// its server.
    fn plain_name(&self) -> Option<String>;

    /// Says in which table the contender's rows are kept.
    fn keep_rows_in(&mut self, table: &str);

    /// Looks whether a log-in keeps the password safe.
    ///
    /// # Errors
    /// When it does not: why, and what to do.
    fn check_log_in(&self, _address: &Address, _timeout: Duration) -> Result<(), String> {
        Ok(())
    }

    /// Asks the server, outside of any measurement, and waits for its answers.
    ///
    /// # Errors
    /// When it does not answer, or with an error.
    fn ask(
        &self,
        address: &Address,
        statements: &[String],
        timeout: Duration,
    ) -> Result<Vec<Rows>, Unasked>;

    /// How to ask whether the server takes the user-defined statements of a workload.
    /// Returns an empty list if it cannot be asked without executing them.
    fn checks(&self, _of: &Workload) -> Vec<Check> {
        Vec::new()
    }

    /// What the server says of itself, names and values: its version, when it started (in
    /// seconds since 1970, called `started`), and what a commit waits for. The text is the
    /// server's own.
    ///
    /// # Errors
    /// When it does not answer, or with an error.
    fn facts(&self, address: &Address, timeout: Duration)
    -> Result<Vec<(String, String)>, Unasked>;

    /// Where the facts come from, and which of them is the version.
    fn source_of_facts(&self) -> (&'static str, &'static str);

    /// Whether a commit waits for the disk, by these facts. Returns None if they do not
    /// say.
    fn is_durable(&self, facts: &[(String, String)]) -> Option<bool>;

    /// What identifies this start of the server, of these facts and of what the statement
    /// of [`Database::asks_for_start`] brings. Returns None if it is not known.
    fn start(&self, facts: &[(String, String)], answer: &[String]) -> Option<Start>;

    /// The statement that asks which start of which server this is, if one is needed.
    fn asks_for_start(&self) -> Option<&'static str>;

    /// How much the server still has to do that a load left to it, such as compactions.
    /// Returns None if a load leaves it nothing.
    ///
    /// # Errors
    /// When it does not answer, or does not tell.
    fn work_left(
        &self,
        _address: &Address,
        _timeout: Duration,
    ) -> Option<Result<WorkLeft, Unasked>> {
        None
    }

    /// The statement that counts the rows of the contender's table and adds up the bytes
    /// of their values.
    fn count_rows(&self) -> String;

    /// Names of the tables that a load of this workload makes.
    fn tables(&self, of: &Workload) -> Vec<String>;

    /// The statements that make them, anew and empty. `kind`: the kind of table, or the
    /// server's own choice.
    ///
    /// # Errors
    /// When a table of this kind cannot hold the workload's values.
    fn schema(&self, kind: Option<&str>, of: &Workload) -> Result<Vec<String>, String>;

    /// The statement that makes the table of tiebreak's notes, and does nothing where it
    /// is there.
    fn create_notes(&self, name: &str) -> String {
        format!("CREATE TABLE IF NOT EXISTS {name} {NOTE_COLUMNS}")
    }

    /// The statements that bring the comment of a table in their first cell, and the names
    /// of its columns in all others: one in each, or several with commas between them.
    fn find_table(&self, name: &str) -> Vec<String>;

    /// The statement that gives a table this comment.
    fn comment_on_table(&self, name: &str, comment: &str) -> String;

    /// A copy.
    fn copy(&self) -> Box<dyn Database>;
}

/// The columns of the table of notes, in the databases that have such types.
pub(crate) const NOTE_COLUMNS: &str =
    "(name VARCHAR(100) PRIMARY KEY, note VARCHAR(1000) NOT NULL)";

/// One start of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Start {
    /// By when it was, to the microsecond.
    Exact(String),
    /// By the second in which it was, and where the server is.
    Second {
        /// What tells it from other servers.
        place: String,
        /// Seconds since 1970.
        began: u64,
    },
}

/// What a server still has to do that a load left to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkLeft {
    /// Tasks that run or wait, on all nodes.
    pub tasks: u64,
    /// How many nodes were asked.
    pub nodes: u32,
}

impl Clone for Box<dyn Database> {
    fn clone(&self) -> Self {
        self.copy()
    }
}

/// The value of the fact of this name.
pub(crate) fn fact<'a>(facts: &'a [(String, String)], name: &str) -> Option<&'a str> {
    facts.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
}
