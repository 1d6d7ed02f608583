//! Catch2: the benchmarks in the report of `-r xml`, and in its text. The figure is the mean, which is all that it
//! prints. The test case and the sections around a benchmark distinguish benchmarks of one name.

use super::{Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;

pub(super) static TOOL: Tool = Tool {
    name: "catch2",
    read,
    shorter_runs: Some("--benchmark-samples 20 --benchmark-warmup-time 20"),
    ..USUAL
};

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        read_xml(document, rows);
        read_text(document, rows);
    }
}

/// `<TestCase name="…"><Section name="…"><BenchmarkResults name="…"><mean value="41.2" …/>`
fn read_xml(document: &Document, rows: &mut Rows) {
    if !document.text().contains("<BenchmarkResults ") {
        return;
    }
    let mut around = String::new();
    // The length of `around` outside of each open element.
    let mut outside: Vec<usize> = Vec::new();
    let mut benchmark: Option<String> = None;
    // The sign `>` may be in an attribute, and `<` is not.
    for tag in document.text().split('<').skip(1) {
        let end = tag.find(|c: char| c.is_whitespace() || c == '>').unwrap_or(tag.len());
        let (element, attributes) = tag.split_at(end);
        match element {
            "TestCase" | "Section" => {
                outside.push(around.len());
                enter(&mut around, &attribute(attributes, "name").unwrap_or_default());
            }
            "/TestCase" | "/Section" => around.truncate(outside.pop().unwrap_or(0)),
            "BenchmarkResults" => benchmark = attribute(attributes, "name"),
            "mean" | "failed" => {
                if let Some(name) = benchmark.take() {
                    match attribute(attributes, "value").as_deref().and_then(text_number) {
                        Some(figure) => rows.add(&name, &around, figure, "ns"),
                        None => rows.without_figure(),
                    }
                }
            }
            _ => {}
        }
    }
}

/// Adds the name of a test case or a section to those around it.
fn enter(around: &mut String, name: &str) {
    around.push_str(if around.is_empty() { "" } else { " / " });
    around.push_str(name);
}

/// The value of an attribute. Values have no quotation marks of their own.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let mut rest = attributes;
    while let Some((key, behind)) = rest.split_once("=\"") {
        let (value, behind) = behind.split_once('"')?;
        if key.trim() == name {
            return Some(text::entities::decoded(value));
        }
        rest = behind;
    }
    None
}

/// Where a line of the text is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Outside,
    /// In the names of the test case and its sections, between two lines of dashes.
    Title,
    /// In the head of a table.
    Head,
    Table,
}

/// The titles of the columns, of which `--benchmark-no-analysis` has other ones.
const NO_ANALYSIS: [&str; 5] = ["benchmark", "name", "samples", "iterations", "mean"];

fn read_text(document: &Document, rows: &mut Rows) {
    let mut place = Place::Outside;
    let mut around = String::new();
    let mut has_analysis = false;
    let mut name = String::new();
    for line in document.lines() {
        if line.len() > 40 && line.bytes().all(|byte| byte == b'-') {
            place = match place {
                Place::Title => Place::Outside,
                Place::Head => Place::Table,
                Place::Outside | Place::Table => Place::Title,
            };
            if place == Place::Title {
                around.clear();
            }
        } else if line.starts_with("benchmark name ") {
            place = Place::Head;
            has_analysis = !line.split_ascii_whitespace().eq(NO_ANALYSIS);
            name.clear();
        } else if place == Place::Title {
            enter(&mut around, line.trim());
        } else if place == Place::Table {
            read_row(line, has_analysis, &mut name, &around, rows);
        }
    }
}

/// Reads a line of a table. A long name is on several lines; behind its last part are samples, iterations and the
/// estimated time, and the mean is on the next line.
fn read_row(line: &str, has_analysis: bool, name: &mut String, around: &str, rows: &mut Rows) {
    let words: Vec<&str> = line.split_ascii_whitespace().collect();
    if line.starts_with(' ') || line.is_empty() {
        if let ([mean, unit, ..], false) = (&words[..], name.is_empty()) {
            add(name, around, mean, unit, rows);
        }
        return;
    }
    let (part, behind) = match words.as_slice() {
        [.., samples, iterations, time, unit]
            if [samples, iterations].iter().all(|of| of.parse::<u64>().is_ok()) =>
        {
            let end = line.len() - tail_length(line, 4);
            (&line[..end], Some((time, unit)))
        }
        _ => (line.split("  ").next().unwrap_or(line), None),
    };
    if line.contains("  Benchmark failed (") {
        rows.without_figure();
        name.clear();
        return;
    }
    name.push_str(if name.is_empty() { "" } else { " " });
    name.push_str(part.trim());
    if let Some((mean, unit)) = behind.filter(|_| !has_analysis) {
        add(name, around, mean, unit, rows);
    }
}

fn add(name: &mut String, around: &str, mean: &str, unit: &str, rows: &mut Rows) {
    match text_number(mean) {
        Some(figure) => rows.add(name, around, figure, unit),
        None => rows.without_figure(),
    }
    name.clear();
}

/// The length of the last words of a line, with the spaces before them.
fn tail_length(line: &str, words: usize) -> usize {
    let mut rest = line;
    for _ in 0..words {
        rest = rest.trim_end().rsplit_once(' ').map_or("", |(before, _)| before);
    }
    line.len() - rest.len()
}
