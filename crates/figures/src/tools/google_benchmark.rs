//! Google Benchmark: its JSON and its text. The figure is the real time of an iteration, which the tool prints as a
//! mean; repetitions are one case. If it prints aggregates alone, their median, else their mean. Counters, complexity
//! and CPU time are no cases.

use super::{Tool, USUAL, is_time, text_number};
use crate::input::Document;
use crate::rows::Rows;
use crate::selection::anchored;
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) static TOOL: Tool = Tool {
    name: "google-benchmark",
    read,
    one_case: |case| Some(anchored(case)),
    all_cases: Some("."),
    shorter_runs: Some("--benchmark_min_time=0.1s"),
    twice: None,
    ..USUAL
};

/// One line or object.
struct Measurement<'a> {
    /// The name of the case.
    name: &'a str,
    /// What it is of the repetitions. Empty if it is one of them.
    aggregate: &'a str,
    time: f64,
    unit: &'a str,
}

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        let all = document.json("\"context\"").iter().filter(|value| value["context"].is_object());
        let all = all.filter_map(|value| value["benchmarks"].as_array()).flatten();
        add(all.filter_map(|value| of_json(value, rows)).collect::<Vec<_>>(), rows);
        let lines = of_text(document, rows);
        add(lines, rows);
    }
}

/// Adds the repetitions of each case, or its aggregate if there are none.
fn add(all: Vec<Measurement<'_>>, rows: &mut Rows) {
    let of = |aggregate: &str| -> BTreeSet<&str> {
        all.iter().filter(|of| of.aggregate == aggregate).map(|of| of.name).collect()
    };
    let (repeated, medians) = (of(""), of("median"));
    for Measurement { name, aggregate, time, unit } in &all {
        let is_figure = match *aggregate {
            "" => true,
            "median" => !repeated.contains(name),
            "mean" => !repeated.contains(name) && !medians.contains(name),
            _ => false,
        };
        if is_figure {
            rows.add(name, "", *time, unit);
        }
    }
}

fn of_json<'a>(value: &'a Value, rows: &mut Rows) -> Option<Measurement<'a>> {
    // Before version 1.5 there were no aggregates in the JSON but as names.
    let name = value["run_name"].as_str().or(value["name"].as_str())?;
    if value["error_occurred"] == true {
        rows.failed(name, "");
        return None;
    }
    let (time, unit) = (value["real_time"].as_f64()?, value["time_unit"].as_str()?);
    Some(Measurement {
        name,
        aggregate: value["aggregate_name"].as_str().unwrap_or(""),
        time,
        unit,
    })
}

/// The lines below `Benchmark  Time  CPU  Iterations`.
fn of_text<'a>(document: &'a Document, rows: &mut Rows) -> Vec<Measurement<'a>> {
    let mut lines = Vec::new();
    let mut is_below = false;
    for line in document.lines() {
        if line.starts_with("Benchmark ")
            && ["Time", "CPU", "Iterations"].iter().all(|word| line.contains(word))
        {
            is_below = true;
        } else if is_below && let Some((name, _)) = line.split_once(" ERROR OCCURRED: ") {
            rows.failed(name, "");
        } else if is_below && let Some(found) = of_line(line) {
            lines.push(found);
        }
    }
    distinguish_aggregates(&mut lines);
    lines
}

/// `BM_Sum/8    2.46 ns    2.45 ns    982032 items_per_second=3.25G/s`
fn of_line(line: &str) -> Option<Measurement<'_>> {
    // Names may contain spaces: the first place where two times and a number follow.
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let fits = |of: &&[&str]| match of {
        [time, unit, cpu, unit_too, iterations] => {
            let numbers = [time, cpu].iter().all(|word| text_number(word).is_some());
            numbers && is_time(unit) && unit == unit_too && iterations.parse::<u64>().is_ok()
        }
        _ => false,
    };
    let figures = words.windows(5).find(fits)?;
    let at = figures[0].as_ptr() as usize - line.as_ptr() as usize;
    let name = line.get(..at)?.trim_end();
    Some(Measurement { name, aggregate: "", time: text_number(figures[0])?, unit: figures[1] })
}

/// A name is that of an aggregate if the others of the same case have theirs: a case can be called `sum_mean`, too.
fn distinguish_aggregates(lines: &mut [Measurement<'_>]) {
    let names: BTreeSet<&str> = lines.iter().map(|line| line.name).collect();
    let mut aggregates = Vec::new();
    for line in lines.iter() {
        let split = line.name.rsplit_once('_').filter(|(name, _)| {
            ["mean", "median", "stddev"]
                .iter()
                .all(|of| names.contains(format!("{name}_{of}").as_str()))
        });
        aggregates.push(split.filter(|(_, of)| ["mean", "median", "stddev", "cv"].contains(of)));
    }
    for (line, split) in lines.iter_mut().zip(aggregates) {
        if let Some((name, aggregate)) = split {
            (line.name, line.aggregate) = (name, aggregate);
        }
    }
}
