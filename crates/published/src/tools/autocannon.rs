//! autocannon: its tables, and its JSON.

use super::{Facts, Lines, Section, Tool, USUAL, WITH_BYTES, first_word, statistic};
use crate::json::Leaf;
use crate::key::{At, Figures, Key, Label};
use crate::numbers::{decimal_bytes, number, seconds, shortened};

pub(super) static TOOL: Tool = Tool {
    name: "autocannon",
    prints: WITH_BYTES,
    // Both the duration and the number of operations are rounded.
    clock: 1.0,
    silent: true,
    // It prints a pipelining factor other than 1.
    in_flight: Some(1.0),
    owns,
    settle,
    line,
    document: Some(document),
    ..USUAL
};

fn owns(line: &str) -> bool {
    connections(line).is_some()
        || line.starts_with('│') && cells(line).first() == Some(&"Stat")
        || line.split_whitespace().eq(["Stat", "Avg", "Stdev", "Max"])
}

/// `10 connections`, `10 connections with 4 pipelining factor`
fn connections(line: &str) -> Option<(&str, &str)> {
    let (count, rest) = line.split_once(" connections")?;
    let alone = count.bytes().all(|byte| byte.is_ascii_digit()) && !count.is_empty();
    (alone && (rest.is_empty() || rest.starts_with(" with "))).then_some((count, rest))
}

fn cells(line: &str) -> Vec<&str> {
    line.trim_matches('│').split('│').map(str::trim).collect()
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if let Some(rest) = line.strip_prefix("Running ") {
        if let Some((duration, url)) = rest.split_once(" test @ ") {
            // `-a 100` prints `Running 100 requests test`.
            facts.optional(Key::AskedDuration, seconds(duration));
            facts.text(Label::Target, first_word(url));
        }
    } else if let Some((count, rest)) = connections(line) {
        facts.figure(Key::Connections, number(count));
        if let Some(factor) = rest.strip_suffix(" pipelining factor") {
            facts.figure(Key::Pipeline, number(factor.trim_start_matches(" with ")));
        }
    } else if line.starts_with('│') {
        row(&cells(line), line, section, facts);
    } else if line.starts_with("Stat ") {
        *section = line.to_owned();
    } else if !(section.starts_with("Stat ") && older_row(line, facts)) {
        last(line, facts);
    }
}

/// A row of either table, whose head was kept.
fn row(cells: &[&str], line: &str, section: &mut Section, facts: &mut Facts) {
    let (label, values) = cells.split_first().unwrap_or((&"", &[]));
    if *label == "Stat" || *label == "Code" {
        *section = line.to_owned();
    }
    let head: Vec<&str> = section.trim_matches('│').split('│').map(str::trim).skip(1).collect();
    for (name, value) in head.iter().zip(values) {
        match (*label, *name) {
            ("Latency", "Stdev") => {}
            ("Latency", name) => {
                facts.figure(statistic(&name.to_ascii_lowercase()), seconds(value));
            }
            ("Req/Sec", "Avg") => facts.figure(Key::Rate, number(value)),
            // The table of --renderStatusCodes.
            (code, "Count") => {
                if let Ok(code @ 100..=599) = code.parse() {
                    facts.figure(Key::Status(code), number(value));
                }
            }
            ("Bytes/Sec", "Avg") => facts.figure(Key::BytesPerSecond, decimal_bytes(value)),
            _ => {}
        }
    }
}

/// `Latency (ms) 1.94 1.61 26`: before version 2 there are no lines between the cells, which are the
/// mean, the deviation and the longest. Returns false if it is not such a row.
fn older_row(line: &str, facts: &mut Facts) -> bool {
    let cells = |label: &str| Some(line.strip_prefix(label)?.split_whitespace());
    if let Some(mut cells) = cells("Latency (ms)") {
        facts.figure(Key::Mean, number(cells.next().unwrap_or("")).milliseconds());
        facts.figure(Key::Max, number(cells.nth(1).unwrap_or("")).milliseconds());
        true
    } else if let Some(mut cells) = cells("Req/Sec") {
        facts.figure(Key::Rate, number(cells.next().unwrap_or("")));
        true
    } else {
        false
    }
}

fn last(line: &str, facts: &mut Facts) {
    if let Some((operations, rest)) = line.split_once(" requests in ")
        && operations.starts_with(|c: char| c.is_ascii_digit())
        && let Some((duration, size)) = rest.split_once(", ")
    {
        facts.figure(Key::Operations, shortened(operations));
        facts.figure(Key::Duration, seconds(duration));
        facts.figure(Key::Bytes, decimal_bytes(size.trim_end_matches(" read")));
    } else if let Some((good, bad)) = line.split_once(" 2xx responses, ") {
        facts.figure(Key::Status(200), shortened(good));
        facts.figure(Key::BadStatus, shortened(bad.trim_end_matches(" non 2xx responses")));
    } else if let Some((errors, rest)) = line.split_once(" errors")
        && (rest.is_empty() || rest.starts_with(" (") && rest.ends_with(" timeouts)"))
    {
        facts.figure(Key::Errors, shortened(errors));
    }
}

/// The step in which it prints numbers of a thousand or more: `56k`.
pub(crate) const THOUSAND: f64 = 1e3;

/// The statuses show the exact number of replies, if it prints one in thousands only.
fn settle(figures: &mut Figures) {
    let value = |key| figures.get(&key).copied();
    let (Some(all), Some(good), Some(bad)) =
        (value(Key::Operations), value(Key::Status(200)), value(Key::BadStatus))
    else {
        return;
    };
    let sum = good.value + bad.value;
    if all.value % THOUSAND == 0.0 && (sum - all.value).abs() < THOUSAND {
        figures.insert(Key::Operations, At { value: sum, line: bad.line });
    }
}

fn document(leaves: &[Leaf], lines: &mut Lines) {
    let has = |path: &str| leaves.iter().any(|leaf| leaf.path == path);
    if !has("non2xx") || !has("latency/average") {
        return;
    }
    for leaf in leaves {
        let (key, per) = match leaf.path.as_str() {
            "requests/average" => (Key::Rate, 1.0),
            "requests/total" => (Key::Operations, 1.0),
            "throughput/average" => (Key::BytesPerSecond, 1.0),
            "throughput/total" => (Key::Bytes, 1.0),
            "duration" => (Key::Duration, 1.0),
            "connections" => (Key::Connections, 1.0),
            "pipelining" => (Key::Pipeline, 1.0),
            "errors" => (Key::Errors, 1.0),
            "2xx" => (Key::Status(200), 1.0),
            "non2xx" => (Key::BadStatus, 1.0),
            path => {
                // `p97_5` is the p97.5.
                let name = path.strip_prefix("latency/").map(|name| name.replace('_', "."));
                lines.figure(name.as_deref().and_then(statistic), leaf, 1e3);
                continue;
            }
        };
        lines.figure(key, leaf, per);
    }
}
