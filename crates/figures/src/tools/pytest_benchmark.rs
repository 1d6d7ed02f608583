//! pytest-benchmark: the file of `--benchmark-json`, and its table. The figure is the median, else the mean. A case is
//! named by its node id in the file, and as printed in the table. Rows of saved runs are no cases.

use super::{Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;

pub(super) static TOOL: Tool = Tool {
    name: "pytest-benchmark",
    read,
    // A name of the table that is no node id selects nothing.
    one_case: |case| case.contains("::").then(|| case.to_owned()),
    all_cases: Some("."),
    shorter_runs: Some("--benchmark-max-time=0.1 --benchmark-min-rounds=3"),
    twice: Some("add --benchmark-name=long, or use --benchmark-json"),
    ..USUAL
};

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        read_json(document, rows);
        read_tables(document, rows);
    }
}

fn read_json(document: &Document, rows: &mut Rows) {
    let files =
        document.json("\"machine_info\"").iter().filter(|value| value["machine_info"].is_object());
    for case in files.filter_map(|file| file["benchmarks"].as_array()).flatten() {
        let stats = &case["stats"];
        match (case["fullname"].as_str(), stats["median"].as_f64().or(stats["mean"].as_f64())) {
            (Some(name), Some(seconds)) => rows.add(name, "", seconds, "s"),
            _ => rows.without_figure(),
        }
    }
}

/// One table.
struct Table<'a> {
    unit: &'a str,
    /// The titles of the columns behind the name.
    columns: Vec<&'a str>,
    /// Names and figures.
    lines: Vec<(&'a str, f64)>,
}

/// The end of the names of this run's rows, if the table compares it with saved ones.
const NOW: &str = " (NOW)";

fn read_tables(document: &Document, rows: &mut Rows) {
    let mut table: Option<Table<'_>> = None;
    for line in document.lines() {
        if let Some((unit, titles)) =
            line.strip_prefix("Name (time in ").and_then(|rest| rest.split_once(')'))
        {
            let columns = titles.split_ascii_whitespace().filter(|word| !word.starts_with('('));
            table = Some(Table { unit, columns: columns.collect(), lines: Vec::new() });
        } else if line.is_empty() {
            close(table.take(), rows);
        } else if let Some(table) = &mut table
            && let Some(found) = row(line, &table.columns)
        {
            table.lines.push(found);
        }
    }
    close(table, rows);
}

/// A row's name and its figure. Names contain spaces, and the columns do not, so it is read from its end.
fn row<'a>(line: &'a str, columns: &[&str]) -> Option<(&'a str, f64)> {
    let mut rest = line;
    let mut median = None;
    let mut mean = None;
    for column in columns.iter().rev() {
        let mut word = last_word(&mut rest)?;
        if word.starts_with('(') {
            word = last_word(&mut rest)?;
        }
        match *column {
            "Median" => median = text_number(word),
            "Mean" => mean = text_number(word),
            _ => {}
        }
    }
    Some((rest.trim_end(), median.or(mean)?))
}

fn last_word<'a>(rest: &mut &'a str) -> Option<&'a str> {
    let (before, word) = rest.trim_end().rsplit_once(char::is_whitespace)?;
    *rest = before;
    Some(word)
}

fn close(table: Option<Table<'_>>, rows: &mut Rows) {
    let Some(Table { unit, mut lines, .. }) = table else { return };
    if lines.iter().any(|(name, _)| name.ends_with(NOW)) {
        lines.retain(|(name, _)| name.ends_with(NOW));
    }
    for (name, figure) in lines {
        rows.add(name.strip_suffix(NOW).unwrap_or(name), "", figure, unit);
    }
}
