//! The whole procedure on simulated servers: workers behind one queue, Poisson arrivals, exponential services (M/M/c),
//! turns that begin with an empty queue. What the capacity is follows from queueing theory.
//!
//! The figures of docs/METHOD.md come from the ignored test:
//! `cargo test -p tiebreak-judge --lib --release capacity::simulation -- --ignored --nocapture`

use super::queue::Queue;
use super::*;
use crate::random::Random;
use record::{Objective, Percentile};
use std::iter::zip;

const SECOND_NS: f64 = 1e9;

/// A server, what is asked of it, and how long its turns are.
#[derive(Clone, Copy, Debug)]
struct Case {
    server: Queue,
    percentile: Percentile,
    limit_ns: u64,
    turn_s: f64,
}

const ONE_WORKER: Case = Case {
    server: Queue { workers: 1, mean_service: 200e-6 },
    percentile: Percentile::P99,
    limit_ns: 5_000_000,
    turn_s: 2.0,
};
const FOUR_WORKERS: Case = Case {
    server: Queue { workers: 4, mean_service: 2e-3 },
    percentile: Percentile::P99,
    limit_ns: 20_000_000,
    turn_s: 2.0,
};

impl Case {
    fn objective(&self) -> Objective {
        Objective::ResponseTime { percentile: self.percentile, limit_ns: self.limit_ns }
    }

    fn capacity_of(&self, server: Queue) -> f64 {
        server.capacity(self.limit_ns as f64 / SECOND_NS, self.percentile.beyond())
    }

    /// A server whose capacity is this many times that of the case's server, and its true ratio.
    fn other(&self, times: f64) -> (Queue, f64) {
        let with =
            |factor: f64| Queue { mean_service: self.server.mean_service * factor, ..self.server };
        let (mut low, mut high) = (0.5, 2.0);
        for _ in 0..50 {
            let middle = f64::midpoint(low, high);
            if self.capacity_of(with(middle)) > times * self.capacity_of(self.server) {
                low = middle;
            } else {
                high = middle;
            }
        }
        (with(low), self.capacity_of(with(low)) / self.capacity_of(self.server))
    }

    /// One turn at this rate.
    fn turn(
        &self,
        server: Queue,
        rate: f64,
        length_s: f64,
        gaps: &mut Random,
        services: &mut Random,
    ) -> Turn {
        let mut free_at = vec![0.0f64; server.workers as usize];
        let (mut now, mut counted, mut late) = (0.0, 0, 0);
        loop {
            now += gaps.exponential() / rate;
            if now >= length_s {
                return Turn { rate, counted, missed: vec![late], part: Part::Target };
            }
            let mut first = 0;
            for worker in 1..free_at.len() {
                if free_at[worker] < free_at[first] {
                    first = worker;
                }
            }
            free_at[first] = free_at[first].max(now) + server.mean_service * services.exponential();
            if now * SECOND_NS >= UNCOUNTED_NS as f64 {
                counted += 1;
                late += u64::from((free_at[first] - now) * SECOND_NS > self.limit_ns as f64);
            }
        }
    }

    fn search(&self, server: Queue, random: &mut Random) -> f64 {
        let mut search = Search::new(&[self.objective()], server.saturation(), Part::Target);
        loop {
            match search.step() {
                Step::Done(Found::Near(rate)) => return rate,
                Step::Done(other) => panic!("{other:?}"),
                Step::Drive { rate, length_ns } => {
                    let (mut gaps, mut services) = (random.fork(), random.fork());
                    let length_s = length_ns as f64 / SECOND_NS;
                    search.observe(&self.turn(server, rate, length_s, &mut gaps, &mut services));
                }
            }
        }
    }

    /// Searches and rounds of two servers. The gaps between arrivals are the same for both, but for the rate.
    fn experiment(&self, servers: [Queue; 2], seed: u64) -> [Adaptation; 2] {
        let mut random = Random(seed);
        let mut sides = servers
            .map(|server| Adaptation::new(&[self.objective()], self.search(server, &mut random)));
        for _ in 0..ROUNDS {
            let schedules = [0; TURNS].map(|_| random.fork().0);
            for (server, side) in zip(servers, &mut sides) {
                let turns = zip(side.rates(), schedules).map(|(rate, gaps)| {
                    let mut services = random.fork();
                    self.turn(server, rate, self.turn_s, &mut Random(gaps), &mut services)
                });
                side.add_round(turns.collect());
            }
        }
        sides
    }
}

