//! `site/data` of MDA2AV/HttpArena, in its three forms: a list of entries for each profile and number of connections; an
//! object of such lists (an archived round); and, since 2026, an object for each framework with its results by profile.
//!
//! Entries of a list that have one name and one setting are runs of it. What differs in language or settings is another
//! contender, whatever its name, and is named after what differs.

use super::document::{Node, Value};
use super::rows::{Board, BoardMetric, Row, Rows, Unit, Wrong, name, required, whole, wrong};
use std::collections::HashMap;
use text::units::show_rate;

/// Units of response times.
const UNITS: [(&str, f64); 4] = [("ns", 1e-9), ("us", 1e-6), ("ms", 1e-3), ("s", 1.0)];

/// What tells entries of one name apart, in words.
const SETTINGS: [&str; 5] = ["language", "connections", "threads", "pipeline", "duration"];

/// The values of [`SETTINGS`] of an entry. None where it does not have one.
type Settings = [Option<String>; SETTINGS.len()];

/// The figures of a document, and the settings of the entry of each.
struct Read {
    rows: Rows,
    settings: Vec<Settings>,
}

pub(super) fn rows(document: &Node) -> Option<Result<Rows, Wrong>> {
    let rows = Rows { board: Board::HttpArena, only: None, all: Vec::new() };
    let mut read = Read { rows, settings: Vec::new() };
    let outcome = match &document.value {
        Value::List(_) if has_entries(document) => entries(document, None, &mut read),
        Value::Object(_) if document.get("results").is_some() => {
            document.get("framework")?;
            of_framework(document, &mut read)
        }
        // A round also describes its machine.
        Value::Object(profiles) if profiles.iter().any(|(_, node)| has_entries(node)) => {
            let mut lists = profiles.iter().filter(|(_, node)| node.list().is_some());
            lists.try_for_each(|(profile, node)| entries(node, Some(profile), &mut read))
        }
        _ => return None,
    };
    Some(outcome.map(|()| read.with_variants_apart()))
}

impl Read {
    /// The figures, where the settings that differ within a list are part of the name.
    fn with_variants_apart(mut self) -> Rows {
        let name = |row: &Row| (row.list.clone(), row.entry.clone());
        let mut differ: HashMap<_, (&Settings, [bool; SETTINGS.len()])> = HashMap::new();
        for (row, settings) in self.rows.all.iter().zip(&self.settings) {
            let (first, differs) =
                differ.entry(name(row)).or_insert((settings, Default::default()));
            let each = differs.iter_mut().zip(first.iter().zip(settings));
            each.for_each(|(differs, (one, other))| *differs |= one != other);
        }
        for (row, settings) in self.rows.all.iter_mut().zip(&self.settings) {
            let Some((_, differs)) = differ.get(&name(row)) else { continue };
            let each = SETTINGS.iter().zip(settings).zip(differs).filter(|(_, differs)| **differs);
            let words: Vec<String> =
                each.map(|((key, value), _)| setting(key, value.as_deref())).collect();
            if !words.is_empty() {
                row.entry = format!("{} ({})", row.entry, words.join(", "));
            }
        }
        self.rows
    }
}

/// `Go`, `pipeline 16`, `no pipeline`.
fn setting(key: &str, value: Option<&str>) -> String {
    match value {
        None => format!("no {key}"),
        Some(value) if key == "language" => value.to_owned(),
        Some(value) => format!("{key} {value}"),
    }
}

/// The settings of an entry: texts and numbers.
fn settings(node: &Node) -> Settings {
    SETTINGS.map(|key| match &node.get(key)?.value {
        Value::Text(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    })
}

/// Whether it is a list with an entry of the board.
fn has_entries(node: &Node) -> bool {
    let is_entry = |node: &Node| node.get("framework").is_some() && node.get("rps").is_some();
    node.list().is_some_and(|all| all.iter().any(is_entry))
}

fn entries(list: &Node, profile: Option<&str>, read: &mut Read) -> Result<(), Wrong> {
    let path = profile.unwrap_or("entry");
    let Some(all) = list.list() else { return Err(wrong(list, path, "must be a list")) };
    let mut each = all.iter().enumerate();
    each.try_for_each(|(at, node)| entry(node, &format!("{path}[{at}]"), profile, read))
}

fn of_framework(document: &Node, read: &mut Read) -> Result<(), Wrong> {
    read.rows.only = Some(name(document, "the document", "framework")?.to_owned());
    let results = required(document, "the document", "results")?;
    let Some(profiles) = results.object().filter(|all| !all.is_empty()) else {
        return Err(wrong(results, "results", "must be an object that is not empty"));
    };
    let mut each = profiles.iter();
    each.try_for_each(|(profile, node)| {
        entry(node, &format!("results.{profile}"), Some(profile), read)
    })
}

/// Reads one entry: its throughput and its p99.
fn entry(node: &Node, path: &str, profile: Option<&str>, read: &mut Read) -> Result<(), Wrong> {
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
        read.settings.push(settings(node));
        read.rows.all.push(Row {
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
