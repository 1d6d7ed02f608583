//! The fraction of operations that miss an objective, as a function of the rate: logit p = a + b·z with
//! z = ln(rate ÷ start), where start is the rate that the search found.

use super::Turn;

/// Operations miss an objective in bursts, so this many of them tell as much as one that is independent of the
/// others.
const BURST: f64 = 20.0;
/// Mean and standard deviation of the prior of ln b.
const PRIOR: (f64, f64) = (15.0, 1.0);
/// The smallest and the largest slope.
const SLOPES: (f64, f64) = (3.0, 300.0);
/// A standard normal variable is above it with a probability of 1 %.
const ONE_PERCENT: f64 = 2.326;
/// With fewer operations that missed, a round's crossing would be infinitely high.
const FEWEST_MISSED: f64 = 0.5;

/// What one turn says about one objective.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// ln(rate ÷ start).
    pub(super) z: f64,
    /// Operations.
    pub(super) counted: f64,
    /// How many of them missed the objective.
    pub(super) missed: f64,
}

impl Point {
    /// The point of a turn for the objective at this position.
    pub(super) fn new(turn: &Turn, start: f64, objective: usize) -> Point {
        Point {
            z: (turn.rate / start).ln(),
            counted: turn.counted as f64,
            missed: turn.missed[objective] as f64,
        }
    }
}

/// A fitted curve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Curve {
    level: f64,
    /// b.
    pub(super) slope: f64,
}

impl Curve {
    /// The curve of the largest posterior probability. The derivative of its logarithm in ln b changes its sign at
    /// that slope, which bisection finds.
    pub(super) fn fit(points: &[Point]) -> Curve {
        let (mut low, mut high) = (SLOPES.0.ln(), SLOPES.1.ln());
        while high - low > 1e-6 {
            let middle = (low + high) / 2.0;
            if rises(points, middle.exp()) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let slope = low.midpoint(high).exp();
        Curve { level: level(points, slope), slope }
    }

    /// Where a fraction of the operations misses the objective, as ln(rate ÷ start).
    pub(super) fn crossing(&self, may_miss: f64) -> f64 {
        (logit(may_miss) - self.level) / self.slope
    }
}

/// The crossing of one round alone, with a slope that all rounds share.
pub(super) fn crossing_with(points: &[Point], slope: f64, may_miss: f64) -> f64 {
    Curve { level: level(points, slope), slope }.crossing(may_miss)
}

/// Whether the slope is surely below this one: the score test (Rao, 1948), one-sided at 1 %, where a is the most likely
/// one. It uses the turns alone, without the prior.
pub(super) fn is_surely_below(points: &[Point], slope: f64) -> bool {
    let level = level(points, slope);
    let (mut score, mut weight, mut first, mut second) = (0.0, 0.0, 0.0, 0.0);
    for of in points {
        let p = sigmoid(level + slope * of.z);
        let scatter = of.counted * p * (1.0 - p) / BURST;
        score += of.z * (of.missed - of.counted * p) / BURST;
        weight += scatter;
        first += scatter * of.z;
        second += scatter * of.z * of.z;
    }
    // What is left for the slope after the level is fitted.
    let information = second - first * first / weight;
    information > 0.0 && score < -ONE_PERCENT * information.sqrt()
}

/// Whether the posterior probability rises with ln b at this slope, where a is the most likely one.
fn rises(points: &[Point], slope: f64) -> bool {
    let level = level(points, slope);
    let each =
        points.iter().map(|of| of.z * (of.missed - of.counted * sigmoid(level + slope * of.z)));
    let likelihood = slope * each.sum::<f64>() / BURST;
    let (median, deviation) = PRIOR;
    likelihood - (slope / median).ln() / (deviation * deviation) > 0.0
}

/// The a at which as many operations are expected to miss as did, by Newton's method inside a bracket.
fn level(points: &[Point], slope: f64) -> f64 {
    let counted: f64 = points.iter().map(|of| of.counted).sum();
    if counted < 1.0 {
        return 0.0;
    }
    let missed: f64 = points.iter().map(|of| of.missed).sum();
    let missed = missed.clamp(FEWEST_MISSED, counted - FEWEST_MISSED);
    let widest = slope * points.iter().map(|of| of.z.abs()).fold(0.0, f64::max);
    let middle = logit(missed / counted);
    let (mut low, mut high) = (middle - widest - 1.0, middle + widest + 1.0);
    let mut level = middle;
    for _ in 0..60 {
        let (mut excess, mut steepness) = (-missed, 0.0);
        for of in points {
            let p = sigmoid(level + slope * of.z);
            excess += of.counted * p;
            steepness += of.counted * p * (1.0 - p);
        }
        if excess > 0.0 {
            high = level;
        } else {
            low = level;
        }
        let newton = level - excess / steepness;
        let next = if newton > low && newton < high { newton } else { low.midpoint(high) };
        if (next - level).abs() < 1e-10 {
            return next;
        }
        level = next;
    }
    level
}

/// ln(p ÷ (1 − p)).
fn logit(p: f64) -> f64 {
    (p / (1.0 - p)).ln()
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}
