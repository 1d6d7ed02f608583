//! How throughput and latency of one target grow with its load, and up to which point.
//!
//! The load points of `run --sweep` are driven once in each round. So two of them are compared
//! round by round, as contenders are: what the machine does to a round, it does to both. The
//! figures are logarithms, and the intervals those of Student's t over the rounds (mean ± t·s/√n),
//! as in [`crate::bend`]. Unlike the signed-rank interval of a comparison, this does not need many
//! rounds.

use crate::bend;
use crate::stats::paired_t;
use crate::verdict::ContenderSummary;
use record::{Factor, Question, RunSweep};
use serde::Serialize;

/// Throughput that grows by less than this to the next load point counts as not growing. The value
/// is a choice: if the load doubles, proportional throughput would grow by 100 %.
pub const TOO_LITTLE: f64 = 0.05;

/// What load points show about a target.
#[derive(Clone, Debug, PartialEq)]
pub struct Growth {
    /// What is swept.
    pub factor: Factor,
    /// By ascending load.
    pub points: Vec<Point>,
    /// From each load point to the next.
    pub steps: Vec<GrowthStep>,
    /// Up to where throughput grows.
    pub limit: Limit,
    /// Level of each load point's intervals, e.g. 0.95, each by itself.
    pub confidence: f64,
    /// Level of each step's intervals: those of throughput hold together at
    /// [`Growth::confidence`], and those of the p99 likewise (Bonferroni).
    pub step_confidence: f64,
}

/// One load point.
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
    /// How throughput changes.
    pub change: Change,
    /// Throughput (of sizes of values: bytes per second), as a ratio.
    pub throughput: Option<Estimate>,
    /// The p99 of response time, as a ratio.
    pub p99: Option<Estimate>,
}

/// A geometric mean over the rounds and its interval. Absent with fewer than two rounds, or if a
/// round lacks the figure.
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

/// How throughput changes between two load points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The whole interval is above 1.
    Grows,
    /// The whole interval is below growth by [`TOO_LITTLE`].
    DoesNotGrow,
    /// The whole interval is below 1.
    Falls,
    /// The interval is too wide for any of these.
    Undetermined,
}

/// Up to where throughput grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Up to the load point of this number: it was shown not to grow to the next one.
    At(usize),
    /// It still grows to the highest load point.
    NotReached,
    /// It grows up to the load point of this number; rounds scatter too much to say whether it
    /// grows to the next one.
    Undetermined(usize),
    /// The limit was not looked for: at a fixed rate the throughput is the rate, whatever else is
    /// swept.
    NotSought,
}

/// What the contenders of a sweep show, by ascending load. `at_a_rate` says whether they are driven
/// at a rate. Returns None if a load point has fewer than two rounds.
pub fn of(
    sweep: &RunSweep,
    at_a_rate: bool,
    question: &Question,
    contenders: &[ContenderSummary],
) -> Option<Growth> {
    let (alpha, matters) = (question.alpha, question.matters);
    let level = alpha / sweep.values.len().saturating_sub(1).max(1) as f64;
    let points = sweep.values.iter().zip(contenders);
    let points: Vec<Point> = points.map(|(value, of)| point(*value, of, alpha)).collect();
    if points.len() < 2 || points.iter().any(|point| point.throughput.is_none()) {
        return None;
    }
    let pairs = sweep.values.windows(2).zip(contenders.windows(2));
    let step = |(values, pair): (&[f64], &[ContenderSummary])| {
        let more = gain_of_one(sweep.factor, (values[0], values[1]));
        let (throughput, p99) = ratios((&pair[0], &pair[1]), more, level);
        let change = throughput.map_or(Change::Undetermined, |of| change(of, matters));
        GrowthStep { from: values[0], to: values[1], throughput, p99, change }
    };
    let steps: Vec<GrowthStep> = pairs.map(step).collect();
    let limit = match sweep.factor {
        Factor::Connections | Factor::Depth | Factor::Value if at_a_rate => Limit::NotSought,
        _ => limit(&steps),
    };
    let (confidence, step_confidence) = (1.0 - alpha, 1.0 - level);
    Some(Growth { factor: sweep.factor, points, steps, limit, confidence, step_confidence })
}

fn point(value: f64, of: &ContenderSummary, level: f64) -> Point {
    let estimate = |figure: Figure| {
        let logs: Option<Vec<f64>> = of.rounds.iter().map(|round| log(figure(round))).collect();
        estimate(&logs?, level)
    };
    Point {
        value,
        throughput: estimate(|round| Some(round.1)),
        p50: estimate(|round| round.2),
        p99: estimate(|round| round.3),
        generator_limited: bend::generator_limited(of),
    }
}

/// The value added to ln of a ratio of operations: with larger values, the same number of
/// operations makes more bytes.
fn gain_of_one(factor: Factor, (from, to): (f64, f64)) -> f64 {
    if factor == Factor::Value { (to / from).ln() } else { 0.0 }
}

/// Round, operations per second, p50 and p99 in seconds.
type Round = (u32, f64, Option<f64>, Option<f64>);
type Figure = fn(&Round) -> Option<f64>;

/// b/a of throughput, plus `more` (in ln), and of the p99. None if a round lacks one of the
/// figures.
fn ratios(
    (a, b): (&ContenderSummary, &ContenderSummary),
    more: f64,
    level: f64,
) -> (Option<Estimate>, Option<Estimate>) {
    let ratio = |figure: Figure, more: f64| {
        let both = a.rounds.iter().zip(&b.rounds).filter(|(a, b)| a.0 == b.0);
        let logs = both.map(|(a, b)| Some(log(figure(b))? - log(figure(a))? + more));
        estimate(&logs.collect::<Option<Vec<f64>>>()?, level)
    };
    (ratio(|round| Some(round.1), more), ratio(|round| round.3, 0.0))
}

fn log(figure: Option<f64>) -> Option<f64> {
    figure.filter(|figure| *figure > 0.0).map(f64::ln)
}

fn estimate(logs: &[f64], level: f64) -> Option<Estimate> {
    let (low, high) = paired_t::interval(logs, level)?;
    let at = paired_t::mean(logs)?.exp();
    Some(Estimate { at, low: low.exp(), high: high.exp() })
}

/// `matters` is the smallest difference that matters, as a share. A certain but smaller change does
/// not count as growth.
fn change(ratio: Estimate, matters: f64) -> Change {
    let (low, high) = (ratio.low, ratio.high);
    if low > 1.0 && high > 1.0 + matters {
        Change::Grows
    } else if high < 1.0 && low < 1.0 / (1.0 + matters) {
        Change::Falls
    } else if high < 1.0 + TOO_LITTLE.max(matters) {
        Change::DoesNotGrow
    } else {
        Change::Undetermined
    }
}

/// The last load point whose throughput is above that of the point before.
fn limit(steps: &[GrowthStep]) -> Limit {
    let last = steps.iter().rposition(|step| step.change == Change::Grows);
    let at = last.map_or(0, |step| step + 1);
    match steps.get(at).map(|step| step.change) {
        None => Limit::NotReached,
        Some(Change::Undetermined) => Limit::Undetermined(at),
        Some(_) => Limit::At(at),
    }
}

#[cfg(test)]
mod tests;
