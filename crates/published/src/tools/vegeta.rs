//! vegeta: its text report, and its JSON report.

use super::{Facts, Lines, Section, Tool, USUAL, statistic};
use crate::json::Leaf;
use crate::key::{Fact, Key};
use crate::numbers::{number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "vegeta",
    prints: &[
        Key::Duration,
        Key::Operations,
        Key::Rate,
        Key::BodyBytes,
        Key::Mean,
        Key::Max,
        Key::Percentile(0),
    ],
    older: &[
        Key::Duration,
        Key::Operations,
        Key::BodyBytes,
        Key::Mean,
        Key::Max,
        Key::Percentile(0),
    ],
    closed: false,
    clock: 0.001,
    silent: true,
    shows_statuses: true,
    owns,
    line,
    document: Some(document),
    ..USUAL
};

fn owns(line: &str) -> bool {
    fields(line).is_some()
}

/// Label, names of the columns, and what they hold: `Bytes In [total, mean]  5250, 8.75`.
fn fields(line: &str) -> Option<(&str, Vec<(&str, &str)>)> {
    let (label, rest) = line.split_once('[')?;
    let (names, values) = rest.split_once(']')?;
    let label = label.trim_end();
    let columns = names.split(',').map(str::trim).zip(values.split(", ").map(str::trim));
    KNOWN.contains(&(label, names.split(',').next()?)).then(|| (label, columns.collect()))
}

/// Labels, and the first of their columns.
const KNOWN: &[(&str, &str)] = &[
    ("Requests", "total"),
    ("Duration", "total"),
    ("Latencies", "mean"),
    ("Latencies", "min"),
    ("Bytes In", "total"),
    ("Success", "ratio"),
    ("Status Codes", "code:count"),
];

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    let Some((label, columns)) = fields(line) else { return };
    if label == "Requests" {
        facts.begins();
        if !columns.iter().any(|(name, _)| *name == "rate") {
            facts.0.push(Fact::Older);
        }
    }
    for (name, value) in columns {
        match (label, name) {
            ("Requests", "total") => facts.figure(Key::Operations, number(value)),
            ("Requests", "rate") => facts.figure(Key::Rate, number(value)),
            // In 2014 there was one column.
            ("Duration", "attack") => facts.figure(Key::Duration, seconds(value)),
            // In 2014 this was the only column.
            ("Duration", "total") if !line.contains("attack") => {
                facts.figure(Key::Duration, seconds(value));
            }
            ("Latencies", name) => {
                facts.figure(statistic(name), seconds(value));
            }
            ("Bytes In", "total") => facts.figure(Key::BodyBytes, number(value)),
            ("Status Codes", "code:count") => statuses(value, facts),
            _ => {}
        }
    }
}

/// vegeta reports requests without a reply as status 0.
fn statuses(value: &str, facts: &mut Facts) {
    for (code, count) in value.split_whitespace().filter_map(|part| part.split_once(':')) {
        facts.figure(code.parse().ok().map(Key::Status), number(count));
    }
}

fn document(leaves: &[Leaf], lines: &mut Lines) {
    if !leaves.iter().any(|leaf| leaf.path == "latencies/99th") {
        return;
    }
    for leaf in leaves {
        let (directory, name) = leaf.path.split_once('/').unwrap_or(("", &leaf.path));
        let (key, per) = match (directory, name) {
            ("", "requests") => (Some(Key::Operations), 1.0),
            ("", "rate") => (Some(Key::Rate), 1.0),
            ("", "duration") => (Some(Key::Duration), 1e9),
            ("bytes_in", "total") => (Some(Key::BodyBytes), 1.0),
            ("latencies", name) => (statistic(name), 1e9),
            ("status_codes", code) => (code.parse().ok().map(Key::Status), 1.0),
            _ => continue,
        };
        lines.figure(key, leaf, per);
    }
}
