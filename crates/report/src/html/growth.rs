//! The load points of one target on the page: up to which load throughput grows, and the curves
//! with their intervals.

use super::loads::{Line, LoadCharts};
use super::node::{Node, el};
use super::parts;
use crate::words::growth::{about_intervals, answer, columns, rows, step};
use crate::words::sweep::{factor, setting};
use crate::{View, words};
use judge::growth::{Estimate, Growth, Limit, Point};
use text::units;

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
    let bends = match growth.limit {
        Limit::At(at) => vec![(MAIN, growth.points[at].value)],
        _ => Vec::new(),
    };
    let load = |point: &Point| (point.value, setting(growth.factor, point.value));
    let charts = LoadCharts {
        loads: growth.points.iter().map(load).collect(),
        description: "The figures are in the table below.".to_owned(),
        bends,
    };
    let line = |series: usize, figure: fn(&Point) -> Option<Estimate>| Line {
        series,
        class: "line",
        figures: growth.points.iter().map(figure).collect(),
        has_band: true,
    };
    let throughput = format!("Throughput against {of}");
    let all = [line(MAIN, |point| point.throughput)];
    let throughput =
        parts::section(&throughput).with(charts.draw(&throughput, &all, units::round_rate, true));
    let times = format!("Response time against {of}");
    let all = [line(MAIN, |point| point.p99), line(EXTRAS, |point| point.p50)];
    let times = parts::section(&times).with(charts.draw(&times, &all, units::round_seconds, false));
    let level = units::level(growth.confidence);
    let band = format!(
        "The band: the {level} interval of the mean over rounds. Dashed: up to \
                        where throughput grows."
    );
    vec![
        throughput
            .with(parts::caption(&format!("Operations per second; higher is better. {band}"))),
        times.with(parts::caption("The upper line: p99; the lower one: p50. Lower is better.")),
        figures(view, growth),
    ]
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
