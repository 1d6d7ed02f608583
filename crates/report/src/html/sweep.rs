//! A sweep as a page: bends, curves, verdicts, and links to the pages of the load points, which
//! are in directories beside it.

use super::chart::{legend, swatch};
use super::loads::{Line, LoadCharts};
use super::node::{Node, el, foreign};
use super::{document, parts};
use crate::sweep::{PointView, SweepView};
use crate::{json, words};
use judge::bend::Bend;
use judge::growth::Estimate;
use judge::verdict::{ContenderSummary, Weight};
use text::shown::shown;
use text::units;
use words::sweep::{bend, factor, order, ratio, setting, title};

/// The whole page.
pub(crate) fn page(view: &SweepView) -> String {
    let name = parts::capitalised(&title(view));
    let void = if view.points.iter().any(PointView::void) { "VOID in part: " } else { "" };
    let main = el("main")
        .with(parts::masthead(view.run, 60, &shown(&view.sweep.started)))
        .with_all(refusal(view))
        .with(bends(view, &name))
        .with_all(curves(view))
        .with(verdicts(view))
        .with(figures(view))
        .with(load_points(view));
    document(format!("{void}{name} · tiebreak"), main, json::sweep::report(view))
}

/// Load points that the audit refused, shown before any figure.
fn refusal(view: &SweepView) -> Option<Node> {
    let refused: Vec<&PointView> = view.points.iter().filter(|point| point.void()).collect();
    let points = refused.iter().map(|point| setting(view.sweep.factor, point.at.value));
    let points = points.collect::<Vec<String>>().join(", ");
    let reasons = refused.iter().map(|point| {
        let rules = point.view.iter().flat_map(|it| it.findings);
        let rules = rules.filter(|it| it.weight == Weight::Void).map(|it| shown(&it.rule));
        let rules = rules.collect::<Vec<String>>().join(", ");
        el("p").with(link(view, point)).text(": ").with(el("code").text(rules))
    });
    (!refused.is_empty()).then(|| {
        el("section")
            .class("refusal")
            .at("role", "alert")
            .with(
                el("p")
                    .class("stamp")
                    .text(format!("✕ Void at {} {points}", factor(view.sweep.factor))),
            )
            .with(el("p").text(
                "The audit refused these load points. They are in no curve and no bend; their \
                 figures are in the tables for finding the fault.",
            ))
            .with_all(reasons)
    })
}

/// The result in a few large words.
fn bends(view: &SweepView, name: &str) -> Node {
    let items = view.bends().enumerate().map(|(number, (name, of))| {
        let name = foreign(words::short_name(name, 40));
        let text = el("span").text(bend(view.sweep.factor, of, '×'));
        el("li").with(swatch(number)).with(name).with(text)
    });
    el("section")
        .class("verdict")
        .with(el("h1").class("small").text(name))
        .with(el("ul").class("legend bends").with_all(items))
        .with(parts::caption(
            "A contender bends at the load from which doubling the load gains less than 1.41 times \
             the throughput or, with a rate, where it falls behind or its p99 has doubled. A bend \
             is reported only if the intervals show it.",
        ))
}

/// The pictures, or a sentence if nothing was driven.
fn curves(view: &SweepView) -> Vec<Node> {
    let Some(any) = view.any() else {
        return vec![parts::section("Curves").with(parts::nothing("No load point was driven."))];
    };
    let of = factor(view.sweep.factor);
    let charts = charts(view);
    let void = if view.points.iter().any(PointView::void) {
        " Points with ✕ are void and left out."
    } else {
        ""
    };
    let straight = if charts.across().is_logarithmic() {
        " Equal steps are equal ratios, on both axes."
    } else {
        ""
    };
    let caption = |text: &str| parts::caption(&format!("{text} Dashed: where it bends.{void}"));
    let legend = || legend(any, |_| String::new());
    let throughput = format!("Throughput against {of}");
    let times = format!("Response time against {of}");
    let rates = lines(view, &[("line", |of| of.throughput)]);
    let quantiles =
        lines(view, &[("line", |of| of.response_time.p99), ("thin", |of| of.response_time.p50)]);
    vec![
        parts::section(&throughput)
            .with(legend())
            .with(charts.draw(&throughput, &rates, units::round_rate, true))
            .with(caption(&format!("Operations per second; higher is better.{straight}"))),
        parts::section(&times)
            .with(legend())
            .with(charts.draw(&times, &quantiles, units::round_seconds, false))
            .with(caption("Bold: p99; thin: p50. Lower is better.")),
    ]
}

/// The load points, of which void ones are marked, and where contenders bend.
fn charts(view: &SweepView) -> LoadCharts {
    let load = |point: &PointView| {
        let void = if point.void() { " ✕" } else { "" };
        (point.at.value, format!("{}{void}", setting(view.sweep.factor, point.at.value)))
    };
    let bend = |(number, (_, of)): (usize, (&str, &Bend))| match of {
        Bend::At { value, .. } => Some((number, *value)),
        _ => None,
    };
    LoadCharts {
        loads: view.points.iter().map(load).collect(),
        description: format!("The figures are in the table below: {}", title(view)),
        bends: view.bends().enumerate().filter_map(bend).collect(),
    }
}

