//! The axes of a picture over load points.

use super::chart::{Tick, Ticks};
use super::scale::{Scale, span};

/// Above this ratio of the longest to the shortest time their axis is logarithmic.
const WIDE: f64 = 20.0;
/// Load points nearer than this share of the axis have one label.
const NEAR: f64 = 0.05;
/// Labels nearer than this overlap where the page is narrow.
const NEAR_ON_NARROW: f64 = 0.12;

/// The axis of load points: logarithmic if they grow by factors, else linear.
pub(super) fn across(values: &[f64]) -> Scale {
    let (low, high) = span(values.iter().copied()).unwrap_or((0.0, 1.0));
    let uneven = |of: fn(f64) -> f64| {
        let steps = span(values.windows(2).map(|two| of(two[1]) - of(two[0])));
        steps.map_or(1.0, |(least, most)| most / least)
    };
    if uneven(f64::ln) < uneven(|value| value) {
        Scale::logarithmic(low, high)
    } else {
        Scale::linear(low, high)
    }
    .padded(0.05)
}

/// The axis of figures from the smallest to the largest. What grows with the load gets an axis
/// of the same kind, so that proportional growth is a straight line.
pub(super) fn up(across: &Scale, (least, most): (f64, f64), grows_with_the_load: bool) -> Scale {
    let logarithmic =
        if grows_with_the_load { across.is_logarithmic() } else { most / least > WIDE };
    if logarithmic {
        Scale::logarithmic(least, most).padded(0.05)
    } else {
        Scale::linear(0.0, most)
    }
}

/// The load points that have space for a label, with their labels.
pub(super) fn labels(points: impl Iterator<Item = (f64, String)>, across: &Scale) -> Ticks {
    let (mut ticks, mut last, mut last_always) = (Ticks::new(), -1.0, -1.0);
    for (value, label) in points {
        let position = across.position(value);
        if position - last < NEAR {
            continue;
        }
        let always = position - last_always >= NEAR_ON_NARROW;
        ticks.push(Tick { position, label, always });
        last = position;
        last_always = if always { position } else { last_always };
    }
    ticks
}
