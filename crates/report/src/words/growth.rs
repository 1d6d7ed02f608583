//! Sentences about the load points of one target.

use super::sweep::{self, setting};
use crate::View;
use judge::growth::{Change, Estimate, Growth, GrowthStep, Limit, Point};
use judge::verdict::ContenderSummary;
use record::Factor;
use text::units;

/// The answer if too few rounds are complete.
const TOO_FEW: &str = "too few complete rounds to tell up to which load throughput grows";

/// Up to which load throughput grows; `times` is written after ratios. Returns None if the run did
/// not sweep load points, or if the audit refused it.
pub(crate) fn answer(view: &View, times: char) -> Option<String> {
    if view.plan().sweep.is_none() || view.void {
        return None;
    }
    Some(view.growth.map_or(TOO_FEW.to_owned(), |growth| limit(growth, times)))
}

/// The headings of the table of load points; misses have a column if there are any.
pub(crate) fn columns(view: &View, growth: &Growth) -> Vec<&'static str> {
    let misses = super::any_misses(view.contenders).then_some("misses");
    let always = [sweep::factor(growth.factor), "throughput", "p50", "p99", "errors"];
    always.into_iter().chain(misses).collect()
}

/// One row of the table for each load point.
pub(crate) fn rows(view: &View, growth: &Growth) -> Vec<Vec<String>> {
    let misses = super::any_misses(view.contenders);
    let row = |(point, of): (&Point, &ContenderSummary)| {
        let always = [
            setting(growth.factor, point.value),
            figure(point.throughput, units::rate),
            figure(point.p50, units::seconds),
            figure(point.p99, units::seconds),
            units::count(super::errors(of)),
        ];
        always.into_iter().chain(misses.then(|| super::misses(of))).collect()
    };
    growth.points.iter().zip(view.contenders).map(row).collect()
}

/// Explains the intervals in the table.
pub(crate) fn about_intervals(growth: &Growth) -> String {
    format!(
        "in parentheses: the {} interval of the mean over rounds, for each figure separately",
        units::level(growth.confidence)
    )
}

/// Up to which load throughput grows; `times` is written after ratios.
fn limit(growth: &Growth, times: char) -> String {
    let gain = gain(growth.factor);
    match growth.limit {
        Limit::NotSought => "throughput equals the rate here, so where it stops growing is not \
                             determined"
            .to_owned(),
        Limit::NotReached => {
            let grows = grows_up_to(growth, growth.points.len() - 1);
            let last = growth.steps.last().map(|last| format!(": {}", step(growth, last, times)));
            format!("{grows}, the highest load point{}", last.unwrap_or_default())
        }
        Limit::At(0) => format!("{gain} does not grow: {}", step(growth, &growth.steps[0], times)),
        Limit::At(at) => {
            format!("{}; {}", grows_up_to(growth, at), step(growth, &growth.steps[at], times))
        }
        Limit::Undetermined(at) => {
            let change = step(growth, &growth.steps[at], times);
            match at {
                0 => format!("it is not clear whether {gain} grows: {change}"),
                _ => format!("{}; {change}", grows_up_to(growth, at)),
            }
        }
    }
}

fn grows_up_to(growth: &Growth, at: usize) -> String {
    format!("{} grows up to {}", gain(growth.factor), load(growth.factor, growth.points[at].value))
}

/// `from 16 to 32 it does not grow (0.99x, 0.95x to 1.03x) and p99 grows 2.10x`.
pub(crate) fn step(growth: &Growth, step: &GrowthStep, times: char) -> String {
    let [from, to] = [step.from, step.to].map(|value| setting(growth.factor, value));
    let ratio = step.throughput.map_or(units::MISSING.to_owned(), |of| ratio(of, times));
    let throughput = match step.change {
        Change::Grows => format!("it grows ({ratio})"),
        Change::DoesNotGrow => format!("it does not grow ({ratio})"),
        Change::Falls => format!("it falls ({ratio})"),
        Change::Undetermined => format!("rounds vary too much to tell whether it grows ({ratio})"),
    };
    let p99 = step.p99.map(|of| format!(" and p99 {}", p99(of, times)));
    let next = growth.points.iter().find(|point| point.value == step.to);
    let generator = if next.is_some_and(|point| point.generator_limited) {
        "; the generator may have been the slower part there"
    } else {
        ""
    };
    format!("from {from} to {to} {throughput}{}{generator}", p99.unwrap_or_default())
}

fn p99(of: Estimate, times: char) -> String {
    match (of.low > 1.0, of.high < 1.0) {
        (true, _) => format!("grows ({})", ratio(of, times)),
        (_, true) => format!("falls ({})", ratio(of, times)),
        _ => format!("is not shown to change ({})", ratio(of, times)),
    }
}

fn ratio(of: Estimate, times: char) -> String {
    // A bound next to 1 is shown on its side of it.
    match units::ratios(of.at, Some((of.low, of.high)), judge::growth::TOO_LITTLE).as_slice() {
        [at, low, high] => format!("{at}{times}, {low}{times} to {high}{times}"),
        other => other.concat(),
    }
}

/// The figure that a larger load is expected to increase.
fn gain(of: Factor) -> &'static str {
    match of {
        Factor::Value => "throughput in bytes",
        Factor::Connections | Factor::Depth | Factor::Rate => "throughput",
    }
}

/// A load with its unit: `16 connections`, `a depth of 4`, `5 k/s`.
pub(crate) fn load(of: Factor, value: f64) -> String {
    match of {
        Factor::Connections => units::counted(value as u64, "connection"),
        Factor::Depth => format!("a depth of {}", setting(of, value)),
        Factor::Rate => format!("a rate of {}", setting(of, value)),
        Factor::Value => format!("values of {}", setting(of, value)),
    }
}

/// A figure and its interval, with the unit only once if all three have the same:
/// `23.4 k/s (23.1 to 23.7)`.
pub(crate) fn figure(of: Option<Estimate>, in_units: fn(Option<f64>) -> String) -> String {
    let Some(Estimate { at, low, high }) = of else { return units::MISSING.to_owned() };
    let [at, low, high] = [at, low, high].map(|value| in_units(Some(value)));
    let unit = |text: &str| text.split_once(units::JOINT).map(|(_, unit)| unit.to_owned());
    let bare = |text: &str| text.split(units::JOINT).next().unwrap_or_default().to_owned();
    if unit(&at) == unit(&low) && unit(&low) == unit(&high) {
        format!("{at} ({} to {})", bare(&low), bare(&high))
    } else {
        format!("{at} ({low} to {high})")
    }
}
