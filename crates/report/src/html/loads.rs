//! Pictures over load points.

use super::chart::{Chart, Tick, Ticks, mark, series, ticks};
use super::node::{Node, el};
use super::parts;
use super::scale::{Scale, span};
use judge::growth::Estimate;

const HEIGHT: f64 = 260.0;

/// Above this ratio of the longest to the shortest time their axis is logarithmic.
const WIDE: f64 = 20.0;
/// Load points nearer than this share of the axis have one label.
const NEAR: f64 = 0.05;
/// Labels nearer than this overlap where the page is narrow.
const NEAR_ON_NARROW: f64 = 0.12;

/// What all pictures over the same load points have in common.
pub(super) struct LoadCharts {
    /// The load points, ascending, with their labels.
    pub(super) loads: Vec<(f64, String)>,
    /// Description for readers who cannot see them.
    pub(super) description: String,
    /// The series that bend, and where.
    pub(super) bends: Vec<(usize, f64)>,
}

/// A line of a picture.
pub(super) struct Line {
    /// The number of its colour, and of the shape of its points.
    pub(super) series: usize,
    pub(super) class: &'static str,
    /// Its figure at each load point. A load point without one leaves a gap.
    pub(super) figures: Vec<Option<Estimate>>,
}

impl LoadCharts {
    /// The axis of load points: logarithmic if they grow by factors, else linear.
    pub(super) fn across(&self) -> Scale {
        let loads: Vec<f64> = self.loads.iter().map(|(load, _)| *load).collect();
        let (low, high) = span(loads.iter().copied()).unwrap_or((0.0, 1.0));
        let uneven = |of: fn(f64) -> f64| {
            let steps = span(loads.windows(2).map(|two| of(two[1]) - of(two[0])));
            steps.map_or(1.0, |(least, most)| most / least)
        };
        if uneven(f64::ln) < uneven(|value| value) {
            Scale::logarithmic(low, high)
        } else {
            Scale::linear(low, high)
        }
        .padded(0.05)
    }

    /// The load points that have space for a label, with their labels.
    fn labels(&self, across: &Scale) -> Ticks {
        let (mut ticks, mut last, mut last_always) = (Ticks::new(), -1.0, -1.0);
        for (load, label) in &self.loads {
            let position = across.position(*load);
            if position - last < NEAR {
                continue;
            }
            let always = position - last_always >= NEAR_ON_NARROW;
            ticks.push(Tick { position, label: label.clone(), always });
            last = position;
            last_always = if always { position } else { last_always };
        }
        ticks
    }

    /// The picture of these lines. If they grow with the load, the axes are of the same kind.
    pub(super) fn draw(
        &self,
        title: &str,
        lines: &[Line],
        label: fn(f64) -> String,
        grows_with_the_load: bool,
    ) -> Node {
        let figures = lines.iter().flat_map(|line| line.figures.iter().flatten());
        let ends = figures.flat_map(|of| [of.low, of.high]).filter(|figure| *figure > 0.0);
        let Some(range) = span(ends) else {
            return parts::nothing("There are no figures to draw.");
        };
        let across = self.across();
        let up = up(&across, range, grows_with_the_load);
        let chart = Chart {
            title: title.to_owned(),
            description: self.description.clone(),
            height: HEIGHT,
            across: self.labels(&across),
            up: ticks(&up, 5, label),
        };
        let bend = |(number, value): &(usize, f64)| {
            chart.upright(across.position(*value), &format!("bend {}", series(*number)))
        };
        let mut marks: Vec<Node> = self.bends.iter().map(bend).collect();
        let mut paths = Vec::new();
        for line in lines {
            let place = |((load, _), of): (&(f64, String), &Option<Estimate>)| {
                let x = across.position(*load);
                of.map(|of| [of.at, of.high, of.low].map(|figure| (x, up.position(figure))))
            };
            let positions: Vec<Option<Positions>> =
                self.loads.iter().zip(&line.figures).map(place).collect();
            paths.extend(line.paths(&chart, &positions));
            let points = positions.iter().flatten();
            marks.extend(points.map(|[(x, y), ..]| mark(line.series, *x, chart.y(*y))));
        }
        chart.draw(std::iter::once(chart.stretched(paths)).chain(marks).collect())
    }
}

/// The positions of a figure, and of the upper and the lower end of its interval.
type Positions = [(f64, f64); 3];

impl Line {
    /// A band and a line for each piece without a gap.
    fn paths(&self, chart: &Chart, positions: &[Option<Positions>]) -> Vec<Node> {
        let path = |class: &str, d: String| {
            el("path").class(format!("{class} {}", series(self.series))).at("d", d)
        };
        let pieces = positions.split(Option::is_none).map(|piece| {
            let edge = |of: usize| piece.iter().flatten().map(move |at| at[of]);
            let around: Vec<(f64, f64)> = edge(1).chain(edge(2).rev()).collect();
            [around, edge(0).collect()].map(|points| chart.line(&points))
        });
        pieces
            .flat_map(|[around, middle]| [path("around", around), path(self.class, middle)])
            .collect()
    }
}

/// The axis of figures from the smallest to the largest. What grows with the load gets an axis
/// of the same kind, so that proportional growth is a straight line.
fn up(across: &Scale, (least, most): (f64, f64), grows_with_the_load: bool) -> Scale {
    let logarithmic =
        if grows_with_the_load { across.is_logarithmic() } else { most / least > WIDE };
    if logarithmic {
        Scale::logarithmic(least, most).padded(0.05)
    } else {
        Scale::linear(0.0, most)
    }
}
