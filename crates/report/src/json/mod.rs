//! The report as data: `tiebreak.report/1`, described by schema/report.v1.json.
//!
//! Times are in seconds, rates in 1/s, shares from 0 to 1. A missing figure is null. Fields are
//! only ever added; their order never changes.

pub(super) mod boards;
mod capacity;
mod contender;
mod figures;
mod plan;
mod pretty;
mod published;
mod suite;
mod sweep;

use super::{View, words};
use judge::verdict::{Checked, Comparison};
use record::End;
use serde_json::{Value, json};
use text::units::JOINT;

/// Name and version of the report's schema.
pub(super) const SCHEMA: &str = "tiebreak.report/1";

/// The whole report, pretty, with a newline at its end.
pub(super) fn report(view: &View) -> String {
    let report = json!({
        "schema": SCHEMA,
        "version": view.header.version,
        "started": view.header.started,
        "end": view.end.map(end),
        "journal_note": view.journal_note,
        "void": view.void,
        "scope": view.scope,
        "headline": headline(view),
        "complete_rounds": view.complete_rounds,
        "rules_checked": view.rules_checked,
        "gate": view.gate,
        "plan": plan::plan(view),
        "contenders": list(view.contenders, |of| contender::contender(view, of)),
        "ranking": view.ranking,
        "comparisons": list(view.comparisons, comparison),
        "suite": view.suite.map(suite::suite),
        "sweep": view.sweep().map(|of| sweep::sweep(&of)),
        "published": published::published(view),
        "requirements": list(view.checked, requirement),
        "findings": view.findings,
        "host": view.plan().host,
    });
    pretty::write(&without_nulls(report, &["gate", "ranking", "suite", "sweep", "published"]))
}

/// A list with the values of these items.
fn list<T>(items: &[T], value: impl FnMut(&T) -> Value) -> Value {
    items.iter().map(value).collect()
}

/// An object without those of the named fields that are null.
fn without_nulls(mut object: Value, optional: &[&str]) -> Value {
    if let Some(fields) = object.as_object_mut() {
        fields.retain(|name, value| !(value.is_null() && optional.contains(&name.as_str())));
    }
    object
}

fn end(of: &End) -> Value {
    json!({ "reason": of.reason, "detail": of.detail })
}

/// Whether the headline can be believed.
fn headline(view: &View) -> Value {
    let belief = view.belief();
    json!({
        "status": belief.status,
        "rule": belief.finding.map(|finding| &finding.rule),
        "contender": belief.finding.and_then(|finding| finding.contender.as_ref()),
        "says": words::belief::headline(view).replace(JOINT, " "),
    })
}

fn comparison(of: &Comparison) -> Value {
    let charged = of.charged.map(|charged| {
        json!({
            "ratio": charged.ratio,
            "low": charged.interval.map(|interval| interval.0),
            "high": charged.interval.map(|interval| interval.1),
            "verdict": words::word(charged.verdict, of.metric),
        })
    });
    let middle = of.middle.map(|middle| {
        let of = if middle.of_launches { "launches" } else { "rounds" };
        json!({ "a": middle.a, "b": middle.b, "of": of })
    });
    let fresh_rounds =
        of.fresh_rounds.map(|(about, up_to)| json!({ "about": about, "up_to": up_to }));
    let comparison = json!({
        "a": of.a,
        "b": of.b,
        "metric": of.metric.path(),
        "group": of.group,
        "request": of.request,
        "case": of.case,
        "primary": of.primary,
        "scope": of.scope,
        "ratio": of.ratio,
        "low": of.low,
        "high": of.high,
        "confidence": of.confidence,
        "replicates": of.replicates,
        "interim_looks": of.interim_looks,
        "charged": charged,
        "beyond_generator": of.beyond_generator,
        "client_share": of.client_share,
        "verdict": words::word(of.verdict, of.metric),
        "p": of.p,
        "t_low": of.t_interval.map(|interval| interval.0),
        "t_high": of.t_interval.map(|interval| interval.1),
        "at_least": of.at_least,
        "because": of.because,
        "fresh_rounds": fresh_rounds,
        "sees": of.sees,
        "rounds": list(&of.rounds, |(round, ratio)| json!({ "round": round, "ratio": ratio })),
        "middle": middle,
    });
    without_nulls(comparison, &["case"])
}

fn requirement(of: &Checked) -> Value {
    json!({
        "requirement": of.requirement,
        "a": unless_empty(&of.a),
        "b": unless_empty(&of.b),
        "status": of.status,
        "why": of.why,
    })
}

/// None for an empty text.
fn unless_empty(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}

/// Nanoseconds as seconds.
fn seconds(nanoseconds: u64) -> f64 {
    nanoseconds as f64 / 1e9
}
