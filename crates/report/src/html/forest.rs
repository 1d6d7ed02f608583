//! Every comparison on one axis: the ratio, its interval, and the band of differences that are
//! too small to matter.

use super::chart::{px, share};
use super::node::{Node, el, foreign};
use super::parts;
use super::scale::{Scale, span};
use crate::words::or_missing;
use crate::words::reasons::{about, given};
use crate::{View, words};
use judge::verdict::{Comparison, Word};
use record::{Direction, Metric};
use text::units;

/// Longest name in a row, in characters.
const LONGEST_NAME: usize = 36;
/// Approximate number of ticks of the axis.
const TICKS: usize = 4;

/// The section. Returns None if nothing is compared.
pub(super) fn section(view: &View) -> Option<Node> {
    if metrics(view).is_empty() {
        return None;
    }
    let axis = axis(view);
    let mut figure = el("div").class("forest");
    for metric in metrics(view) {
        figure = figure.with(group(view, metric, &axis));
    }
    let figure = figure.with(el("div").class("row axis").with(labels(&axis)));
    let figure = figure.with_all(shared(view));
    let matters = units::percent(view.matters());
    let caption = format!(
        "Ratios, with the interval that the verdict is read from. Shaded: differences within \
         ±{matters}, too small to matter here.",
    );
    let section = parts::section("Ratios");
    let table = parts::folded("Table of these ratios", table(view));
    // A ranking compares all pairs, which few readers want to see one by one.
    Some(match view.ranking {
        Some(_) => section.with(parts::folded(
            "All comparisons",
            el("div").with(parts::caption(&caption)).with(figure).with(table),
        )),
        None => section.with(parts::caption(&caption)).with(figure).with(table),
    })
}

/// The first comparison of each metric, in their order. Cases and requests have a section of their own.
fn metrics<'a>(view: &View<'a>) -> Vec<&'a Comparison> {
    let mut metrics: Vec<&Comparison> = Vec::new();
    for comparison in shown(view) {
        if !metrics.iter().any(|known| same_metric(known, comparison)) {
            metrics.push(comparison);
        }
    }
    metrics
}

/// The comparisons that are shown here.
fn shown<'a>(view: &View<'a>) -> impl Iterator<Item = &'a Comparison> {
    view.comparisons.iter().filter(|of| of.case.is_none() && of.request.is_none())
}

fn same_metric(one: &Comparison, other: &Comparison) -> bool {
    (one.metric, &one.group) == (other.metric, &other.group)
}

/// The reasons of comparisons; one that several comparisons share is given once.
fn shared(view: &View) -> Vec<Node> {
    let reasons = given(view.comparisons).into_iter().filter(|reason| reason.of.len() > 1);
    let paragraphs = reasons.map(|reason| {
        let of: Vec<String> = reason.of.iter().map(|of| about(of)).collect();
        let of = el("strong").with(foreign(of.join("; ")));
        el("p").class("note shared").with(of).text(format!(": {}", reason.text))
    });
    paragraphs.collect()
}

fn axis(view: &View) -> Scale {
    let of = |c: &Comparison| [c.ratio, c.low, c.high].into_iter().flatten();
    axis_of(view.matters(), shown(view).flat_map(of))
}

/// An axis that has room for these ratios and for differences within ± `matters`.
pub(super) fn axis_of(matters: f64, ratios: impl Iterator<Item = f64>) -> Scale {
    let edge = 1.0 + matters;
    let values = ratios.filter(|value| *value > 0.0);
    let (low, high) = span(values.chain([edge, 1.0 / edge])).unwrap_or((0.9, 1.1));
    Scale::logarithmic(low, high).padded(0.08)
}

