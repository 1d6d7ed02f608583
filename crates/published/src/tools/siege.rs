//! siege: its list, and its JSON.

use super::{Facts, Field, Lines, Section, Tool, USUAL, field, first};
use crate::json::Leaf;
use crate::key::{Figures, Key};
use crate::numbers::{Number, bytes, number};

pub(super) static TOOL: Tool = Tool {
    name: "siege",
    prints: &[Key::Duration, Key::Operations, Key::Rate, Key::Failed, Key::Mean, Key::Max],
    // Unless -b is given, each user pauses between two requests.
    keeps_sending: false,
    owns,
    settle,
    line,
    document: Some(document),
    ..USUAL
};

const FIELDS: &[Field] = &[
    ("Transactions", Key::Operations, first),
    ("Elapsed time", Key::Duration, first),
    ("Response time", Key::Mean, time),
    ("Transaction rate", Key::Rate, first),
    ("Failed transactions", Key::Failed, first),
    ("Longest transaction", Key::Max, time),
    ("Shortest transaction", Key::Min, time),
];

fn owns(line: &str) -> bool {
    let line = line.trim_end();
    line.starts_with("Transactions:") && line.ends_with(" hits")
        || line.starts_with("Transaction rate:") && line.ends_with(" trans/sec")
        || is_version(line)
        || without_stars(line).starts_with("Preparing ")
            && line.ends_with(" concurrent users for battle.")
}

fn without_stars(line: &str) -> &str {
    line.trim_start_matches(['*', ' '])
}

/// `** SIEGE 4.1.6`; Markdown may have taken the stars for emphasis.
fn is_version(line: &str) -> bool {
    let version = without_stars(line).strip_prefix("SIEGE ");
    version.is_some_and(|version| {
        version.starts_with(|c: char| c.is_ascii_digit()) && !version.contains(' ')
    })
}

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    let line = without_stars(line);
    if is_version(line) {
        facts.begins();
    } else if let Some(rest) = line.strip_prefix("Preparing ") {
        facts.figure(Key::Connections, first(rest));
    } else {
        field(line, FIELDS, facts);
        if let Some(size) = line.strip_prefix("Data transferred:")
            && let zero @ Number::Clear(0.0) = bytes(size)
        {
            facts.figure(Key::BodyBytes, zero);
        }
    }
}

/// Few short replies also round to 0.00 MB.
fn settle(figures: &mut Figures) {
    let operations = figures.get(&Key::Operations).map_or(0.0, |at| at.value);
    if operations < SMALLEST_SIZE {
        figures.remove(&Key::BodyBytes);
    }
}

/// The smallest size that siege does not print as 0.00 MB, in bytes.
const SMALLEST_SIZE: f64 = 0.01 * 1024.0 * 1024.0;

/// Seconds, or milliseconds since version 4.1.6.
fn time(text: &str) -> Number {
    if text.ends_with(" ms") { first(text).milliseconds() } else { first(text) }
}

fn document(leaves: &[Leaf], lines: &mut Lines) {
    let has = |path: &str| leaves.iter().any(|leaf| leaf.path == path);
    if !has("transaction_rate") || !has("availability") {
        return;
    }
    for leaf in leaves {
        if leaf.path == "data_transferred" && number(&leaf.text) == Number::Clear(0.0) {
            lines.figure(Key::BodyBytes, leaf, 1.0);
        }
        let named =
            |(label, _, _): &&Field| label.to_ascii_lowercase().replace(' ', "_") == leaf.path;
        if let (Some((_, key, _)), Number::Clear(_)) =
            (FIELDS.iter().find(named), number(&leaf.text))
        {
            lines.figure(*key, leaf, 1.0);
        }
    }
}
