//! locust without a window. It prints its table again and again, and once more at the end.

use super::{Facts, Section, Tool, USUAL, statistic};
use crate::key::{Fact, Key};
use crate::numbers::{Number, number};

pub(super) static TOOL: Tool = Tool {
    name: "locust",
    prints: &[Key::Operations, Key::Rate, Key::Failed, Key::Mean, Key::Max, Key::Percentile(0)],
    older: &[Key::Operations, Key::Rate, Key::Failed],
    clock: 0.0,
    keeps_sending: false,
    in_flight: None,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    let head = line.trim_start_matches("Type").trim_start();
    head.starts_with("Name ")
        && line.contains("# reqs")
        && (line.contains("# fails") || line.contains("50%"))
}

/// Ends a section of which rows were read, but not the total.
const PENDING: char = '\n';

/// Words of a line; the head has two names of two words.
fn words(line: &str) -> Vec<String> {
    let line = line.replace("# reqs", "#reqs").replace("# fails", "#fails").replace('|', " ");
    line.split_whitespace().map(str::to_owned).collect()
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if owns(line) {
        // The percentiles are printed once, at the end; and only the last table can be cut off before
        // its total.
        if line.contains("# fails") && (section.contains("50%") || section.ends_with(PENDING)) {
            facts.begins();
        }
        *section = line.to_owned();
        if line.contains("# fails") {
            facts.0.push(Fact::ClearsParts);
        }
        return;
    }
    // No row begins with this mark; an author put it there.
    if section.is_empty() || line.starts_with('#') {
        return;
    }
    let head = words(section);
    let columns: Vec<&str> =
        head.iter().map(String::as_str).filter(|name| !["Type", "Name"].contains(name)).collect();
    let row = words(line);
    // Version 1.0 prints `None` as the kind of the last row.
    let row = if row.first().is_some_and(|kind| kind == "None") { &row[1..] } else { &row[..] };
    let is_total = row.first().is_some_and(|name| name == "Aggregated" || name == "Total");
    let cells = row.len().checked_sub(columns.len()).map(|at| &row[at..]);
    match cells {
        Some(cells) if is_total && row.len() == columns.len() + 1 => {
            *section = section.trim_end_matches(PENDING).to_owned();
            if section.contains("# fails") {
                facts.0.push(Fact::Restarts);
            }
            let of_times = !section.contains("# fails");
            let kept =
                columns.iter().zip(cells).filter(|(name, _)| !(of_times && **name == "#reqs"));
            kept.for_each(|(name, cell)| total(name, cell, facts));
        }
        Some(cells)
            if !row.contains(&"Aggregated".to_owned())
                && cells.iter().any(|cell| cell.ends_with("%)")) =>
        {
            columns.iter().zip(cells).for_each(|(name, cell)| part(name, cell, facts));
            if !section.ends_with(PENDING) {
                section.push(PENDING);
            }
        }
        _ if is_total => {
            *section = section.trim_end_matches(PENDING).to_owned();
            older_total(row, facts);
        }
        _ => {}
    }
}

fn total(name: &str, cell: &str, facts: &mut Facts) {
    match name {
        "#reqs" => facts.figure(Key::Operations, number(cell)),
        "#fails" => facts.figure(Key::Failed, count(cell)),
        "req/s" if !is_early(cell) => facts.figure(Key::Rate, number(cell)),
        "100%" => {}
        _ => {
            let name = name.to_ascii_lowercase();
            if !name.contains("fail") {
                facts.figure(statistic(&name), number(cell).milliseconds());
            }
        }
    }
}

/// A row of one address, which counts if the last row is missing.
fn part(name: &str, cell: &str, facts: &mut Facts) {
    match name {
        "#reqs" => facts.part(Key::Operations, number(cell)),
        "#fails" => facts.part(Key::Failed, count(cell)),
        "req/s" if !is_early(cell) => facts.part(Key::Rate, number(cell)),
        _ => {}
    }
}

/// `Total  123  0(0.00%)  12.30`, as before version 1.
fn older_total(row: &[String], facts: &mut Facts) {
    if let [_, operations, failed, .., rate] = row
        && failed.ends_with("%)")
    {
        facts.0.extend([Fact::Restarts, Fact::Older]);
        facts.figure(Key::Operations, number(operations));
        facts.figure(Key::Failed, count(failed));
        if !is_early(rate) {
            facts.figure(Key::Rate, number(rate));
        }
    }
}

/// Whether a rate is not known yet: locust prints 0 during the first seconds.
fn is_early(rate: &str) -> bool {
    number(rate) == Number::Clear(0.0)
}

/// `12(3.00%)`
fn count(cell: &str) -> Number {
    number(cell.split('(').next().unwrap_or(""))
}