fn group(view: &View, first: &Comparison, axis: &Scale) -> Node {
    let metric = first.metric;
    let better = match (metric, metric.direction()) {
        (Metric::TargetCpu, _) => "left costs less",
        (Metric::PeakMemory, _) => "left needs less",
        (Metric::Capacity, _) => "right takes more",
        (_, Direction::HigherIsBetter) => "right is faster",
        (_, Direction::LowerIsBetter) => "left is faster",
    };
    let comparisons: Vec<&Comparison> =
        shown(view).filter(|comparison| same_metric(comparison, first)).collect();
    let primary = if comparisons.iter().any(|c| c.primary) { ", the primary metric" } else { "" };
    let common = common(&comparisons);
    let against = common.map(|a| {
        let a = foreign(words::short_name(a, LONGEST_NAME));
        el("span").class("quiet").text(" · against ").with(a)
    });
    let heading = el("h3")
        .text(heading(&words::groups::metric(first)))
        .with(el("span").class("quiet").text(primary))
        .with_all(against)
        .with(el("span").class("quiet").text(format!(" · {better}")));
    let rows = comparisons.iter().map(|comparison| row(view, comparison, common.is_none(), axis));
    el("div").class("group").with(heading).with_all(rows)
}

/// The contender that all of them are compared with, whose name is then left out of the rows.
/// Returns None if there are several.
fn common<'a>(comparisons: &[&'a Comparison]) -> Option<&'a str> {
    let first = comparisons.first()?.a.as_str();
    comparisons.iter().all(|comparison| comparison.a == first).then_some(first)
}

fn row(view: &View, comparison: &Comparison, name_both: bool, axis: &Scale) -> Node {
    let name = |name: &str| foreign(words::short_name(name, LONGEST_NAME));
    let value = |name: &str| words::groups::figure(view, comparison, name);
    let (from, to) = (value(&comparison.a), value(&comparison.b));
    let kind = words::groups::kind_of_figures(view, comparison);
    let pair = el("div").with(name(&comparison.b));
    let pair = if name_both { pair.text(" vs ").with(name(&comparison.a)) } else { pair };
    let what = el("div")
        .class("what")
        .with(pair)
        .with(el("div").class("quiet").text(format!("{from} → {to}{kind}")));
    let own = given(view.comparisons).into_iter().filter(|reason| reason.of.len() == 1);
    let own = own.filter(|reason| std::ptr::eq(reason.of[0], comparison));
    let weaker = own.map(|reason| reason.text);
    let undecided = comparison.verdict == Word::Undecided;
    let fresh = words::fresh_run(view, comparison).filter(|_| undecided);
    let charged = words::charged(view, comparison).map(|note| el("p").class("note").say(&note));
    let notes = weaker.chain(fresh).map(|note| el("p").class("note").text(note));
    el("div")
        .class("row")
        .with(what)
        .with(strip(view, comparison, axis))
        .with(outcome(view, comparison))
        .with_all(charged)
        .with_all(notes)
}

/// The ratio in figures, and the verdict.
fn outcome(view: &View, comparison: &Comparison) -> Node {
    let bounds = comparison.judged_bounds();
    let figures = comparison.ratio.map(|ratio| {
        let ratios = units::ratios(ratio, bounds, view.matters());
        let lead = el("strong").text(format!("{}{}×", words::limit(comparison), ratios[0]));
        let interval = match bounds {
            Some(_) => format!(" {} to {}", ratios[1], ratios[2]),
            None => " no interval".to_owned(),
        };
        el("div").with(lead).with(el("span").class("quiet").text(interval))
    });
    let missing = figures.is_none().then(|| el("div").class("quiet").text("no figures"));
    let word = el("div").with(parts::word(comparison.verdict, comparison.metric));
    el("div").class("outcome").with_all(figures).with_all(missing).with(word)
}

fn strip(view: &View, comparison: &Comparison, axis: &Scale) -> Node {
    let description = format!(
        "{} ({})",
        words::claim(view, comparison).text('×'),
        words::basis(view, comparison).text('×')
    );
    let mark = Mark {
        class: parts::class(comparison.verdict),
        ratio: comparison.ratio,
        bounds: comparison.judged_bounds(),
        radius: if comparison.primary { 5.5 } else { 4.5 },
    };
    marked(view.matters(), description, &mark, axis)
}

