//! JMeter without a window: the summary in its log.

use super::{Facts, Section, Tool, USUAL, first};
use crate::key::{Fact, Key};
use crate::numbers::{Number, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "JMeter",
    prints: &[Key::Duration, Key::Operations, Key::Rate, Key::Errors, Key::Mean, Key::Max],
    clock: 1.0,
    keeps_sending: false,
    in_flight: None,
    owns,
    line,
    ..USUAL
};

/// The text behind `summary =`: all samples so far. Those behind `summary +` are of an interval.
fn total(line: &str) -> Option<&str> {
    behind(line, " = ").filter(|rest| rest.contains(" Err:"))
}

/// The text behind a name of the listener and a mark.
fn behind<'a>(line: &'a str, mark: &str) -> Option<&'a str> {
    let rest = NAMES.iter().find_map(|name| {
        let (_, rest) = line.split_once(name)?;
        rest.strip_prefix(mark)
    })?;
    rest.contains("/s Avg:").then(|| rest.trim())
}

/// The first one is that of the command line, the other one that of the listener in a plan.
const NAMES: &[&str] = &["summary", "Generate Summary Results"];

fn owns(line: &str) -> bool {
    total(line).is_some() || starts(line)
}

/// `Creating summariser <summary>`, `Starting standalone test @ …`: lines at the beginning of a run.
fn starts(line: &str) -> bool {
    line.starts_with("Creating summariser <")
        || line.starts_with("Starting ") && line.contains(" test @ ")
}

/// The section behind such a line.
const STARTED: &str = "started";

/// The text behind `summary +`.
fn interval(line: &str) -> Option<&str> {
    behind(line, " + ")
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if starts(line) {
        if section != STARTED {
            facts.begins();
        }
        *section = STARTED.to_owned();
        return;
    }
    let counted = section.parse().unwrap_or(0.0);
    if let Some(Number::Clear(more)) = interval(line).map(first) {
        *section = (counted + more).to_string();
    }
    let Some(total) = total(line) else { return };
    // The intervals since the previous total make up the whole of this one.
    if counted > 0.0 && first(total) == Number::Clear(counted) {
        facts.begins();
    }
    section.clear();
    facts.0.push(Fact::Restarts);
    facts.figure(Key::Operations, first(total));
    let words: Vec<&str> = total.split_whitespace().collect();
    for pair in words.windows(2) {
        match pair {
            ["in", duration] => facts.figure(Key::Duration, clock(duration)),
            ["=", rate] => facts.figure(Key::Rate, number(rate.trim_end_matches("/s"))),
            ["Avg:", time] => facts.figure(Key::Mean, number(time).milliseconds()),
            ["Min:", time] => facts.figure(Key::Min, number(time).milliseconds()),
            ["Max:", time] => facts.figure(Key::Max, number(time).milliseconds()),
            ["Err:", count] => facts.figure(Key::Errors, number(count)),
            _ => {}
        }
    }
}

/// `00:01:30`, or `90s` before version 2.13.
fn clock(text: &str) -> Number {
    let parts: Option<Vec<f64>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts.as_deref() {
        Some([hours, minutes, rest]) => Number::Clear(hours * 3600.0 + minutes * 60.0 + rest),
        _ => seconds(text),
    }
}
