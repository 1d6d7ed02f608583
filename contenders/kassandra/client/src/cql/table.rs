//! How a table is made up, and the statements that follow from it.

use crate::cql::reply::Rows;
use crate::error::{Error, Kind};
use crate::value::Value;

/// Asks for the columns of a table.
pub(crate) const DESCRIBE: &str = "SELECT column_name, kind FROM system_schema.columns \
     WHERE keyspace_name = ? AND table_name = ?";

/// A table whose partition key is one column, and which has one clustering column or none.
#[derive(Debug, PartialEq)]
pub(crate) struct Table {
    /// Keyspace and table in quotation marks.
    quoted: String,
    /// As it is called in messages.
    name: String,
    pub(crate) key: String,
    pub(crate) clustering: Option<String>,
    /// The only column that is not part of the primary key, if there is just one.
    pub(crate) only: Option<String>,
}

impl Table {
    /// The table with these columns, as [`DESCRIBE`] tells them.
    pub(crate) fn new(keyspace: &str, table: &str, described: Rows) -> Result<Table, Error> {
        let name = format!("{keyspace}.{table}");
        let mut columns: [Vec<String>; 3] = Default::default();
        for row in described.rows {
            let [Value::Bytes(column), Value::Bytes(kind)] = &row[..] else {
                return Err(Error::protocol("columns of a table are described otherwise"));
            };
            let group = match kind.as_slice() {
                b"partition_key" => 0,
                b"clustering" => 1,
                _ => 2,
            };
            columns[group].push(String::from_utf8_lossy(column).into_owned());
        }
        let [mut keys, mut clustering, mut others] = columns;
        if keys.len() > 1 || clustering.len() > 1 {
            let message = "tables with more than one column of the partition key, or more than one \
                        clustering column, are not supported";
            return Err(Error::new(Kind::Unsupported, format!("{name}: {message}")));
        }
        let key = keys.pop().ok_or_else(|| {
            Error::invalid(format!("the table {name} does not exist (names are case-sensitive)"))
        })?;
        let only = if others.len() == 1 { others.pop() } else { None };
        let quoted = format!("{}.{}", quoted(keyspace), quoted(table));
        Ok(Table { quoted, name, key, clustering: clustering.pop(), only })
    }

    /// The clustering column.
    ///
    /// # Errors
    /// The table has none.
    pub(crate) fn clustered(&self) -> Result<&str, Error> {
        self.clustering.as_deref().ok_or_else(|| {
            Error::invalid(format!("the table {} has no clustering column", self.name))
        })
    }

    pub(crate) fn select_row(&self) -> Result<String, Error> {
        if self.clustering.is_some() {
            return Err(Error::invalid(format!(
                "rows of the table {} have a clustering column: read them with \
                 kassandra_get_super_column or kassandra_get_columns",
                self.name
            )));
        }
        Ok(format!("SELECT * FROM {} WHERE {} = ?", self.quoted, quoted(&self.key)))
    }

    pub(crate) fn select_clustered(&self) -> Result<String, Error> {
        let (key, clustering) = (quoted(&self.key), quoted(self.clustered()?));
        Ok(format!("SELECT * FROM {} WHERE {key} = ? AND {clustering} = ?", self.quoted))
    }

    pub(crate) fn select_newest(&self) -> Result<String, Error> {
        let (key, clustering) = (quoted(&self.key), quoted(self.clustered()?));
        let table = &self.quoted;
        Ok(format!("SELECT * FROM {table} WHERE {key} = ? ORDER BY {clustering} DESC LIMIT ?"))
    }

    /// An insert that binds the key and then these columns.
    pub(crate) fn insert(&self, columns: &[&str]) -> String {
        let mut statement = format!("INSERT INTO {} ({}", self.quoted, quoted(&self.key));
        for column in columns {
            statement.push_str(", ");
            statement.push_str(&quoted(column));
        }
        statement.push_str(") VALUES (?");
        statement.push_str(&", ?".repeat(columns.len()));
        statement.push(')');
        statement
    }
}

/// A name that means just itself.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::kind;

    fn table(columns: &[(&str, &str)]) -> Result<Table, Error> {
        let row = |(name, kind): &(&str, &str)| vec![Value::text(name), Value::text(kind)];
        let rows = columns.iter().map(row).collect();
        Table::new("k", "T\"x", Rows { columns: Vec::new(), rows })
    }

    #[test]
    fn statements_name_the_columns_of_the_table() {
        let plain = table(&[("a", "regular"), ("id", "partition_key"), ("b", "regular")]);
        let plain = plain.expect("a table");
        let select = "SELECT * FROM \"k\".\"T\"\"x\" WHERE \"id\" = ?";
        assert_eq!(plain.select_row().expect("it has rows"), select);
        assert_eq!(plain.only, None);
        assert_eq!(kind(plain.select_newest()), Kind::Invalid);
        assert_eq!(kind(plain.select_clustered()), Kind::Invalid);
        let insert = "INSERT INTO \"k\".\"T\"\"x\" (\"id\", \"a\", \"b\"\"\") VALUES (?, ?, ?)";
        assert_eq!(plain.insert(&["a", "b\""]), insert);
        let wide = table(&[("v", "regular"), ("c", "clustering"), ("id", "partition_key")]);
        let wide = wide.expect("a table");
        assert_eq!(wide.only.as_deref(), Some("v"));
        let newest = format!("{select} ORDER BY \"c\" DESC LIMIT ?");
        assert_eq!(wide.select_newest().expect("it is clustered"), newest);
        assert_eq!(kind(wide.select_row()), Kind::Invalid);
    }

    #[test]
    fn other_tables_are_refused() {
        assert_eq!(kind(table(&[])), Kind::Invalid);
        let key = ("a", "partition_key");
        assert_eq!(kind(table(&[key, ("b", "partition_key")])), Kind::Unsupported);
        let two = [key, ("b", "clustering"), ("c", "clustering")];
        assert_eq!(kind(table(&two)), Kind::Unsupported);
    }
}
