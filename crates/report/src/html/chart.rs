//! The frame that pictures are drawn in.
//!
//! A picture is as wide as the page allows, and its text is always as large as the page's. So
//! horizontal positions are shares of the width, vertical ones are pixels, and curves are in an
//! inner drawing that is stretched horizontally. A drawing that is scaled as a whole would have
//! text of 5 pixels on a telephone.

use super::node::{Node, el, foreign};
use super::scale::Scale;
use crate::{View, words};
use judge::verdict::ContenderSummary;

/// Space above the plot, for points and labels at its edge.
const TOP: f64 = 10.0;
/// Space below the plot, for the labels of the horizontal axis.
const BOTTOM: f64 = 24.0;
/// Horizontal units of the stretched drawing.
const STRETCHED: f64 = 1000.0;

/// Number of colours before they repeat; see style.css.
const COLOURS: usize = 7;
/// Shapes of points, 8 pixels wide. With six shapes and seven colours, 42 contenders have
/// different marks.
const SHAPES: [&str; 6] = [
    "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0Z",
    "M-3.5 -3.5H3.5V3.5H-3.5Z",
    "M0 -4.5L4.5 3.5H-4.5Z",
    "M0 -5L5 0L0 5L-5 0Z",
    "M0 4.5L4.5 -3.5H-4.5Z",
    "M-1.5 -4.5H1.5V-1.5H4.5V1.5H1.5V4.5H-1.5V1.5H-4.5V-1.5H-1.5Z",
];

/// Labelled positions along an axis.
pub(super) type Ticks = Vec<Tick>;

/// A labelled position along an axis.
pub(super) struct Tick {
    /// 0 at the low end, 1 at the high end.
    pub(super) position: f64,
    /// The label.
    pub(super) label: String,
    /// Whether the label is shown even on a narrow page.
    pub(super) always: bool,
}

impl Tick {
    /// A label that is always shown.
    pub(super) fn new(position: f64, label: impl Into<String>) -> Tick {
        Tick { position, label: label.into(), always: true }
    }
}

/// About `wanted` labelled positions along this axis.
pub(super) fn ticks(scale: &Scale, wanted: usize, label: impl Fn(f64) -> String) -> Ticks {
    let ticks = scale.ticks(wanted).into_iter();
    ticks.map(|tick| Tick::new(scale.position(tick), label(tick))).collect()
}

/// A plot with its axes.
pub(super) struct Chart {
    /// Title.
    pub(super) title: String,
    /// Description for readers who cannot see it.
    pub(super) description: String,
    /// Height of the plot in pixels.
    pub(super) height: f64,
    /// Labels below the plot.
    pub(super) across: Ticks,
    /// Labels on the left.
    pub(super) up: Ticks,
}

impl Chart {
    /// The drawing: first what is behind the labels, then what is in front of them.
    pub(super) fn draw(&self, layers: Vec<Node>) -> Node {
        el("svg")
            .class("chart")
            .at("role", "img")
            .at("width", "100%")
            .at("height", TOP + self.height + BOTTOM)
            .with(el("title").text(&self.title))
            .with(el("desc").text(&self.description))
            .with_all(self.across.iter().map(|tick| self.upright(tick.position, "grid")))
            .with_all(self.up.iter().map(|tick| self.level(tick.position, "grid")))
            .with_all(layers)
            .with_all(self.across.iter().map(|tick| self.label_below(tick)))
            .with_all(self.up.iter().map(|tick| self.label_beside(tick)))
    }

    /// Vertical position in pixels.
    pub(super) fn y(&self, position: f64) -> f64 {
        TOP + (1.0 - position) * self.height
    }

    /// A horizontal line.
    pub(super) fn level(&self, position: f64, class: &str) -> Node {
        let y = px(self.y(position));
        el("line").class(class).at("x1", 0).at("x2", "100%").at("y1", &y).at("y2", &y)
    }

    /// A vertical line.
    pub(super) fn upright(&self, position: f64, class: &str) -> Node {
        let line = el("line").class(class).at("x1", share(position)).at("x2", share(position));
        line.at("y1", TOP).at("y2", px(TOP + self.height))
    }

