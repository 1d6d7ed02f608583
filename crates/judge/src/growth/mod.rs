//! How throughput and latency of each target grow with its load.
//!
//! All load points of a sweep are driven once in each round. So two of them are compared round by
//! round (or launch by launch), as contenders are: what the machine does to a round, it does to
//! both. The figures are logarithms, and the intervals those of Student's t (mean ± t·s/√n). Unlike
//! the signed-rank interval of a comparison, this does not need many rounds.

use crate::bend::{self, Bend};
use crate::load::Load;
use crate::stats::paired_t;
use crate::verdict::{ContenderSummary, Verdict};
use record::{Contender, Factor, Plan, Question, RunSweep};
use serde::Serialize;

/// What load points show about their targets.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// One for each target, in their order.
    pub curves: Vec<Curve>,
    /// Level of each load point's intervals, e.g. 0.95, each by itself.
    pub confidence: f64,
    /// Level of each step's intervals: those of throughput hold together at
    /// [`Growth::confidence`], and those of the p99 likewise (Bonferroni).
    pub step_confidence: f64,
}

/// What load points show about one target.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// By ascending load.
    pub points: Vec<Point>,
    /// From each load point to the next. Empty if they share no rounds.
    pub steps: Vec<GrowthStep>,
    /// Where it bends.
    pub bend: Bend,
}

/// A target at one load point. A load point that the audit refused has no figures.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Point {
    /// The factor's value: connections, depth, bytes, or operations per second.
    pub value: f64,
    /// Operations per second.
    pub throughput: Option<Estimate>,
    /// Median of response time, in seconds.
    pub p50: Option<Estimate>,
    /// The p99 of response time, in seconds.
    pub p99: Option<Estimate>,
    /// Whether the generator was hardly idle and the target not known to be at its limit.
    pub generator_limited: bool,
}

/// From one load point to the next.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct GrowthStep {
    /// The factor's value at the lower load point.
    pub from: f64,
    /// The factor's value at the higher one.
    pub to: f64,
    /// Throughput (of sizes of values: bytes per second), as a ratio.
    pub throughput: Option<Estimate>,
    /// The p99 of response time, as a ratio.
    pub p99: Option<Estimate>,
}

/// A geometric mean over the rounds (or launches) and its interval. Absent with fewer than two, or if one
/// lacks the figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Estimate {
    /// The mean.
    #[serde(rename = "value")]
    pub at: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// What the load points of a plan show. Returns None if it has none, if the audit refused all of them, or if there
/// are fewer than two complete replicates.
pub fn of_run(plan: &Plan, verdict: &Verdict) -> Option<Growth> {
    let is_sound: Vec<bool> = verdict.load_points().iter().map(|point| !point.void()).collect();
    let at_a_rate = |of: &Contender| of.intensity.arrivals.rate().is_some();
    let at_a_rate: Vec<bool> = plan.contenders.iter().map(at_a_rate).collect();
    let sweep = plan.sweep.as_ref()?;
    of(sweep, &plan.question, &at_a_rate, verdict.contenders(), &is_sound)
}

/// What load points show, of which these are sound. `at_a_rate` says which contenders were driven at a rate.
pub fn of(
    sweep: &RunSweep,
    question: &Question,
    at_a_rate: &[bool],
    contenders: &[ContenderSummary],
    is_sound: &[bool],
) -> Option<Growth> {
    let (width, replicate) = (sweep.width(), question.rounds_of_a_launch().unwrap_or(1));
    let steps = sweep.values.len().saturating_sub(1) * width;
    let (level, level_of_step) = (question.alpha, question.alpha / steps.max(1) as f64);
    let curve = |target: usize| {
        let of_target = contenders.iter().skip(target).step_by(width).zip(is_sound);
        let loads = sweep.values.iter().zip(of_target).map(|(value, (of, is_sound))| {
            let load = Load::new(*value, of, replicate);
            if *is_sound { load } else { load.without_figures() }
        });
        let loads: Vec<Load> = loads.collect();
        let at_a_rate = at_a_rate.get(target).is_some_and(|has_rate| *has_rate);
        let sound: Vec<&Load> =
            loads.iter().zip(is_sound).filter(|(_, is_sound)| **is_sound).map(|of| of.0).collect();
        let alpha = question.alpha / width as f64;
        let points = loads.iter().map(|load| load.point(level)).collect();
        if question.has_load_points_apart() {
            // Their rounds are not pairs.
            return Curve { points, steps: Vec::new(), bend: Bend::Undetermined };
        }
        Curve {
            points,
            steps: loads
                .windows(2)
                .map(|two| two[0].step_to(&two[1], sweep.factor, level_of_step))
                .collect(),
            bend: bend::of(sweep.factor, at_a_rate, &sound, sweep.values.len(), alpha),
        }
    };
    let curves: Vec<Curve> = (0..width).map(curve).collect();
    let has_figures =
        curves.iter().flat_map(|curve| &curve.points).any(|point| point.throughput.is_some());
    has_figures.then_some(Growth {
        curves,
        confidence: 1.0 - level,
        step_confidence: 1.0 - level_of_step,
    })
}

impl Load {
    fn without_figures(self) -> Load {
        Load { throughput: Vec::new(), p50: Vec::new(), p99: Vec::new(), ..self }
    }

    fn point(&self, level: f64) -> Point {
        Point {
            value: self.value,
            throughput: estimate(&self.throughput, level),
            p50: estimate(&self.p50, level),
            p99: estimate(&self.p99, level),
            generator_limited: self.generator_limited,
        }
    }

    fn step_to(&self, next: &Load, factor: Factor, level: f64) -> GrowthStep {
        GrowthStep {
            from: self.value,
            to: next.value,
            throughput: estimate(&self.gains_to(next, factor), level),
            p99: estimate(&self.p99_growth_to(next), level),
        }
    }
}

fn estimate(logs: &[f64], level: f64) -> Option<Estimate> {
    let (low, high) = paired_t::interval(logs, level)?;
    let at = paired_t::mean(logs)?.exp();
    Some(Estimate { at, low: low.exp(), high: high.exp() })
}

#[cfg(test)]
mod tests;
