//! memtier_benchmark.

use super::{Facts, Section, Tool, ToolKind, USUAL, percentile, starts};
use crate::key::{Fact, Key};
use crate::numbers::{Number, number};

pub(super) static TOOL: Tool = Tool {
    name: "memtier_benchmark",
    kind: ToolKind::Store,
    prints: &[Key::Rate, Key::Connections, Key::Hits, Key::Misses, Key::Mean, Key::Percentile(0)],
    older: &[Key::Rate, Key::Connections, Key::Hits, Key::Misses, Key::Mean],
    clock: 0.0,
    silent: true,
    in_flight: None,
    rows_have_times: true,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    line.split_whitespace().take(3).eq(["Type", "Ops/sec", "Hits/sec"])
        || starts(line, &["ALL STATS", "AGGREGATED AVERAGE RESULTS", "BEST RUN RESULTS"])
        || counted(line).is_some_and(|(_, what)| what == "Threads")
}

/// `4         Threads`
fn counted(line: &str) -> Option<(&str, &str)> {
    let (count, what) = line.split_once(char::is_whitespace)?;
    count.bytes().all(|byte| byte.is_ascii_digit()).then(|| (count, what.trim()))
}

/// Columns are at least two spaces apart, except for the first one.
fn columns(line: &str) -> Vec<String> {
    // Versions before 1.3 have one column of latencies, their mean.
    let line = line.replace("Avg. Latency", "Avg.");
    let is_older = !line.contains("Avg.");
    let line =
        if is_older { line.replace("Latency", "Avg.") } else { line.replace(" Latency", "") };
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
        if !line.contains("Avg.") {
            facts.0.push(Fact::Older);
        }
    } else if starts(line, &["Sets ", "Gets ", "Waits "]) && section.starts_with("Type ") {
        let row = columns(line);
        // A kind of operations that was not used has no times.
        let unused = row.get(1).is_some_and(|rate| number(rate) == Number::Clear(0.0));
        for (name, value) in columns(section).iter().zip(&row) {
            let counts = ["Ops/sec", "Hits/sec", "Misses/sec"].contains(&name.as_str());
            if name != "KB/sec" && (counts || !unused) {
                total(name, value, Facts::part, facts);
            }
        }
    } else if line.starts_with("Totals ") && section.starts_with("Type ") {
        for (name, value) in columns(section).iter().zip(columns(line)) {
            total(name, &value, Facts::figure, facts);
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

/// A cell of the row with the totals, or of one of its parts.
fn total(name: &str, value: &str, add: fn(&mut Facts, Key, Number), facts: &mut Facts) {
    if value == "---" {
        return;
    }
    let value = number(value);
    match name {
        "Ops/sec" => add(facts, Key::Rate, value),
        "Hits/sec" => add(facts, Key::Hits, value),
        "Misses/sec" => add(facts, Key::Misses, value),
        "Avg." => add(facts, Key::Mean, value.milliseconds()),
        "KB/sec" => add(facts, Key::BytesPerSecond, value.times(1024.0)),
        _ => {
            if let Some(key) = name.strip_prefix('p').and_then(percentile) {
                add(facts, key, value.milliseconds());
            }
        }
    }
}
