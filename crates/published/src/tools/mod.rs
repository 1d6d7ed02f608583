//! The tools whose output is read. Each file contains one tool.

mod ab;
mod cassandra_stress;
mod command;
mod h2load;
mod hey;
mod k6;
mod memtier;
mod oha;
mod pgbench;
mod redis_benchmark;
mod sysbench;
mod vegeta;
mod wrk;

use crate::json::Leaf;
use crate::key::{Fact, Key, Label};
use crate::numbers::Number;
pub(crate) use command::named;

/// What a tool drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Servers that answer HTTP requests.
    Http,
    /// Caches.
    Store,
    /// Databases.
    Database,
}

/// A tool, and how its output is read.
#[derive(Debug)]
pub struct Tool {
    /// Its name.
    pub name: &'static str,
    /// What it drives.
    pub kind: ToolKind,
    /// The figures of its complete output.
    pub prints: &'static [Key],
    /// Whether it sends the next request of a connection when the reply has arrived, and measures
    /// its time from then, even if a rate is requested.
    pub closed: bool,
    /// The resolution of its printed duration, in seconds.
    pub(crate) clock: f64,
    /// Whether no other tool prints such a line: it begins a run if no run of the tool is open.
    pub(crate) owns: fn(&str) -> bool,
    /// Adds the facts of a line; the section belongs to the tool, and lasts until another run
    /// begins.
    pub(crate) line: fn(&str, &mut Section, &mut Facts),
    /// Adds the facts of a JSON document, or nothing if the document is another tool's.
    pub(crate) document: Option<fn(&[Leaf], &mut Lines)>,
}

impl Tool {
    /// Whether the two print the same lines.
    pub(crate) fn prints_like(&self, other: &Tool) -> bool {
        std::ptr::fn_addr_eq(self.line, other.line)
    }
}

/// All tools.
pub static TOOLS: &[&Tool] = &[
    &ab::TOOL,
    &wrk::WRK,
    &wrk::WRK2,
    &hey::TOOL,
    &h2load::TOOL,
    &oha::TOOL,
    &k6::TOOL,
    &vegeta::TOOL,
    &redis_benchmark::TOOL,
    &memtier::TOOL,
    &pgbench::TOOL,
    &sysbench::TOOL,
    &cassandra_stress::TOOL,
];

/// The part of an output that contains a line, in the tool's terms.
pub(crate) type Section = String;

/// The facts of one line.
#[derive(Debug, Default)]
pub(crate) struct Facts(pub(crate) Vec<Fact>);

impl Facts {
    pub(crate) fn begins(&mut self) {
        self.0.push(Fact::Begins);
    }

    /// A figure, if it can be read.
    pub(crate) fn figure(&mut self, key: Key, number: Number) {
        self.0.push(match number {
            Number::Clear(value) => Fact::Figure(key, value),
            Number::Unclear => Fact::Unclear,
        });
    }

    /// A figure that adds to others of its kind.
    pub(crate) fn adds(&mut self, key: Key, number: Number) {
        self.0.push(match number {
            Number::Clear(value) => Fact::Adds(key, value),
            Number::Unclear => Fact::Unclear,
        });
    }

    pub(crate) fn text(&mut self, label: Label, text: &str) {
        let text = text.trim();
        if !text.is_empty() {
            self.0.push(Fact::Text(label, text.to_owned()));
        }
    }
}

/// The facts of a document, as (line, fact).
#[derive(Debug, Default)]
pub(crate) struct Lines(pub(crate) Vec<(u64, Fact)>);

impl Lines {
    /// A figure of a document, with the factor between its unit and that of the key.
    pub(crate) fn figure(&mut self, key: Key, leaf: &Leaf, per: f64) {
        let figure =
            leaf.text.parse::<f64>().ok().filter(|value| value.is_finite() && *value >= 0.0);
        self.0.push((
            leaf.line,
            match figure {
                Some(value) => Fact::Figure(key, value / per),
                None => Fact::Unclear,
            },
        ));
    }

    pub(crate) fn adds(&mut self, key: Key, leaf: &Leaf) {
        if let Ok(value) = leaf.text.parse::<f64>()
            && value.is_finite()
        {
            self.0.push((leaf.line, Fact::Adds(key, value)));
        }
    }
}

/// The percentile with this text: `99`, `99.9`. Returns None if it is not a percentile.
pub(crate) fn percentile(text: &str) -> Option<Key> {
    match crate::numbers::number(text.trim()) {
        Number::Clear(percent) if percent > 0.0 && percent < 100.0 => {
            Some(Key::Percentile((percent * 1e4).round() as u32))
        }
        _ => None,
    }
}

/// Whether a line begins with one of these.
pub(crate) fn starts(line: &str, with: &[&str]) -> bool {
    with.iter().any(|beginning| line.starts_with(beginning))
}

/// A line of the form `label: value`, with any space around the two.
pub(crate) fn pair(line: &str) -> Option<(&str, &str)> {
    let (label, value) = line.split_once(':')?;
    Some((label.trim(), value.trim()))
}
