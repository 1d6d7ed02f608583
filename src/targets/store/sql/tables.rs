//! The tables that a load replaces: those that tiebreak made, and no others.
//!
//! A load drops the contender's tables and makes them anew. A table of the user's that
//! happens to have such a name must not be lost. So what a load makes gets a comment, and
//! what has none is left alone.

use super::super::Fingerprint;
use super::{Database, NOTES, PATIENCE, Server, in_words, quoted};
use drivers::TABLE_COMMENT;
use record::{Address, Workload};

/// Columns of a contender's table, and of that of the notes.
const KEY_AND_VALUE: &str = "key,value";
const NAME_AND_NOTE: &str = "name,note";

/// A table that is there.
struct Found {
    comment: String,
    /// Names in their order, with commas between them, in small letters.
    columns: String,
}

impl Database {
    /// Looks whether all tables that a load of this workload replaces are tiebreak's.
    ///
    /// # Errors
    /// Names the first that is not, and the remedy.
    pub(super) fn check_tables(&self, address: &Address, of: &Workload) -> Result<(), String> {
        if let Some(notes) = self.find(address, NOTES)?
            && notes.columns != NAME_AND_NOTE
        {
            return Err(format!(
                "the table `{NOTES}`, in which tiebreak notes what it loaded, has other columns \
                 and so is not tiebreak's: rename it, or give another database"
            ));
        }
        for name in self.tables(of) {
            let Some(found) = self.find(address, &name)? else { continue };
            if found.comment != TABLE_COMMENT && !self.is_noted(address, of, &found) {
                return Err(format!(
                    "the table `{name}` was not made by tiebreak, and the load would drop it: \
                     rename it, or drop it yourself, or give another database"
                ));
            }
        }
        Ok(())
    }

    /// Sets the comment of the tables that were just created, unless `CREATE TABLE` set it.
    /// It does not for tables that the experiment file declares, nor in PostgreSQL.
    pub(super) fn mark_tables(&self, address: &Address, of: &Workload) -> Result<(), String> {
        let mut marks = Vec::new();
        for name in self.tables(of) {
            if self.find(address, &name)?.is_some_and(|found| found.comment != TABLE_COMMENT) {
                marks.push(self.mark(&name));
            }
        }
        if marks.is_empty() {
            return Ok(());
        }
        self.ask(address, &marks, PATIENCE).map(drop).map_err(in_words)
    }

    /// A table without the comment is tiebreak's too where it has the columns of a
    /// contender's and a load of its contender is noted: earlier versions left none.
    fn is_noted(&self, address: &Address, of: &Workload, found: &Found) -> bool {
        let noted = || self.recall(address, &Fingerprint::place(&of.prefix)).ok().flatten();
        found.columns == KEY_AND_VALUE && noted().is_some_and(|note| Fingerprint::is_one(&note))
    }

    /// Names of the tables that a load of this workload makes.
    fn tables(&self, of: &Workload) -> Vec<String> {
        match &self.server {
            Server::Postgres(access) => access.tables(of),
            Server::Mysql(access) => access.tables(of),
            #[cfg(feature = "oracle")]
            Server::Oracle(access) => access.tables(of),
        }
    }

    /// The table of this name, where the statements of a load find one.
    fn find(&self, address: &Address, name: &str) -> Result<Option<Found>, String> {
        let asked = match &self.server {
            Server::Postgres(_) => format!(
                "SELECT coalesce(obj_description(t.oid, 'pg_class'), ''), (SELECT \
                 coalesce(string_agg(c.attname, ',' ORDER BY c.attnum), '') FROM pg_attribute c \
                 WHERE c.attrelid = t.oid AND c.attnum > 0 AND NOT c.attisdropped) FROM pg_class t \
                 WHERE t.oid = to_regclass({})",
                quoted(&format!("\"{}\"", name.replace('"', "\"\"")))
            ),
            Server::Mysql(_) => format!(
                "SELECT t.TABLE_COMMENT, (SELECT COALESCE(GROUP_CONCAT(c.COLUMN_NAME ORDER BY \
                 c.ORDINAL_POSITION), '') FROM information_schema.COLUMNS c WHERE c.TABLE_SCHEMA = \
                 t.TABLE_SCHEMA AND c.TABLE_NAME = t.TABLE_NAME) FROM information_schema.TABLES t \
                 WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = {}",
                quoted(name)
            ),
            #[cfg(feature = "oracle")]
            Server::Oracle(_) => format!(
                "SELECT NVL(t.COMMENTS, ' '), (SELECT LISTAGG(c.COLUMN_NAME, ',') WITHIN GROUP \
                 (ORDER BY c.COLUMN_ID) FROM USER_TAB_COLUMNS c WHERE c.TABLE_NAME = t.TABLE_NAME) \
                 FROM USER_TAB_COMMENTS t WHERE t.TABLE_NAME = {}",
                quoted(&name.to_uppercase())
            ),
        };
        let row = self.first_row(address, &[asked], PATIENCE).map_err(in_words)?;
        Ok(row.map(|row| {
            let mut cells = row.into_iter();
            let comment = cells.next().unwrap_or_default();
            Found { comment, columns: cells.next().unwrap_or_default().to_lowercase() }
        }))
    }

    fn mark(&self, name: &str) -> String {
        let comment = quoted(TABLE_COMMENT);
        match &self.server {
            Server::Postgres(_) => {
                format!("COMMENT ON TABLE \"{}\" IS {comment}", name.replace('"', "\"\""))
            }
            Server::Mysql(_) => {
                format!("ALTER TABLE `{}` COMMENT = {comment}", name.replace('`', "``"))
            }
            #[cfg(feature = "oracle")]
            Server::Oracle(_) => {
                format!("COMMENT ON TABLE \"{}\" IS {comment}", name.to_uppercase())
            }
        }
    }
}
