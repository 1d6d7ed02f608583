//! The tools whose output is read. Each file contains one tool.

mod ab;
mod autocannon;
mod bombardier;
mod cassandra_stress;
mod fortio;
mod h2load;
mod hey;
mod hyperfine;
mod jmeter;
mod k6;
mod latte;
mod locust;
mod memtier;
mod oha;
mod pgbench;
mod redis_benchmark;
mod siege;
mod sysbench;
mod vegeta;
mod wrk;
mod ycsb;

pub(crate) use autocannon::THOUSAND;

use crate::json::Leaf;
use crate::key::{Fact, Figures, Key, Label};
use crate::numbers::Number;
use text::units::whole;

/// What a tool drives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolKind {
    /// Servers that answer HTTP requests.
    Http,
    /// Caches.
    Store,
    /// Databases.
    Database,
    /// Programs, which are started and waited for.
    Program,
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
    /// The figures of the complete output of older versions, where the output shows that it is
    /// theirs.
    pub(crate) older: &'static [Key],
    /// Whether it prints failures only if there are some.
    pub(crate) silent: bool,
    /// Whether it always prints the statuses of the replies.
    pub(crate) shows_statuses: bool,
    /// Whether it keeps sending: without a rate or pauses that were asked for, an idle connection
    /// means that the generator stood still.
    pub(crate) keeps_sending: bool,
    /// Whether it prints the number of connections below its rate.
    pub(crate) load_last: bool,
    /// Whether one command makes a run for each kind of operation.
    pub(crate) runs_kinds: bool,
    /// Whether each row of its table has times. They count for the run if there is one row only.
    pub(crate) rows_have_times: bool,
    /// Whether its rate is the mean of samples, not operations ÷ duration.
    pub(crate) samples_rate: bool,
    /// How many operations a connection has in flight unless the output or the command line shows
    /// another number. None if it can have several without showing it.
    pub(crate) in_flight: Option<f64>,
    /// Whether several tools print such a line as their first one.
    pub(crate) opens: fn(&str) -> bool,
    /// Whether no other tool prints such a line: it begins a run if no run of the tool is open.
    pub(crate) owns: fn(&str) -> bool,
    /// Draws what follows from all lines of a run together.
    pub(crate) settle: fn(&mut Figures),
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

/// What most tools have in common.
const USUAL: Tool = Tool {
    name: "",
    kind: ToolKind::Http,
    prints: &[],
    older: &[],
    closed: true,
    clock: 0.01,
    silent: false,
    shows_statuses: false,
    keeps_sending: true,
    load_last: false,
    runs_kinds: false,
    rows_have_times: false,
    samples_rate: false,
    in_flight: Some(1.0),
    opens: |_| false,
    owns: |_| false,
    settle: |_| {},
    line: |_, _, _| {},
    document: None,
};

/// What several tools print, of which some print percentiles.
const WITH_PERCENTILES: &[Key] = &[
    Key::Duration,
    Key::Operations,
    Key::Rate,
    Key::Connections,
    Key::Mean,
    Key::Max,
    Key::Percentile(0),
];

/// What others print, with the bytes that they received.
const WITH_BYTES: &[Key] =
    &[Key::Duration, Key::Operations, Key::Rate, Key::Connections, Key::Bytes, Key::Mean, Key::Max];

/// All tools.
pub static TOOLS: &[&Tool] = &[
    &ab::TOOL,
    &wrk::WRK,
    &wrk::WRK2,
    &autocannon::TOOL,
    &bombardier::TOOL,
    &hey::TOOL,
    &h2load::TOOL,
    &oha::TOOL,
    &k6::TOOL,
    &vegeta::TOOL,
    &siege::TOOL,
    &fortio::TOOL,
    &locust::TOOL,
    &jmeter::TOOL,
    &redis_benchmark::TOOL,
    &memtier::TOOL,
    &pgbench::TOOL,
    &sysbench::TOOL,
    &cassandra_stress::TOOL,
    &latte::TOOL,
    &ycsb::TOOL,
    &hyperfine::TOOL,
];

