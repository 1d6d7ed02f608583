//! sysbench.

use super::{Facts, Section, Tool, ToolKind, USUAL, WITH_PERCENTILES, pair, percentile, starts};
use crate::key::Key;
use crate::numbers::{followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "sysbench",
    kind: ToolKind::Database,
    prints: WITH_PERCENTILES,
    clock: 0.0001,
    silent: true,
    owns,
    line,
    ..USUAL
};

/// The section behind the version.
const BANNER: &str = "version";
/// Above the number of threads.
const OPTIONS: &str = "Running the test with following options:";

fn owns(line: &str) -> bool {
    starts(
        line,
        &["sysbench 0.", "sysbench 1.", "SQL statistics:", "OLTP test statistics:", OPTIONS],
    ) || line.starts_with("total number of events:")
        || line.starts_with("transactions:") && line.ends_with(" per sec.)")
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if starts(line, &["sysbench 0.", "sysbench 1."]) {
        *section = BANNER.to_owned();
        return facts.begins();
    }
    if line.starts_with(OPTIONS) {
        if section != BANNER {
            facts.begins();
        }
        return section.clear();
    }
    if let Some(rate) = line.strip_prefix("Target transaction rate: ") {
        return facts.figure(Key::AskedRate, number(rate.trim_end_matches("/sec")));
    }
    let Some((label, value)) = pair(line) else { return };
    if value.is_empty() {
        if label.starts_with(char::is_alphabetic) {
            *section = label.to_owned();
        }
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
        // Version 1.1; it repeats the rate of transactions.
        ("Throughput", "events/s (eps)") => facts.part(Key::Rate, number(value)),
        ("Throughput", "time elapsed") => facts.figure(Key::Duration, seconds(value)),
        (_, "events per second") => facts.figure(Key::Rate, number(value)),
        ("queries performed", "deadlocks") => facts.figure(Key::Failed, number(first)),
        (_, "ignored errors") => facts.figure(Key::Failed, number(first)),
        (_, "total time") => facts.figure(Key::Duration, seconds(value)),
        (_, "total number of events") => facts.figure(Key::Operations, number(value)),
        ("Latency (ms)", label) => latency(label, value, facts),
        // Version 0.4 and 0.5.
        (of, label) if of == "per-request statistics" || of == "response time" => {
            latency(label.trim_start_matches("approx.").trim(), value, facts);
        }
        _ => {}
    }
}

fn latency(label: &str, value: &str, facts: &mut Facts) {
    let key = match label {
        "min" => Some(Key::Min),
        "avg" => Some(Key::Mean),
        "max" => Some(Key::Max),
        _ => label.strip_suffix(" percentile").and_then(|of| percentile(of.trim_end_matches("th"))),
    };
    facts.figure(key, number(value.trim_end_matches("ms")).milliseconds());
}
