//! When operation *n* is due, in lane time.
//!
//! A schedule is computed from the seed alone and reads no clock. Lane time is the sum of the
//! lane's sending times; it stands still while the lane rests.

use crate::Seat;
use crate::random::Random;
use record::Arrivals;

/// The schedule of one worker's part of a lane. Closed loop has none.
#[derive(Clone, Debug)]
pub struct Schedule {
    gaps: Gaps,
    next_ns: f64,
}

#[derive(Clone, Debug)]
enum Gaps {
    /// The due time is `taken` × `gap_ns` + `offset_ns`: multiplied and not summed, so that the
    /// thousandth gap is as exact as the first.
    Constant { gap_ns: f64, offset_ns: f64, taken: u64 },
    /// Exponentially distributed gaps with this mean.
    Poisson { mean_ns: f64, random: Random },
}

impl Schedule {
    /// Creates the schedule of worker `worker` of `workers`: every `workers`-th arrival of a
    /// constant rate, or a separate Poisson stream with a `workers`-th of the rate (the sum of
    /// independent Poisson streams is one).
    pub fn new(arrivals: Arrivals, seed: u64, worker: usize, workers: usize) -> Option<Schedule> {
        let share = workers as f64 * 1e9;
        let mut schedule = match arrivals {
            Arrivals::Closed => return None,
            Arrivals::Constant(rate) => {
                let offset_ns = worker as f64 * 1e9 / rate;
                let gaps = Gaps::Constant { gap_ns: share / rate, offset_ns, taken: 0 };
                Schedule { gaps, next_ns: offset_ns }
            }
            Arrivals::Poisson(rate) => {
                let random = Random::new(seed, 0xA221_7A15 + worker as u64);
                Schedule { gaps: Gaps::Poisson { mean_ns: share / rate, random }, next_ns: 0.0 }
            }
        };
        if let Gaps::Poisson { .. } = schedule.gaps {
            schedule.take();
        }
        Some(schedule)
    }

    /// Creates the schedule of the lane at `seat`. Each group has a separate stream: independent
    /// gaps, or equal gaps that begin a fraction of a gap later, so that groups with the same
    /// rate do not all fall due at once.
    pub(crate) fn of(arrivals: Arrivals, seed: u64, seat: &Seat) -> Option<Schedule> {
        // The seeds of neighbouring groups and workers must differ.
        let seed = seed.wrapping_add((seat.group as u64) << 32);
        let mut schedule = Schedule::new(arrivals, seed, seat.worker, seat.workers)?;
        if let Gaps::Constant { gap_ns, offset_ns, .. } = &mut schedule.gaps {
            let part = seat.group as f64 / seat.groups as f64;
            *offset_ns += part * *gap_ns / seat.workers as f64;
            schedule.next_ns = *offset_ns;
        }
        Some(schedule)
    }

    /// Returns when the next operation is due, in nanoseconds of lane time.
    pub fn next_ns(&self) -> u64 {
        self.next_ns as u64
    }

    /// Advances to the operation after the next.
    pub fn take(&mut self) {
        match &mut self.gaps {
            Gaps::Constant { gap_ns, offset_ns, taken } => {
                *taken += 1;
                self.next_ns = *taken as f64 * *gap_ns + *offset_ns;
            }
            Gaps::Poisson { mean_ns, random } => self.next_ns -= *mean_ns * random.unit().ln(),
        }
    }
}

/// The due times of a lane's operations, and its lane time. Slices are given by their start on the engine's clock, and by
/// their sending time.
#[derive(Clone, Debug)]
pub(crate) struct DueTimes {
    /// None in closed loop.
    schedule: Option<Schedule>,
    /// Lane time at the start of the slice.
    lane_time: u64,
}

impl DueTimes {
    pub(crate) fn of(arrivals: Arrivals, seed: u64, seat: &Seat) -> DueTimes {
        DueTimes { schedule: Schedule::of(arrivals, seed, seat), lane_time: 0 }
    }