/// What many experiments with one pair of servers showed.
#[derive(Debug, Default)]
struct Tally {
    /// ln(capacity ÷ truth), of every capacity that was found.
    errors: Vec<f64>,
    /// Intervals of capacities that contain the truth, and how many there are.
    capacity_covered: (usize, usize),
    /// ln(ratio ÷ truth).
    ratio_errors: Vec<f64>,
    half_widths: Vec<f64>,
    ratio_covered: usize,
    called: usize,
}

impl Tally {
    fn of(case: &Case, times: f64, experiments: usize) -> Tally {
        let mut tally = Tally::default();
        let (other, truth) = case.other(times);
        let servers = [case.server, other];
        for seed in 0..experiments {
            let sides = case.experiment(servers, 1000 + 7919 * seed as u64);
            for (server, side) in zip(servers, &sides) {
                tally.add_capacity(case.capacity_of(server), side);
            }
            if let Ok(seen) = ratio(&sides[0], &sides[1], 0.05, 0.01) {
                tally.add_ratio(truth, &seen);
            }
        }
        tally
    }

    fn add_capacity(&mut self, truth: f64, side: &Adaptation) {
        let capacity = side.capacity(0.05).expect("ten rounds");
        let CapacityFound::At { rate, interval, .. } = capacity.found else { return };
        self.errors.push((rate / truth).ln());
        if let Some((low, high)) = interval {
            self.capacity_covered.0 += usize::from(low <= truth && truth <= high);
            self.capacity_covered.1 += 1;
        }
    }

    fn add_ratio(&mut self, truth: f64, seen: &CapacityRatio) {
        let (low, high) = seen.interval.expect("ten rounds");
        self.ratio_errors.push((seen.ratio / truth).ln());
        self.half_widths.push((high / low).ln() / 2.0);
        self.ratio_covered += usize::from(low <= truth && truth <= high);
        self.called += usize::from(seen.word.is_difference());
    }

    fn within_3_percent(&self) -> usize {
        self.errors.iter().filter(|error| error.abs() < 0.03).count()
    }
}

fn mean(of: &[f64]) -> f64 {
    crate::stats::paired_t::mean(of).expect("experiments")
}

fn deviation(of: &[f64]) -> f64 {
    crate::stats::paired_t::standard_deviation(of).expect("experiments")
}

/// Asserts that a share of cases is what it was in many simulations, give or take four standard errors.
fn assert_share(what: &str, seen: usize, of: usize, expected: f64) {
    let error = (expected * (1.0 - expected) / of as f64).sqrt();
    let share = seen as f64 / of as f64;
    assert!((share - expected).abs() <= 4.0 * error, "{what}: {seen} of {of}, expected {expected}");
}

/// Shares that the longer test found: within 3 %, intervals of capacities and of ratios that contain the truth, called.
#[derive(Clone, Copy)]
struct Expected {
    within: f64,
    capacity_covers: f64,
    ratio_covers: f64,
    called: f64,
}

fn assert_as_simulated(case: &Case, times: f64, experiments: usize, expected: &Expected) -> Tally {
    let tally = Tally::of(case, times, experiments);
    let name = format!("{case:?} {times}");
    assert_share(
        &format!("{name}: within 3 %"),
        tally.within_3_percent(),
        tally.errors.len(),
        expected.within,
    );
    let (covered, intervals) = tally.capacity_covered;
    if intervals > 0 {
        assert_share(
            &format!("{name}: capacity covers"),
            covered,
            intervals,
            expected.capacity_covers,
        );
    }
    let ratios = tally.ratio_errors.len();
    assert_share(
        &format!("{name}: ratio covers"),
        tally.ratio_covered,
        ratios,
        expected.ratio_covers,
    );
    assert_share(&format!("{name}: called"), tally.called, ratios, expected.called);
    tally
}

/// The formulas and the simulation agree: the share of late replies at the rate that theory gives for 1 %, in one turn of
/// 500 s. Late replies come in bursts: simulated, the variance of their number is 90 and 142 times its mean.
#[test]
fn as_many_replies_are_late_as_theory_says() {
    for (case, bursts) in [(ONE_WORKER, 90.0), (FOUR_WORKERS, 142.0)] {
        let rate = case.capacity_of(case.server);
        let (mut gaps, mut services) = (Random(1), Random(2));
        let turn = case.turn(case.server, rate, 500.0, &mut gaps, &mut services);
        let error = (bursts / (0.01 * turn.counted as f64)).sqrt();
        let share = turn.share_missed(0) / 0.01;
        assert!((share - 1.0).abs() < 4.0 * error, "{case:?}: {share} ± {error}");
    }
}

