//! Load points on the page: where curves bend, the curves with their intervals, the verdicts and the figures.

use super::chart::swatch;
use super::loads::{Line, LoadCharts};
use super::node::{Node, el, foreign};
use super::{findings, headline, parts};
use crate::sweep::{PointView, SweepView};
use crate::{View, words};
use judge::bend::Bend;
use judge::growth::{Estimate, Point};
use judge::verdict::Weight;
use text::units;
use words::sweep::{
    about_intervals, at, bends, columns, factor, ratio, rows, setting, steps, title,
};

/// Load points that the audit refused, shown before any figure. Returns None unless others are sound.
pub(super) fn refusal(view: &View) -> Option<Node> {
    let view = view.sweep().filter(|view| !view.whole.void && !view.void().is_empty())?;
    let stamp = format!("✕ Void at {}", at(view.sweep.factor, &view.void()));
    let about = "The audit refused these load points. They are in no curve and no bend; their figures are in the tables \
                 for finding the fault.";
    let section = el("section").class("refusal").at("role", "alert");
    let section = section.with(el("p").class("stamp").text(stamp)).with(el("p").text(about));
    Some(section.with_all(findings::cards(&view.whole, |weight| weight == Weight::Void)))
}

/// The result in a few large words. Returns None if no load is swept.
pub(super) fn headline(view: &View) -> Option<Node> {
    let sweep = view.sweep()?;
    let items = bends(&sweep, '×').into_iter().enumerate().map(|(number, (name, sentence))| {
        let name = foreign(words::short_name(name, 40));
        el("li").with(swatch(number)).with(name).with(el("span").text(sentence))
    });
    let section = el("section")
        .class("verdict")
        .with(el("h1").class("small").text(parts::capitalised(&title(sweep.sweep))))
        .with(el("ul").class("legend bends").with_all(items))
        .with(parts::caption(
            "A curve bends at the load from which doubling the load gains less than 1.41 times \
             the throughput or, with a rate, where it falls behind or its p99 has doubled. A bend \
             is reported only if the intervals show it.",
        ))
        .with_all(headline::about(view));
    Some(section)
}

/// The curves, the verdicts and the figures. Returns an empty list if no load is swept.
pub(super) fn sections(view: &View) -> Vec<Node> {
    let Some(view) = view.sweep() else { return Vec::new() };
    let figures = (0..view.targets().len()).map(|target| figures(&view, target));
    curves(&view).into_iter().chain(verdicts(&view)).chain(figures).collect()
}

/// A figure of a load point.
type Figure = fn(&Point) -> Option<Estimate>;

