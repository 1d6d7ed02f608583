//! sysbench.

use super::{Facts, Section, Tool, ToolKind, pair, percentile, starts};
use crate::key::Key;
use crate::numbers::{followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "sysbench",
    kind: ToolKind::Database,
    prints: &[
        Key::Duration,
        Key::Operations,
        Key::Rate,
        Key::Connections,
        Key::Mean,
        Key::Max,
        Key::Percentile(0),
    ],
    closed: true,
    clock: 0.0001,
    owns,
    line,
    document: None,
};

fn owns(line: &str) -> bool {
    starts(line, &["sysbench 0.", "sysbench 1.", "SQL statistics:", "total number of events:"])
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if starts(line, &["sysbench 0.", "sysbench 1."]) {
        section.clear();
        return facts.begins();
    }
    let Some((label, value)) = pair(line) else { return };
    if value.is_empty() {
        *section = label.to_owned();
        return;
    }
    let first = value.split_whitespace().next().unwrap_or("");
    match (section.as_str(), label) {
        (_, "Number of threads") => facts.figure(Key::Connections, number(value)),
        ("queries performed", "total") => facts.figure(Key::Queries, number(value)),
        (_, "transactions") => {
            let rate = value.split_once('(').map_or("", |(_, rate)| rate);
            facts.figure(Key::Rate, followed_by(rate, "per sec."));
        }
        (_, "events per second") => facts.figure(Key::Rate, number(value)),
        (_, "ignored errors") => facts.figure(Key::Failed, number(first)),
        (_, "total time") => facts.figure(Key::Duration, seconds(value)),
        (_, "total number of events") => facts.figure(Key::Operations, number(value)),
        ("Latency (ms)", label) => latency(label, value, facts),
        _ => {}
    }
}

fn latency(label: &str, value: &str, facts: &mut Facts) {
    let key = match label {
        "min" => Some(Key::Min),
        "avg" => Some(Key::Mean),
        "max" => Some(Key::Max),
        _ => label.strip_suffix("th percentile").and_then(percentile),
    };
    if let Some(key) = key {
        facts.figure(key, number(value).milliseconds());
    }
}