/// A ratio and its interval on an axis.
pub(super) struct Mark {
    pub(super) class: &'static str,
    pub(super) ratio: Option<f64>,
    pub(super) bounds: Option<(f64, f64)>,
    /// Of the dot, in pixels.
    pub(super) radius: f64,
}

/// The picture of a ratio, with a description for those who do not see it. Differences within ± `matters` are shaded.
pub(super) fn marked(matters: f64, description: String, mark: &Mark, axis: &Scale) -> Node {
    let svg = el("svg")
        .class(mark.class)
        .at("role", "img")
        .at("width", "100%")
        .at("height", "100%")
        .with(el("title").text(description))
        .with(band(matters, axis))
        .with_all(axis.ticks(TICKS).into_iter().map(|tick| upright(axis.position(tick), "grid")))
        .with(upright(axis.position(1.0), "one"));
    let interval = mark.bounds.map(|(low, high)| {
        let (low, high) = (share(axis.position(low)), share(axis.position(high)));
        let line = el("line").class("interval").at("x1", low).at("x2", high);
        line.at("y1", "50%").at("y2", "50%")
    });
    let estimate = mark.ratio.map(|ratio| {
        let dot = el("circle").class("estimate").at("cx", share(axis.position(ratio)));
        dot.at("cy", "50%").at("r", mark.radius)
    });
    el("div").class("strip").with(svg.with_all(interval).with_all(estimate))
}

fn band(matters: f64, axis: &Scale) -> Node {
    let edge = 1.0 + matters;
    let (low, high) = (axis.position(1.0 / edge), axis.position(edge));
    let band = el("rect").class("matters").at("y", 0).at("height", "100%");
    band.at("x", share(low)).at("width", share(high - low))
}

fn upright(position: f64, class: &str) -> Node {
    let line = el("line").class(class).at("x1", share(position)).at("x2", share(position));
    line.at("y1", 0).at("y2", "100%")
}

/// The row below the others, with the labels of the axis.
pub(super) fn labels(axis: &Scale) -> Node {
    let labels = axis.ticks(TICKS).into_iter().map(|tick| {
        let text = el("text").class("tick").at("x", share(axis.position(tick)));
        text.at("y", px(14.0)).at("text-anchor", "middle").text(format!("{tick}×"))
    });
    let svg = el("svg").at("width", "100%").at("height", "100%").at("aria-hidden", "true");
    el("div").class("strip").with(svg.with_all(labels))
}

fn table(view: &View) -> Node {
    let head = [
        "b against a",
        "metric",
        "ratio b/a",
        "interval",
        "level",
        "paired t",
        "p",
        "rests on",
        "with CPU at rest charged",
        "verdict",
    ];
    let rows = shown(view).map(|comparison| {
        vec![
            parts::row_name(&pair_name(comparison)),
            parts::cell(words::groups::short_metric(comparison)),
            parts::cell(or_missing(comparison.ratio.map(|ratio| format!("{ratio:.4}")))),
            parts::interval(comparison.judged_bounds()),
            parts::cell(units::level(comparison.confidence)),
            parts::interval(comparison.t_interval),
            parts::cell(or_missing(comparison.p.map(|p| format!("{p:.4}")))),
            parts::cell(words::rests_on(view, comparison)),
            parts::cell(or_missing(comparison.charged.map(|it| format!("{:.4}", it.ratio)))),
            parts::cell(words::word(comparison.verdict, comparison.metric)),
        ]
    });
    parts::table(&head, rows)
}

fn pair_name(comparison: &Comparison) -> String {
    format!("{} / {}", comparison.b, comparison.a)
}

/// Capitalised, except that p50 and p99 keep their small letter.
fn heading(text: &str) -> String {
    if text.starts_with('t') { parts::capitalised(text) } else { text.to_owned() }
}
