//! `data.json` of the-benchmarker/web-frameworks: a list of metrics, each with its level (connections), label, value and
//! the number of a framework, whose name is in a second list.
//!
//! The unit of its response times is not in the file, and has changed: they are only compared.

use super::document::{Node, Value};
use super::rows::{Board, BoardMetric, Row, Rows, Unit, Wrong, name, required, whole, wrong};
use std::collections::{HashMap, HashSet};

/// The value of an entry that could not be measured.
const NOT_MEASURED: f64 = -1.0;

pub(super) fn rows(document: &Node) -> Option<Result<Rows, Wrong>> {
    let (metrics, frameworks) = (document.get("metrics")?, document.get("frameworks")?);
    Some(read(metrics, frameworks))
}

fn read(metrics: &Node, frameworks: &Node) -> Result<Rows, Wrong> {
    let names = names(frameworks)?;
    let elements = list(metrics, "metrics")?;
    let mut all = Vec::new();
    for (at, node) in elements.iter().enumerate() {
        let path = format!("metrics[{at}]");
        let Some(metric) = metric(name(node, &path, "label")?) else { continue };
        let id = whole(node, &path, "framework_id")?;
        let Some(entry) = names.get(&id) else {
            let text = format!("is {id}, which is no id in frameworks");
            let of = required(node, &path, "framework_id")?;
            return Err(wrong(of, &format!("{path}.framework_id"), &text));
        };
        let level = whole(node, &path, "level")?;
        all.push(Row {
            list: format!("{level} connections"),
            order: level,
            metric,
            unit: if metric == BoardMetric::Throughput { Unit::PerSecond } else { Unit::Unknown },
            primary: metric == BoardMetric::Throughput,
            entry: entry.clone(),
            figure: figure(required(node, &path, "value")?, &format!("{path}.value"))?,
        });
    }
    if all.is_empty() {
        return Err(wrong(metrics, "metrics", "has no total_requests_per_s, p50 or p99"));
    }
    Ok(Rows { board: Board::WebFrameworks, only: None, all })
}

fn list<'a>(node: &'a Node, key: &str) -> Result<&'a [Node], Wrong> {
    match node.list() {
        Some(all) if !all.is_empty() => Ok(all),
        Some(_) => Err(wrong(node, key, "is empty: there is nothing to rank")),
        None => Err(wrong(node, key, "must be a list")),
    }
}

fn metric(label: &str) -> Option<BoardMetric> {
    match label {
        "total_requests_per_s" => Some(BoardMetric::Throughput),
        "percentile_50" | "percentile50" => Some(BoardMetric::P50),
        "percentile_99" | "percentile99" => Some(BoardMetric::P99),
        _ => None,
    }
}

/// The names of the frameworks by their numbers. A name that several have gets the language or the number behind it.
fn names(frameworks: &Node) -> Result<HashMap<u64, String>, Wrong> {
    let mut all: Vec<(u64, &str, Option<&Value>)> = Vec::new();
    let mut ids = HashSet::new();
    for (at, node) in list(frameworks, "frameworks")?.iter().enumerate() {
        let path = format!("frameworks[{at}]");
        let id = whole(node, &path, "id")?;
        if !ids.insert(id) {
            let of = required(node, &path, "id")?;
            return Err(wrong(
                of,
                &format!("{path}.id"),
                &format!("is {id}, as that of another one"),
            ));
        }
        all.push((id, name(node, &path, "label")?, node.get("language").map(|of| &of.value)));
    }
    let with_language = |(_, label, language): &(u64, &str, Option<&Value>)| match language {
        Some(Value::Text(language)) => format!("{label} ({language})"),
        _ => (*label).to_owned(),
    };
    let labels = counts(all.iter().map(|(_, label, _)| (*label).to_owned()));
    let long = counts(all.iter().map(with_language));
    let name = |of: &(u64, &str, Option<&Value>)| {
        let (id, label, _) = *of;
        let with_language = with_language(of);
        match (labels[label], long[&with_language]) {
            (1, _) => (id, label.to_owned()),
            (_, 1) => (id, with_language),
            _ => (id, format!("{with_language} {id}")),
        }
    };
    Ok(all.iter().map(name).collect())
}

fn counts(names: impl Iterator<Item = String>) -> HashMap<String, u32> {
    let mut counts = HashMap::new();
    names.for_each(|name| *counts.entry(name).or_insert(0) += 1);
    counts
}

/// A figure above 0. None for what the board writes if there is none: null, 0 or -1.
fn figure(node: &Node, key: &str) -> Result<Option<f64>, Wrong> {
    match node.value {
        Value::Null => Ok(None),
        Value::Number(number) if number == 0.0 || number == NOT_MEASURED => Ok(None),
        Value::Number(number) if number > 0.0 => Ok(Some(number)),
        Value::Number(_) => Err(wrong(node, key, "must not be negative, except -1 for no figure")),
        _ => Err(wrong(node, key, "must be a number or null")),
    }
}
