//! The parameters of user-defined statements, commands and requests: a small language of
//! generators, such as `uniform(1, 5_000_000)`.

mod read;
#[cfg(test)]
mod tests;

pub use read::{ArgumentError, GeneratorError};

use serde::{Deserialize, Serialize};
use std::fmt;

/// Generates a parameter. In the journal it is the text that [`fmt::Display`] writes and
/// [`std::str::FromStr`] reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Generator {
    /// `uniform(1, 9)`: an integer from the first to the second, all equally likely.
    Uniform {
        /// The least.
        from: i64,
        /// The most.
        to: i64,
    },
    /// `zipf(1, 9, 0.99)`, or `zipf(9, 0.99)` from 1 on: an integer; the *i*-th has a
    /// probability in proportion to 1 ÷ *i*^θ.
    Zipf {
        /// The first, which is the most frequent one.
        from: i64,
        /// The last.
        to: i64,
        /// θ, above 0 and at most 10.
        theta: f64,
    },
    /// `seq(7)`, or `seq()` from 0 on: the operation's number, counted from there.
    Seq(i64),
    /// `bytes(380)` or `bytes(10, 400)`: random bytes, all lengths equally likely.
    Bytes(Lengths),
    /// `text(20)` or `text(5, 20)`: letters, digits, `-` and `_`.
    Text(Lengths),
    /// `pattern("##-@@")`: a digit for each `#`, a lower-case letter for each `@`.
    Pattern(String),
    /// `now()`: milliseconds since 1970, read when the operation is generated. This is the only
    /// generator whose results differ from run to run.
    Now,
    /// `pick("a", "b", 3)`: one of these, all equally likely.
    Pick(Vec<Picked>),
    /// `key(1)`, or `key()` from 0 on: the number of the workload's key, by its distribution.
    /// For a column of a table: the row's number.
    Key(i64),
    /// `name()`: the name of that key, with the contender's prefix.
    Name,
    /// `value()`: a value of the workload.
    Value,
    /// `row(tellers)`: the number of a row of that table, from 1 on, all equally likely.
    Row(String),
    /// `parent(branches)`: the number of the row of a shorter table that this row
    /// belongs to, from 1 on. Only for columns.
    Parent(String),
    /// `feed(users, email)`: that column of the feed's row.
    Feed {
        /// Name of the feed.
        feed: String,
        /// Name of its column.
        column: String,
    },
}

/// A range of lengths in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lengths {
    /// The least.
    pub from: u32,
    /// The most.
    pub to: u32,
}

/// One of several choices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Picked {
    /// A number.
    Integer(i64),
    /// A text.
    Text(String),
}

impl Generator {
    /// Whether its results may contain any byte, and so are not always text.
    pub fn is_binary(&self) -> bool {
        matches!(self, Generator::Bytes(_) | Generator::Value)
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Generator::Uniform { from, to: most } => write!(to, "uniform({from}, {most})"),
            Generator::Zipf { from, to: most, theta } => {
                write!(to, "zipf({from}, {most}, {theta})")
            }
            Generator::Seq(from) => write!(to, "seq({from})"),
            Generator::Bytes(of) => write!(to, "bytes({}, {})", of.from, of.to),
            Generator::Text(of) => write!(to, "text({}, {})", of.from, of.to),
            Generator::Pattern(of) => write!(to, "pattern({})", quoted(of)),
            Generator::Now => to.write_str("now()"),
            Generator::Pick(from) => {
                let each = from.iter().map(|one| match one {
                    Picked::Integer(number) => number.to_string(),
                    Picked::Text(text) => quoted(text),
                });
                write!(to, "pick({})", each.collect::<Vec<_>>().join(", "))
            }
            Generator::Key(from) => write!(to, "key({from})"),
            Generator::Name => to.write_str("name()"),
            Generator::Value => to.write_str("value()"),
            Generator::Row(table) => write!(to, "row({table})"),
            Generator::Parent(table) => write!(to, "parent({table})"),
            Generator::Feed { feed, column } => {
                write!(to, "feed({}, {})", quoted(feed), quoted(column))
            }
        }
    }
}

/// Puts a text in double quotes and doubles quotes in it.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

impl From<Generator> for String {
    fn from(of: Generator) -> String {
        of.to_string()
    }
}

impl TryFrom<String> for Generator {
    type Error = GeneratorError;

    fn try_from(text: String) -> Result<Generator, GeneratorError> {
        text.parse()
    }
}