/// The pictures of all curves.
fn curves(view: &SweepView) -> Vec<Node> {
    let of = factor(view.sweep.factor);
    let charts = charts(view);
    let lines = |of_each: &[(&'static str, Figure)]| -> Vec<Line> {
        let line = |series: usize, (class, figure): &(&'static str, Figure)| Line {
            series,
            class,
            figures: view.curves()[series].1.points.iter().map(figure).collect(),
        };
        let numbers = 0..view.curves().len();
        numbers.flat_map(|number| of_each.iter().map(move |it| line(number, it))).collect()
    };
    let rates = lines(&[("line", |point| point.throughput)]);
    let quantiles = lines(&[("line", |point| point.p99), ("thin", |point| point.p50)]);
    let void = if view.void().is_empty() { "" } else { " Points with ✕ are void and left out." };
    let straight = if charts.across().is_logarithmic() {
        " Equal steps are equal ratios, on both axes."
    } else {
        ""
    };
    let caption = |text: &str| {
        parts::caption(&format!(
            "{text} Dashed: where it bends. Bands: the intervals of the means.{void}"
        ))
    };
    let throughput = format!("Throughput against {of}");
    let times = format!("Response time against {of}");
    vec![
        parts::section(&throughput)
            .with(legend(view))
            .with(charts.draw(&throughput, &rates, units::round_rate, true))
            .with(caption(&format!("Operations per second; higher is better.{straight}"))),
        parts::section(&times)
            .with(legend(view))
            .with(charts.draw(&times, &quantiles, units::round_seconds, false))
            .with(caption("Bold: p99; thin: p50. Lower is better.")),
    ]
}

fn legend(view: &SweepView) -> Node {
    let items = view.targets().into_iter().enumerate().map(|(number, name)| {
        el("li").with(swatch(number)).with(foreign(words::short_name(name, 40)))
    });
    el("ul").class("legend").with_all(items)
}

/// The load points, of which void ones are marked, and where curves bend.
fn charts(view: &SweepView) -> LoadCharts {
    let load = |point: &PointView| {
        let void = if point.view.void { " ✕" } else { "" };
        (point.value, format!("{}{void}", setting(view.sweep.factor, point.value)))
    };
    let curves = view.curves();
    let bend = |(number, (_, curve)): (usize, &(&str, &judge::growth::Curve))| match curve.bend {
        Bend::At { value, .. } => Some((number, value)),
        _ => None,
    };
    LoadCharts {
        loads: view.points.iter().map(load).collect(),
        description: format!("The figures are in the tables below: {}", title(view.sweep)),
        bends: curves.iter().enumerate().filter_map(bend).collect(),
    }
}

/// One row for each load point, one column for each pair. Returns None if targets are not compared.
fn verdicts(view: &SweepView) -> Option<Node> {
    let (pairs, targets) = (view.pairs(), view.targets());
    let head = pairs.iter().map(|(a, b)| {
        let [a, b] = [a, b].map(|number| words::short_name(targets[*number], 24));
        format!("{b} against {a}")
    });
    let head: Vec<String> =
        std::iter::once(factor(view.sweep.factor).to_owned()).chain(head).collect();
    let cell = |point: &PointView, pair: &(usize, usize)| match point.primary(*pair) {
        None => parts::cell(units::MISSING),
        Some(of) => {
            let ratio = ratio(&point.view, of, '×');
            let figures = format!("{} {ratio}", words::short_metric(of.metric));
            let figures = el("span").class("quiet").text(figures);
            el("td").with(parts::word(of.verdict, of.metric)).with(figures)
        }
    };
    let rows = view.points.iter().map(|point| {
        let name = setting(view.sweep.factor, point.value);
        let cells = pairs.iter().map(|pair| cell(point, pair));
        std::iter::once(el("th").at("scope", "row").text(name)).chain(cells).collect()
    });
    let about = parts::about_launches(view.whole.primaries());
    (!pairs.is_empty()).then(|| {
        parts::section("Verdicts at each load point")
            .with(parts::table(&head, rows))
            .with_all(about)
    })
}

/// One row for each load point of a target, and the change from one to the next.
fn figures(view: &SweepView, target: usize) -> Node {
    let rows = rows(view, target).into_iter().map(|row| {
        let (load, figures) = row.split_first().expect("its load point");
        let name = el("th").at("scope", "row").text(load);
        std::iter::once(name).chain(figures.iter().map(parts::cell)).collect()
    });
    let curves = view.curves();
    let steps = curves.get(target).map_or(Vec::new(), |of| steps(view, of.1, '×'));
    let steps = steps.iter().map(|step| el("li").text(parts::capitalised(step)));
    let growth = view.whole.growth;
    parts::section(&format!("Load points of {}", words::short_name(view.targets()[target], 40)))
        .with(parts::table(&columns(view), rows))
        .with_all(about_intervals(view).map(|about| parts::sentence(&about)))
        .with(el("ul").with_all(steps))
        .with_all(growth.filter(|_| !view.are_apart()).map(|growth| {
            parts::caption(&format!(
                "Each ratio compares two load points in the same rounds. All intervals of throughput hold \
                 at the same time with a confidence of {}, and so do those of the p99.",
                units::level(growth.confidence)
            ))
        }))
}
