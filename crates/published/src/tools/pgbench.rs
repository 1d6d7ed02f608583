//! pgbench.

use super::{Facts, Section, Tool, ToolKind, USUAL, starts};
use crate::key::{At, Figures, Key, Label};
use crate::numbers::{followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "pgbench",
    kind: ToolKind::Database,
    prints: &[Key::Operations, Key::Rate, Key::Connections, Key::Scale, Key::Mean],
    clock: 0.0,
    silent: true,
    owns,
    settle,
    line,
    ..USUAL
};

/// Share of the rate without connecting below which the rate with it shows that each transaction
/// opened a connection (-C), if the command does not show it.
const RECONNECTS: f64 = 0.9;

/// What is printed behind a rate, by version.
const KINDS_OF_RATE: &[&str] = &[
    "(including connections establishing)",
    "(excluding connections establishing)",
    "(without initial connection time)",
    "(including reconnection times)",
];

fn owns(line: &str) -> bool {
    let is_rate = |rest: &str| KINDS_OF_RATE.iter().any(|kind| rest.contains(kind));
    line.starts_with("pgbench (")
        || line.strip_prefix("tps = ").is_some_and(is_rate)
        || starts(
            line,
            &[
                "starting vacuum...",
                "transaction type: ",
                "scaling factor: ",
                "number of transactions actually processed:",
            ],
        )
}

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    if line.starts_with("pgbench (") {
        return facts.begins();
    }
    if let Some(rest) = line.strip_prefix("tps = ") {
        // Versions before 14 print the rate with the time to connect, and below it the rate without.
        let with_connecting = rest.contains("including connections");
        let key = if with_connecting { Key::RateWithConnecting } else { Key::Rate };
        return facts.figure(key, followed_by(rest, "("));
    }
    let Some((label, value)) = line.split_once([':', '=']) else { return };
    let value = value.trim();
    let first = value.split(' ').next().unwrap_or("");
    match label.trim() {
        "transaction type" => facts.text(Label::Subject, value),
        "query mode" => facts.text(Label::Mode, value),
        "scaling factor" => facts.figure(Key::Scale, number(value)),
        "number of clients" => facts.figure(Key::Connections, number(value)),
        "number of threads" => facts.figure(Key::Threads, number(value)),
        "number of transactions per client" => facts.figure(Key::PerClient, number(value)),
        "duration" => facts.figure(Key::AskedDuration, seconds(value)),
        "number of transactions actually processed" => {
            facts.figure(Key::Operations, number(value.split('/').next().unwrap_or("")));
        }
        "number of failed transactions" => facts.figure(Key::Failed, number(first)),
        "number of transactions skipped" => facts.figure(Key::Unsent, number(first)),
        "latency average" => facts.figure(Key::Mean, seconds(value)),
        "average connection time" => facts.figure(Key::ConnectMean, seconds(value)),
        _ => {}
    }
}

/// Keeps one of two rates. With -C it is the one with the time to connect, because every transaction
/// connects; if that is unknown, the one that fits operations ÷ duration.
fn settle(figures: &mut Figures) {
    let Some(with) = figures.remove(&Key::RateWithConnecting) else { return };
    let value = |key| figures.get(&key).map(|at| at.value);
    let without = value(Key::Rate).unwrap_or(with.value);
    let clients = value(Key::Connections);
    let reconnects = value(Key::KeptAlive) == Some(0.0) || with.value < RECONNECTS * without;
    let fits = value(Key::Operations)
        .zip(value(Key::AskedDuration))
        .is_some_and(|(all, time)| (all / time - with.value).abs() < (all / time - without).abs());
    if reconnects {
        figures.insert(Key::KeptAlive, At { value: 0.0, line: with.line });
        // The rate without connecting leaves out the mean over all clients.
        if let Some(clients) = clients.filter(|_| with.value < without) {
            let value = clients * (1.0 / with.value - 1.0 / without);
            figures.entry(Key::ConnectMean).or_insert(At { value, line: with.line });
        }
    }
    if reconnects || fits || !figures.contains_key(&Key::Rate) {
        figures.insert(Key::Rate, with);
    }
}
