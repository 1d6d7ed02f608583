//! Capacities on the page: a table, and the percentile against the rate.

use super::chart::{Chart, legend, mark, series, share, ticks};
use super::node::{Node, el};
use super::parts;
use super::scale::{Scale, span};
use crate::View;
use crate::words::capacity::{self, HEAD};
use judge::capacity_run::DrivenTurn;
use judge::verdict::CapacitySummary;
use record::Objective;
use text::units;

const HEIGHT: f64 = 280.0;
/// Above this ratio of the longest to the shortest time their axis is logarithmic.
const WIDE: f64 = 20.0;

/// The answers for contenders that are not compared.
pub(super) fn alone(view: &View) -> Vec<Node> {
    let answer = |(of, summary)| parts::capitalised(&capacity::answer(view, of, summary));
    capacity::of(view).map(|of| el("h1").class("claim").text(answer(of))).collect()
}

/// The table and the picture. None if no capacities were sought.
pub(super) fn section(view: &View) -> Option<Node> {
    if !capacity::are_sought(view) {
        return None;
    }
    let rows = capacity::rows(view).into_iter().map(|[name, figures @ ..]| {
        let cells = figures.into_iter().map(parts::cell);
        std::iter::once(parts::row_name(&name)).chain(cells).collect()
    });
    let sentences = capacity::about(view);
    Some(
        parts::section("Capacity")
            .with(parts::table(&HEAD, rows.collect::<Vec<_>>()))
            .with_all(sentences.iter().map(|it| parts::sentence(it)))
            .with_all(picture(view).into_iter().flatten()),
    )
}

/// The percentile of every turn of the rounds against its rate, the capacities and the limit.
fn picture(view: &View) -> Option<Vec<Node>> {
    let objectives = view.plan().question.objectives.iter();
    let limits = objectives.filter_map(|of| match *of {
        Objective::ResponseTime { percentile, limit_ns } => Some((percentile.name(), limit_ns)),
        Objective::Errors { .. } => None,
    });
    let (percentile, limit_ns) = limits.into_iter().next()?;
    let limit = limit_ns as f64 / 1e9;
    let all: Vec<(usize, &CapacitySummary)> =
        capacity::of(view).map(|(_, summary)| summary).enumerate().collect();
    let points = || {
        let each = all.iter();
        each.flat_map(|(number, summary)| {
            drawn(summary).map(move |(rate, time)| (*number, rate, time))
        })
    };
    let across = span(points().map(|(_, rate, _)| rate))?;
    let across = Scale::linear(across.0, across.1).padded(0.05);
    let (least, most) = span(points().map(|(_, _, time)| time).chain([limit]))?;
    let up = if most / least > WIDE {
        Scale::logarithmic(least, most).padded(0.05)
    } else {
        Scale::linear(0.0, most * 1.05)
    };
    let title = format!("{percentile} of response time against the rate");
    let chart = Chart {
        title: title.clone(),
        description: "The capacities are in the table above.".to_owned(),
        height: HEIGHT,
        across: ticks(&across, 5, units::round_rate),
        up: ticks(&up, 5, units::round_seconds),
    };
    let mut layers = vec![chart.level(up.position(limit), "objective")];
    for (number, summary) in &all {
        let crossing = summary.rate().map(|rate| across.position(rate));
        let class = format!("bend {}", series(*number));
        layers.extend(crossing.map(|position| chart.upright(position, &class)));
    }
    let marks = points().map(|(number, rate, time)| {
        mark(number, across.position(rate), chart.y(up.position(time)))
    });
    layers.extend(marks);
    layers.push(
        el("text")
            .class("tick")
            .at("x", share(0.01))
            .at("y", chart.y(up.position(limit)) - 6.0)
            .text(units::round_seconds(limit)),
    );
    let has_rounds = |of: &CapacitySummary| of.turns.iter().any(|turn| turn.round > 0);
    let of_rounds = all.iter().filter(|(_, summary)| has_rounds(summary)).count();
    let around = "the same number of turns at three rates around the capacity";
    let dashed = "Level: the objective. Dashed: the capacity, from the late operations of all turns together";
    let what = match of_rounds {
        0 => "those of the search, since there were no rounds. Level: the objective".to_owned(),
        some if some == all.len() => format!("{around}. {dashed}"),
        _ => format!("{around} or, without rounds, those of the search. {dashed}"),
    };
    let caption = format!(
        "Each point: the {percentile} of one turn; {what}. A single turn's {percentile} is too high in the mean, because \
         late replies come in bursts."
    );
    let rate = |of: &judge::verdict::ContenderSummary| {
        units::rate(of.capacity.as_ref().and_then(CapacitySummary::rate))
    };
    Some(vec![
        el("h3").text(parts::capitalised(&title)),
        legend(view, rate),
        chart.draw(layers),
        parts::caption(&caption),
    ])
}

/// The rates and percentiles of a contender's turns: those of the rounds or, if it has none, those of its search.
fn drawn(of: &CapacitySummary) -> impl Iterator<Item = (f64, f64)> {
    let has_rounds = of.turns.iter().any(|turn| turn.round > 0);
    let shown = of.turns.iter().filter(move |turn| (turn.round > 0) == has_rounds);
    let point = |turn: &DrivenTurn| Some((turn.turn.rate, turn.percentile_ns? as f64 / 1e9));
    shown.filter_map(point)
}
