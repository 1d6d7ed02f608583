//! A sweep as a page: bends, curves, verdicts, and links to the pages of the load points, which
//! are in directories beside it.

use super::chart::{Chart, Ticks, legend, mark, series, swatch, ticks};
use super::node::{Node, el, foreign};
use super::scale::{Scale, span};
use super::{document, loads, parts};
use crate::sweep::{PointView, SweepView};
use crate::{json, words};
use judge::bend::Bend;
use judge::verdict::{ContenderSummary, Weight};
use text::shown::shown;
use text::units;
use words::sweep::{bend, factor, order, ratio, setting, title};

const HEIGHT: f64 = 260.0;

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
    let throughput: Curves = Curves {
        title: format!("Throughput against {of}"),
        lines: vec![("line", |of| of.throughput)],
        label: units::round_rate,
        grows_with_the_factor: true,
    };
    let times = Curves {
        title: format!("Response time against {of}"),
        lines: vec![("line", |of| of.response_time.p99), ("thin", |of| of.response_time.p50)],
        label: units::round_seconds,
        grows_with_the_factor: false,
    };
    let void = if view.points.iter().any(PointView::void) {
        " Points with ✕ are void and left out."
    } else {
        ""
    };
    let straight = if across(view).is_logarithmic() {
        " Equal steps are equal ratios, on both axes."
    } else {
        ""
    };
    let caption = |text: &str| parts::caption(&format!("{text} Dashed: where it bends.{void}"));
    vec![
        parts::section(&throughput.title)
            .with(legend(any, |_| String::new()))
            .with(throughput.draw(view))
            .with(caption(&format!("Operations per second; higher is better.{straight}"))),
        parts::section(&times.title)
            .with(legend(any, |_| String::new()))
            .with(times.draw(view))
            .with(caption("Bold: p99; thin: p50. Lower is better.")),
    ]
}

/// A figure of a contender.
type Figure = fn(&ContenderSummary) -> Option<f64>;

/// One picture: each contender's figures over the factor.
struct Curves {
    title: String,
    /// The class of each line, and its figure.
    lines: Vec<(&'static str, Figure)>,
    label: fn(f64) -> String,
    /// If set, the axes are of the same kind, so that proportional growth is a straight line.
    grows_with_the_factor: bool,
}

impl Curves {
    fn draw(&self, view: &SweepView) -> Node {
        let sound = || view.points.iter().filter(|point| !point.void());
        let summaries =
            sound().filter_map(|point| point.view.as_ref()).flat_map(|it| it.contenders);
        let figures = summaries.flat_map(|of| self.lines.iter().filter_map(|line| line.1(of)));
        let Some((least, most)) = span(figures.filter(|figure| *figure > 0.0)) else {
            return parts::nothing("There are no figures to draw.");
        };
        let across = across(view);
        let up = loads::up(&across, (least, most), self.grows_with_the_factor);
        let chart = Chart {
            title: self.title.clone(),
            description: format!("The figures are in the table below: {}", title(view)),
            height: HEIGHT,
            across: labels(view, &across),
            up: ticks(&up, 5, self.label),
        };
        let (mut paths, mut marks) = (Vec::new(), bent(view, &chart, &across));
        for number in 0..view.bends().count() {
            for (class, figure) in &self.lines {
                let positions = positions(view, number, *figure, &across, &up);
                let line: String = positions.iter().map(|piece| chart.line(piece)).collect();
                let class_of_line = format!("{class} {}", series(number));
                paths.push(el("path").class(class_of_line).at("d", line));
                let ends = positions.iter().flatten();
                marks.extend(ends.map(|&(x, y)| mark(number, x, chart.y(y))));
            }
        }
        chart.draw(std::iter::once(chart.stretched(paths)).chain(marks).collect())
    }
}

/// A contender's positions, in pieces that end where a point is missing or void.
fn positions(
    view: &SweepView,
    contender: usize,
    figure: Figure,
    across: &Scale,
    up: &Scale,
) -> Vec<Vec<(f64, f64)>> {
    let position = |point: &PointView| {
        let value = point.contender(contender).and_then(figure).filter(|_| !point.void())?;
        Some((across.position(point.at.value), up.position(value)))
    };
    let positions: Vec<Option<(f64, f64)>> = view.points.iter().map(position).collect();
    let pieces = positions.split(Option::is_none).filter(|piece| !piece.is_empty());
    pieces.map(|piece| piece.iter().copied().flatten().collect()).collect()
}

/// The axis of load points.
fn across(view: &SweepView) -> Scale {
    let values: Vec<f64> = view.sweep.points.iter().map(|point| point.value).collect();
    loads::across(&values)
}

/// The labels below the axis; void load points are marked.
fn labels(view: &SweepView, across: &Scale) -> Ticks {
    let label = |point: &PointView| {
        let void = if point.void() { " ✕" } else { "" };
        (point.at.value, format!("{}{void}", setting(view.sweep.factor, point.at.value)))
    };
    loads::labels(view.points.iter().map(label), across)
}

/// Lines where contenders bend.
fn bent(view: &SweepView, chart: &Chart, across: &Scale) -> Vec<Node> {
    let line = |(number, (_, of)): (usize, (&str, &Bend))| match of {
        Bend::At { value, .. } => {
            Some(chart.upright(across.position(*value), &format!("bend {}", series(number))))
        }
        _ => None,
    };
    view.bends().enumerate().filter_map(line).collect()
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
            let time = |of: Option<f64>| parts::cell(units::seconds(of));
            let times = of.map(|of| of.response_time).unwrap_or_default();
            let void = if point.void() { " (void)" } else { "" };
            let counted = |count: fn(&ContenderSummary) -> String| {
                parts::cell(of.map_or(units::MISSING.to_owned(), count))
            };
            let mut row = vec![
                parts::row_name(name),
                parts::cell(format!("{}{void}", setting(view.sweep.factor, point.at.value))),
                parts::cell(units::rate(of.and_then(|of| of.throughput))),
                time(times.p50),
                time(times.p99),
                time(times.p999),
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
