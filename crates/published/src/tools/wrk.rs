//! wrk, and wrk2, which prints the same lines and additional ones.

use super::{Facts, Section, Tool, USUAL, first_word, pair, percentile, starts};
use crate::key::{Fact, Key, Label};
use crate::numbers::{bytes, number, seconds, shortened};

const PRINTS: &[Key] = &[
    Key::Duration,
    Key::Operations,
    Key::Rate,
    Key::Connections,
    Key::Threads,
    Key::Bytes,
    Key::BytesPerSecond,
    Key::Mean,
    Key::Max,
];

pub(super) static WRK: Tool = Tool {
    name: "wrk",
    prints: PRINTS,
    silent: true,
    // A script can send several requests at once.
    in_flight: None,
    opens,
    owns,
    line,
    ..USUAL
};

pub(super) static WRK2: Tool =
    Tool { name: "wrk2", closed: false, opens: |_| false, owns: |_| false, ..WRK };

/// autocannon begins with the same line. wrk before version 3 was given a number of requests.
fn opens(line: &str) -> bool {
    line.starts_with("Running ") && line.contains(" test @ ")
        || line.starts_with("Making ") && line.contains(" requests to ")
}

fn owns(line: &str) -> bool {
    line.contains(" threads and ") && line.ends_with(" connections")
        || starts(line, &["Thread calibration: mean lat"])
        || line.split_whitespace().take(3).eq(["Thread", "Stats", "Avg"])
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if let Some(rest) = line.strip_prefix("Running ") {
        let Some((duration, url)) = rest.split_once(" test @ ") else { return };
        facts.figure(Key::AskedDuration, seconds(duration));
        facts.text(Label::Target, first_word(url));
    } else if let Some((_, url)) = line.split_once(" requests to ") {
        facts.text(Label::Target, first_word(url));
    } else if line.starts_with("Thread calibration:") {
        facts.0.push(Fact::Tool("wrk2"));
    } else if let Some(rest) = line.strip_prefix("Latency Distribution") {
        let uncorrected = rest.contains("Uncorrected");
        *section = if uncorrected { "uncorrected" } else { "percentiles" }.to_owned();
        if rest.contains("HdrHistogram") {
            facts.0.push(Fact::Tool("wrk2"));
        }
    } else if line.starts_with("Detailed Percentile") {
        *section = format!("spectrum {section}");
    } else if let Some(rest) = line.strip_prefix("#[Max ")
        && section != "spectrum uncorrected"
    {
        let mut values = rest.split('=').skip(1);
        let (max, count) = (values.next().unwrap_or(""), values.next().unwrap_or(""));
        facts.0.push(Fact::Tool("wrk2"));
        facts.figure(Key::Samples, number(count.trim_end_matches(']')));
        if section == "fork" {
            facts.figure(Key::Max, number(max.split(", ").next().unwrap_or("")).milliseconds());
        }
    } else if section == "percentiles"
        && let Some((percent, value)) = line.split_once('%')
        && let Some(key) = percentile(percent)
    {
        facts.figure(key, seconds(value));
    } else if line.starts_with("Thread Stats ") {
        // A fork of wrk2 prints the p99 in place of the longest time.
        *section = if line.contains(" 99% ") { "fork" } else { "" }.to_owned();
    } else if let Some(rest) = line.strip_prefix("Latency ") {
        let mut columns = rest.split_whitespace();
        if let (Some(mean), Some(_), Some(max)) = (columns.next(), columns.next(), columns.next()) {
            facts.figure(Key::Mean, seconds(mean));
            let last = if section == "fork" { Key::Percentile(990_000) } else { Key::Max };
            facts.figure(last, seconds(max));
        }
    } else {
        summary(line, facts);
    }
}

fn summary(line: &str, facts: &mut Facts) {
    if let Some((threads, rest)) = line.split_once(" threads and ")
        && let Some(connections) = rest.strip_suffix(" connections")
    {
        facts.figure(Key::Threads, number(threads));
        facts.figure(Key::Connections, number(connections));
    } else if let Some((operations, rest)) = line.split_once(" requests in ")
        && let Some((duration, size)) = rest.split_once(", ")
        && let Some(size) = size.strip_suffix(" read")
    {
        facts.figure(Key::Operations, number(operations));
        facts.figure(Key::Duration, seconds(duration));
        facts.figure(Key::Bytes, bytes(size));
    } else if let Some((label, value)) = pair(line) {
        match label {
            "Requests/sec" => facts.figure(Key::Rate, shortened(value)),
            "Transfer/sec" => facts.figure(Key::BytesPerSecond, bytes(value)),
            "Non-2xx or 3xx responses" => facts.figure(Key::BadStatus, number(value)),
            "Socket errors" => value.split(',').for_each(|class| socket_errors(class, facts)),
            _ => {}
        }
    }
}

fn socket_errors(text: &str, facts: &mut Facts) {
    let Some((class, count)) = text.trim().split_once(' ') else { return };
    let key = match class {
        "connect" => Key::ConnectErrors,
        "read" => Key::ReadErrors,
        "write" => Key::WriteErrors,
        "timeout" => Key::Timeouts,
        _ => return,
    };
    facts.figure(key, number(count));
}
