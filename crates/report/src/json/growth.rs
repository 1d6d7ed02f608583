//! The load points of one target, as data.

use judge::growth::{Change, Estimate, Growth, GrowthStep, Limit, Point};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct GrowthData {
    factor: &'static str,
    confidence: f64,
    step_confidence: f64,
    limit: LimitData,
    points: Vec<PointData>,
    steps: Vec<StepData>,
}

#[derive(Serialize)]
struct LimitData {
    outcome: &'static str,
    value: Option<f64>,
}

#[derive(Serialize)]
struct PointData {
    value: f64,
    throughput: Option<EstimateData>,
    p50: Option<EstimateData>,
    p99: Option<EstimateData>,
    held_back: bool,
}

#[derive(Serialize)]
struct StepData {
    from: f64,
    to: f64,
    change: &'static str,
    throughput: Option<EstimateData>,
    p99: Option<EstimateData>,
}

#[derive(Serialize)]
struct EstimateData {
    value: f64,
    low: f64,
    high: f64,
}

impl GrowthData {
    pub(super) fn of(of: &Growth) -> GrowthData {
        GrowthData {
            factor: of.factor.name(),
            confidence: of.confidence,
            step_confidence: of.step_confidence,
            limit: limit(of),
            points: of.points.iter().map(point).collect(),
            steps: of.steps.iter().map(step).collect(),
        }
    }
}

fn limit(of: &Growth) -> LimitData {
    let value = |at: usize| of.points.get(at).map(|point| point.value);
    match of.limit {
        Limit::At(at) => LimitData { outcome: "at", value: value(at) },
        Limit::Untold(at) => LimitData { outcome: "untold", value: value(at) },
        Limit::NotReached => LimitData { outcome: "not_reached", value: None },
        Limit::NotSought => LimitData { outcome: "not_sought", value: None },
    }
}

fn point(of: &Point) -> PointData {
    PointData {
        value: of.value,
        throughput: of.throughput.map(estimate),
        p50: of.p50.map(estimate),
        p99: of.p99.map(estimate),
        held_back: of.held_back,
    }
}

fn step(of: &GrowthStep) -> StepData {
    let change = match of.change {
        Change::Grows => "grows",
        Change::DoesNotGrow => "does_not_grow",
        Change::Falls => "falls",
        Change::Untold => "untold",
    };
    let (throughput, p99) = (of.throughput.map(estimate), of.p99.map(estimate));
    StepData { from: of.from, to: of.to, change, throughput, p99 }
}

fn estimate(of: Estimate) -> EstimateData {
    EstimateData { value: of.at, low: of.low, high: of.high }
}
