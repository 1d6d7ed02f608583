//! The load points of a run, and where the curves of its targets bend.

use super::{headline, without_nulls};
use crate::sweep::{PointView, SweepView};
use judge::bend::{Bend, Sign};
use judge::growth::{Curve, Point};
use serde_json::{Value, json};

/// `sweep` in the report.
pub(super) fn sweep(view: &SweepView) -> Value {
    let curves = view.curves();
    let points = curves.iter().enumerate().flat_map(|(target, (name, curve))| {
        let points = curve.points.iter().zip(&view.points);
        points.map(move |(point, of)| point_of(name, target, point, of))
    });
    let steps = curves.iter().flat_map(|(name, curve)| {
        let step = |step| with_contender(name, json!(step));
        curve.steps.iter().map(step)
    });
    let sweep = json!({
        "factor": view.sweep.factor,
        "apart": view.are_apart().then_some(true),
        "confidence": view.whole.growth.map(|growth| growth.confidence),
        "step_confidence": view.whole.growth.map(|growth| growth.step_confidence),
        "levels": view.points.iter().map(level).collect::<Value>(),
        "points": points.collect::<Value>(),
        "steps": steps.collect::<Value>(),
        "bends": curves.iter().map(|(name, curve): &(&str, &Curve)| bend(name, &curve.bend)).collect::<Value>(),
    });
    without_nulls(sweep, &["apart"])
}

/// One load point, with the names of its contenders.
fn level(point: &PointView) -> Value {
    let names: Vec<&str> = point.view.contenders.iter().map(|of| of.name.as_str()).collect();
    json!({
        "value": point.value,
        "contenders": names,
        "void": point.view.void,
        "headline": headline(&point.view),
    })
}

/// A target at a load point, and its name among the contenders.
fn point_of(name: &str, target: usize, point: &Point, of: &PointView) -> Value {
    let mut value = with_contender(name, json!(point));
    value["at"] = json!(of.target(target).map(|of| &of.name));
    value
}

fn with_contender(name: &str, mut value: Value) -> Value {
    value["contender"] = json!(name);
    value
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
