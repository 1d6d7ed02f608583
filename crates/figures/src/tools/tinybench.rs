//! tinybench: `console.table(bench.table())`, and its JSON. The figure is the median of the latency, else its mean.
//! Throughput is the same figure again, and a task with an error has none.

use super::{Tool, USUAL};
use crate::input::Document;
use crate::numbers::leading;
use crate::rows::Rows;
use serde_json::Value;

pub(super) static TOOL: Tool = Tool { name: "tinybench", read, ..USUAL };

/// The beginnings of the titles of the columns with the figure, in the order of preference; all versions have other
/// titles, which end with the unit: `Latency med (ns)`.
const FIGURES: [&str; 4] = ["Latency med", "Latency average", "Latency avg", "Average Time"];

/// The title of the column with the name, in which versions differ in the case of letters.
const NAME: &str = "task name";

/// The title of the column with the error of a task that failed.
const ERROR: &str = "Error";

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        for task in document
            .json("\"Task ")
            .iter()
            .filter_map(Value::as_array)
            .flatten()
            .filter_map(Value::as_object)
        {
            let text =
                |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            let cells: Vec<String> = task.values().map(text).collect();
            add(task.keys().zip(&cells), rows);
        }
        read_table(document, rows);
    }
}

/// Adds a task: the titles of its columns, and its cells.
fn add<'a>(task: impl Iterator<Item = (&'a String, &'a String)>, rows: &mut Rows) {
    let task: Vec<(&String, &String)> = task.collect();
    let Some((_, name)) = task.iter().find(|(title, _)| title.eq_ignore_ascii_case(NAME)) else {
        return;
    };
    let titled = |of: &&str| task.iter().find(|(title, _)| title.starts_with(*of));
    let figure = FIGURES.iter().find_map(titled).and_then(|(title, cell)| {
        let (_, unit) = title.strip_suffix(')')?.rsplit_once('(')?;
        Some((leading(cell)?.0, unit))
    });
    match figure {
        Some((figure, unit)) => rows.add(name, "", figure, unit),
        None if task.iter().any(|(title, cell)| *title == ERROR && !cell.is_empty()) => {
            rows.failed(name, "")
        }
        None => rows.without_figure(),
    }
}

/// Reads the table, which Node.js draws with `│`.
fn read_table(document: &Document, rows: &mut Rows) {
    let mut titles: Vec<String> = Vec::new();
    for line in document.lines().filter(|line| line.starts_with('│')) {
        let cells = cells(line);
        if cells.iter().any(|cell| cell.eq_ignore_ascii_case(NAME)) {
            titles = cells;
        } else if !titles.is_empty() {
            add(titles.iter().zip(&cells), rows);
        }
    }
}

/// The cells of a line. A text is in quotation marks, and can contain the sign between two cells.
fn cells(line: &str) -> Vec<String> {
    let mut cells = Vec::new();
    let mut rest = line.trim_start_matches('│');
    while !rest.is_empty() {
        let cell = rest.trim_start();
        let mark = cell.chars().next().filter(|c| ['\'', '"', '`'].contains(c));
        let (text, behind) = mark.map_or_else(
            || {
                cell.split_once('│').map_or((cell.trim().to_owned(), ""), |(text, _)| {
                    (text.trim().to_owned(), &cell[text.len()..])
                })
            },
            |mark| quoted(cell, mark),
        );
        cells.push(text);
        rest = behind.split_once('│').map_or("", |(_, rest)| rest);
    }
    cells
}

/// The text up to the quotation mark that ends it, or to the end of the line, and what follows.
fn quoted(cell: &str, mark: char) -> (String, &str) {
    let mut text = String::new();
    let mut chars = cell.char_indices().skip(1);
    while let Some((at, c)) = chars.next() {
        match c {
            '\\' => text.extend(chars.next().map(|(_, c)| c)),
            _ if c == mark => return (text, &cell[at + mark.len_utf8()..]),
            _ => text.push(c),
        }
    }
    (text, "")
}
