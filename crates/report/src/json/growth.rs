//! The load points of one target, as data.

use judge::growth::{Change, Estimate, Growth, GrowthStep, Limit, Point};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct GrowthData<'a> {
    factor: &'static str,
    confidence: f64,
    step_confidence: f64,
    limit: LimitData,
    points: &'a [Point],
    steps: Vec<StepData>,
}

#[derive(Serialize)]
struct LimitData {
    outcome: &'static str,
    value: Option<f64>,
}

#[derive(Serialize)]
struct StepData {
    from: f64,
    to: f64,
    change: Change,
    throughput: Option<Estimate>,
    p99: Option<Estimate>,
}

impl<'a> GrowthData<'a> {
    pub(super) fn of(of: &'a Growth) -> Self {
        GrowthData {
            factor: of.factor.name(),
            confidence: of.confidence,
            step_confidence: of.step_confidence,
            limit: limit(of),
            points: &of.points,
            steps: of.steps.iter().map(step).collect(),
        }
    }
}

fn limit(of: &Growth) -> LimitData {
    let value = |at: usize| of.points.get(at).map(|point| point.value);
    match of.limit {
        Limit::At(at) => LimitData { outcome: "at", value: value(at) },
        Limit::Undetermined(at) => LimitData { outcome: "undetermined", value: value(at) },
        Limit::NotReached => LimitData { outcome: "not_reached", value: None },
        Limit::NotSought => LimitData { outcome: "not_sought", value: None },
    }
}

fn step(of: &GrowthStep) -> StepData {
    let GrowthStep { from, to, throughput, p99, change } = *of;
    StepData { from, to, change, throughput, p99 }
}
