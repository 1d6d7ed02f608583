//! latte, which drives Cassandra.

use super::{Facts, Section, Tool, ToolKind, USUAL, first, statistic};
use crate::key::Key;

pub(super) static TOOL: Tool = Tool {
    name: "latte",
    kind: ToolKind::Database,
    prints: &[Key::Duration, Key::Operations, Key::Rate, Key::Errors, Key::Mean],
    // Its own count of requests in flight is separate from that of connections.
    in_flight: None,
    owns,
    line,
    ..USUAL
};

const SUMMARY: &str = "SUMMARY STATS ══";

fn owns(line: &str) -> bool {
    line.starts_with(SUMMARY) || line.starts_with("CONFIG ══")
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if line.contains(" ══") && line.starts_with(char::is_alphabetic) {
        *section = line.to_owned();
        if owns(line) && !line.starts_with(SUMMARY) {
            facts.begins();
        }
    } else if section.starts_with(SUMMARY) {
        summary(line, facts);
    } else if section.starts_with("CYCLE LATENCY") || section.starts_with("RESPONSE TIMES") {
        time(line, facts);
    } else if section.starts_with("CONFIG")
        && let Some(rate) = line.strip_prefix("Max rate")
    {
        facts.optional(Key::AskedRate, first(rate.trim_start().trim_start_matches("[op/s]")));
    }
}

/// `Throughput    [op/s]   12345 ± 67`
fn summary(line: &str, facts: &mut Facts) {
    let Some((label, rest)) = line.split_once('[') else { return };
    let Some((unit, value)) = rest.split_once(']') else { return };
    let value = first(value);
    match (label.trim(), unit) {
        ("Elapsed time", "s") => facts.figure(Key::Duration, value),
        ("Cycles", "op") => facts.figure(Key::Operations, value),
        ("Errors", "op") => facts.figure(Key::Errors, value),
        ("Throughput", "op/s") => facts.figure(Key::Rate, value),
        ("Cycle latency" | "Mean cycle time", "ms") => {
            facts.figure(Key::Mean, value.milliseconds());
        }
        _ => {}
    }
}

/// `99.9    1.234 ± 0.1`, in milliseconds. The first table counts, if each function has its own.
fn time(line: &str, facts: &mut Facts) {
    let Some((label, value)) = line.split_once(' ') else { return };
    facts.figure(statistic(&label.to_ascii_lowercase()), first(value).milliseconds());
}
