//! oha: its summary, and its JSON.

use super::{Facts, Lines, Section, Tool, ToolKind, pair, percentile};
use crate::json::Leaf;
use crate::key::Key;
use crate::numbers::{bytes, followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "oha",
    kind: ToolKind::Http,
    prints: &[Key::Duration, Key::Operations, Key::Rate, Key::Mean, Key::Max, Key::Percentile(0)],
    closed: true,
    clock: 0.0001,
    owns,
    line,
    document: Some(document),
};

fn owns(line: &str) -> bool {
    pair(line).is_some_and(|(label, value)| label == "Success rate" && value.ends_with('%'))
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    // Values without any reply: `NaN ns`, `-inf ns`.
    if line.contains("NaN") || line.contains("inf ns") {
        return;
    }
    if let Some((percent, value)) = line.split_once("% in ") {
        if let Some(key) = percentile(percent) {
            facts.figure(key, seconds(value));
        }
    } else if let Some(rest) = line.strip_prefix('[')
        && let Some((count, what)) = rest.split_once(']')
    {
        match section.as_str() {
            "status" => {
                if let Ok(code) = count.parse() {
                    facts.figure(Key::Status(code), followed_by(what, "responses"));
                }
            }
            "errors" => facts.adds(broken_off(what), number(count)),
            _ => {}
        }
    } else if let Some((label, value)) = pair(line) {
        labelled(label, value, section, facts);
    }
}

/// The key under which an error of oha is counted.
fn broken_off(error: &str) -> Key {
    if error.contains("aborted due to deadline") { Key::Aborted } else { Key::Errors }
}

fn labelled(label: &str, value: &str, section: &mut Section, facts: &mut Facts) {
    match label {
        "Success rate" => {
            section.clear();
            facts.begins();
        }
        "Status code distribution" => *section = "status".to_owned(),
        "Error distribution" => *section = "errors".to_owned(),
        "Total" => facts.figure(Key::Duration, seconds(value)),
        "Slowest" => facts.figure(Key::Max, seconds(value)),
        "Fastest" => facts.figure(Key::Min, seconds(value)),
        "Average" => facts.figure(Key::Mean, seconds(value)),
        "Requests/sec" => facts.figure(Key::Rate, number(value)),
        "Total data" => facts.figure(Key::BodyBytes, bytes(value)),
        "Size/request" => facts.figure(Key::ReplyBytes, bytes(value)),
        "DNS+dialup" => {
            facts.figure(Key::ConnectMean, seconds(value.split(", ").next().unwrap_or("")));
        }
        _ => {}
    }
}

fn document(leaves: &[Leaf], lines: &mut Lines) {
    if !leaves.iter().any(|leaf| leaf.path == "summary/requestsPerSec") {
        return;
    }
    for leaf in leaves.iter().filter(|leaf| leaf.text != "null") {
        let key = match leaf.path.as_str() {
            "summary/total" => Key::Duration,
            "summary/slowest" => Key::Max,
            "summary/fastest" => Key::Min,
            "summary/average" => Key::Mean,
            "summary/requestsPerSec" => Key::Rate,
            "summary/totalData" => Key::BodyBytes,
            "summary/sizePerRequest" => Key::ReplyBytes,
            "details/DNSDialup/average" => Key::ConnectMean,
            path => {
                by_directory(path, leaf, lines);
                continue;
            }
        };
        lines.figure(key, leaf, 1.0);
    }
}

fn by_directory(path: &str, leaf: &Leaf, lines: &mut Lines) {
    let Some((directory, name)) = path.split_once('/') else { return };
    match directory {
        "latencyPercentiles" => {
            if let Some(key) = name.strip_prefix('p').and_then(percentile) {
                lines.figure(key, leaf, 1.0);
            }
        }
        "statusCodeDistribution" => {
            if let Ok(code) = name.parse() {
                lines.figure(Key::Status(code), leaf, 1.0);
            }
        }
        "errorDistribution" => lines.adds(broken_off(name), leaf),
        _ => {}
    }
}
