//! `site/data` of MDA2AV/HttpArena, in its three forms: a list of entries for each profile and number of connections; an
//! object of such lists (an archived round); and, since 2026, an object for each framework with its results by profile.

use super::document::{Node, Value};
use super::rows::{Board, BoardMetric, Row, Rows, Unit, Wrong, name, required, whole, wrong};
use text::units::show_rate;

/// Units of response times.
const UNITS: [(&str, f64); 4] = [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];

pub(super) fn rows(document: &Node) -> Option<Result<Rows, Wrong>> {
    let mut rows = Rows { board: Board::HttpArena, only: None, all: Vec::new() };
    let read = match &document.value {
        Value::List(_) if has_entries(document) => entries(document, None, &mut rows),
        Value::Object(_) if document.get("results").is_some() => {
            document.get("framework")?;
            of_framework(document, &mut rows)
        }
        // A round also describes its machine.
        Value::Object(profiles) if profiles.iter().any(|(_, node)| has_entries(node)) => {
            let mut lists = profiles.iter().filter(|(_, node)| node.list().is_some());
            lists.try_for_each(|(profile, node)| entries(node, Some(profile), &mut rows))
        }
        _ => return None,
    };
    Some(read.map(|()| rows))
}

/// Whether it is a list with an entry of the board.
fn has_entries(node: &Node) -> bool {
    let is_entry = |node: &Node| node.get("framework").is_some() && node.get("rps").is_some();
    node.list().is_some_and(|all| all.iter().any(is_entry))
}

fn entries(list: &Node, profile: Option<&str>, rows: &mut Rows) -> Result<(), Wrong> {
    let path = profile.unwrap_or("entry");
    let Some(all) = list.list() else { return Err(wrong(list, path, "must be a list")) };
    let mut each = all.iter().enumerate();
    each.try_for_each(|(at, node)| entry(node, &format!("{path}[{at}]"), profile, rows))
}

fn of_framework(document: &Node, rows: &mut Rows) -> Result<(), Wrong> {
    rows.only = Some(name(document, "the document", "framework")?.to_owned());
    let results = required(document, "the document", "results")?;
    let Some(profiles) = results.object().filter(|all| !all.is_empty()) else {
        return Err(wrong(results, "results", "must be an object that is not empty"));
    };
    let mut each = profiles.iter();
    each.try_for_each(|(profile, node)| {
        entry(node, &format!("results.{profile}"), Some(profile), rows)
    })
}

/// Reads one entry: its throughput and its p99.
fn entry(node: &Node, path: &str, profile: Option<&str>, rows: &mut Rows) -> Result<(), Wrong> {
    let entry = name(node, path, "framework")?;
    let target = target_rate(node, path)?;
    let connections = whole(node, path, "connections")?;
    let list = profile.map_or(format!("{connections} connections"), str::to_owned);
    let list = match target {
        Some(rate) => format!("{list} at {}", show_rate(rate)),
        None => list,
    };
    let throughput = number(required(node, path, "rps")?, &format!("{path}.rps"))?;
    // An entry without replies has response times of 0.
    let p99 = seconds(required(node, path, "p99_latency")?, &format!("{path}.p99_latency"))?;
    for (metric, unit, figure) in [
        (BoardMetric::Throughput, Unit::PerSecond, throughput),
        (BoardMetric::P99, Unit::Seconds, p99.filter(|_| throughput.is_some())),
    ] {
        rows.all.push(Row {
            list: list.clone(),
            order: 0,
            metric,
            unit,
            primary: (metric == BoardMetric::P99) == target.is_some(),
            entry: entry.to_owned(),
            figure,
        });
    }
    Ok(())
}

/// The rate that was requested. Without one, the generator sent as much as it could.
fn target_rate(node: &Node, path: &str) -> Result<Option<f64>, Wrong> {
    match node.get("target_rate") {
        None => Ok(None),
        Some(Node { value: Value::Null, .. }) => Ok(None),
        Some(of) => number(of, &format!("{path}.target_rate")),
    }
}

/// A number above 0. None for 0.
fn number(node: &Node, key: &str) -> Result<Option<f64>, Wrong> {
    match node.value {
        Value::Number(number) if number >= 0.0 => Ok(Some(number).filter(|number| *number > 0.0)),
        _ => Err(wrong(node, key, "must be a number that is not negative")),
    }
}

/// A response time such as `1.25ms`, in seconds. None for 0, and for a text that is no time: the board has published
/// such where it could not read its generator's output.
fn seconds(node: &Node, key: &str) -> Result<Option<f64>, Wrong> {
    let read = |text: &str| {
        let (unit, size) = UNITS.iter().find(|(unit, _)| text.ends_with(unit))?;
        let figure = text.strip_suffix(unit)?;
        let is_plain = |c: char| c.is_ascii_digit() || c == '.';
        figure.parse::<f64>().ok().filter(|_| figure.chars().all(is_plain)).map(|time| time * size)
    };
    match &node.value {
        Value::Text(text) => Ok(read(text).filter(|time| time.is_finite() && *time > 0.0)),
        _ => Err(wrong(node, key, "must be a text such as \"1.25ms\"")),
    }
}
