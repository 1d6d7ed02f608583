//! memtier_benchmark.

use super::{Facts, Section, Tool, ToolKind, percentile, starts};
use crate::key::Key;
use crate::numbers::number;

pub(super) static TOOL: Tool = Tool {
    name: "memtier_benchmark",
    kind: ToolKind::Store,
    prints: &[Key::Rate, Key::Connections, Key::Hits, Key::Misses, Key::Mean, Key::Percentile(0)],
    closed: true,
    clock: 0.0,
    owns,
    line,
    document: None,
};

fn owns(line: &str) -> bool {
    starts(line, &["ALL STATS", "AGGREGATED AVERAGE RESULTS", "BEST RUN RESULTS"])
        || counted(line).is_some_and(|(_, what)| what == "Threads")
}

/// `4         Threads`
fn counted(line: &str) -> Option<(&str, &str)> {
    let (count, what) = line.split_once(char::is_whitespace)?;
    count.bytes().all(|byte| byte.is_ascii_digit()).then(|| (count, what.trim()))
}

/// Columns are at least two spaces apart, except for the first one.
fn columns(line: &str) -> Vec<String> {
    let line = line.replace("Avg. Latency", "Avg.").replace(" Latency", "");
    line.split_whitespace().map(str::to_owned).collect()
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if starts(line, &["BEST RUN RESULTS", "WORST RUN RESULTS"]) {
        // These are runs whose average follows.
        *section = "skip".to_owned();
    } else if starts(line, &["ALL STATS", "AGGREGATED AVERAGE RESULTS"]) {
        section.clear();
    } else if line.starts_with("Type ") && section != "skip" {
        *section = line.to_owned();
    } else if line.starts_with("Totals ") && section.starts_with("Type ") {
        for (name, value) in columns(section).iter().zip(columns(line)) {
            total(name, &value, facts);
        }
    } else if let Some((count, what)) = counted(line) {
        match what {
            "Threads" => {
                section.clear();
                facts.begins();
                facts.figure(Key::Threads, number(count));
            }
            "Connections per thread" => facts.figure(Key::ConnectionsPerThread, number(count)),
            "Requests per client" => facts.figure(Key::PerClient, number(count)),
            "Seconds" => facts.figure(Key::AskedDuration, number(count)),
            _ => {}
        }
    }
}

fn total(name: &str, value: &str, facts: &mut Facts) {
    if value == "---" {
        return;
    }
    let value = number(value);
    match name {
        "Ops/sec" => facts.figure(Key::Rate, value),
        "Hits/sec" => facts.figure(Key::Hits, value),
        "Misses/sec" => facts.figure(Key::Misses, value),
        "Avg." => facts.figure(Key::Mean, value.milliseconds()),
        "KB/sec" => facts.figure(Key::BytesPerSecond, value.times(1024.0)),
        _ => {
            if let Some(key) = name.strip_prefix('p').and_then(percentile) {
                facts.figure(key, value.milliseconds());
            }
        }
    }
}
