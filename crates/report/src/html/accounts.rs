//! What happened to every operation. The server's own log must show the same numbers.

use super::node::Node;
use super::parts;
use crate::View;
use judge::verdict::ContenderSummary;
use record::FaultOwner;
use text::units;

/// The section.
pub(super) fn section(view: &View) -> Node {
    let sent = [
        "contender",
        "ready",
        "load",
        "warm-up",
        "pilot",
        "rounds",
        "unfinished",
        "never sent",
        "in the latencies",
        "in a burn-in",
        "without a latency",
    ];
    let outcomes = ["contender", "succeeded", "replies by code", "failed", "connections", "opened"];
    parts::section("Every operation")
        .with(parts::table(&outcomes, view.contenders.iter().map(|of| ended(view, of))))
        .with(parts::folded(
            "Table of requests sent, by part of the run",
            parts::table(&sent, view.contenders.iter().map(counts)),
        ))
}

fn counts(contender: &ContenderSummary) -> Vec<Node> {
    let sent = contender.sent;
    let counts = [
        sent.ready,
        sent.load,
        sent.warm_up,
        sent.pilot,
        sent.operations,
        sent.unfinished,
        contender.unsent,
        contender.histogram.len(),
        contender.burn_in_excluded,
        contender.without_latency,
    ];
    let mut row = vec![parts::row_name(&contender.name)];
    row.extend(counts.map(|n| parts::cell(units::count(n))));
    row
}

fn ended(view: &View, contender: &ContenderSummary) -> Vec<Node> {
    let connections = &contender.connections;
    // 0 is not a code: it counts stores that acknowledged, and programs that ran.
    let codes = contender.codes.iter().filter(|(code, _)| **code != 0);
    let names = view.code_names(contender);
    let name = |code: &u16| names.get(code).cloned().unwrap_or_else(|| code.to_string());
    let codes = codes.map(|(code, n)| format!("{}: {}", name(code), units::count(*n)));
    let at_rest = match connections.reopened_at_rest {
        0 => String::new(),
        n => format!(", {} reopened while idle", units::count(n)),
    };
    let closed = match connections.closed_by_target {
        0 => String::new(),
        n => format!(", {} closed by the target", units::count(n)),
    };
    let got = format!(
        "{} of {}",
        units::count(connections.established),
        units::count(connections.requested)
    );
    vec![
        parts::row_name(&contender.name),
        parts::cell(answered(contender)),
        parts::cell(listed(codes.collect())),
        parts::cell(listed(failures(view, contender))),
        parts::cell(got),
        parts::cell(format!("{}{at_rest}{closed}", units::count(connections.opened))),
    ]
}

/// Replies as expected, and misses if there are any.
fn answered(contender: &ContenderSummary) -> String {
    let ok = units::count(contender.outcomes.ok);
    match contender.outcomes.miss {
        0 => ok,
        misses => format!("{ok}, and {}", units::counted(misses, "miss")),
    }
}

/// Failures by class, with their cause if it was not the target.
fn failures(view: &View, contender: &ContenderSummary) -> Vec<String> {
    let names = view.code_names(contender);
    let cause = [
        (FaultOwner::Target, ""),
        (FaultOwner::Generator, " (ours)"),
        (FaultOwner::Host, " (the machine)"),
    ];
    let classes = cause.into_iter().flat_map(|(cause, suffix)| {
        let classes = contender.outcomes.classes(cause, names).into_iter();
        classes.map(move |(class, n)| format!("{class}: {}{suffix}", units::count(n)))
    });
    let outcomes = &contender.outcomes;
    let values = [
        ("stale value", outcomes.stale),
        ("wrong value", outcomes.wrong),
        ("another write came first", outcomes.conflict),
    ];
    let values = values.into_iter().filter(|(_, n)| *n > 0);
    classes.chain(values.map(|(what, n)| format!("{what}: {}", units::count(n)))).collect()
}

fn listed(items: Vec<String>) -> String {
    if items.is_empty() { "none".to_owned() } else { items.join(", ") }
}