    /// Returns true if operations follow a schedule.
    #[inline]
    pub(crate) fn is_open_loop(&self) -> bool {
        self.schedule.is_some()
    }

    /// Returns when the next operation is due, on the engine's clock. Returns None in closed loop.
    #[inline]
    pub(crate) fn next_due(&self, starts: u64) -> Option<u64> {
        Some(self.schedule.as_ref()?.next_ns().saturating_sub(self.lane_time) + starts)
    }

    /// Advances to the operation after the next.
    #[inline]
    pub(crate) fn take(&mut self) {
        self.schedule.iter_mut().for_each(Schedule::take);
    }

    /// Returns how many operations of a slice are due and were not taken.
    pub(crate) fn backlog(&self, sending_ns: u64) -> u64 {
        let mut late = 0;
        self.clone().end_slice(0, sending_ns, |_| late += 1);
        late
    }

    /// Ends a slice: calls `unsent` with the due time of each of its operations that was not taken, and
    /// advances lane time.
    pub(crate) fn end_slice(&mut self, starts: u64, sending_ns: u64, mut unsent: impl FnMut(u64)) {
        while let Some(due) = self.next_due(starts).filter(|due| *due < starts + sending_ns) {
            unsent(due);
            self.take();
        }
        self.lane_time += sending_ns;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn due(arrivals: Arrivals, worker: usize, workers: usize, n: usize) -> Vec<u64> {
        let mut schedule = Schedule::new(arrivals, 7, worker, workers).expect("open loop");
        let mut times = Vec::new();
        for _ in 0..n {
            times.push(schedule.next_ns());
            schedule.take();
        }
        times
    }

    #[test]
    fn constant_gaps_are_equal_and_do_not_drift() {
        let times = due(Arrivals::Constant(3000.0), 0, 1, 3_000_001);
        assert_eq!(times[..4], [0, 333_333, 666_666, 1_000_000]);
        assert_eq!(times[3_000_000], 1_000_000_000_000);
    }

    #[test]
    fn the_workers_of_a_constant_rate_together_are_the_rate() {
        let whole = due(Arrivals::Constant(1000.0), 0, 1, 999);
        let mut parts: Vec<u64> =
            (0..3).flat_map(|worker| due(Arrivals::Constant(1000.0), worker, 3, 333)).collect();
        parts.sort_unstable();
        assert_eq!(parts, whole);
    }

    const GAPS: usize = 1_000_000;
    /// The tested sequence is fixed, so each test always passes or always fails. The limits are
    /// those that a correct schedule keeps to for practically all seeds.
    ///
    /// The coefficient of variation of n exponential gaps has a standard deviation of 1/√n, 0.1
    /// % here: 0.5 % are five standard deviations, which 6 of 10 million seeds exceed.
    const VARIATION_OFF: f64 = 0.005;
    /// Kolmogorov-Smirnov: P(√n·D > x) = 2·exp(−2x²) + … ≤ 1/10 000 from
    /// x = √(ln(20 000)/2) = 2.2253 on; divided by √n.
    const DISTANCE: f64 = 2.2253e-3;

    fn gaps(times: &[u64]) -> Vec<f64> {
        times.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect()
    }

    fn mean(values: &[f64]) -> f64 {
        values.iter().sum::<f64>() / values.len() as f64
    }

    fn variation(gaps: &[f64]) -> f64 {
        let mean = mean(gaps);
        let squares: Vec<f64> = gaps.iter().map(|gap| (gap - mean).powi(2)).collect();
        self::mean(&squares).sqrt() / mean
    }

    /// Returns the largest distance between the distribution of the gaps and the exponential
    /// distribution of this mean.
    fn distance(mut gaps: Vec<f64>, mean: f64) -> f64 {
        gaps.sort_by(f64::total_cmp);
        let n = gaps.len() as f64;
        let off = |(at, gap): (usize, &f64)| {
            let is = 1.0 - (-gap / mean).exp();
            (is - at as f64 / n).abs().max((is - (at + 1) as f64 / n).abs())
        };
        gaps.iter().enumerate().map(off).fold(0.0, f64::max)
    }

    #[test]
    fn a_constant_rate_has_equal_gaps() {
        for rate in [1000.0, 10_000.0, 77_777.0] {
            let gaps = gaps(&due(Arrivals::Constant(rate), 0, 1, GAPS + 1));
            assert!((mean(&gaps) * rate / 1e9 - 1.0).abs() < 1e-6, "{rate}/s: mean gap");
            assert!(variation(&gaps) < VARIATION_OFF, "{rate}/s: {}", variation(&gaps));
        }
    }

    #[test]
    fn poisson_gaps_are_exponential() {
        // Each of two workers has a separate stream with half the rate.
        for (worker, workers) in [(0, 1), (1, 2)] {
            let mean_ns = 100_000.0 * workers as f64;
            let gaps = gaps(&due(Arrivals::Poisson(10_000.0), worker, workers, GAPS + 1));
            let variation = variation(&gaps);
            assert!(
                (variation - 1.0).abs() < VARIATION_OFF,
                "coefficient of variation {variation}"
            );
            let distance = distance(gaps, mean_ns);
            assert!(distance < DISTANCE, "Kolmogorov-Smirnov: {distance}");
        }
    }

    #[test]
    fn the_streams_of_two_workers_together_are_poisson() {
        let mut both: Vec<u64> = (0..2)
            .flat_map(|worker| due(Arrivals::Poisson(10_000.0), worker, 2, GAPS / 2 + 1000))
            .collect();
        both.sort_unstable();
        // One stream ends a little before the other.
        both.truncate(GAPS + 1);
        let distance = distance(gaps(&both), 100_000.0);
        assert!(distance < DISTANCE, "Kolmogorov-Smirnov: {distance}");
    }

    #[test]
    fn the_test_of_the_distribution_can_fail() {
        let exponential = gaps(&due(Arrivals::Poisson(10_000.0), 0, 1, GAPS + 1));
        // Gaps as a timer of 10 µs, a tenth of the mean gap, would send them.
        let by_a_timer = exponential.iter().map(|gap| (gap / 1e4).ceil() * 1e4).collect();
        // One of a hundred operations is sent together with the one before.
        let in_pairs =
            exponential.iter().enumerate().map(|(at, gap)| if at % 100 == 0 { 0.0 } else { *gap });
        let off_by_a_percent = exponential.iter().map(|gap| gap * 1.01).collect();
        for wrong in [by_a_timer, in_pairs.collect(), off_by_a_percent] {
            assert!(distance(wrong, 100_000.0) > DISTANCE);
        }
    }

    #[test]
    fn the_same_seed_gives_the_same_schedule_and_workers_differ() {
        let poisson = Arrivals::Poisson(1000.0);
        assert_eq!(due(poisson, 0, 2, 50), due(poisson, 0, 2, 50));
        assert_ne!(due(poisson, 0, 2, 50), due(poisson, 1, 2, 50));
    }

    #[test]
    fn groups_of_one_rate_fall_due_in_turn_and_have_gaps_of_their_own() {
        let stop = crate::Stop::new().expect("a descriptor");
        let due = |arrivals, group| {
            let seat = Seat { group, groups: 2, ..Seat::new(1, 2, stop.clone()) };
            let mut schedule = Schedule::of(arrivals, 7, &seat).expect("open loop");
            let next = |_: u32| {
                schedule.take();
                schedule.next_ns()
            };
            (0..3).map(next).collect::<Vec<u64>>()
        };
        let constant = Arrivals::Constant(1000.0);
        assert_eq!(due(constant, 0), [3_000_000, 5_000_000, 7_000_000]);
        assert_eq!(due(constant, 1), [3_500_000, 5_500_000, 7_500_000]);
        assert_ne!(due(Arrivals::Poisson(1000.0), 0), due(Arrivals::Poisson(1000.0), 1));
    }

    #[test]
    fn a_closed_loop_has_no_schedule() {
        assert!(Schedule::new(Arrivals::Closed, 1, 0, 1).is_none());
    }
}
