//! User-defined operations: statements, commands and requests with parameters, and the tables
//! and feeds that they refer to.

use crate::Generator;
use serde::{Deserialize, Serialize};

/// The user-defined part of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Custom {
    /// The operations: [`crate::Kind::Custom`] contains an index of this list.
    pub operations: Vec<CustomOperation>,
    /// Statements that create what the operations need, executed once before the load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Tables that the load fills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// Files whose rows are used in operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<Feed>,
}

impl Custom {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        *self == Custom::default()
    }

    /// Whether some operation uses keys of the workload, or some table has a row for each key.
    pub(crate) fn asks_for_keys(&self) -> bool {
        let parameters = self.operations.iter().flat_map(|of| &of.parameters);
        let keyed = |of: &Parameter| {
            matches!(of.from, Generator::Key(_) | Generator::Name | Generator::Value)
        };
        !self.tables.is_empty() || parameters.into_iter().any(keyed)
    }

    /// How many rows the load writes for this number of keys.
    pub fn rows(&self, keys: u64) -> u64 {
        self.tables.iter().map(|table| table.rows(keys)).sum()
    }
}

/// A user-defined operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CustomOperation {
    /// Its name.
    pub name: String,
    /// Its parameters. Each is generated once for an operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Its text, with a parameter's name in braces at each place.
    pub says: OperationText,
}

/// A name and its generator.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// The generator.
    pub from: Generator,
}

/// The text of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OperationText {
    /// Statements to a database; several are one transaction.
    Sql(Vec<Statement>),
    /// A RESP command, as a list of words.
    Command(Vec<String>),
    /// An HTTP request, without what may be secret: its text is passed beside the order.
    Request {
        /// The method.
        method: String,
        /// Path and query. What came from the environment is written as `${NAME}`.
        target: String,
        /// Names of its headers.
        header_names: Vec<String>,
        /// Length of the template of its body, in bytes.
        body_bytes: u64,
    },
}

/// A statement and its expected result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Its text.
    pub text: String,
    /// The number of rows that it returns or, if it returns none, that it changes.
    pub rows: Rows,
    /// `table.column`: the last column of its first row must be what the load wrote there, in the
    /// row of the operation's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
}

/// How many rows are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rows {
    /// Exactly this many.
    Exactly(u32),
    /// At least this many; 0 accepts any number.
    AtLeast(u32),
}

/// A table that the load fills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its name in statements. In the database, the contender's prefix is added.
    pub name: String,
    /// It has one row for this many keys, and at least one row.
    pub keys_per_row: u64,
    /// Its columns, in the order in which they are written.
    pub columns: Vec<Parameter>,
}

impl Table {
    /// How many rows the load writes for this number of keys. Returns 0 without columns.
    pub fn rows(&self, keys: u64) -> u64 {
        if self.columns.is_empty() {
            return 0;
        }
        (keys / self.keys_per_row.max(1)).max(1)
    }
}

/// A file of rows. Its content is not recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    /// Its name in operations.
    pub name: String,
    /// The path of the file as it was written.
    pub file: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// How many rows it has.
    pub rows: u64,
    /// How the row of an operation is chosen.
    pub order: FeedOrder,
    /// FNV-1a (64 bits) over the file's bytes, in hexadecimal.
    pub hash: String,
}

/// How the row of a feed for an operation is chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedOrder {
    /// Operation *n* gets row *n*; after the last row, the first follows.
    #[default]
    Sequential,
    /// At random, all rows equally likely.
    Uniform,
}
