//! hey.

use super::{Facts, Section, Tool, USUAL, pair, percentile, starts};
use crate::key::{At, Figures, Key};
use crate::numbers::{Number, followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "hey",
    prints: &[Key::Duration, Key::Operations, Key::Rate, Key::Mean, Key::Max, Key::Percentile(0)],
    clock: 0.0001,
    silent: true,
    shows_statuses: true,
    owns,
    settle,
    line,
    ..USUAL
};

/// How many replies hey keeps.
const KEPT: f64 = 1e6;

/// hey stops to keep statuses and times at a million replies, and then divides the sum of all times
/// and sizes by a million.
fn settle(figures: &mut Figures) {
    let (Some(rate), Some(duration)) = (figures.get(&Key::Rate), figures.get(&Key::Duration))
    else {
        return;
    };
    let (all, line) = ((rate.value * duration.value).round(), rate.line);
    let replies = figures.iter().filter(|(key, _)| matches!(key, Key::Status(_)));
    let kept: f64 = replies.map(|(_, at)| at.value).sum();
    if kept >= KEPT && all > KEPT {
        figures.insert(Key::Operations, At { value: all, line });
        figures.insert(Key::Samples, At { value: KEPT, line });
        figures.remove(&Key::Mean);
        figures.remove(&Key::ReplyBytes);
    }
}

/// oha prints the same labels with other units.
fn owns(line: &str) -> bool {
    pair(line).is_some_and(|(label, value)| {
        let in_seconds = value.ends_with(" secs") && !value.contains(',');
        in_seconds && starts(label, &["Total", "Slowest", "Fastest", "Average"])
    })
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if !line.contains("NaN") {
        let size = |value: &str| followed_by(value, "bytes");
        summary(line, section, facts, &Summary { begins: "Total", error: |_| Key::Errors, size });
    }
}

/// In what the summaries of hey and oha differ.
pub(super) struct Summary {
    /// The label of the first line.
    pub(super) begins: &'static str,
    /// The key under which an error is counted.
    pub(super) error: fn(&str) -> Key,
    /// How sizes are written.
    pub(super) size: fn(&str) -> Number,
}

/// A line of either summary.
pub(super) fn summary(line: &str, section: &mut Section, facts: &mut Facts, of: &Summary) {
    if let Some((percent, value)) = line.split_once("% in ") {
        facts.figure(percentile(percent), seconds(value));
    } else if let Some(rest) = line.strip_prefix('[')
        && let Some((count, what)) = rest.split_once(']')
    {
        match section.as_str() {
            "status" => {
                facts.figure(count.parse().ok().map(Key::Status), followed_by(what, "responses"));
            }
            "errors" => facts.adds((of.error)(what), number(count)),
            _ => {}
        }
    } else if let Some((label, value)) = pair(line) {
        if label == of.begins {
            section.clear();
            facts.begins();
        }
        labelled(label, value, section, facts, of.size);
    }
}

fn labelled(
    label: &str,
    value: &str,
    section: &mut Section,
    facts: &mut Facts,
    size: fn(&str) -> Number,
) {
    match label {
        "Status code distribution" => *section = "status".to_owned(),
        "Error distribution" => *section = "errors".to_owned(),
        "Total" => facts.figure(Key::Duration, seconds(value)),
        "Slowest" => facts.figure(Key::Max, seconds(value)),
        "Fastest" => facts.figure(Key::Min, seconds(value)),
        "Average" => facts.figure(Key::Mean, seconds(value)),
        "Requests/sec" => facts.figure(Key::Rate, number(value)),
        "Total data" => facts.figure(Key::BodyBytes, size(value)),
        "Size/request" => facts.figure(Key::ReplyBytes, size(value)),
        "DNS+dialup" => {
            facts.figure(Key::ConnectMean, seconds(value.split(", ").next().unwrap_or("")));
        }
        _ => {}
    }
}
