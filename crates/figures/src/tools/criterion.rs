//! criterion, the benchmark library of Rust: the JSON files below `target/criterion` (or `CRITERION_HOME`), and its
//! text.
//!
//! The figure of the files is the median, a time: they do not say whether the benchmark measured something else. The
//! text has the middle of `time: [low estimate high]` alone, which is the slope or the mean. Throughput, the change
//! against an earlier run and outliers are no cases.

use super::{ONE_PROGRAM, Tool, text_number};
use crate::input::Document;
use crate::rows::Rows;
use crate::selection::anchored;
use serde_json::Value;
use std::collections::BTreeMap;

pub(super) static TOOL: Tool = Tool {
    name: "criterion",
    read,
    one_case: |case| Some(anchored(case)),
    all_cases: Some("."),
    shorter_runs: Some("--warm-up-time 0.5 --measurement-time 1 --sample-size 20"),
    twice: ONE_PROGRAM,
    reads_file,
};

/// The file with the figures, and the one with the name.
const ESTIMATES: &str = "estimates.json";
const BENCHMARK: &str = "benchmark.json";

/// `new/` has the figures of the latest run; `base/` and `change/` are about an earlier one.
fn reads_file(path: &str) -> bool {
    let (directory, file) = split(path);
    [ESTIMATES, BENCHMARK].contains(&file) && (directory.is_empty() || split(directory).1 == "new")
}

fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn read(documents: &[Document], rows: &mut Rows) {
    read_files(documents, rows);
    documents.iter().for_each(|document| read_text(document, rows));
}

fn read_files(documents: &[Document], rows: &mut Rows) {
    let files = documents.iter().filter(|document| reads_file(&document.path));
    let mut names: BTreeMap<&str, &str> = BTreeMap::new();
    let mut estimates: Vec<(&str, &Value)> = Vec::new();
    for document in files {
        let (directory, file) = split(&document.path);
        let Some(value) = document.json("").first() else { continue };
        if file == ESTIMATES {
            estimates.push((directory, value));
        } else if let Some(name) = value["full_id"].as_str() {
            names.insert(directory, name);
        }
    }
    for (directory, value) in estimates {
        let Some(name) = names.get(directory) else { continue };
        let estimate = |key: &str| value[key]["point_estimate"].as_f64();
        rows.add(name, "", estimate("median").or_else(|| estimate("mean")), "ns");
    }
}

/// `name   time:   [12.5 ns 13.6 ns 14.8 ns]`; a long name is on the line above.
fn read_text(document: &Document, rows: &mut Rows) {
    let mut above = "";
    for line in document.lines() {
        let found =
            line.split_once("time:").and_then(|(name, rest)| Some((name.trim(), middle(rest)?)));
        if let Some((name, (figure, unit))) = found {
            rows.add(if name.is_empty() { above } else { name }, "", figure, unit);
        }
        if !line.starts_with(char::is_whitespace) {
            above = line;
        }
    }
}

/// The middle one of three figures: `[12.534 ns 13.668 ns 14.854 ns]`. Changes are percentages, of three words.
fn middle(text: &str) -> Option<(f64, &str)> {
    let (inside, _) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let mut words = inside.split_ascii_whitespace();
    let words = [(); 6].map(|()| words.next().unwrap_or(""));
    let [_, _, value, unit, _, last] = words;
    (!last.is_empty()).then_some((text_number(value)?, unit))
}
