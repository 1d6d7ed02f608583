//! pgbench.

use super::{Facts, Section, Tool, ToolKind, USUAL, starts};
use crate::key::{Key, Label};
use crate::numbers::{Number, followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "pgbench",
    kind: ToolKind::Database,
    prints: &[Key::Operations, Key::Rate, Key::Connections, Key::Scale, Key::Mean],
    clock: 0.0,
    silent: true,
    owns,
    line,
    ..USUAL
};

/// Share of the rate without connecting below which the rate with it shows that each transaction
/// opened a connection (-C).
const RECONNECTS: f64 = 0.9;

fn owns(line: &str) -> bool {
    line.starts_with("pgbench (")
        || starts(
            line,
            &[
                "transaction type: ",
                "scaling factor: ",
                "number of transactions actually processed:",
            ],
        )
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if line.starts_with("pgbench (") {
        return facts.begins();
    }
    if let Some(rest) = line.strip_prefix("tps = ") {
        return rate(rest, section, facts);
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

/// Versions before 14 print the rate with the time to connect, and below it the rate without. With
/// -C only the first one is that of the server, because every transaction connects.
fn rate(text: &str, section: &mut Section, facts: &mut Facts) {
    let rate = followed_by(text, "(");
    if text.contains("including connections") {
        *section = text.to_owned();
        return facts.part(Key::Rate, rate);
    }
    let with_connecting = followed_by(section, "(");
    match (with_connecting, rate) {
        (Number::Clear(with), Number::Clear(without)) if with < RECONNECTS * without => {
            facts.figure(Key::Rate, with_connecting);
            facts.figure(Key::ConnectMean, Number::Clear(1.0 / with - 1.0 / without));
        }
        _ => facts.figure(Key::Rate, rate),
    }
}
