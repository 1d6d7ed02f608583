//! bombardier.

use super::{Facts, Section, Tool, USUAL, percentile, status_class};
use crate::key::{Key, Label};
use crate::numbers::{number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "bombardier",
    prints: &[Key::Operations, Key::Rate, Key::Connections, Key::Mean, Key::Max],
    clock: 0.0,
    shows_statuses: true,
    samples_rate: true,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    line.starts_with("Bombarding ")
        || line.split_whitespace().eq(["Statistics", "Avg", "Stdev", "Max"])
        || line.strip_prefix("Reqs/sec ").is_some_and(|row| row.split_whitespace().count() == 3)
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if let Some(rest) = line.strip_prefix("Bombarding ") {
        section.clear();
        facts.begins();
        return request(rest, facts);
    }
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["Statistics", ..] => section.clear(),
        ["Latency", "Distribution", "(Total)"] => *section = "Latency Distribution".to_owned(),
        ["Latency", "Distribution", ..] | ["HTTP", "codes:"] | ["Errors:"] => {
            *section = line.to_owned();
        }
        ["Reqs/sec", rate, ..] => facts.figure(Key::Rate, number(rate)),
        ["Latency", mean, _, max] => {
            facts.figure(Key::Mean, seconds(mean));
            facts.figure(Key::Max, seconds(max));
        }
        [percent, value] if section == "Latency Distribution" => {
            facts.figure(percent.strip_suffix('%').and_then(percentile), seconds(value));
        }
        // Requests without a reply; the errors below are the same ones by their kind.
        ["others", "-", count] => facts.figure(Key::Errors, number(count)),
        ["1xx", ..] => statuses(line, facts),
        _ => {}
    }
}

/// `http://127.0.0.1:8080/ for 10s using 125 connection(s)`
fn request(text: &str, facts: &mut Facts) {
    let words: Vec<&str> = text.split_whitespace().collect();
    facts.text(Label::Target, words.first().unwrap_or(&""));
    for pair in words.windows(2) {
        match pair {
            ["for", duration] => facts.figure(Key::AskedDuration, seconds(duration)),
            ["using", count] => facts.figure(Key::Connections, number(count)),
            _ => {}
        }
    }
}

/// `1xx - 0, 2xx - 999, 3xx - 0, 4xx - 0, 5xx - 0`
fn statuses(line: &str, facts: &mut Facts) {
    for (class, count) in line.split(", ").filter_map(|part| part.split_once(" - ")) {
        facts.figure(status_class(class), number(count));
    }
}
