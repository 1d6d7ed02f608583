//! Throughput over the run, slice by slice: drift, dips and pauses.

use super::chart::{Chart, legend, series, ticks};
use super::node::{Node, el, foreign};
use super::parts;
use super::scale::{Scale, span};
use crate::{View, words};
use judge::verdict::ContenderSummary;
use text::units;

/// Up to this many contenders share one picture. More get one picture each, with the first
/// contender, with which they are compared, drawn faintly behind.
const TOGETHER: usize = 2;
/// The axis starts at zero unless the lowest slice reaches this share of the highest: then an
/// axis from zero would hide the differences.
const HIGH: f64 = 0.6;
/// More slices than this are drawn with smaller dots.
const MANY: usize = 150;

/// The section.
pub(super) fn section(view: &View) -> Node {
    let section = parts::section("Throughput over the run");
    let points = || view.contenders.iter().flat_map(|contender| &contender.slices);
    let times = span(points().map(|point| point.0));
    let (Some((from, to)), Some((low, high))) = (times, span(points().map(|point| point.1))) else {
        return section.with(parts::nothing("No slice was completed."));
    };
    let rates = if low > HIGH * high {
        Scale::linear(low, high).padded(0.1)
    } else {
        Scale::linear(0.0, high)
    };
    let picture = SliceChart { view, across: Scale::linear(from, to), up: rates };
    let figure = if view.contenders.len() <= TOGETHER {
        let all: Vec<usize> = (0..view.contenders.len()).collect();
        picture.draw(&all, "Throughput of each contender over the run", 200.0)
    } else {
        el("div").class("panels two").with_all(picture.panels())
    };
    let together = view.contenders.len() <= TOGETHER;
    let legend = together.then(|| legend(view, |contender| units::rate(contender.throughput)));
    let caption = if rates.position(0.0) > 0.0 || low > HIGH * high {
        "One dot is one slice; time is counted from the start. The axis does not begin at 0."
    } else {
        "One dot is one slice; time is counted from the start."
    };
    section
        .with_all(legend)
        .with(figure)
        .with(parts::caption(caption))
        .with(parts::folded("Table of throughput by round", table(view)))
}

struct SliceChart<'a> {
    view: &'a View<'a>,
    across: Scale,
    up: Scale,
}

impl SliceChart<'_> {
    fn panels(&self) -> Vec<Node> {
        let contenders = self.view.contenders.iter().enumerate();
        contenders
            .map(|(number, contender)| {
                let name = words::short_name(&contender.name, 26);
                let figure = units::rate(contender.throughput);
                let heading = el("h3")
                    .with(foreign(&name))
                    .with(el("span").class("quiet").text(format!(", {figure}")));
                let title = format!("Throughput of {name} over the run");
                el("figure").with(heading).with(self.draw(&[number], &title, 110.0))
            })
            .collect()
    }

    /// The given contenders in their colours, with the first one faintly behind.
    fn draw(&self, numbers: &[usize], title: &str, height: f64) -> Node {
        let named = numbers.iter().map(|number| &self.view.contenders[*number]);
        let described = named
            .map(|of| format!("{}: {}", text::shown::shown(&of.name), units::rate(of.throughput)));
        let chart = Chart {
            title: title.to_owned(),
            description: described.collect::<Vec<String>>().join("; "),
            height,
            across: ticks(&self.across, 5, |tick| format!("{tick} s")),
            up: ticks(&self.up, if height > 150.0 { 5 } else { 3 }, units::round_rate),
        };
        let mut paths = Vec::new();
        if let Some(first) = self.view.contenders.first().filter(|_| !numbers.contains(&0)) {
            paths.push(el("path").class("faint").at("d", chart.line(&self.positions(first))));
        }
        for number in numbers {
            let positions = self.positions(&self.view.contenders[*number]);
            let class = series(*number);
            let line = el("path").class(format!("thin {class}")).at("d", chart.line(&positions));
            let ends = if number % 2 == 0 { "circles" } else { "squares" };
            let ends =
                if positions.len() > MANY { format!("many {ends}") } else { ends.to_owned() };
            let dots =
                el("path").class(format!("dots {ends} {class}")).at("d", chart.dots(&positions));
            paths.extend([line, dots]);
        }
        chart.draw(vec![chart.stretched(paths)])
    }

    fn positions(&self, contender: &ContenderSummary) -> Vec<(f64, f64)> {
        let position =
            |&(start, rate): &(f64, f64)| (self.across.position(start), self.up.position(rate));
        contender.slices.iter().map(position).collect()
    }
}

fn table(view: &View) -> Node {
    let rows = view.contenders.iter().flat_map(|contender| {
        contender.rounds.iter().map(|(round, throughput, p50, p99)| {
            vec![
                parts::row_name(&contender.name),
                parts::cell(round),
                parts::cell(units::rate(Some(*throughput))),
                parts::cell(units::seconds(*p50)),
                parts::cell(units::seconds(*p99)),
            ]
        })
    });
    parts::table(&["contender", "round", "throughput", "p50", "p99"], rows)
}
