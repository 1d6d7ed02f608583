//! YCSB: the measurements at its end.

use super::{Facts, Section, Tool, ToolKind, USUAL, percentile};
use crate::key::{Fact, Key};
use crate::numbers::{Number, number};

pub(super) static TOOL: Tool = Tool {
    name: "YCSB",
    kind: ToolKind::Database,
    prints: &[Key::Duration, Key::Operations, Key::Rate],
    clock: 0.001,
    silent: true,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    line.starts_with("[OVERALL], RunTime(ms), ")
        || line.starts_with("[OVERALL], Throughput(ops/sec), ")
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    let mut columns = line.split(',').map(str::trim);
    let (Some(of), Some(name), Some(value), None) =
        (columns.next(), columns.next(), columns.next(), columns.next())
    else {
        return;
    };
    let Some(of) = of.strip_prefix('[').and_then(|of| of.strip_suffix(']')) else {
        return;
    };
    if of.contains(']') {
        return;
    }
    match (of, name) {
        ("OVERALL", "RunTime(ms)") => {
            section.clear();
            facts.begins();
            facts.figure(Key::Duration, number(value).milliseconds());
        }
        ("OVERALL", "Throughput(ops/sec)") => facts.figure(Key::Rate, number(value)),
        ("CLEANUP", _) => {}
        (of, "Operations") if of.ends_with("-FAILED") => {
            facts.adds(Key::Operations, number(value));
        }
        (of, "Operations") => {
            // An operation that always failed has times of nothing.
            if value != "0" && section.is_empty() {
                *section = of.to_owned();
            } else if value != "0" {
                facts.0.push(Fact::Mixed);
            }
            facts.adds(Key::Operations, number(value));
        }
        (of, name) if section == of || name.starts_with("Return=") => figure(name, value, facts),
        _ => {}
    }
}

fn figure(name: &str, value: &str, facts: &mut Facts) {
    if let Some(status) = name.strip_prefix("Return=") {
        // Older versions print 0 for OK.
        if !["OK", "0", "", "BATCHED_OK"].contains(&status) {
            facts.adds(Key::Errors, number(value));
        }
        return;
    }
    let Some((name, unit)) = name.split_once("Latency(") else { return };
    let key = match name {
        "Average" => Some(Key::Mean),
        "Min" => Some(Key::Min),
        "Max" => Some(Key::Max),
        _ => {
            let share = name.strip_suffix("Percentile").unwrap_or("");
            percentile(share.trim_end_matches("th").trim_end_matches("nd").trim_end_matches("rd"))
        }
    };
    let per = match unit {
        "us)" => 1e-6,
        "ms)" => 1e-3,
        _ => return,
    };
    if let (Some(key), Number::Clear(value)) = (key, number(value)) {
        facts.figure(key, Number::Clear(value * per));
    }
}
