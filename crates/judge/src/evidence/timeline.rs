//! Throughput over time in a bounded number of points.

use record::{Slice, slice::WINDOW_NS};

/// Operations per second of a slice.
pub(super) fn rate(slice: &Slice) -> f64 {
    slice.operations as f64 * 1e9 / slice.took_ns as f64
}

/// Start in seconds and operations per second of a slice, or of each of its windows if it is a turn.
pub(super) fn points(slice: &Slice) -> impl Iterator<Item = (f64, f64)> {
    let seconds = |ns: u64| ns as f64 / 1e9;
    let whole = slice.windows.is_empty() && slice.took_ns > 0;
    let whole = whole.then(|| (seconds(slice.starts_ns), rate(slice)));
    let window = move |(i, operations): (usize, &u32)| {
        // A slice that was cut short has windows that it never reached.
        let start = i as u64 * WINDOW_NS;
        let length = slice.took_ns.saturating_sub(start).min(WINDOW_NS);
        let per_second = f64::from(*operations) * 1e9 / length as f64;
        (length > 0).then(|| (seconds(slice.starts_ns + start), per_second))
    };
    whole.into_iter().chain(slice.windows.iter().enumerate().filter_map(window))
}

/// Points that a finished timeline has at most.
const MOST: usize = 1000;

/// (start in seconds, operations per second) in order. Neighbours are averaged
/// as it grows, so that a long run needs no more memory than a short one.
#[derive(Clone, Debug)]
pub(crate) struct Timeline {
    points: Vec<(f64, f64)>,
    /// How many added points one point represents.
    each: u32,
    /// The point in progress: its start, sum and number of values.
    open: (f64, f64, u32),
}

impl Default for Timeline {
    fn default() -> Self {
        Timeline { points: Vec::new(), each: 1, open: (0.0, 0.0, 0) }
    }
}

impl Timeline {
    pub(crate) fn add(&mut self, start: f64, rate: f64) {
        if self.open.2 == 0 {
            self.open.0 = start;
        }
        self.open.1 += rate;
        self.open.2 += 1;
        if self.open.2 == self.each {
            self.close_point();
        }
    }

    fn close_point(&mut self) {
        let (start, sum, n) = std::mem::take(&mut self.open);
        self.points.push((start, sum / f64::from(n)));
        if self.points.len() > MOST {
            let pair = |two: &[(f64, f64)]| match two {
                [a, b] => (a.0, (a.1 + b.1) / 2.0),
                rest => rest[0],
            };
            // An odd point at the end returns to the point in progress.
            let last = (self.points.len() % 2 == 1).then(|| self.points.pop()).flatten();
            self.points = self.points.chunks(2).map(pair).collect();
            if let Some((start, rate)) = last {
                self.open = (start, rate * f64::from(self.each), self.each);
            }
            self.each *= 2;
        }
    }

    /// At most 1000 points.
    pub(crate) fn points(&self) -> Vec<(f64, f64)> {
        let mut points = self.points.clone();
        let (start, sum, n) = self.open;
        if n > 0 && points.len() < MOST {
            points.push((start, sum / f64::from(n)));
        }
        points
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(n: u32) -> Vec<(f64, f64)> {
        let mut timeline = Timeline::default();
        (0..n).for_each(|i| timeline.add(f64::from(i), f64::from(i)));
        timeline.points()
    }

    #[test]
    fn few_points_stay_as_they_are() {
        assert_eq!(of(0), []);
        assert_eq!(of(3), [(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)]);
        assert_eq!(of(1000).len(), 1000);
    }

    #[test]
    fn many_points_are_averages_of_neighbours_in_order() {
        for n in [1001, 1002, 1999, 2000, 2001, 5000, 12_345] {
            let points = of(n);
            assert!((500..=1000).contains(&points.len()), "{n}: {}", points.len());
            assert_eq!(points[0].0, 0.0);
            assert!(points.windows(2).all(|two| two[0].0 < two[1].0), "{n}");
            // A ramp stays a ramp: each average lies above its start by half of the interval that
            // the point represents.
            let apart = points[1].0 - points[0].0;
            let whole = &points[..points.len() - 1];
            assert!(whole.iter().all(|p| p.1 - p.0 == (apart - 1.0) / 2.0), "{n}");
        }
    }
}
