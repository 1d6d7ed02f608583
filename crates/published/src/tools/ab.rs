//! ApacheBench.

use super::{Facts, Section, Tool, USUAL, first, pair, percentile, starts};
use crate::key::{Key, Label};
use crate::numbers::{Number, followed_by, number};

pub(super) static TOOL: Tool = Tool {
    name: "ab",
    prints: &[
        Key::Duration,
        Key::Operations,
        Key::Rate,
        Key::Connections,
        Key::Failed,
        Key::Bytes,
        Key::BodyBytes,
        Key::ReplyBytes,
        Key::Percentile(0),
        Key::Max,
    ],
    clock: 0.001,
    owns,
    line,
    ..USUAL
};

fn owns(line: &str) -> bool {
    starts(
        line,
        &[
            "This is ApacheBench",
            "Server Software:",
            "Document Path:",
            "Document Length:",
            "Concurrency Level:",
            "Complete requests:",
            "Failed requests:",
            "Percentage of the requests served",
        ],
    ) || line.starts_with("Time taken for tests:") && line.ends_with("seconds")
        || line.starts_with("Requests per second:") && line.contains("[#/sec]")
        || line.starts_with("Benchmarking ") && line.contains("(be patient)")
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if line.starts_with("This is ApacheBench") {
        section.clear();
        return facts.begins();
    }
    if line.starts_with("Percentage of the requests served") {
        *section = "percentiles".to_owned();
        return;
    }
    if line.contains("apr_socket_") || line.contains("apr_pollset_poll:") {
        return facts.figure(Key::Errors, Number::Clear(1.0));
    }
    if let Some(rest) = line.strip_prefix("Total of ") {
        return facts.figure(Key::Operations, followed_by(rest, "requests completed"));
    }
    if section == "percentiles"
        && let Some((percent, rest)) = line.split_once('%')
    {
        let value = first(rest);
        match percentile(percent) {
            Some(key) => facts.figure(key, value.milliseconds()),
            None if percent == "100" => facts.figure(Key::Max, value.milliseconds()),
            None => {}
        }
        return;
    }
    if let Some(classes) = line.strip_prefix("(Connect:") {
        return failures(classes.trim_end_matches(')'), facts);
    }
    if let Some((label, value)) = pair(line) {
        labelled(label, value, facts);
    }
}

/// `0, Receive: 0, Length: 60, Exceptions: 0`
fn failures(text: &str, facts: &mut Facts) {
    let connect = std::iter::once(("Connect", text.split(',').next().unwrap_or("")));
    for (class, count) in connect.chain(text.split(',').filter_map(pair)) {
        let key = match class {
            "Connect" => Key::ConnectErrors,
            "Receive" => Key::ReadErrors,
            "Length" => Key::OtherLength,
            "Exceptions" => Key::Errors,
            _ => continue,
        };
        facts.figure(key, number(count));
    }
}

/// `min, mean, deviation, median, max`, in milliseconds.
fn mean_of_times(key: Key, value: &str, facts: &mut Facts) {
    let times: Vec<&str> = value.split_whitespace().collect();
    if let [_, mean, _, _, _] = times[..] {
        facts.figure(key, number(mean).milliseconds());
    }
}

fn labelled(label: &str, value: &str, facts: &mut Facts) {
    match label {
        "Server Software" => facts.text(Label::Server, value),
        "Server Hostname" => facts.text(Label::Target, value),
        "Server Port" => facts.text(Label::Port, value),
        "Document Path" => facts.text(Label::Path, value),
        "Document Length" if value == "Variable" => {}
        "Document Length" => facts.figure(Key::ReplyBytes, followed_by(value, "bytes")),
        "Concurrency Level" => facts.figure(Key::Connections, number(value)),
        "Time taken for tests" => facts.figure(Key::Duration, followed_by(value, "seconds")),
        "Complete requests" => facts.figure(Key::Operations, number(value)),
        "Failed requests" => facts.figure(Key::Failed, number(value)),
        "Non-2xx responses" => facts.figure(Key::BadStatus, number(value)),
        "Keep-Alive requests" => facts.figure(Key::KeptAlive, number(value)),
        "Total transferred" => facts.figure(Key::Bytes, followed_by(value, "bytes")),
        "HTML transferred" => facts.figure(Key::BodyBytes, followed_by(value, "bytes")),
        "Requests per second" => facts.figure(Key::Rate, followed_by(value, "[#/sec]")),
        "Transfer rate" => {
            facts.figure(Key::BytesPerSecond, followed_by(value, "[Kbytes/sec]").times(1024.0));
        }
        "Connect" => mean_of_times(Key::ConnectMean, value, facts),
        // Not "Time per request": that is the duration divided by the requests of one connection,
        // and can exceed the longest time if connections were idle.
        "Total" => mean_of_times(Key::Mean, value, facts),
        _ => {}
    }
}
