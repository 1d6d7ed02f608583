//! Makes sure that a load replaces only tables that tiebreak made.
//!
//! A load drops the contender's tables and creates them again. A user's table that happens to have
//! such a name must not be lost. So a load marks its tables with a comment, and a table without it
//! is left alone.

use super::{DatabaseChannel, NOTES, TIMEOUT, in_words};
use protocol::side_channel::{Fingerprint, SideChannel, TABLE_COMMENT};
use record::Workload;

/// Columns of a contender's table, and of that of the notes.
const KEY_AND_VALUE: &str = "key,value";
const NAME_AND_NOTE: &str = "name,note";

/// An existing table.
struct ExistingTable {
    comment: String,
    /// Names in order, separated by commas, in lower case.
    columns: String,
}

impl DatabaseChannel {
    /// Checks that all tables that a load of this workload replaces were made by tiebreak.
    ///
    /// # Errors
    /// Names the first that was not, and the remedy.
    pub(super) fn check_tables(&self, of: &Workload) -> Result<(), String> {
        if let Some(notes) = self.find(NOTES)?
            && notes.columns != NAME_AND_NOTE
        {
            return Err(format!(
                "the table `{NOTES}`, in which tiebreak records what it loaded, has other columns \
                 and so was not made by tiebreak: rename it, or use another database"
            ));
        }
        for name in self.server.tables(of) {
            let Some(found) = self.find(&name)? else { continue };
            if found.comment != TABLE_COMMENT && !self.is_noted(of, &found) {
                return Err(format!(
                    "the table `{name}` was not made by tiebreak and would be dropped by the \
                     load: rename it, drop it yourself, or use another database"
                ));
            }
        }
        Ok(())
    }

    /// Sets the comment of the tables that were just created, unless `CREATE TABLE` set it. It does
    /// not do that for tables that the experiment file declares, nor in PostgreSQL.
    pub(super) fn mark_tables(&self, of: &Workload) -> Result<(), String> {
        let mut marks = Vec::new();
        for name in self.server.tables(of) {
            if self.find(&name)?.is_some_and(|found| found.comment != TABLE_COMMENT) {
                marks.push(self.server.comment_on_table(&name, TABLE_COMMENT));
            }
        }
        if marks.is_empty() {
            return Ok(());
        }
        self.ask(&marks, TIMEOUT).map(drop).map_err(in_words)
    }

    /// A table without the comment is also tiebreak's if it has a contender's columns and a load of
    /// its contender is recorded: earlier versions did not set the comment.
    fn is_noted(&self, of: &Workload, found: &ExistingTable) -> bool {
        let noted = || self.read_fingerprint(&Fingerprint::place(&of.prefix)).ok().flatten();
        found.columns == KEY_AND_VALUE && noted().is_some_and(|note| Fingerprint::is_one(&note))
    }

    /// The table of this name that the statements of a load would find.
    fn find(&self, name: &str) -> Result<Option<ExistingTable>, String> {
        let query = self.server.find_table(name);
        let answers = self.ask(&query, TIMEOUT).map_err(in_words)?;
        let mut cells = answers.into_iter().flatten().flatten().flatten();
        Ok(cells.next().map(|comment| {
            let columns: Vec<String> = cells.collect();
            ExistingTable { comment, columns: columns.join(",").to_lowercase() }
        }))
    }
}
