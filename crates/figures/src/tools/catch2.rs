//! Catch2: the benchmarks in the report of `-r xml`, and in its text. The figure is the mean, which is all that it
//! prints. The test case and the sections around a benchmark are part of the name of a case.

use super::{Tool, USUAL, is_time, text_number};
use crate::input::Document;
use crate::rows::Rows;

pub(super) static TOOL: Tool = Tool {
    name: "catch2",
    read,
    shorter_runs: Some("--benchmark-samples 20 --benchmark-warmup-time 20"),
    // A test case runs anew for each of its sections.
    twice: None,
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
            "failed" => {
                if let Some(name) = benchmark.take() {
                    rows.failed(&name, &around);
                }
            }
            "mean" => {
                if let Some(name) = benchmark.take() {
                    let figure = attribute(attributes, "value").as_deref().and_then(text_number);
                    rows.add(&name, &around, figure, "ns");
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
    let mut table = Table::default();
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
            let has_analysis = !line.split_ascii_whitespace().eq(NO_ANALYSIS);
            table = Table { has_analysis, ..Table::default() };
        } else if place == Place::Title {
            enter(&mut around, line.trim());
        } else if place == Place::Table {
            table.read(line, &around, rows);
        }
    }
}

/// A table of the text.
#[derive(Default)]
struct Table {
    has_analysis: bool,
    /// The parts of the name so far: a long one is on several lines.
    name: String,
    /// Whether the name has ended, and the mean follows on the next line.
    is_named: bool,
}

impl Table {
    /// Reads a line. Behind the last part of the name are samples, iterations and the estimated time, and the mean is
    /// first on the next line; without the analysis it is in the place of the estimated time.
    fn read(&mut self, line: &str, around: &str, rows: &mut Rows) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        if std::mem::take(&mut self.is_named) {
            if let [mean, unit, ..] = words.as_slice() {
                self.add(mean, unit, around, rows);
            }
            self.name.clear();
        } else if line.starts_with(' ') || line.is_empty() {
            self.name.clear();
        } else if let Some((name, _)) = line.split_once("  Benchmark failed (") {
            self.enter(name);
            rows.failed(&self.name, around);
            self.name.clear();
        } else if let [.., samples, iterations, time, unit] = words.as_slice()
            && [samples, iterations].iter().all(|word| word.parse::<u64>().is_ok())
        {
            self.enter(&line[..line.len() - tail_length(line, 4)]);
            self.is_named = self.has_analysis;
            if !self.has_analysis {
                self.add(time, unit, around, rows);
                self.name.clear();
            }
        } else {
            self.enter(line);
        }
    }

    fn enter(&mut self, part: &str) {
        self.name.push_str(if self.name.is_empty() { "" } else { " " });
        self.name.push_str(part.trim());
    }

    fn add(&self, mean: &str, unit: &str, around: &str, rows: &mut Rows) {
        rows.add(&self.name, around, text_number(mean).filter(|_| is_time(unit)), unit);
    }
}

/// The length of the last words of a line, with the spaces before them.
fn tail_length(line: &str, words: usize) -> usize {
    let mut rest = line;
    for _ in 0..words {
        rest = rest.trim_end().rsplit_once(' ').map_or("", |(before, _)| before);
    }
    line.len() - rest.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::input::Printed;

    #[test]
    fn assertions_that_fail_beside_a_benchmark_are_no_cases() {
        let table = include_str!("../../tests/data/catch2.txt");
        let end = table.find("All tests passed").expect("the end");
        let failed = "\n....\n\nc2.cc:14: FAILED:\n  CHECK( sum(3) == 4 )\nwith expansion:\n  3 == 4\n  3 ns\n";
        let text = format!("{}{failed}", &table[..end]);
        let names = |text: &str| {
            let document = Document::new(&Printed { path: "", bytes: text.as_bytes() });
            let rows = TOOL.rows(&[document], None);
            rows.cases().expect("cases").figures.into_iter().map(|of| of.case).collect::<Vec<_>>()
        };
        assert_eq!(names(&text), names(table));
    }
}
