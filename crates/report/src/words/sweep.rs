//! Sentences about a sweep.

use super::{bounds, limit};
use crate::View;
use crate::sweep::SweepView;
use judge::bend::{Bend, Sign};
use judge::verdict::Comparison;
use record::Factor;
use text::units;

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
pub(crate) fn at(of: Factor, values: impl Iterator<Item = f64>) -> String {
    let points: Vec<String> = values.map(|value| setting(of, value)).collect();
    format!("{} {}", factor(of), points.join(", "))
}

/// Whether there was a miss at any load point.
pub(crate) fn any_misses(view: &SweepView) -> bool {
    super::any_misses(view.driven().flat_map(|(_, of)| of.contenders))
}

/// `sweep of connections: 1, 8, 32, 128`.
pub(crate) fn title(view: &SweepView) -> String {
    let values: Vec<f64> = view.sweep.points.iter().map(|point| point.value).collect();
    points(view.sweep.factor, &values)
}

/// `sweep of connections: 1, 8, 32, 128` for a sweep with these load points.
pub(crate) fn points(of: Factor, values: &[f64]) -> String {
    let points: Vec<String> = values.iter().map(|value| setting(of, *value)).collect();
    format!("sweep of {}: {}", factor(of), points.join(", "))
}

/// In which order the load points were driven, and why.
pub(crate) fn order(view: &SweepView) -> String {
    let mut points: Vec<_> = view.sweep.points.iter().collect();
    points.sort_by_key(|point| point.turn);
    let points = points.into_iter().map(|point| setting(view.sweep.factor, point.value));
    let points: Vec<String> = points.collect();
    format!(
        "driven in the order {}, so that a machine that slows down is not mistaken for a bend",
        points.join(", ")
    )
}

/// Where a contender's curve bends, without its name; `times` is written after ratios.
pub(crate) fn bend(of: Factor, bend: &Bend, times: char) -> String {
    match bend {
        Bend::At { value, sign, generator_limited, or_before } => {
            let before = if *or_before { " or before" } else { "" };
            let generator = if *generator_limited {
                "; the generator may have been the slower part there"
            } else {
                ""
            };
            format!(
                "{}{generator}",
                signed(of, *value, *sign, before).replace('×', &times.to_string())
            )
        }
        Bend::NotUpTo(value) => format!("no bend up to {}", setting(of, *value)),
        Bend::Undetermined => "these load points do not show whether it bends".to_owned(),
        Bend::NotSought => "bends are not looked for at a fixed rate".to_owned(),
    }
}

fn signed(of: Factor, value: f64, sign: Sign, before: &str) -> String {
    let at = setting(of, value);
    match sign {
        Sign::Gain { next, more, by } => {
            let gain = match of {
                Factor::Value => "bytes per second",
                _ => "throughput",
            };
            let (more, by, next) = (units::growth(more), units::growth(by), setting(of, next));
            format!("bends at {at}{before}: {more}× as much ({next}) gives {by}× the {gain}")
        }
        Sign::Behind { driven } => {
            let driven = units::rate(Some(driven));
            format!("falls behind at {at}{before}: it reached only {driven}")
        }
        Sign::Tail { times, lowest } => {
            let (times, lowest) = (units::growth(times), setting(of, lowest));
            format!("bends at {at}{before}: the p99 is {times}× that at {lowest}")
        }
    }
}

/// The ratio of a comparison and its interval: `1.31x (1.27x to 1.36x)`, with `times` after each.
/// No ratio is shown for a void load point, because readers would take it for a verdict.
pub(crate) fn ratio(view: &View, comparison: &Comparison, times: char) -> String {
    let Some(ratio) = comparison.ratio.filter(|_| !view.void) else {
        return units::MISSING.to_owned();
    };
    let (bounds, limit) = (bounds(comparison), limit(comparison));
    match units::ratios(ratio, bounds, view.matters()).as_slice() {
        [ratio, low, high] => format!("{limit}{ratio}{times} ({low}{times} to {high}{times})"),
        ratio => format!("{limit}{}{times}", ratio.concat()),
    }
}