#[test]
fn few_experiments_find_capacities_and_ratios() {
    let one = Expected { within: 0.97, capacity_covers: 0.946, ratio_covers: 0.943, called: 0.014 };
    let four = Expected { within: 0.9, capacity_covers: 0.93, ratio_covers: 0.985, called: 0.014 };
    for (case, expected) in [(ONE_WORKER, one), (FOUR_WORKERS, four)] {
        let mut errors = assert_as_simulated(&case, 1.0, 6, &expected).errors;
        let expected = Expected { called: 0.97, ..expected };
        errors.extend(assert_as_simulated(&case, 1.1, 6, &expected).errors);
        // 24 capacities with a standard deviation of 1.3 and 2 %.
        let bias = mean(&errors);
        assert!((bias - 0.002).abs() < 4.0 * deviation(&errors) / 24f64.sqrt(), "{case:?}: {bias}");
    }
}

/// Lines of the table in docs/METHOD.md, with fewer experiments.
#[test]
#[ignore = "takes minutes: cargo test -p tiebreak-judge --lib --release capacity::simulation -- --ignored --nocapture"]
fn many_experiments_show_what_the_documentation_says() {
    let expected = |within, capacity_covers, ratio_covers, called| Expected {
        within,
        capacity_covers,
        ratio_covers,
        called,
    };
    let turns = |case: Case, turn_s| Case { turn_s, ..case };
    let percentile = |case: Case, percentile, limit_ns| Case { percentile, limit_ns, ..case };
    let p50 = |case: Case, limit_ns| percentile(case, Percentile::P50, limit_ns);
    let p999 = |case: Case, limit_ns| turns(percentile(case, Percentile::P999, limit_ns), 20.0);
    let slow = Case {
        server: Queue { workers: 1, mean_service: 2e-3 },
        limit_ns: 20_000_000,
        turn_s: 6.0,
        ..ONE_WORKER
    };
    let two = Case {
        server: Queue { workers: 2, mean_service: 1e-3 },
        limit_ns: 10_000_000,
        ..ONE_WORKER
    };
    let sixteen = Case {
        server: Queue { workers: 16, mean_service: 5e-3 },
        limit_ns: 30_000_000,
        ..ONE_WORKER
    };
    let cases = [
        (turns(ONE_WORKER, 1.0), 200, expected(0.89, 0.936, 0.97, 0.016), 0.88),
        (ONE_WORKER, 200, expected(0.97, 0.947, 0.943, 0.013), 0.983),
        (FOUR_WORKERS, 200, expected(0.897, 0.93, 0.985, 0.007), 0.967),
        (turns(FOUR_WORKERS, 4.0), 200, expected(0.963, 0.92, 0.933, 0.007), 0.995),
        (slow, 100, expected(0.69, 0.903, 0.912, 0.057), 0.692),
        (two, 100, expected(0.85, 0.941, 0.939, 0.027), 0.938),
        (sixteen, 100, expected(0.928, 0.891, 0.92, 0.045), 0.985),
        (p50(ONE_WORKER, 1_000_000), 100, expected(0.999, 0.0, 0.955, 0.003), 0.997),
        (p50(FOUR_WORKERS, 4_000_000), 100, expected(0.99, 0.0, 0.97, 0.003), 0.997),
        (p999(FOUR_WORKERS, 30_000_000), 30, expected(0.98, 0.88, 0.965, 0.01), 0.95),
    ];
    for (case, experiments, expected, called) in cases {
        for (times, expected) in [(1.0, expected), (1.1, Expected { called, ..expected })] {
            let tally = assert_as_simulated(&case, times, experiments, &expected);
            let (covered, intervals) = tally.capacity_covered;
            eprintln!(
                "{case:?} x{times}: capacity bias {:+.2} % sd {:.2} %, {} of {} within 3 %, {covered} of {intervals} \
                 intervals; ratio bias {:+.2} %, half-width {:.2} %, {} of {} covered, {} called",
                100.0 * mean(&tally.errors),
                100.0 * deviation(&tally.errors),
                tally.within_3_percent(),
                tally.errors.len(),
                100.0 * mean(&tally.ratio_errors),
                100.0 * mean(&tally.half_widths),
                tally.ratio_covered,
                tally.ratio_errors.len(),
                tally.called,
            );
        }
    }
}
