//! hyperfine: the file of `--export-json`, and its text. The figure is the median; the text has the mean alone. User
//! and system time are no cases.

use super::{Tool, USUAL};
use crate::input::Document;
use crate::numbers::leading;
use crate::rows::Rows;
use serde_json::Value;

pub(super) static TOOL: Tool =
    Tool { name: "hyperfine", read, shorter_runs: Some("--warmup 1 --runs 5"), ..USUAL };

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        let files = document.json.iter().filter_map(|value| value["results"].as_array());
        files.flatten().for_each(|result| read_json(result, rows));
        read_text(document, rows);
    }
}

fn read_json(result: &Value, rows: &mut Rows) {
    let Some(name) = result["command"].as_str() else { return };
    // With a name of its own, the command does not show its parameters.
    let params = result["parameters"].as_object().into_iter().flatten();
    let params = params.map(|(key, value)| format!("{key}={}", value.as_str().unwrap_or("")));
    match result["median"].as_f64().or(result["mean"].as_f64()) {
        Some(seconds) => rows.add(name, &params.collect::<Vec<String>>().join(", "), seconds, "s"),
        None => rows.without_figure(),
    }
}

/// `Benchmark 1: sleep 1`, and below it `  Time (mean ± σ):     305.1 ms ±   1.2 ms    [User: …]`
fn read_text(document: &Document, rows: &mut Rows) {
    let mut benchmark = None;
    for line in document.lines() {
        if let Some((number, command)) =
            line.strip_prefix("Benchmark ").and_then(|rest| rest.split_once(": "))
        {
            let number = number.trim_start_matches('#');
            benchmark = number.parse::<u32>().is_ok().then_some((number, command));
        } else if let Some((_, time)) =
            line.trim_start().strip_prefix("Time (").and_then(|rest| rest.split_once("):"))
            && let Some((number, name)) = benchmark.take()
        {
            // Two benchmarks with one name are distinguished by their numbers.
            match leading(time.trim_start()) {
                Some((figure, rest)) => {
                    rows.add(
                        name,
                        number,
                        figure,
                        rest.split_ascii_whitespace().next().unwrap_or(""),
                    );
                }
                None => rows.without_figure(),
            }
        }
    }
}