/// A figure of a contender.
type Figure = fn(&ContenderSummary) -> Option<f64>;

/// The lines of all contenders, one for each of these classes and figures. Void load points leave gaps.
fn lines(view: &SweepView, of_each: &[(&'static str, Figure)]) -> Vec<Line> {
    let line = |series: usize, (class, figure): &(&'static str, Figure)| {
        let figures = view.points.iter().map(|point| {
            let at = point.contender(series).and_then(figure).filter(|_| !point.void())?;
            Some(Estimate { at, low: at, high: at })
        });
        Line { series, class, figures: figures.collect(), has_band: false }
    };
    let numbers = 0..view.bends().count();
    numbers.flat_map(|number| of_each.iter().map(move |it| line(number, it))).collect()
}

/// One row for each load point, one column for each pair.
fn verdicts(view: &SweepView) -> Node {
    let pairs = view.pairs();
    let head = pairs.iter().map(|(a, b)| {
        let [a, b] = [a, b].map(|name| words::short_name(name, 24));
        format!("{b} against {a}")
    });
    let head: Vec<String> =
        std::iter::once(factor(view.sweep.factor).to_owned()).chain(head).collect();
    let cell = |point: &PointView, pair: &(&str, &str)| match point.primary(*pair) {
        None => parts::cell(units::MISSING),
        Some((view, of)) => {
            let figures = format!("{} {}", words::short_metric(of.metric), ratio(view, of, '×'));
            let figures = el("span").class("quiet").text(figures);
            el("td").with(parts::word(of.verdict, of.metric)).with(figures)
        }
    };
    let rows = view.points.iter().map(|point| {
        let cells = pairs.iter().map(|pair| cell(point, pair));
        std::iter::once(el("th").at("scope", "row").with(link(view, point))).chain(cells).collect()
    });
    let about = parts::about_launches(view.primaries());
    parts::section("Verdicts at each load point").with(parts::table(&head, rows)).with_all(about)
}

/// One row for each contender at each load point.
fn figures(view: &SweepView) -> Node {
    let misses = words::sweep::any_misses(view);
    let mut head =
        vec!["contender", factor(view.sweep.factor), "throughput", "p50", "p99", "p99.9", "errors"];
    head.extend(misses.then_some("misses"));
    let rows = view.bends().enumerate().flat_map(|(number, (name, _))| {
        view.points.iter().map(move |point| {
            let of = point.contender(number);
            let times = of.map(|of| of.response_time).unwrap_or_default();
            let void = if point.void() { " (void)" } else { "" };
            let counted = |count: fn(&ContenderSummary) -> String| {
                parts::cell(of.map_or(units::MISSING.to_owned(), count))
            };
            let mut row = vec![
                parts::row_name(name),
                parts::cell(format!("{}{void}", setting(view.sweep.factor, point.at.value))),
                parts::cell(units::rate(of.and_then(|of| of.throughput))),
                parts::cell(words::times::p50(&times)),
                parts::cell(words::times::p99(&times)),
                parts::cell(words::times::p999(&times)),
                counted(|of| units::count(words::errors(of))),
            ];
            row.extend(misses.then(|| counted(words::misses)));
            row
        })
    });
    parts::section("Figures").with(parts::table(&head, rows))
}

/// How each load point ended, with a link to its report.
fn load_points(view: &SweepView) -> Node {
    let head = [factor(view.sweep.factor), "driven as", "complete rounds", "audit", "remarks"];
    let rows = view.points.iter().map(|point| {
        let name = el("th").at("scope", "row").with(link(view, point));
        let Some(of) = &point.view else {
            let none = || parts::cell(units::MISSING);
            return vec![name, none(), none(), none(), parts::cell("not driven")];
        };
        let required = of.checked.iter().map(|checked| {
            format!("required: {}: {}", words::required(checked), words::status(checked.status))
        });
        let remarks = words::remarks(of).into_iter().chain(required);
        let remarks = remarks.map(|remark| el("span").class("quiet").text(remark));
        vec![
            name,
            parts::cell(format!("number {}", point.at.turn)),
            parts::cell(of.complete_rounds),
            parts::cell(words::audit(of)),
            el("td").class("remarks").with_all(remarks),
        ]
    });
    parts::section("Load points")
        .with(parts::caption(&format!(
            "Each is a comparison of its own, {}. Its name links to its report.",
            order(view)
        )))
        .with(parts::table(&head, rows))
}

/// A link to the report of a load point, which is beside this page.
fn link(view: &SweepView, point: &PointView) -> Node {
    let name = setting(view.sweep.factor, point.at.value);
    match point.view {
        Some(_) => el("a").at("href", format!("{}/report.html", point.at.directory)).text(name),
        None => el("span").text(name),
    }
}
