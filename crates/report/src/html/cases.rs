//! The cases of a suite, or the requests that are judged apart: all of them on one axis, the slowest first.

use super::forest::{Mark, axis_of, labels, marked};
use super::node::{Node, el, foreign};
use super::parts;
use super::scale::Scale;
use crate::cases::{Cases, Row};
use crate::words::{cases as words_of, or_missing};
use crate::{View, words};
use text::shown::{short_case, shown};
use text::units;

/// The section. Returns None if there are no cases.
pub(super) fn section(view: &View) -> Option<Node> {
    let all = Cases::all(view);
    if all.is_empty() {
        return None;
    }
    let ratios = |row: &Row| {
        let (low, high) = row.bounds.unzip();
        [row.ratio, low, high].into_iter().flatten()
    };
    let axis = axis_of(view.matters(), all.iter().flat_map(|of| &of.rows).flat_map(ratios));
    let title = if view.suite.is_some() { "Cases" } else { "Requests" };
    let matters = units::percent(view.matters());
    let caption = format!(
        "The slowest first. Shaded: differences within ±{matters}, too small to matter here. Left costs less."
    );
    let groups = all.iter().flat_map(|of| group(view, of, &axis));
    let without = view.suite.map(|suite| words_of::without_verdict(suite, &all, true, &short_case));
    let without = without.into_iter().flatten();
    let without = without.map(|(label, names)| format!("{}: {names}", parts::capitalised(&label)));
    let control = view.suite.and_then(|suite| Cases::of_control(view, suite));
    let control = control.map(|of| parts::capitalised(&words_of::control(&of)));
    let remarks = without.chain(control).map(|text| el("p").class("note").text(text));
    Some(parts::section(title).with(parts::caption(&caption)).with_all(groups).with_all(remarks))
}

/// One pair.
fn group(view: &View, of: &Cases, axis: &Scale) -> Vec<Node> {
    let name = |name: &str| foreign(short_case(name));
    let heading = el("h3").with(name(of.b)).text(" against ").with(name(of.a));
    let answer = match view.suite {
        // The headline says it.
        Some(_) => None,
        None => Some(el("p").text(parts::capitalised(&words_of::requests(of).text('x')))),
    };
    let rows = of.sorted().into_iter().map(|it| row(of, it, axis));
    let rows = el("div").class("group").with(heading).with_all(answer).with_all(rows);
    let axis = el("div").class("row axis").with(labels(axis));
    let reasons = words_of::reasons(of).into_iter();
    let reasons = reasons.map(|reason| el("p").class("note").text(reason.text('x')));
    vec![
        el("div").class("forest").with(rows).with(axis).with_all(reasons),
        parts::caption(&parts::capitalised(&words_of::about(view, of))),
        parts::folded("Table of these ratios", table(of)),
    ]
}

fn row(of: &Cases, row: &Row, axis: &Scale) -> Node {
    let name = foreign(short_case(row.name));
    let inverse = words_of::inverse(row);
    let figures = match inverse.as_str() {
        "" => words_of::figures(row),
        inverse => format!("{} ({inverse})", words_of::figures(row)),
    };
    let what = el("div").class("what").with(el("div").with(name));
    let what = what.with(el("div").class("quiet").text(figures));
    let mark =
        Mark { class: parts::class(row.word), ratio: row.ratio, bounds: row.bounds, radius: 4.5 };
    let word = words::word(row.word, row.of.metric);
    let ratio = words_of::ratio(of, row, " (", ")");
    let description = format!("{}: {word}, {ratio}", shown(row.name));
    let outcome = el("div")
        .class("outcome")
        .with(el("div").text(ratio.replace('x', "×")))
        .with(el("div").with(parts::word(row.word, row.of.metric)));
    let strip = marked(of.matters, description, &mark, axis);
    el("div").class("row").with(what).with(strip).with(outcome)
}

fn table(of: &Cases) -> Node {
    let head = [of.kind, "a", "b", "ratio b/a of cost", "interval", "paired t", "p", "verdict"];
    let rows = of.sorted().into_iter().map(|row| {
        let [a, b] = words_of::of_sides(row);
        vec![
            parts::row_name(row.name),
            parts::cell(a),
            parts::cell(b),
            parts::cell(or_missing(row.ratio.map(|ratio| format!("{ratio:.4}")))),
            parts::interval(row.bounds),
            parts::interval(row.t_interval),
            parts::cell(or_missing(row.of.p.map(|p| format!("{p:.4}")))),
            parts::cell(words::word(row.word, row.of.metric)),
        ]
    });
    parts::table(&head, rows)
}
