//! hyperfine, which runs programs.

use super::{Facts, Section, Tool, ToolKind, USUAL};
use crate::key::{Fact, Key, Label};
use crate::numbers::{Number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "hyperfine",
    kind: ToolKind::Program,
    prints: &[Key::Operations, Key::Mean, Key::Min, Key::Max],
    // A single run has no range.
    older: &[Key::Mean],
    clock: 0.0,
    silent: true,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    command(line).is_some() || line.starts_with("Time (mean ± ") || line.starts_with(SINGLE)
}

/// The beginning of the time of a single run.
const SINGLE: &str = "Time (abs ≡)";

/// `Benchmark 1: sleep 1`, `Benchmark #1: sleep 1`
fn command(line: &str) -> Option<&str> {
    let (number, command) = line.strip_prefix("Benchmark ")?.split_once(": ")?;
    let number = number.trim_start_matches('#');
    // Its bar of progress may be left behind the command.
    let command = command.split("     ").next()?.trim_end();
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(command)
}

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    if let Some(command) = command(line) {
        facts.begins();
        facts.text(Label::Target, command);
    } else if let Some((_, value)) = line.split_once("):").filter(|_| line.starts_with("Time (")) {
        facts.figure(Key::Mean, time(value));
        if line.starts_with(SINGLE) {
            facts.0.push(Fact::Older);
            facts.figure(Key::Operations, Number::Clear(1.0));
        }
    } else if let Some((_, value)) = line.split_once("):").filter(|_| line.starts_with("Range (")) {
        let (min, rest) = value.split_once('…').unwrap_or((value, ""));
        facts.figure(Key::Min, time(min));
        facts.figure(Key::Max, time(rest));
        // An author may put the number of runs in parentheses.
        let mut words = rest.split([' ', '(', ')']).filter(|word| !word.is_empty()).rev();
        if words.next().is_some_and(|word| ["runs", "run"].contains(&word)) {
            facts.figure(Key::Operations, super::first(words.next().unwrap_or("")));
        }
    } else if line.contains("Ignoring non-zero exit code") {
        facts.figure(Key::Errors, Number::Clear(1.0));
    }
}

/// The first two words: `305.1 ms ±   1.2 ms`
fn time(text: &str) -> Number {
    let mut words = text.split_whitespace();
    seconds(&format!("{} {}", words.next().unwrap_or(""), words.next().unwrap_or("")))
}
