//! Replies with an unsuccessful status.

use super::{Check, Checked, Rule, fine, found, part_of, weight_of};
use crate::key::Key;
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;
use text::lists::listed;

pub(super) const RULE: Rule = Rule {
    name: "bad_status",
    weight: Weight::Void,
    threshold: "Counts the replies with an unsuccessful status: as the tool reports it, or the \
                listed statuses outside 200 to 399. At least one: a caution. More than 1 in 1000 \
                operations: void.",
    why: "An error page is often much quicker than the real work, so a server that fails can look \
          fast. ab, wrk and hey count such replies in the rate that they print.",
    remedy: "Look at a reply with curl -i and at the server's log, fix the error, and measure \
             again.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    if run.tool.kind != ToolKind::Http {
        return fine();
    }
    let statuses: Vec<_> = run.figures().filter(|(key, _)| matches!(key, Key::Status(_))).collect();
    let is_bad = |key: &Key| matches!(key, Key::Status(code) if !(200..400).contains(code));
    let bad: Vec<_> = statuses.iter().filter(|(key, at)| is_bad(key) && at.value > 0.0).collect();
    let operations = run.operations();
    if let Some(at) = run.figure(Key::BadStatus).filter(|at| at.value > 0.0) {
        let evidence =
            format!("{} replies had an unsuccessful status", part_of(at.value, operations));
        return found(weight_of(at.value, operations), evidence, [at.line]);
    }
    if bad.is_empty() {
        // The others print the line only if there are such replies, or count them as failed.
        return if statuses.is_empty() && run.tool.shows_statuses {
            Err("the statuses of the replies")
        } else {
            fine()
        };
    }
    let sum: f64 = bad.iter().map(|(_, at)| at.value).sum();
    let words: Vec<String> =
        bad.iter().map(|(key, at)| format!("{} with {}", at.value, name(*key))).collect();
    let mut lines: Vec<u64> = bad.iter().map(|(_, at)| at.line).collect();
    lines.dedup();
    let evidence = format!(
        "{} replies had an unsuccessful status: {}",
        part_of(sum, operations),
        listed(&words)
    );
    found(weight_of(sum, operations), evidence, lines)
}

fn name(key: Key) -> String {
    match key {
        Key::Status(0) => "no reply at all (vegeta's 0)".to_owned(),
        Key::Status(code @ (400 | 500)) => format!("{code} (or its class)"),
        _ => key.name().0,
    }
}