/// The part of an output that contains a line, in the tool's terms.
pub(crate) type Section = String;

/// The facts of one line.
#[derive(Clone, Debug, Default)]
pub(crate) struct Facts(pub(crate) Vec<Fact>);

impl Facts {
    pub(crate) fn begins(&mut self) {
        self.0.push(Fact::Begins);
    }

    /// A figure, if its key is known.
    pub(crate) fn figure(&mut self, key: impl Into<Option<Key>>, number: Number) {
        if let Some(key) = key.into() {
            self.0.push(number.fact(|value| Fact::Figure(key, value)));
        }
    }

    /// A figure that the tool replaces by a word if there is none.
    pub(crate) fn optional(&mut self, key: Key, number: Number) {
        if number != Number::Unclear {
            self.figure(key, number);
        }
    }

    /// A figure that adds to others of its kind.
    pub(crate) fn adds(&mut self, key: Key, number: Number) {
        self.0.push(number.fact(|value| Fact::Adds(key, value)));
    }

    /// A figure of one row of a table.
    pub(crate) fn part(&mut self, key: Key, number: Number) {
        self.0.push(number.fact(|value| Fact::Part(key, value)));
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
    /// A figure of a document, if its key is known, with the factor between its unit and that of
    /// the key.
    pub(crate) fn figure(&mut self, key: impl Into<Option<Key>>, leaf: &Leaf, per: f64) {
        let Some(key) = key.into() else { return };
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

/// The key of a statistic: `avg`, `min`, `med`, `max`, `99`, `p99`, `99th`, `p(99)`.
pub(crate) fn statistic(name: &str) -> Option<Key> {
    match name {
        "avg" | "mean" | "average" => Some(Key::Mean),
        "min" => Some(Key::Min),
        "max" => Some(Key::Max),
        "med" | "median" => percentile("50"),
        _ => {
            let inner = name.trim_start_matches('p').trim_start_matches('(');
            percentile(inner.trim_end_matches(')').trim_end_matches("th").trim_end_matches('%'))
        }
    }
}

/// The percentile with this text: `99`, `99.9`. Returns None if it is not a percentile.
pub(crate) fn percentile(text: &str) -> Option<Key> {
    match crate::numbers::number(text.trim()) {
        Number::Clear(percent) if percent > 0.0 && percent < 100.0 => {
            u32::try_from(whole((percent * 1e4).round())).ok().map(Key::Percentile)
        }
        _ => None,
    }
}

impl Number {
    fn fact(self, of: impl FnOnce(f64) -> Fact) -> Fact {
        match self {
            Number::Clear(value) => of(value),
            Number::Unclear => Fact::Unclear,
        }
    }
}

/// The key of the replies of a class, such as `2xx`.
pub(crate) fn status_class(text: &str) -> Option<Key> {
    let class = text.strip_suffix("xx")?.parse::<u16>().ok()?;
    (2..6).contains(&class).then_some(Key::Status(class * 100))
}

/// A label, the key of its figure, and how that is written.
pub(crate) type Field = (&'static str, Key, fn(&str) -> Number);

/// Adds the figure of a line `label: value`, if the label is known.
pub(crate) fn field(line: &str, fields: &[Field], facts: &mut Facts) {
    let Some((label, value)) = pair(line).filter(|(_, value)| !value.is_empty()) else { return };
    if let Some((_, key, read)) = fields.iter().find(|(name, _, _)| *name == label) {
        facts.figure(*key, read(value));
    }
}

/// The first word of a text as a figure.
pub(crate) fn first(text: &str) -> Number {
    crate::numbers::number(first_word(text))
}

/// The first word of a text, without what an author wrote behind it.
pub(crate) fn first_word(text: &str) -> &str {
    text.split_whitespace().next().unwrap_or("")
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
