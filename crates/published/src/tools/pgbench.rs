//! pgbench.

use super::{Facts, Section, Tool, ToolKind, starts};
use crate::key::{Key, Label};
use crate::numbers::{followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "pgbench",
    kind: ToolKind::Database,
    prints: &[Key::Operations, Key::Rate, Key::Connections, Key::Scale, Key::Mean],
    closed: true,
    clock: 0.0,
    owns,
    line,
    document: None,
};

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

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    if line.starts_with("pgbench (") {
        return facts.begins();
    }
    if let Some(rest) = line.strip_prefix("tps = ") {
        // Older versions also print the rate with the time to connect.
        if !rest.contains("including connections") {
            facts.figure(Key::Rate, followed_by(rest, "("));
        }
        return;
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
