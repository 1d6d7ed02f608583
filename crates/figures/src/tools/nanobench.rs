//! nanobench: its table in Markdown, and its JSON. The figure is the median of the time for one unit of work, with the
//! unit of the benchmark (`ns/op`, `ns/byte`). The title is part of the name of a case, unless it is that of benchmarks
//! without one. Instructions, branches and the total are no cases.

use super::{Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;
use serde_json::Value;

pub(super) static TOOL: Tool = Tool { name: "nanobench", read, ..USUAL };

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        let results = document
            .json("\"median(elapsed)\"")
            .iter()
            .filter_map(|value| value["results"].as_array());
        results.flatten().for_each(|result| read_json(result, rows));
        read_tables(document, rows);
    }
}

fn read_json(result: &Value, rows: &mut Rows) {
    let Some(name) = result["name"].as_str().filter(|_| result["median(elapsed)"].is_number())
    else {
        return;
    };
    let batch = result["batch"].as_f64().unwrap_or(1.0);
    let unit = result["unit"].as_str().unwrap_or("op");
    let seconds = result["median(elapsed)"].as_f64().map(|seconds| seconds / batch);
    let title = result["title"].as_str().unwrap_or("");
    rows.add(name, qualifier(title), seconds, &format!("s/{unit}"));
}

/// The title, unless it is the usual one.
fn qualifier(title: &str) -> &str {
    if title == "benchmark" { "" } else { title }
}

/// Where the figure is in a table.
struct Table<'a> {
    title: &'a str,
    unit: &'a str,
    /// The column of the figure.
    figure: usize,
    /// The last column.
    name: usize,
}

/// `|   2.46 |   406,504,065.04 |  0.9% |  0.01 | `sum``, below `| ns/op | op/s | err% | total | benchmark`
fn read_tables(document: &Document, rows: &mut Rows) {
    let mut table: Option<Table<'_>> = None;
    for line in document.lines().filter(|line| line.starts_with('|')) {
        if line.contains("err%") {
            table = head(line);
        } else if let Some(table) = &table {
            // A name can contain the sign between two columns.
            let cells: Vec<&str> = line.splitn(table.name + 1, '|').map(str::trim).collect();
            let (Some(figure), Some(name)) =
                (cells.get(table.figure), cells.get(table.name).and_then(name))
            else {
                continue;
            };
            rows.add(&name, qualifier(table.title), text_number(figure), table.unit);
        }
    }
}

/// The column of the time is the one before that of the rate.
fn head(line: &str) -> Option<Table<'_>> {
    let cells: Vec<&str> = line.split('|').map(str::trim).collect();
    let rate = cells.iter().position(|cell| cell.ends_with("/s"))?;
    let figure = rate.checked_sub(1)?;
    Some(Table { title: cells.last()?, unit: cells.get(figure)?, figure, name: cells.len() - 1 })
}

/// The name in `` `sum` ``, or in `` :wavy_dash: `sum` (Unstable with ~5.0 iters. …)``. A backtick in it is doubled.
fn name(cell: &&str) -> Option<String> {
    let cell = cell.rsplit_once(" (Unstable with ").map_or(*cell, |(before, _)| before);
    let (_, name) = cell.strip_suffix('`')?.split_once('`')?;
    Some(name.replace("``", "`"))
}
