//! Why a workload cannot be driven.

use thiserror::Error;

/// Why a workload cannot be driven. Its text names the setting, its value and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WorkloadError {
    /// The value of a setting is outside its range.
    #[error("{setting} = {value}: must be {allowed}")]
    OutOfRange {
        /// The key of the setting.
        setting: &'static str,
        /// The value, with its unit.
        value: String,
        /// What follows "must be".
        allowed: String,
    },
    /// A setting lists more items than are supported.
    #[error("{setting}: {count} {items}: must be at most {most}")]
    TooMany {
        /// The key of the setting.
        setting: &'static str,
        /// How many it lists.
        count: usize,
        /// What it lists.
        items: &'static str,
        /// How many are supported.
        most: usize,
    },
    /// A setting makes no sense by itself, or contradicts another one.
    #[error("{setting}: {problem}")]
    Invalid {
        /// The key of the setting, or the keys of several, with the value where it matters.
        setting: String,
        /// What is wrong with it, and the remedy.
        problem: String,
    },
    /// A parameter of a user-defined operation, or a column of a table, cannot be generated.
    #[error("{owner}: {parameter}: {source}")]
    Parameter {
        /// The operation or the table.
        owner: String,
        /// The name of the parameter or the column, and its generator.
        parameter: String,
        /// The reason.
        source: ParameterError,
    },
    /// The feeds have other rows or columns than the workload refers to.
    #[error("the feeds that were read are not those of the workload")]
    OtherFeeds,
}

impl WorkloadError {
    pub(super) fn invalid(setting: impl Into<String>, problem: impl Into<String>) -> WorkloadError {
        WorkloadError::Invalid { setting: setting.into(), problem: problem.into() }
    }
}

/// Why a parameter of an operation, or a column of a table, cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ParameterError {
    /// The load fills no table of this name.
    #[error("there is no table `{0}` that the load fills")]
    NoTable(String),
    /// The load writes no row into this table.
    #[error("the load writes no rows into `{0}`")]
    NoRows(String),
    /// A column has the time of the load.
    #[error("now() cannot fill a column, because every load must write the same values")]
    TimeInColumn,
    /// A parameter of an operation has a parent.
    #[error("parent() can be used only in columns of tables")]
    NoParent,
    /// The rows of this table cannot be divided among the rows of the other one.
    #[error("keys_per_row of `{0}` must be a multiple of that of this table")]
    NotParent(String),
    /// A column is filled from a feed.
    #[error("feed() can be used in operations, not in tables")]
    FeedInColumn,
    /// There is no feed of this name.
    #[error("there is no feed `{0}`")]
    NoFeed(String),
    /// The feed has no column of this name.
    #[error("the feed `{feed}` has no column `{column}`: {}", .columns.join(", "))]
    NoColumn {
        /// The feed.
        feed: String,
        /// The column.
        column: String,
        /// The columns that it has.
        columns: Vec<String>,
    },
    /// The feed is empty.
    #[error("the feed `{0}` has no rows")]
    EmptyFeed(String),
}
