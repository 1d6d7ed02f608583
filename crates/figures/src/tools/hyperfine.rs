//! hyperfine: the file of `--export-json`, and its text. The figure is the median; the text has the mean alone. User
//! and system time are no cases. A command that ended with an error (`--ignore-failure`) has failed: what it took says
//! nothing about its work. Beside the text that is on standard error, so it is known only if both are printed together.

use super::{Tool, USUAL, params};
use crate::input::Document;
use crate::numbers::leading;
use crate::rows::Rows;
use serde_json::Value;

pub(super) static TOOL: Tool = Tool {
    name: "hyperfine",
    read,
    shorter_runs: Some("--warmup 1 --runs 5"),
    twice: Some("give one another name with --command-name"),
    ..USUAL
};

fn read(documents: &[Document], rows: &mut Rows) {
    for document in documents {
        let files = document.json("\"results\"").iter();
        let mut results =
            files.filter_map(|value| value["results"].as_array()).flatten().peekable();
        // `--export-json -` writes the same figures behind the text.
        if results.peek().is_none() {
            read_text(document, rows);
        }
        results.for_each(|result| read_json(result, rows));
    }
}

fn read_json(result: &Value, rows: &mut Rows) {
    let Some(name) = result["command"].as_str() else { return };
    // With a name of its own, the command does not show its parameters.
    let params = params(&result["parameters"]).join(", ");
    let mut codes = result["exit_codes"].as_array().into_iter().flatten();
    // The code of a run that a signal ended is null.
    if codes.any(|code| *code != 0) {
        return rows.failed(name, &params);
    }
    rows.add(name, &params, result["median"].as_f64().or(result["mean"].as_f64()), "s");
}

/// `Benchmark 1: sleep 1`, and below it `  Time (mean ± σ):     305.1 ms ±   1.2 ms    [User: …]`
fn read_text(document: &Document, rows: &mut Rows) {
    let mut benchmark = None;
    for line in document.lines() {
        if let Some((number, command)) =
            line.strip_prefix("Benchmark ").and_then(|rest| rest.split_once(": "))
        {
            let number = number.trim_start_matches('#');
            benchmark = number.parse::<u32>().is_ok().then_some(command);
        } else if let Some((_, time)) =
            line.trim_start().strip_prefix("Time (").and_then(|rest| rest.split_once("):"))
            && let Some(name) = benchmark
        {
            match leading(time.trim_start()) {
                Some((figure, rest)) => {
                    let unit = rest.split_ascii_whitespace().next().unwrap_or("");
                    rows.add(name, "", figure, unit);
                }
                None => rows.without_figure(),
            }
        } else if line.contains("Ignoring non-zero exit code")
            && let Some(name) = benchmark
        {
            rows.failed(name, "");
        }
    }
}
