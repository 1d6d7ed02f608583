//! mitata: its text, and the JSON of `run({ format: 'json' })`. The figure of the JSON is the median; the text has the
//! mean alone. The group is part of the name of a case. (Without `{ json: { samples: false, debug: false } }` the JSON
//! has all samples, and may be too long.)

use super::{Tool, USUAL, text_number};
use crate::input::Document;
use crate::rows::Rows;
use serde_json::Value;

pub(super) static TOOL: Tool = Tool { name: "mitata", read, ..USUAL };

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        document
            .json("\"layout\"")
            .iter()
            .filter(|value| value["layout"].is_array())
            .for_each(|value| read_json(value, rows));
        read_text(document, rows);
    }
}

fn read_json(value: &Value, rows: &mut Rows) {
    for benchmark in value["benchmarks"].as_array().into_iter().flatten() {
        let group = benchmark["group"]
            .as_u64()
            .and_then(|at| value["layout"].get(usize::try_from(at).ok()?));
        let group = group.and_then(|group| group["name"].as_str()).unwrap_or("");
        for run in benchmark["runs"].as_array().into_iter().flatten() {
            let name = run["name"].as_str().or(benchmark["alias"].as_str()).unwrap_or("");
            if !run["error"].is_null() {
                rows.failed(name, group);
                continue;
            }
            let stats = &run["stats"];
            rows.add(name, group, stats["p50"].as_f64().or(stats["avg"].as_f64()), "ns");
        }
    }
}

/// `sort   331.75 ns/iter 148.20 ns █`, below `benchmark   avg (min … max)`
fn read_text(document: &Document, rows: &mut Rows) {
    let mut is_below = false;
    let mut group = "";
    let mut above = "";
    for line in document.lines() {
        if line.starts_with("benchmark ") && line.contains("(min … max)") {
            is_below = true;
        } else if let Some(name) = line.strip_prefix("• ") {
            group = name;
        } else if line.starts_with("----") && !above.starts_with("• ") {
            // The group before has ended.
            group = "";
        } else if is_below && let Some((name, _)) = line.split_once(" error: ") {
            rows.failed(name, group);
        } else if is_below && let Some((name, figure, unit)) = of_line(line) {
            rows.add(name, group, figure, unit);
        }
        above = line;
    }
}

fn of_line(line: &str) -> Option<(&str, Option<f64>, &str)> {
    let (before, _) = line.split_once("/iter")?;
    let (before, unit) = before.rsplit_once(' ')?;
    let (name, figure) = before.trim_end().rsplit_once(' ')?;
    // Versions before 1 group thousands by apostrophes.
    Some((name.trim_end(), text_number(&figure.replace('\'', "")), unit))
}
