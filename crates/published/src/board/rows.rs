//! The figures of a leaderboard, and what readers of all boards share.

use super::document::{Node, Value};
use text::units;

/// The boards whose format is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Board {
    /// `data.json` of the-benchmarker/web-frameworks.
    WebFrameworks,
    /// `site/data` of MDA2AV/HttpArena.
    HttpArena,
}

impl Board {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Board::WebFrameworks => "the-benchmarker/web-frameworks",
            Board::HttpArena => "MDA2AV/HttpArena",
        }
    }
}

/// What a list is sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardMetric {
    /// Requests per second.
    Throughput,
    /// Median response time.
    P50,
    /// 99th percentile of response time.
    P99,
}

impl BoardMetric {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            BoardMetric::Throughput => "throughput",
            BoardMetric::P50 => "p50",
            BoardMetric::P99 => "p99",
        }
    }

    /// Whether a larger figure is better.
    pub fn larger_is_better(self) -> bool {
        self == BoardMetric::Throughput
    }
}

/// The unit of a list's figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Requests per second.
    PerSecond,
    /// Seconds.
    Seconds,
    /// The file does not say.
    Unknown,
}

/// One figure of one entry.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// The level or profile.
    pub(crate) list: String,
    /// Lists are shown in this order, else in that of the file.
    pub(crate) order: u64,
    pub(crate) metric: BoardMetric,
    pub(crate) unit: Unit,
    /// Whether the entries of the list are ranked by it.
    pub(crate) primary: bool,
    pub(crate) entry: String,
    /// None if the board has no figure for the entry.
    pub(crate) figure: Option<f64>,
}

/// The figures of one file.
#[derive(Clone, Debug)]
pub(crate) struct Rows {
    pub(crate) board: Board,
    /// The only entry, in a file about one entry. Such files of several entries are parts of one board.
    pub(crate) only: Option<String>,
    pub(crate) all: Vec<Row>,
}

/// What is wrong, without its file.
pub(super) type Wrong = (Option<u64>, String);

/// What is wrong with the value of a key.
pub(super) fn wrong(node: &Node, key: &str, text: &str) -> Wrong {
    (Some(node.line), format!("{key} {text}"))
}

/// The value of a key that must be there.
pub(super) fn required<'a>(node: &'a Node, path: &str, key: &str) -> Result<&'a Node, Wrong> {
    if node.object().is_none() {
        return Err(wrong(node, path, "must be an object"));
    }
    node.get(key).ok_or_else(|| wrong(node, &format!("{path}.{key}"), "is missing"))
}

/// A text that must be there and must not be empty.
pub(super) fn name<'a>(node: &'a Node, path: &str, key: &str) -> Result<&'a str, Wrong> {
    let of = required(node, path, key)?;
    match &of.value {
        Value::Text(text) if !text.trim().is_empty() => Ok(text),
        _ => Err(wrong(of, &format!("{path}.{key}"), "must be a text that is not empty")),
    }
}

/// A whole number that must be there.
pub(super) fn whole(node: &Node, path: &str, key: &str) -> Result<u64, Wrong> {
    let of = required(node, path, key)?;
    match of.value {
        // 2^53, above which not every whole number can be told from the next one.
        Value::Number(number)
            if (0.0..9_007_199_254_740_992.0).contains(&number) && number.fract() == 0.0 =>
        {
            Ok(units::whole(number))
        }
        _ => Err(wrong(of, &format!("{path}.{key}"), "must be a whole number")),
    }
}
