//! A run with very few operations per connection.

use super::{Check, Checked, Rule, fine, found};
use crate::run::PublishedRun;
use crate::tools::ToolKind;
use judge::verdict::Weight;
use text::units::show_seconds;

pub(super) const RULE: Rule = Rule {
    name: "few_per_connection",
    weight: Weight::Void,
    threshold: "Divides operations by connections. Fewer than 100 per connection: a caution. Fewer \
                than 10: void. A single connection is not checked.",
    why: "With 1000 requests over 500 connections, each does two: the run consists of its own \
          beginning and end, in which connections are opened and a queue builds up and drains. Its \
          rate is not that of a server at work.",
    remedy: "Set a duration (at least 10 s) instead of a number of requests.",
    check: Check::Run(check),
};

fn check(run: &PublishedRun) -> Checked {
    if run.tool.kind == ToolKind::Program {
        return fine();
    }
    let (Some(operations), Some(connections)) = (run.operations(), run.connections()) else {
        return Err("operations and connections");
    };
    let each = operations.value / connections.value;
    // A requested rate with few operations per connection is not a burst.
    if connections.value < 2.0 || !each.is_finite() || each >= 100.0 || !run.tool.closed {
        return fine();
    }
    let weight = if each < 10.0 { Weight::Void } else { Weight::Caution };
    let lasted = match run.duration() {
        Some(at) => format!(", in {}", show_seconds(at.value)),
        None => String::new(),
    };
    let text = format!(
        "{} operations over {} connections: {each:.1} per connection{lasted}",
        operations.value, connections.value
    );
    found(weight, text, [operations.line, connections.line])
}
