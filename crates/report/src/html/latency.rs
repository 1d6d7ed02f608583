//! The distribution of response times: the tail gets as much space as the body.

use super::chart::{Chart, Tick, Ticks, legend, mark, series, ticks};
use super::node::{Node, el};
use super::parts;
use super::scale::{Scale, span};
use crate::words::columns::{Column, MAX, P50, P90, P99, P999};
use crate::{View, words};
use judge::verdict::ContenderSummary;
use text::shown::shown;
use text::units;

const HEIGHT: f64 = 280.0;
/// Above this ratio of the longest to the shortest time the axis is logarithmic.
const WIDE: f64 = 20.0;
/// Labelled shares. Those without `always` are left out on a narrow page if the tail is long.
const LABELS: [(f64, &str, bool); 7] = [
    (0.5, "p50", true),
    (0.9, "p90", true),
    (0.99, "p99", true),
    (0.999, "p99.9", true),
    (0.9999, "p99.99", false),
    (0.99999, "p99.999", true),
    (0.999999, "p99.9999", false),
];
/// A tail of more decades than this is long.
const LONG: f64 = 4.5;
/// Space between the last share below 1 and the longest time, in decades.
const TO_THE_MAXIMUM: f64 = 0.6;

/// The section.
pub(super) fn section(view: &View) -> Node {
    let section = parts::section("Response time");
    let curves = view.contenders.iter().flat_map(|contender| &contender.latency_curve);
    let Some((least, most)) = span(curves.map(|point| point.1).filter(|time| *time > 0.0)) else {
        return section.with(parts::nothing("No response time was recorded."));
    };
    let up = if most / least > WIDE {
        Scale::logarithmic(least, most)
    } else {
        Scale::linear(0.0, most)
    };
    section
        .with(legend(view, |of| words::times::p50_and_p99(&of.response_time)))
        .with(picture(view, &up))
        .with(parts::caption(
            "The share of operations (horizontal) that took at most this long (vertical). Each \
             step to the right is ten times rarer; lower is faster.",
        ))
        .with(parts::folded("Table of response times", table(view)))
}

fn picture(view: &View, up: &Scale) -> Node {
    let curves = view.contenders.iter().flat_map(|contender| &contender.latency_curve);
    let tail = Tail::of(curves.map(|point| point.0));
    let chart = Chart {
        title: "Distribution of response times".to_owned(),
        description: described(view),
        height: HEIGHT,
        across: tail.ticks(),
        up: ticks(up, 5, units::round_seconds),
    };
    let lines = view.contenders.iter().enumerate().map(|(number, contender)| {
        let line = el("path").class(format!("line {}", series(number)));
        line.at("d", chart.line(&positions(contender, &tail, up)))
    });
    let mut layers = vec![chart.stretched(lines.collect())];
    for (number, contender) in view.contenders.iter().enumerate() {
        let marks = marked(contender)
            .map(|(share, time)| mark(number, tail.position(share), chart.y(up.position(time))));
        layers.extend(marks);
    }
    chart.draw(layers)
}

fn described(view: &View) -> String {
    let of = |of: &ContenderSummary| {
        format!("{}: {}", shown(&of.name), words::times::p50_and_p99(&of.response_time))
    };
    view.contenders.iter().map(of).collect::<Vec<String>>().join("; ")
}

fn positions(contender: &ContenderSummary, tail: &Tail, up: &Scale) -> Vec<(f64, f64)> {
    let curve = contender.latency_curve.iter();
    curve.map(|&(share, time)| (tail.position(share), up.position(time))).collect()
}

/// The quantiles of a contender that its number of samples supports.
fn marked(contender: &ContenderSummary) -> impl Iterator<Item = (f64, f64)> {
    let times = &contender.response_time;
    let named = [(0.5, times.p50), (0.9, times.p90), (0.99, times.p99), (0.999, times.p999)];
    let samples = contender.histogram.len();
    let points = named.into_iter().filter_map(|(share, time)| Some((share, time?)));
    points.chain(times.max.map(|max| (1.0, max))).filter(move |_| samples > 0)
}

fn table(view: &View) -> Node {
    let samples: Column = ("samples", |_, of| Some(units::count(of.histogram.len())));
    let rows = parts::named(view, |_, of| parts::row_name(&of.name));
    parts::figures(view, &["contender"], &[P50, P90, P99, P999, MAX, samples], rows)
}

/// The axis of shares: powers of ten by which an operation is rare. The longest time has a
/// position of its own at the end, because its rarity depends on the count.
struct Tail {
    decades: f64,
}

impl Tail {
    fn of(shares: impl Iterator<Item = f64>) -> Tail {
        let (_, rarest) = span(shares.map(decades)).unwrap_or((0.0, 2.0));
        Tail { decades: rarest.max(1.0) }
    }

    fn position(&self, share: f64) -> f64 {
        (decades(share) / (self.decades + TO_THE_MAXIMUM)).min(1.0)
    }

    fn ticks(&self) -> Ticks {
        let inside = LABELS.iter().filter(|label| decades(label.0) <= self.decades + 0.01);
        let mut ticks: Ticks = inside
            .map(|(share, label, always)| Tick {
                position: self.position(*share),
                label: (*label).to_owned(),
                always: *always || self.decades < LONG,
            })
            .collect();
        // The label at the end needs space.
        if ticks.last().is_none_or(|tick| tick.position < 0.85) {
            ticks.push(Tick::new(1.0, "max"));
        }
        ticks
    }
}

/// 0.9 is 1 decade, 0.99 is 2, and 1 is infinitely many.
fn decades(share: f64) -> f64 {
    -(1.0 - share).log10()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_gets_equal_steps_and_the_maximum_its_own_place() {
        let tail = Tail::of([0.5, 0.99, 0.999, 1.0].into_iter());
        let position = |share| (tail.position(share) * 3.6 * 1000.0).round();
        assert_eq!(
            [position(0.0), position(0.9), position(0.99), position(0.999)],
            [0.0, 1e3, 2e3, 3e3]
        );
        assert_eq!(tail.position(1.0), 1.0);
        let labels: Vec<String> = tail.ticks().into_iter().map(|tick| tick.label).collect();
        assert_eq!(labels, ["p50", "p90", "p99", "p99.9", "max"]);
    }
}
