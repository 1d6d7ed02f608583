//! The report of a sweep as data: `tiebreak.sweep/1`, described by schema/sweep.v1.json. The full
//! report of each load point is in its own directory; this report contains only what concerns the
//! sweep.

use super::{end, headline, list, pretty, requirement};
use crate::sweep::{PointView, SweepView};
use crate::words;
use judge::bend::{Bend, Sign};
use judge::verdict::{Comparison, ContenderSummary};
use serde_json::{Value, json};

/// Name and version of the schema.
const SCHEMA: &str = "tiebreak.sweep/1";

/// The whole report, pretty, with a newline at its end.
pub(crate) fn report(view: &SweepView) -> String {
    pretty::write(&json!({
        "schema": SCHEMA,
        "version": view.sweep.version,
        "started": view.sweep.started,
        "factor": view.sweep.factor,
        "points": list(&view.points, point),
        "bends": view.bends().map(|(name, of)| bend(name, of)).collect::<Value>(),
    }))
}

fn point(of: &PointView) -> Value {
    let view = of.view.as_ref();
    json!({
        "value": of.at.value,
        "folder": of.at.directory,
        "turn": of.at.turn,
        "driven": view.is_some(),
        "end": view.and_then(|view| view.end).map(end),
        "void": of.void(),
        "headline": view.map(headline),
        "complete_rounds": view.map_or(0, |view| view.complete_rounds),
        "contenders": list(view.map_or(&[], |view| view.contenders), figures),
        "comparisons": list(view.map_or(&[], |view| view.comparisons), ratio),
        "requirements": list(view.map_or(&[], |view| view.checked), requirement),
        "findings": list(view.map_or(&[], |view| view.findings), |of| json!({
            "rule": of.rule,
            "weight": of.weight,
            "contender": of.contender,
        })),
    })
}

fn figures(of: &ContenderSummary) -> Value {
    json!({
        "name": of.name,
        "throughput": of.throughput,
        "p50": of.response_time.p50,
        "p99": of.response_time.p99,
        "p999": of.response_time.p999,
        "operations": of.operations,
        "errors": words::errors(of),
        "misses": of.outcomes.miss,
    })
}

fn ratio(of: &Comparison) -> Value {
    json!({
        "a": of.a,
        "b": of.b,
        "metric": of.metric.path(),
        "primary": of.primary,
        "scope": of.scope,
        "ratio": of.ratio,
        "low": of.low,
        "high": of.high,
        "verdict": words::word(of.verdict, of.metric),
        "at_least": of.at_least,
    })
}

fn bend(contender: &str, of: &Bend) -> Value {
    let (outcome, value) = match *of {
        Bend::Undetermined => ("undetermined", None),
        Bend::NotSought => ("not_sought", None),
        Bend::NotUpTo(value) => ("not_up_to", Some(value)),
        Bend::At { value, .. } => ("at", Some(value)),
    };
    let (sign, or_before, generator_limited) = match *of {
        Bend::At { sign, or_before, generator_limited, .. } => {
            (Some(sign), or_before, generator_limited)
        }
        _ => (None, false, false),
    };
    let (sign, next, growth, driven) = match sign {
        None => (None, None, None, None),
        Some(Sign::Gain { next, by, .. }) => (Some("gain"), Some(next), Some(by), None),
        Some(Sign::Behind { driven }) => (Some("behind"), None, None, Some(driven)),
        Some(Sign::Tail { times, .. }) => (Some("tail"), None, Some(times), None),
    };
    json!({
        "contender": contender,
        "outcome": outcome,
        // The load point of the outcome.
        "value": value,
        "sign": sign,
        "next": next,
        "growth": growth,
        "driven": driven,
        "or_before": or_before,
        "generator_limited": generator_limited,
    })
}
