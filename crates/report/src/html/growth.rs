//! The load points of one target on the page: up to which load throughput grows, and the curves
//! with their intervals.

use super::chart::{Chart, mark, series, ticks};
use super::node::{Node, el};
use super::scale::span;
use super::{loads, parts};
use crate::words::growth::{about_intervals, answer, columns, rows, step};
use crate::words::sweep::{factor, setting};
use crate::{View, words};
use judge::growth::{Estimate, Growth, Limit, Point};
use text::units;

const HEIGHT: f64 = 260.0;
/// The marks of p99 (and throughput) and of p50: classes of colour, and shapes.
const MAIN: usize = 1;
const EXTRAS: usize = 3;

/// The answer in large type. Returns None if no load is swept.
pub(super) fn headline(view: &View) -> Option<Node> {
    let sentence = answer(view, '×')?;
    let remarks = words::remarks(view).into_iter();
    let section = el("section")
        .class("verdict")
        .with(el("h1").class("small").text(parts::capitalised(&sentence)))
        .with_all(remarks.map(|remark| el("p").class("remark").text(remark)))
        .with(el("p").class("audit").text(format!("Audit: {}", words::audit(view))));
    Some(section)
}

/// The curves and their figures. Returns an empty list if no load is swept.
pub(super) fn sections(view: &View) -> Vec<Node> {
    let Some(growth) = view.growth else { return Vec::new() };
    let of = factor(growth.factor);
    let throughput = Curves {
        title: format!("Throughput against {of}"),
        lines: &[(MAIN, |point| point.throughput)],
        label: units::round_rate,
        grows_with_the_load: true,
    };
    let times = Curves {
        title: format!("Response time against {of}"),
        lines: &[(MAIN, |point| point.p99), (EXTRAS, |point| point.p50)],
        label: units::round_seconds,
        grows_with_the_load: false,
    };
    let level = units::level(growth.confidence);
    let band = format!(
        "The band: the {level} interval of the mean over rounds. Dashed: up to \
                        where throughput grows."
    );
    vec![
        parts::section(&throughput.title)
            .with(throughput.draw(growth))
            .with(parts::caption(&format!("Operations per second; higher is better. {band}"))),
        parts::section(&times.title)
            .with(times.draw(growth))
            .with(parts::caption("The upper line: p99; the lower one: p50. Lower is better.")),
        figures(view, growth),
    ]
}

/// A figure of a load point.
type Of = fn(&Point) -> Option<Estimate>;

/// One picture: figures over the load.
struct Curves {
    title: String,
    /// The mark of a line, and its figure.
    lines: &'static [(usize, Of)],
    label: fn(f64) -> String,
    grows_with_the_load: bool,
}

impl Curves {
    fn draw(&self, growth: &Growth) -> Node {
        let points = &growth.points;
        let estimates =
            points.iter().flat_map(|point| self.lines.iter().filter_map(|of| of.1(point)));
        let Some(range) = span(estimates.flat_map(|of| [of.low, of.high])) else {
            return parts::nothing("There are no figures to draw.");
        };
        let values: Vec<f64> = points.iter().map(|point| point.value).collect();
        let across = loads::across(&values);
        let up = loads::up(&across, range, self.grows_with_the_load);
        let labels = values.iter().map(|value| (*value, setting(growth.factor, *value)));
        let chart = Chart {
            title: self.title.clone(),
            description: "The figures are in the table below.".to_owned(),
            height: HEIGHT,
            across: loads::labels(labels, &across),
            up: ticks(&up, 5, self.label),
        };
        let (mut paths, mut marks) = (Vec::new(), Vec::new());
        if let Limit::At(at) = growth.limit {
            marks.push(
                chart.upright(across.position(values[at]), &format!("bend {}", series(MAIN))),
            );
        }
        for (look, figure) in self.lines {
            // A load point without a figure leaves a gap.
            let positions: Vec<Option<(f64, Estimate)>> =
                points.iter().map(|it| Some((across.position(it.value), figure(it)?))).collect();
            for piece in positions.split(Option::is_none) {
                let edge = |of: fn(&Estimate) -> f64| {
                    piece.iter().flatten().map(move |(x, it)| (*x, of(it)))
                };
                let placed = |edge: &mut dyn Iterator<Item = (f64, f64)>| {
                    edge.map(|(x, value)| (x, up.position(value))).collect::<Vec<_>>()
                };
                let middle = placed(&mut edge(|it| it.at));
                let mut around = placed(&mut edge(|it| it.high));
                let low = placed(&mut edge(|it| it.low));
                around.extend(low.into_iter().rev());
                let class = series(*look);
                paths
                    .push(el("path").class(format!("around {class}")).at("d", chart.line(&around)));
                paths.push(el("path").class(format!("line {class}")).at("d", chart.line(&middle)));
                marks.extend(middle.into_iter().map(|(x, y)| mark(*look, x, chart.y(y))));
            }
        }
        chart.draw(std::iter::once(chart.stretched(paths)).chain(marks).collect())
    }
}

/// One row for each load point, and the change from one to the next.
fn figures(view: &View, growth: &Growth) -> Node {
    let rows = rows(view, growth).into_iter().map(|row| {
        let (load, figures) = row.split_first().expect("its load point");
        let name = el("th").at("scope", "row").text(load);
        std::iter::once(name).chain(figures.iter().map(parts::cell)).collect()
    });
    let steps =
        growth.steps.iter().map(|of| el("li").text(parts::capitalised(&step(growth, of, '×'))));
    parts::section("Load points")
        .with(parts::table(&columns(view, growth), rows))
        .with(parts::sentence(&about_intervals(growth)))
        .with(el("ul").with_all(steps))
        .with(parts::caption(&format!(
            "Each ratio compares two load points in the same rounds. All intervals hold at the \
             same time with a confidence of {}.",
            units::level(growth.confidence)
        )))
}
