//! cassandra-stress. It prints figures in the locale of the machine.

use super::{Facts, Section, Tool, ToolKind, USUAL, WITH_PERCENTILES, percentile, starts};
use crate::key::{Fact, Key, Label};
use crate::numbers::{Number, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "cassandra-stress",
    kind: ToolKind::Database,
    prints: WITH_PERCENTILES,
    older: &[Key::Duration, Key::Rate, Key::Percentile(0)],
    clock: 1.0,
    owns,
    line,
    ..USUAL
};

/// The last line was read: what follows is of another run.
const ENDED: &str = "ended";
/// The first columns of the progress in version 2.0.
const PROGRESS: &str = "total,interval_op_rate,";

fn owns(line: &str) -> bool {
    line.contains("* Stress Settings *")
        || running(line).is_some_and(|rest| rest.contains(" threads for "))
        || starts(line, &[PROGRESS, "Averages from the middle 80% of values"])
        || line.split_once(':').is_some_and(|(label, _)| {
            let label = label.trim_end().to_ascii_lowercase();
            ["op rate", "partition rate", "latency 99.9th percentile"].contains(&label.as_str())
        })
}

/// `Running WRITE with 4 threads for 1000 iteration`, which some versions print as a heading.
fn running(line: &str) -> Option<&str> {
    line.strip_prefix("### ").unwrap_or(line).strip_prefix("Running ")
}

fn line(text: &str, section: &mut Section, facts: &mut Facts) {
    if *section == ENDED {
        if !owns(text) {
            return;
        }
        section.clear();
    }
    read(text, section, facts);
}

fn read(line: &str, section: &mut Section, facts: &mut Facts) {
    if line.contains("* Stress Settings *") {
        return facts.begins();
    }
    if line.starts_with(PROGRESS) {
        *section = line.to_owned();
        facts.begins();
        return facts.0.push(Fact::Older);
    }
    if line.contains("Data returned was not validated") {
        return facts.adds(Key::FailedChecks, Number::Clear(1.0));
    }
    if let Some((_, rest)) = running(line).and_then(|of| of.split_once(" with "))
        && let Some((threads, _)) = rest.split_once(" threads")
    {
        return facts.figure(Key::Connections, integer(threads));
    }
    let Some((label, value)) = line.split_once(':') else {
        return progress(line, section, facts);
    };
    // The figures of each kind of operation follow the sum.
    let rate_of = ["op rate", "interval_op_rate"].contains(&&*label.trim().to_ascii_lowercase());
    if let Some((_, kinds)) = value.split_once('[').filter(|_| rate_of) {
        facts.text(Label::Subject, &names(kinds));
    }
    let value = value.split('[').next().unwrap_or("").trim();
    let unit = |unit: &str| integer(value.strip_suffix(unit).unwrap_or(value));
    match label.trim().to_ascii_lowercase().as_str() {
        "type" => facts.text(Label::Subject, value),
        "thread count" if !value.starts_with('-') => facts.figure(Key::Connections, integer(value)),
        "opsper sec" if value != "0" => facts.figure(Key::AskedRate, integer(value)),
        "op rate" | "interval_op_rate" => facts.figure(Key::Rate, unit(" op/s")),
        "row rate" => facts.figure(Key::Rows, unit(" row/s")),
        "total partitions" => facts.figure(Key::Operations, integer(value)),
        "total errors" => facts.figure(Key::Errors, integer(value)),
        "latency mean" => facts.figure(Key::Mean, milliseconds(value)),
        "latency median" => facts.figure(Key::Percentile(500_000), milliseconds(value)),
        "latency max" => facts.figure(Key::Max, milliseconds(value)),
        "total operation time" => {
            *section = ENDED.to_owned();
            facts.figure(Key::Duration, clock(value));
        }
        label => {
            let percent =
                label.strip_prefix("latency ").and_then(|of| of.strip_suffix("th percentile"));
            facts.figure(percent.and_then(percentile), milliseconds(value));
        }
    }
}

/// The names in `READ: 90 op/s, WRITE: 10 op/s]`, as the settings print one of them.
fn names(kinds: &str) -> String {
    let names = kinds.split(',').filter_map(|kind| kind.split_once(':'));
    let names: Vec<String> = names.map(|(name, _)| name.trim().to_ascii_lowercase()).collect();
    names.join(", ")
}

/// `1000000,2018,2018,2.0,6.6,136.0,104`: the operations so far are in the first column.
fn progress(line: &str, section: &Section, facts: &mut Facts) {
    let columns = line.split(',');
    let same = columns.clone().count() == section.split(',').count();
    if section.starts_with(PROGRESS) && same && columns.clone().all(|of| of.parse::<f64>().is_ok())
    {
        facts.0.push(Fact::Restarts);
        facts.figure(Key::Operations, integer(columns.clone().next().unwrap_or("")));
    }
}

/// A whole number whose digits may be grouped: any separator is not a decimal mark.
fn integer(text: &str) -> Number {
    let marks = [',', '.', ' ', '\''];
    let groups: Vec<&str> = text.trim().split(marks).collect();
    let digits =
        |group: &&str| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit());
    let sound = groups.iter().all(digits) && groups[1..].iter().all(|group| group.len() == 3);
    if sound { number(&groups.concat()) } else { Number::Unclear }
}

/// A number with one decimal, whatever its decimal mark.
fn milliseconds(text: &str) -> Number {
    // Versions before 3 print no unit.
    match text.strip_suffix(" ms").unwrap_or(text).rsplit_once(['.', ',']) {
        Some((whole, decimal)) if decimal.len() == 1 => match integer(whole) {
            Number::Clear(whole) => seconds(&format!("{whole}.{decimal} ms")),
            Number::Unclear => Number::Unclear,
        },
        _ => Number::Unclear,
    }
}

/// `00:00:12` in seconds.
fn clock(text: &str) -> Number {
    let parts: Option<Vec<f64>> =
        text.split(':').map(|part| part.parse::<u32>().ok().map(f64::from)).collect();
    match parts.as_deref() {
        Some([hours, minutes, seconds]) => Number::Clear(hours * 3600.0 + minutes * 60.0 + seconds),
        _ => Number::Unclear,
    }
}
