//! Sentences about load points.

use super::limit;
use crate::View;
use crate::sweep::{PointView, SweepView};
use judge::bend::{Bend, Sign};
use judge::growth::{Curve, Estimate, GrowthStep};
use judge::verdict::Comparison;
use record::{Factor, RunSweep};
use text::units;

/// The answer if load points were driven one after the other.
const APART: &str = "whether it bends cannot be said: the load points were driven one after the other and share no rounds";

/// The answer if too few rounds are complete.
const TOO_FEW: &str = "too few complete rounds to tell whether it bends";

/// The swept factor in words.
pub(crate) fn factor(factor: Factor) -> &'static str {
    match factor {
        Factor::Connections => "connections",
        Factor::Rate => "rate",
        Factor::Value => "size of values",
        Factor::Depth => "depth",
    }
}

/// A setting of the factor: `8`, `5 k/s`, `1 kB`.
pub(crate) fn setting(factor: Factor, value: f64) -> String {
    match factor {
        Factor::Connections | Factor::Depth => units::count(value as u64),
        Factor::Rate => units::exact_rate(value),
        Factor::Value => units::exact_bytes(value as u64),
    }
}

/// Some load points: `connections 1, 8, 32`.
pub(crate) fn at(of: Factor, values: &[f64]) -> String {
    format!("{} {}", factor(of), settings(of, values))
}

/// `sweep of connections: 1, 8, 32, 128`.
pub(crate) fn title(of: &RunSweep) -> String {
    format!("sweep of {}: {}", factor(of.factor), settings(of.factor, &of.values))
}

fn settings(of: Factor, values: &[f64]) -> String {
    let each: Vec<String> = values.iter().map(|value| setting(of, *value)).collect();
    each.join(", ")
}

/// Where each target's curve bends, by name; `times` is written after ratios.
pub(crate) fn bends<'a>(view: &SweepView<'a>, times: char) -> Vec<(&'a str, String)> {
    let curves = view.curves();
    let of_curve = |(name, curve): (&'a str, &Curve)| {
        let sentence = match view.void().len() {
            all if all == view.points.len() => "no load point is sound".to_owned(),
            _ if view.are_apart() => APART.to_owned(),
            _ => bend(view.sweep.factor, &curve.bend, times),
        };
        (name, sentence)
    };
    if curves.is_empty() {
        return view.targets().into_iter().map(|name| (name, TOO_FEW.to_owned())).collect();
    }
    curves.into_iter().map(of_curve).collect()
}

/// Where a curve bends; `times` is written after ratios.
fn bend(of: Factor, bend: &Bend, times: char) -> String {
    match bend {
        Bend::At { value, sign, generator_limited, or_before } => {
            let before = if *or_before { " or before" } else { "" };
            let generator = if *generator_limited {
                "; the generator may have been the slower part there"
            } else {
                ""
            };
            format!("{}{generator}", signed(of, *value, *sign, before, times))
        }
        Bend::NotUpTo(value) => format!("no bend up to {}", setting(of, *value)),
        Bend::Undetermined => "these load points do not show whether it bends".to_owned(),
        Bend::NotSought => "bends are not looked for at a fixed rate".to_owned(),
    }
}

fn signed(of: Factor, value: f64, sign: Sign, before: &str, times: char) -> String {
    let at = setting(of, value);
    match sign {
        Sign::Gain { next, more, by } => {
            let (more, by, next) = (units::growth(more), units::growth(by), setting(of, next));
            let gain = gain(of);
            format!(
                "bends at {at}{before}: {more}{times} as much ({next}) gives {by}{times} the {gain}"
            )
        }
        Sign::Behind { driven } => {
            let driven = units::rate(Some(driven));
            format!("falls behind at {at}{before}: it reached only {driven}")
        }
        Sign::Tail { times: by, lowest } => {
            let (by, lowest) = (units::growth(by), setting(of, lowest));
            format!("bends at {at}{before}: the p99 is {by}{times} that at {lowest}")
        }
    }
}

/// The figure that a larger load is expected to increase.
fn gain(of: Factor) -> &'static str {
    match of {
        Factor::Value => "bytes per second",
        Factor::Connections | Factor::Depth | Factor::Rate => "throughput",
    }
}