    /// A horizontal band.
    pub(super) fn band(&self, low: f64, high: f64, class: &str) -> Node {
        let height = (self.y(low) - self.y(high)).max(1.0);
        let band = el("rect").class(class).at("x", 0).at("width", "100%");
        band.at("y", px(self.y(high))).at("height", px(height))
    }

    /// The drawing that is stretched horizontally, for paths.
    pub(super) fn stretched(&self, paths: Vec<Node>) -> Node {
        el("svg")
            .at("x", 0)
            .at("y", TOP)
            .at("width", "100%")
            .at("height", self.height)
            .at("viewBox", format!("0 0 {STRETCHED} {}", self.height))
            .at("preserveAspectRatio", "none")
            .at("overflow", "visible")
            .with_all(paths)
    }

    /// A path through positions (0 to 1, 0 to 1) in the stretched drawing.
    pub(super) fn line(&self, points: &[(f64, f64)]) -> String {
        self.path(points, |first| if first { "M" } else { "L" }, "")
    }

    /// A dot at each of the positions, all in one path. The style's `stroke-linecap` makes them
    /// round or square.
    pub(super) fn dots(&self, points: &[(f64, f64)]) -> String {
        self.path(points, |_| "M", "h0")
    }

    fn path(&self, points: &[(f64, f64)], command: fn(bool) -> &'static str, end: &str) -> String {
        let step = |(at, (x, y)): (usize, &(f64, f64))| {
            let (x, y) = (px(x * STRETCHED), px((1.0 - y) * self.height));
            format!("{}{x} {y}{end}", command(at == 0))
        };
        points.iter().enumerate().map(step).collect()
    }

    fn label_beside(&self, tick: &Tick) -> Node {
        let text = el("text").class("tick").at("x", -10).at("text-anchor", "end");
        text.at("y", px(self.y(tick.position) + 4.0)).text(&tick.label)
    }

    fn label_below(&self, tick: &Tick) -> Node {
        // The outermost labels are aligned inwards, or the edge would cut them.
        let anchor = match tick.position {
            position if position < 0.04 => "start",
            position if position > 0.96 => "end",
            _ => "middle",
        };
        el("text")
            .class(if tick.always { "tick" } else { "tick roomy" })
            .at("x", share(tick.position))
            .at("y", px(TOP + self.height + 17.0))
            .at("text-anchor", anchor)
            .text(&tick.label)
    }
}

/// A point of a contender in its shape.
pub(super) fn mark(contender: usize, x: f64, y_px: f64) -> Node {
    el("svg")
        .at("x", share(x))
        .at("y", px(y_px))
        .at("overflow", "visible")
        .with(el("path").class(format!("mark {}", series(contender))).at("d", shape(contender)))
}

/// The class with a contender's colour.
pub(super) fn series(contender: usize) -> String {
    format!("s{}", contender % COLOURS)
}

fn shape(contender: usize) -> &'static str {
    SHAPES[contender % SHAPES.len()]
}

/// The legend: each contender's mark and name, with a figure.
pub(super) fn legend(view: &View, figure: impl Fn(&ContenderSummary) -> String) -> Node {
    let items = view.contenders.iter().enumerate().map(|(number, contender)| {
        el("li")
            .with(swatch(number))
            .with(foreign(words::short_name(&contender.name, 40)))
            .with(el("span").class("quiet").text(figure(contender)))
    });
    el("ul").class("legend").with_all(items)
}

/// A sample of a contender's line.
pub(super) fn swatch(contender: usize) -> Node {
    let class = series(contender);
    let line = el("path").class(format!("line {class}")).at("d", "M-13 0H13");
    let mark = el("path").class(format!("mark {class}")).at("d", shape(contender));
    let svg = el("svg").class("swatch").at("viewBox", "-14 -7 28 14").at("aria-hidden", "true");
    svg.with(line).with(mark)
}

/// A share of the width.
pub(super) fn share(position: f64) -> String {
    format!("{:.2}%", position * 100.0)
}

/// Pixels, to a tenth.
pub(super) fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
