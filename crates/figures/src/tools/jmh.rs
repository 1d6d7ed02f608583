//! JMH: the file of `-rf json`, and its text. The figure is the median of the iterations in the file; the text has it
//! in the mode `sample` alone, else the score, a mean. A case has its parameters and its mode in its name.
//! Results of profilers, parts of groups and other percentiles are no cases.

use super::{Tool, USUAL, params};
use crate::input::Document;
use crate::numbers::decimal;
use crate::rows::{LONGEST_NAME, Rows};
use serde_json::Value;
use std::collections::BTreeSet;

pub(super) static TOOL: Tool =
    Tool { name: "jmh", read, shorter_runs: Some("-f 1 -wi 2 -w 1 -i 3 -r 1"), ..USUAL };

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        let lists = document.json("\"primaryMetric\"").iter().filter_map(Value::as_array).flatten();
        lists.for_each(|result| read_json(result, rows));
        read_text(document, rows);
    }
}

fn read_json(result: &Value, rows: &mut Rows) {
    let metric = &result["primaryMetric"];
    let (Some(name), Some(mode)) = (result["benchmark"].as_str(), result["mode"].as_str()) else {
        return;
    };
    if !metric.is_object() {
        return;
    }
    let name = with_params(name, &params(&result["params"]));
    // Without iterations it is the text `NaN`.
    let median = metric["scorePercentiles"]["50.0"].as_f64();
    match (median.or(metric["score"].as_f64()), metric["scoreUnit"].as_str()) {
        (Some(score), Some(unit)) => rows.add(&name, mode, score, unit),
        _ => rows.without_figure(),
    }
}

fn with_params(name: &str, params: &[String]) -> String {
    if params.is_empty() { name.to_owned() } else { format!("{name} {}", params.join(" ")) }
}

/// One line of the table.
struct Line<'a> {
    name: &'a str,
    params: Vec<String>,
    mode: &'a str,
    score: Option<f64>,
    unit: &'a str,
}

/// The lines below `Benchmark  (size)  Mode  Cnt  Score  Error  Units`.
fn read_text(document: &Document, rows: &mut Rows) {
    let mut params: Option<Vec<&str>> = None;
    let mut lines = Vec::new();
    for line in document.lines() {
        if let Some(titles) = titles(line) {
            params = Some(titles);
        } else if let Some(params) = &params {
            lines.extend(of_line(line, params));
        }
    }
    let key =
        |line: &Line<'_>, name: &str| (name.to_owned(), line.params.clone(), line.mode.to_owned());
    let medians: BTreeSet<_> =
        lines.iter().filter_map(|line| Some(key(line, median(line.name)?))).collect();
    for line in &lines {
        let name = match median(line.name) {
            Some(name) => name,
            None if line.name.contains(':') || medians.contains(&key(line, line.name)) => continue,
            None => line.name,
        };
        rows.add(&with_params(name, &line.params), line.mode, line.score, line.unit);
    }
}

/// The benchmark whose median is in the line with this name: `Sums.sum:p0.50`; older versions repeat the method,
/// `Sums.sum:sum·p0.50`.
fn median(name: &str) -> Option<&str> {
    let (benchmark, label) = name.split_once(':')?;
    label.ends_with("p0.50").then_some(benchmark)
}

/// The parameters in the head of the table.
fn titles(line: &str) -> Option<Vec<&str>> {
    // Its parameters are part of the name of each case.
    if line.len() > LONGEST_NAME {
        return None;
    }
    let mut words: Vec<&str> = line.split_ascii_whitespace().collect();
    if words.first() != Some(&"Benchmark") || !words.ends_with(&["Units"]) {
        return None;
    }
    let mode = words.iter().position(|word| *word == "Mode")?;
    words.truncate(mode);
    let params = words.drain(1..).map(|word| word.strip_prefix('(')?.strip_suffix(')'));
    params.collect()
}

/// `Sums.sum   10  avgt   5  12.345 ± 0.678  ns/op`
fn of_line<'a>(line: &'a str, params: &[&str]) -> Option<Line<'a>> {
    const MODES: [&str; 4] = ["thrpt", "avgt", "sample", "ss"];
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    let mode = params.len() + 1;
    if words.len() < mode + 3 || !MODES.contains(&words[mode]) {
        return None;
    }
    let values = params.iter().zip(&words[1..mode]).filter(|(_, value)| **value != "N/A");
    let values = values.map(|(key, value)| format!("{key}={value}"));
    // The count is missing in lines of a single iteration and of percentiles, the error in others.
    let figures = &words[mode + 1..words.len() - 1];
    let before = figures.iter().position(|word| *word == "±").unwrap_or(figures.len());
    let score = figures[..before].last().and_then(|word| decimal(&word.replace(',', ".")));
    // `≈ 10⁻⁸` is too small for the decimals of the table.
    let score = score.filter(|_| !figures.contains(&"≈"));
    let (params, unit) = (values.collect(), words[words.len() - 1]);
    Some(Line { name: words[0], params, mode: words[mode], score, unit })
}
