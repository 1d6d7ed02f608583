//! h2load.

use super::{Facts, Section, Tool, USUAL, WITH_BYTES, pair, starts, status_class};
use crate::key::Key;
use crate::numbers::{bytes, followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "h2load",
    prints: WITH_BYTES,
    // HTTP/2 streams, whose number is not printed.
    in_flight: None,
    shows_statuses: true,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    // weighttp prints some of its lines.
    line.starts_with("spawning thread #") && line.contains(" total client(s)")
        || starts(line, &["Application protocol: ", "time for request:"])
        || line.starts_with("finished in ") && line.contains(" req/s, ") && line.ends_with("B/s")
}

fn line(line: &str, _: &mut Section, facts: &mut Facts) {
    if line.starts_with("spawning thread #") {
        if line.starts_with("spawning thread #0:") {
            facts.begins();
        }
        let clients = line.split(": ").nth(1).unwrap_or("");
        return facts.adds(Key::Connections, followed_by(clients, "total client(s)"));
    }
    if let Some(rest) = line.strip_prefix("finished in ") {
        let mut parts = rest.split(", ");
        facts.figure(Key::Duration, seconds(parts.next().unwrap_or("")));
        facts.figure(Key::Rate, followed_by(parts.next().unwrap_or(""), "req/s"));
        let transfer = parts.next().and_then(|part| part.strip_suffix("/s")).unwrap_or("");
        return facts.figure(Key::BytesPerSecond, bytes(transfer));
    }
    let Some((label, value)) = pair(line) else { return };
    match label {
        "requests" => counts(value, facts),
        "status codes" => statuses(value, facts),
        "traffic" => traffic(value, facts),
        // min, max, mean, deviation; newer versions have more columns.
        "time for request" | "time for connect" => {
            let columns: Vec<&str> = value.split_whitespace().collect();
            let [min, max, mean, _, _] = columns[..] else { return };
            if label == "time for connect" {
                return facts.figure(Key::ConnectMean, seconds(mean));
            }
            facts.figure(Key::Min, seconds(min));
            facts.figure(Key::Max, seconds(max));
            facts.figure(Key::Mean, seconds(mean));
        }
        _ => {}
    }
}

fn counts(value: &str, facts: &mut Facts) {
    for (count, what) in value.split(", ").filter_map(|part| part.split_once(' ')) {
        let key = match what {
            "done" => Key::Operations,
            "failed" => Key::Failed,
            "errored" => Key::Errors,
            "timeout" => Key::Timeouts,
            _ => continue,
        };
        facts.figure(key, number(count));
    }
}

fn statuses(value: &str, facts: &mut Facts) {
    for (count, class) in value.split(", ").filter_map(|part| part.split_once(' ')) {
        facts.figure(status_class(class), number(count));
    }
}

/// `61.55MB (64537984) total, … headers (…), 16.59MB (17400000) data`
fn traffic(value: &str, facts: &mut Facts) {
    for (what, key) in [(") total", Key::Bytes), (") data", Key::BodyBytes)] {
        if let Some(at) = value.find(what)
            && let Some(open) = value[..at].rfind('(')
        {
            facts.figure(key, number(&value[open + 1..at]));
        }
    }
}
