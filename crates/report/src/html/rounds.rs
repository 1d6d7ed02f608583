//! The ratio round by round, which shows whether all rounds agree or a few dominate.

use super::chart::{Chart, Tick, px, share, ticks};
use super::forest::axis_of;
use super::node::{Node, el, foreign};
use super::parts;
use crate::{View, words};
use judge::verdict::Comparison;
use text::units;

const HEIGHT: f64 = 150.0;
/// Pictures of further pairs are folded.
const UNFOLDED: usize = 6;
/// More rounds than this are drawn with smaller dots.
const MANY: usize = 60;

/// The section. Returns None if nothing is compared.
pub(super) fn section(view: &View) -> Option<Node> {
    let primaries: Vec<&Comparison> = view.primaries().collect();
    if primaries.is_empty() {
        return None;
    }
    let panels: Vec<Node> = primaries.iter().map(|comparison| panel(view, comparison)).collect();
    let (first, others) = panels.split_at(panels.len().min(UNFOLDED));
    let grid = |panels: &[Node]| {
        let class = if primaries.len() > 1 { "panels two" } else { "panels" };
        el("div").class(class).with_all(panels.to_vec())
    };
    let more = (!others.is_empty())
        .then(|| parts::folded(&format!("{} more pairs", others.len()), grid(others)));
    let caption = format!(
        "One dot is one round.{} The line and the blue band are the estimate and its interval; the \
         grey band is too small a difference to matter.",
        launches(view)
    );
    Some(
        parts::section("Round by round")
            .with(grid(first))
            .with_all(more)
            .with(parts::caption(&caption))
            .with(parts::folded("Table of rounds", table(&primaries))),
    )
}

/// A sentence for runs with several launches, where the rounds of one launch count as one replicate.
fn launches(view: &View) -> String {
    match view.plan().question.rounds_of_a_launch() {
        None => String::new(),
        Some(each) => format!(
            " Every {} consecutive rounds were driven in the same launch of the targets, which \
             counts once.",
            units::count(each.into())
        ),
    }
}

fn panel(view: &View, comparison: &Comparison) -> Node {
    let name = |name: &str| foreign(words::short_name(name, 26));
    let metric = format!(", {}", words::groups::metric(comparison));
    let heading = el("h3")
        .with(name(&comparison.b))
        .text(" vs ")
        .with(name(&comparison.a))
        .with(el("span").class("quiet").text(metric));
    let figure = if comparison.rounds.is_empty() {
        parts::nothing("No round is complete.")
    } else {
        picture(view, comparison)
    };
    el("figure").with(heading).with(figure)
}

fn picture(view: &View, comparison: &Comparison) -> Node {
    let edge = 1.0 + view.matters();
    let bounds = [comparison.low, comparison.high].into_iter().flatten();
    let ratios = comparison.rounds.iter().map(|(_, ratio)| *ratio).chain(bounds);
    let scale = axis_of(view.matters(), ratios);
    let count = comparison.rounds.len();
    let position = |at: usize| (at as f64 + 0.5) / count as f64;
    let chart = Chart {
        title: words::claim(view, comparison).text('×'),
        description: words::basis(view, comparison).text('×'),
        height: HEIGHT,
        across: numbers(comparison)
            .map(|(at, round)| Tick::new(position(at), round.to_string()))
            .collect(),
        up: ticks(&scale, 5, |tick| format!("{tick}×")),
    };
    let mut layers = vec![
        chart.band(scale.position(1.0 / edge), scale.position(edge), "matters"),
        chart.level(scale.position(1.0), "one"),
    ];
    if let Some((low, high)) = comparison.judged_bounds() {
        layers.push(chart.band(scale.position(low), scale.position(high), "between"));
    }
    if let Some(ratio) = comparison.ratio {
        layers.push(chart.level(scale.position(ratio), "middle"));
    }
    let radius = if count > MANY { 2.5 } else { 4.5 };
    layers.extend(comparison.rounds.iter().enumerate().map(|(at, (round, ratio))| {
        let dot = el("circle").class("round").at("cx", share(position(at)));
        let dot = dot.at("cy", px(chart.y(scale.position(*ratio)))).at("r", radius);
        dot.with(el("title").text(format!("round {round}: {ratio:.3}×")))
    }));
    chart.draw(layers)
}

/// The rounds whose number is shown: as many as there is space for on a telephone.
fn numbers(comparison: &Comparison) -> impl Iterator<Item = (usize, u32)> {
    let every = comparison.rounds.len().div_ceil(12).max(1);
    comparison.rounds.iter().enumerate().step_by(every).map(|(at, (round, _))| (at, *round))
}

fn table(primaries: &[&Comparison]) -> Node {
    let rows = primaries.iter().flat_map(|comparison| {
        let pair = format!("{} / {}", comparison.b, comparison.a);
        comparison.rounds.iter().map(move |(round, ratio)| {
            let ratio = parts::cell(format!("{ratio:.4}"));
            vec![parts::row_name(&pair), parts::cell(units::count((*round).into())), ratio]
        })
    });
    parts::table(&["b / a", "round", "ratio"], rows)
}