/// The ratio of a comparison and its interval: `1.31x (1.27x to 1.36x)`, with `times` after each.
/// No ratio is shown for a void load point, because readers would take it for a verdict.
pub(crate) fn ratio(view: &View, comparison: &Comparison, times: char) -> String {
    let Some(ratio) = comparison.ratio.filter(|_| !view.void) else {
        return units::MISSING.to_owned();
    };
    let (bounds, limit) = (comparison.judged_bounds(), limit(comparison));
    match units::ratios(ratio, bounds, view.matters()).as_slice() {
        [ratio, low, high] => format!("{limit}{ratio}{times} ({low}{times} to {high}{times})"),
        ratio => format!("{limit}{}{times}", ratio.concat()),
    }
}

/// The headings of the table of a target's load points; misses have a column if there are any.
pub(crate) fn columns(view: &SweepView) -> Vec<&'static str> {
    let misses = super::any_misses(view.whole.contenders).then_some("misses");
    let always = [factor(view.sweep.factor), "throughput", "p50", "p99", "errors"];
    always.into_iter().chain(misses).collect()
}

/// One row of that table for each load point.
pub(crate) fn rows(view: &SweepView, target: usize) -> Vec<Vec<String>> {
    let has_misses = super::any_misses(view.whole.contenders);
    let curves = view.curves();
    let curve = curves.get(target).map(|(_, curve)| *curve);
    let row = |(at, point): (usize, &PointView)| {
        let of = point.target(target)?;
        let known = curve.and_then(|curve| curve.points.get(at));
        let [p50, p99] = [of.response_time.p50, of.response_time.p99];
        let void = if point.view.void { " (void)" } else { "" };
        let always = [
            setting(view.sweep.factor, point.value) + void,
            figure(known.and_then(|of| of.throughput), of.throughput, units::rate),
            figure(known.and_then(|of| of.p50), p50, units::seconds),
            figure(known.and_then(|of| of.p99), p99, units::seconds),
            units::count(super::errors(of)),
        ];
        Some(always.into_iter().chain(has_misses.then(|| super::misses(of))).collect())
    };
    view.points.iter().enumerate().filter_map(row).collect()
}

/// Explains the intervals in the table. Returns None if there are none.
pub(crate) fn about_intervals(view: &SweepView) -> Option<String> {
    let growth = view.whole.growth?;
    let of_launches = view.whole.plan().question.rounds_of_a_launch().is_some();
    let replicates = if of_launches { "launches" } else { "rounds" };
    let level = units::level(growth.confidence);
    Some(format!(
        "in parentheses: the {level} interval of the mean over {replicates}, for each figure separately"
    ))
}

/// The steps of a curve between load points that have figures: `from 16 to 32: throughput 0.99x (0.95x to 1.03x), p99
/// 2.10x (2.05x to 2.15x)`.
pub(crate) fn steps(view: &SweepView, curve: &Curve, times: char) -> Vec<String> {
    let of = view.sweep.factor;
    let ratio = |ratio: Estimate| {
        // A bound next to 1 is shown on its side of it.
        let all = units::ratios(ratio.at, Some((ratio.low, ratio.high)), view.whole.matters());
        match all.as_slice() {
            [at, low, high] => format!("{at}{times} ({low}{times} to {high}{times})"),
            other => other.concat(),
        }
    };
    let step = |step: &GrowthStep| {
        let [from, to] = [step.from, step.to].map(|value| setting(of, value));
        let p99 = step.p99.map_or(String::new(), |p99| format!(", p99 {}", ratio(p99)));
        Some(format!("from {from} to {to}: {} {}{p99}", gain(of), ratio(step.throughput?)))
    };
    curve.steps.iter().filter_map(step).collect()
}

/// A figure and its interval, with the unit only once if all three have the same:
/// `23.4 k/s (23.1 to 23.7)`. Without an interval it is the figure of all rounds together.
fn figure(
    of: Option<Estimate>,
    of_all: Option<f64>,
    in_units: fn(Option<f64>) -> String,
) -> String {
    let Some(Estimate { at, low, high }) = of else { return in_units(of_all) };
    let [at, low, high] = [at, low, high].map(|value| in_units(Some(value)));
    let unit = |text: &str| text.split_once(units::JOINT).map(|(_, unit)| unit.to_owned());
    let bare = |text: &str| text.split(units::JOINT).next().unwrap_or_default().to_owned();
    if unit(&at) == unit(&low) && unit(&low) == unit(&high) {
        format!("{at} ({} to {})", bare(&low), bare(&high))
    } else {
        format!("{at} ({low} to {high})")
    }
}
