//! redis-benchmark and valkey-benchmark: full output, `-q` and `--csv`.

use super::{Facts, Section, Tool, ToolKind, USUAL, pair, starts, statistic};
use crate::key::{Fact, Key, Label};
use crate::numbers::{Number, followed_by, number, seconds};

pub(super) static TOOL: Tool = Tool {
    name: "redis-benchmark",
    kind: ToolKind::Store,
    prints: &[
        Key::Duration,
        Key::Operations,
        Key::Rate,
        Key::Connections,
        Key::ReplyBytes,
        Key::Percentile(0),
        Key::Max,
    ],
    older: &[Key::Duration, Key::Operations, Key::Rate, Key::Connections, Key::ReplyBytes],
    silent: true,
    in_flight: None,
    runs_kinds: true,
    owns,
    line,
    ..USUAL
};

/// The commands of the default tests.
const COMMANDS: [&str; 16] = [
    "PING", "SET", "GET", "INCR", "LPUSH", "RPUSH", "LPOP", "RPOP", "SADD", "HSET", "SPOP", "ZADD",
    "ZPOPMIN", "LRANGE", "MSET", "XADD",
];

const CSV: &str = "\"test\",\"rps\"";

fn owns(line: &str) -> bool {
    title(line).is_some()
        || quiet(line).is_some()
        || line.starts_with(CSV)
        || line.starts_with("throughput summary: ") && line.contains(" requests per second")
        || completed(line).is_some()
        || older_row(line).is_some()
}

/// `"SET","34270.05"`: before version 6.2 `--csv` prints no names of columns.
fn older_row(line: &str) -> Option<(&str, &str)> {
    let (subject, rate) = line.strip_prefix('"')?.strip_suffix('"')?.split_once("\",\"")?;
    let known = COMMANDS.iter().any(|command| subject.starts_with(command));
    (known && number(rate) != Number::Unclear).then_some((subject, rate))
}

/// `10000 requests completed in 0.06 seconds`
fn completed(line: &str) -> Option<(&str, &str)> {
    let (operations, duration) = line.split_once(" requests completed in ")?;
    let is_count = operations.bytes().all(|byte| byte.is_ascii_digit()) && !operations.is_empty();
    (is_count && duration.contains(" seconds")).then_some((operations, duration))
}

/// `====== SET ======`
fn title(line: &str) -> Option<&str> {
    let title = line.strip_prefix("====== ")?.strip_suffix(" ======")?;
    (!title.contains("====")).then_some(title)
}

/// `SET: 34270.05 requests per second, p50=0.255 msec`
fn quiet(line: &str) -> Option<(&str, &str)> {
    let (subject, rest) = pair(line)?;
    let known = COMMANDS.iter().any(|command| subject.starts_with(command));
    let good = rest.contains(" requests per second") && (known || rest.contains(", p50="));
    good.then_some((subject, rest))
}

fn line(line: &str, section: &mut Section, facts: &mut Facts) {
    if line.starts_with(CSV) {
        facts.begins();
        *section = format!("first {line}");
    } else if section.contains(CSV) && line.starts_with('"') {
        match section.strip_prefix("first ") {
            Some(head) => *section = head.to_owned(),
            None => facts.begins(),
        }
        row(section, line, facts);
    } else if let Some((subject, rate)) = older_row(line) {
        facts.begins();
        facts.0.push(Fact::Older);
        facts.text(Label::Subject, subject);
        facts.figure(Key::Rate, number(rate));
    } else if let Some(title) = title(line) {
        section.clear();
        facts.begins();
        facts.text(Label::Subject, title);
    } else if let Some((subject, rest)) = quiet(line) {
        facts.begins();
        facts.text(Label::Subject, subject);
        facts.figure(Key::Rate, followed_by(rest, "requests per second"));
        for (name, value) in rest.split(", ").filter_map(|part| part.split_once('=')) {
            facts.figure(statistic(name), seconds(value));
        }
    } else if section == "columns" {
        summary(line, facts);
        section.clear();
    } else if starts(line, &["avg "]) && line.split_whitespace().eq(COLUMNS) {
        *section = "columns".to_owned();
    } else {
        plain(line, facts);
    }
}

/// Columns of the summary, in milliseconds.
const COLUMNS: [&str; 6] = ["avg", "min", "p50", "p95", "p99", "max"];

fn summary(line: &str, facts: &mut Facts) {
    for (name, value) in COLUMNS.into_iter().zip(line.split_whitespace()) {
        facts.figure(statistic(name), number(value).milliseconds());
    }
}

/// A row of `--csv`, by the names of the header row.
fn row(head: &str, line: &str, facts: &mut Facts) {
    let cells = |line: &str| -> Vec<String> {
        line.split("\",\"").map(|cell| cell.trim_matches('"').to_owned()).collect()
    };
    for (name, value) in cells(head).iter().zip(cells(line)) {
        match name.as_str() {
            "test" => facts.text(Label::Subject, &value),
            "rps" => facts.figure(Key::Rate, number(&value)),
            _ => {
                facts.figure(
                    name.strip_suffix("_latency_ms").and_then(statistic),
                    number(&value).milliseconds(),
                );
            }
        }
    }
}

fn plain(line: &str, facts: &mut Facts) {
    if let Some((operations, duration)) = completed(line) {
        facts.figure(Key::Operations, number(operations));
        facts.figure(Key::Duration, followed_by(duration, "seconds"));
    } else if let Some(clients) = line.strip_suffix(" parallel clients") {
        facts.figure(Key::Connections, number(clients));
    } else if let Some(size) = line.strip_suffix(" bytes payload") {
        facts.figure(Key::ReplyBytes, number(size));
    } else if let Some(rate) = line.strip_prefix("throughput summary: ") {
        facts.figure(Key::Rate, followed_by(rate, "requests per second"));
    } else if let Some(rate) = line.strip_suffix(" requests per second") {
        facts.figure(Key::Rate, number(rate));
    } else if let Some((share, time)) = line.split_once("% <= ")
        && share.parse::<f64>().is_ok()
    {
        facts.0.extend(of_share(time));
    }
}

/// `0.407 milliseconds (cumulative count 12)`. Versions before 6.2 print shares of whole milliseconds
/// instead of percentiles, without a count.
fn of_share(time: &str) -> Option<Fact> {
    if time.contains(" (cumulative count ") {
        return Some(Fact::Tool("redis-benchmark"));
    }
    time.ends_with(" milliseconds").then_some(Fact::Older)
}
