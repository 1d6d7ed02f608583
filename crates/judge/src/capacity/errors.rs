//! Objectives on errors: judged at the rates on both sides, and not interpolated. Errors need not rise steadily with
//! the rate, so no curve is assumed but that they do not become fewer (isotonic regression).

use super::fit::Point;

/// The highest rate, as ln(rate ÷ start), at which at most this fraction fails, and the lowest at which more do.
pub(super) fn bracket(mut points: Vec<Point>, may_miss: f64) -> (Option<f64>, Option<f64>) {
    points.sort_by(|one, other| one.z.total_cmp(&other.z));
    let is_missed = |at: usize| isotonic(&points, at) > may_miss;
    let first_missed = (0..points.len()).find(|at| is_missed(*at));
    let met = first_missed.unwrap_or(points.len()).checked_sub(1);
    (met.map(|at| points[at].z), first_missed.map(|at| points[at].z))
}

/// The isotonic regression at one of the points, by rising rate: the largest, over where a block begins, of the
/// smallest share, over where it ends (R. E. Barlow and others, Statistical inference under order restrictions, 1972).
fn isotonic(points: &[Point], at: usize) -> f64 {
    let share = |block: &[Point]| {
        let of = |what: fn(&Point) -> f64| block.iter().map(what).sum::<f64>();
        of(|point| point.missed) / of(|point| point.counted).max(1.0)
    };
    let smallest = |first: usize| {
        (at..points.len()).map(|last| share(&points[first..=last])).fold(f64::INFINITY, f64::min)
    };
    (0..=at).map(smallest).fold(0.0, f64::max)
}
