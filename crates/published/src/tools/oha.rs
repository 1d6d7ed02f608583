//! oha: its summary, and its JSON.

use super::{Facts, Lines, Section, Tool, hey, pair, percentile};
use crate::json::Leaf;
use crate::key::Key;
use crate::numbers::bytes;

pub(super) static TOOL: Tool =
    Tool { name: "oha", owns, settle: |_| {}, line, document: Some(document), ..hey::TOOL };

fn owns(line: &str) -> bool {
    pair(line).is_some_and(|(label, value)| {
        label == "Success rate" && (value.ends_with('%') || value.contains('.'))
    })
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    // Values without any reply: `NaN ns`, `-inf ns`.
    if !line.contains("NaN") && !line.contains("inf ns") {
        let oha = hey::Summary { begins: "Success rate", error: broken_off, size: bytes };
        hey::summary(line, section, facts, &oha);
    }
}

/// The key under which an error of oha is counted.
fn broken_off(error: &str) -> Key {
    if error.contains("aborted due to deadline") { Key::Aborted } else { Key::Errors }
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
            lines.figure(name.strip_prefix('p').and_then(percentile), leaf, 1.0);
        }
        "statusCodeDistribution" => {
            lines.figure(name.parse().ok().map(Key::Status), leaf, 1.0);
        }
        "errorDistribution" => lines.adds(broken_off(name), leaf),
        _ => {}
    }
}
