//! Figures of a contender, and of each of its groups.

use super::list;
use crate::{View, words};
use judge::verdict::{ContenderSummary, KindSummary, Quantiles};
use record::FaultOwner;
use serde_json::{Value, json};

pub(super) fn figure(value: Option<f64>, unit: &str) -> Value {
    json!({ "value": value, "unit": unit })
}

pub(super) fn times(quantiles: Quantiles) -> Value {
    let mut times = json!(quantiles);
    times["unit"] = json!("s");
    times
}

/// None if no time was recorded.
pub(super) fn known_times(quantiles: Quantiles) -> Option<Value> {
    quantiles.max.map(|_| times(quantiles))
}

/// How the operations of this contender, or of one of its groups, ended.
pub(super) fn outcomes(view: &View, contender: &ContenderSummary, of: &ContenderSummary) -> Value {
    let (outcomes, code_names) = (&of.outcomes, view.code_names(contender));
    json!({
        "ok": outcomes.ok,
        "miss": outcomes.miss,
        "stale": outcomes.stale,
        "wrong": outcomes.wrong,
        "conflict": outcomes.conflict,
        "target_errors": outcomes.classes(FaultOwner::Target, code_names),
        "generator_errors": outcomes.classes(FaultOwner::Generator, code_names),
        "host_errors": outcomes.classes(FaultOwner::Host, code_names),
    })
}

/// The kinds of operations of this contender, or of one of its groups.
pub(super) fn kinds(view: &View, contender: &ContenderSummary, of: &ContenderSummary) -> Value {
    let half = |half: Option<(u64, Quantiles)>| {
        half.map(|(count, time)| json!({ "count": count, "time": times(time) }))
    };
    list(&of.kinds, |kind: &KindSummary| {
        json!({
            "operation": words::kinds::operation(view, contender, kind),
            "operations": kind.operations,
            "ok": kind.ok,
            "miss": kind.miss,
            "wrong": kind.wrong,
            "response_time": times(kind.response_time),
            "read": half(kind.read),
            "update": half(kind.update),
        })
    })
}

/// Of each round: operations per second, and p50 and p99 in seconds.
pub(super) fn rounds(of: &ContenderSummary) -> Value {
    list(&of.rounds, |(round, throughput, p50, p99)| {
        json!({
            "round": round,
            "throughput": throughput,
            "p50": p50,
            "p99": p99,
        })
    })
}
