//! The command line of a tool, pasted above its output: it contains what the output does not.

use super::{Facts, TOOLS, Tool};
use crate::key::{Key, Label};
use crate::numbers::number;

/// Returns the tool that a line calls, and what the line says about the run, or None if the line is
/// not a command.
pub(crate) fn named(line: &str) -> Option<(&'static Tool, Facts)> {
    let prompt = line.trim_start_matches(['$', '#', '%', '>', ' ']);
    let words: Vec<&str> = prompt.split_whitespace().collect();
    let program = words.first()?.rsplit('/').next()?;
    let tool = *TOOLS.iter().find(|tool| tool.name == program || short(tool.name) == program)?;
    let marked = line.len() > prompt.len();
    let has_flag = words.iter().skip(1).any(|word| word.starts_with('-'));
    (marked || has_flag).then(|| (tool, facts(tool, &words, prompt)))
}

/// A short name of memtier_benchmark.
fn short(name: &str) -> &str {
    if name == "memtier_benchmark" { "memtier" } else { name }
}

fn facts(tool: &Tool, words: &[&str], line: &str) -> Facts {
    let mut facts = Facts::default();
    facts.text(Label::Command, line);
    if let Some(url) = words.iter().find(|word| word.contains("://")) {
        facts.text(Label::Target, url.trim_matches(['"', '\'']));
    }
    let flags: &[&str] = match tool.name {
        "hey" | "oha" => &["-q"],
        "h2load" => &["--rps"],
        "wrk2" => &["-R", "--rate"],
        _ => &[],
    };
    if let Some(rate) = flags.iter().find_map(|flag| value(words, flag)) {
        facts.figure(Key::AskedRate, number(rate));
    }
    if tool.name == "redis-benchmark"
        && let Some(keys) = value(words, "-r")
    {
        facts.figure(Key::Keys, number(keys));
    }
    facts
}

/// The value of a flag: `-q 100`, `-q100`, `--rps=100`.
fn value<'a>(words: &[&'a str], flag: &str) -> Option<&'a str> {
    words.iter().enumerate().find_map(|(at, word)| {
        let rest = word.strip_prefix(flag)?;
        match rest.strip_prefix('=').unwrap_or(rest) {
            "" => words.get(at + 1).copied(),
            value => value.starts_with(|c: char| c.is_ascii_digit()).then_some(value),
        }
    })
}
