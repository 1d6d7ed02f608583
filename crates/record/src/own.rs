//! User-defined operations: statements, commands and requests with parameters, and
//! the tables and feeds that they speak of.

use crate::Generator;
use serde::{Deserialize, Serialize};

/// The user-defined part of a workload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Own {
    /// The operations: [`crate::Kind::Own`] has a number of this list.
    pub operations: Vec<OwnOperation>,
    /// Statements that make what the operations need, once before the load.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub setup: Vec<String>,
    /// Tables that the load fills.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tables: Vec<Table>,
    /// Files whose rows go into operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub feeds: Vec<Feed>,
}

impl Own {
    /// Nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Own::default()
    }

    /// Some operation asks for keys of the workload, or some table has a row for each.
    pub(crate) fn asks_for_keys(&self) -> bool {
        let parameters = self.operations.iter().flat_map(|of| &of.parameters);
        let keyed = |of: &Parameter| {
            matches!(of.from, Generator::Key(_) | Generator::Name | Generator::Value)
        };
        !self.tables.is_empty() || parameters.into_iter().any(keyed)
    }

    /// How many rows the load writes, where there are so many keys.
    pub fn rows(&self, keys: u64) -> u64 {
        self.tables.iter().map(|table| table.rows(keys)).sum()
    }
}

/// A user-defined operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OwnOperation {
    /// What it is called.
    pub name: String,
    /// What its words have places for. Each is drawn once for an operation.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub parameters: Vec<Parameter>,
    /// Its words, with a parameter's name in braces for each place.
    pub says: Says,
}

/// A name and what it stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Parameter {
    /// The name.
    pub name: String,
    /// What makes it.
    pub from: Generator,
}

/// The words of an operation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Says {
    /// Statements to a database; several are one transaction.
    Sql(Vec<Statement>),
    /// A command to a store that speaks RESP, by words.
    Command(Vec<String>),
    /// A request over HTTP, without what may be secret: its words travel beside the
    /// order.
    Request {
        /// The method.
        method: String,
        /// Path and query; what came from the environment shows as `${NAME}`.
        target: String,
        /// Names of its own headers.
        header_names: Vec<String>,
        /// Bytes of the template of its body.
        body_bytes: u64,
    },
}

/// A statement, and what it is expected to bring.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Statement {
    /// Its text.
    pub text: String,
    /// Rows that it brings; of one that brings none, rows that it changes.
    pub rows: Rows,
    /// `table.column`: the last column of its first row is what the load wrote
    /// there, in the row of the operation's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub returns: Option<String>,
}

/// How many rows are expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rows {
    /// So many.
    Exactly(u32),
    /// So many or more; 0: whatever comes.
    AtLeast(u32),
}

/// A table that the load fills.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// Its name in statements; in the database it is the contender's own.
    pub name: String,
    /// It has one row for so many keys, and one at least.
    pub keys_per_row: u64,
    /// Its columns, in the order in which they are written.
    pub columns: Vec<Parameter>,
}

impl Table {
    /// How many rows the load writes, where there are so many keys: without columns
    /// none.
    pub fn rows(&self, keys: u64) -> u64 {
        if self.columns.is_empty() {
            return 0;
        }
        (keys / self.keys_per_row.max(1)).max(1)
    }
}

/// A file of rows. What it holds is not recorded.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Feed {
    /// Its name in operations.
    pub name: String,
    /// The file as it was named.
    pub file: String,
    /// Names of its columns.
    pub columns: Vec<String>,
    /// How many rows it has.
    pub rows: u64,
    /// Which row an operation gets.
    pub order: FeedOrder,
    /// FNV-1a (64 bits) over the file's bytes, in hexadecimal.
    pub hash: String,
}

/// Which row of a feed an operation gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FeedOrder {
    /// Operation *n* gets row *n*, and again from the first.
    #[default]
    Sequential,
    /// Any, all alike.
    Uniform,
}
