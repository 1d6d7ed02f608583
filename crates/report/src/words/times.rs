//! Quantiles of a time, and which times are bounds.

use super::short_name;
use crate::View;
use judge::verdict::{ContenderSummary, Quantiles};
use text::units;

/// The median, which may be a lower bound: `≥ 2.72 s`.
pub(crate) fn p50(times: &Quantiles) -> String {
    shown(times, 0.5, times.p50)
}

/// The 90th percentile, likewise.
pub(crate) fn p90(times: &Quantiles) -> String {
    shown(times, 0.9, times.p90)
}

/// The 99th percentile, likewise.
pub(crate) fn p99(times: &Quantiles) -> String {
    shown(times, 0.99, times.p99)
}

/// The 99.9th percentile, likewise.
pub(crate) fn p999(times: &Quantiles) -> String {
    shown(times, 0.999, times.p999)
}

/// The largest, likewise.
pub(crate) fn max(times: &Quantiles) -> String {
    shown(times, 1.0, times.max)
}

/// `p50 2.05 ms, p99 4.1 ms`.
pub(crate) fn p50_and_p99(times: &Quantiles) -> String {
    format!("p50 {}, p99 {}", p50(times), p99(times))
}

/// All that a report lists.
pub(crate) fn all(times: &Quantiles) -> [String; 5] {
    [p50(times), p90(times), p99(times), p999(times), max(times)]
}

fn shown(times: &Quantiles, q: f64, value: Option<f64>) -> String {
    let bound = value.is_some() && times.at_least_from.is_some_and(|from| q > from);
    format!("{}{}", if bound { "≥ " } else { "" }, units::seconds(value))
}

/// How many replies of each contender were read while it was not driven. Returns None if there are none.
pub(crate) fn read_at_rest(view: &View) -> Option<String> {
    let late = view.contenders.iter().filter(|of| of.read_at_rest > 0);
    let each = |of: &ContenderSummary| {
        format!("{} {}", short_name(&of.name, 28), units::count(of.read_at_rest))
    };
    let each: Vec<String> = late.map(each).collect();
    let described = || {
        format!(
            "replies that were read while the contender was not driven, so that their times are upper \
             bounds: {}",
            each.join(", ")
        )
    };
    (!each.is_empty()).then(described)
}
