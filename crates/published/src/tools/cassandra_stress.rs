//! cassandra-stress. It prints figures in the locale of the machine.

use super::{Facts, Section, Tool, ToolKind, percentile, starts};
use crate::key::{Key, Label};
use crate::numbers::{Number, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "cassandra-stress",
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
    clock: 1.0,
    owns,
    line,
    document: None,
};

fn owns(line: &str) -> bool {
    line.contains("* Stress Settings *")
        || starts(line, &["Op rate   ", "Partition rate   ", "Latency 99.9th percentile :"])
}

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    if line.contains("* Stress Settings *") {
        return facts.begins();
    }
    if line.contains("Data returned was not validated") {
        return facts.adds(Key::FailedChecks, Number::Clear(1.0));
    }
    let Some((label, value)) = line.split_once(':') else { return };
    let label = label.trim();
    // The figures of each kind of operation follow the sum.
    let value = value.split('[').next().unwrap_or("").trim();
    let unit = |unit: &str| integer(value.strip_suffix(unit).unwrap_or(""));
    match label {
        "Type" => facts.text(Label::Subject, value),
        "Thread Count" if !value.starts_with('-') => facts.figure(Key::Connections, integer(value)),
        "OpsPer Sec" if value != "0" => facts.figure(Key::AskedRate, integer(value)),
        "Op rate" => facts.figure(Key::Rate, unit(" op/s")),
        "Row rate" => facts.figure(Key::Rows, unit(" row/s")),
        "Total partitions" => facts.figure(Key::Operations, integer(value)),
        "Total errors" => facts.figure(Key::Errors, integer(value)),
        "Latency mean" => facts.figure(Key::Mean, milliseconds(value)),
        "Latency median" => facts.figure(Key::Percentile(500_000), milliseconds(value)),
        "Latency max" => facts.figure(Key::Max, milliseconds(value)),
        "Total operation time" => facts.figure(Key::Duration, clock(value)),
        _ => {
            let percent =
                label.strip_prefix("Latency ").and_then(|of| of.strip_suffix("th percentile"));
            if let Some(key) = percent.and_then(percentile) {
                facts.figure(key, milliseconds(value));
            }
        }
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
    let Some(figure) = text.strip_suffix(" ms") else { return Number::Unclear };
    match figure.rsplit_once(['.', ',']) {
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
