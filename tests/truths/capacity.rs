//! Known truths about capacities: queues whose response times can be computed (M/M/c) have the capacities that follow
//! from theory, and the ratio that these have.

use crate::common::{TestDirectory, number, serve, url};
use crate::driver::{figure, truths};
use crate::queue::Queue;
use serde_json::Value;
use std::num::NonZeroU32;
use std::time::Duration;
use testserver::{Behaviour, Delay, TestServer, Workers};

truths! {
    Changed: the_capacities_of_two_queues_and_their_ratio_are_those_of_theory,
    All: equal_queues_have_equal_capacities,
    Calibration: capacities_and_ratios_err_as_often_as_they_say,
}

/// The objective.
const LIMIT: Duration = Duration::from_millis(20);
const MOST_LATE: f64 = 0.01;
/// The mean service time of each of four workers, and that of a server that is 10 % faster.
const SERVICE_US: f64 = 2000.0;
const RATIO: f64 = 1.1;
/// With turns of 1 s the deviation of a capacity is 1.4 times that of METHOD's table, which has turns of 2 s: 2.8 %; that
/// of a ratio 2.6 %. These bounds are four of these deviations and the bias.
const CAPACITY_BOUND: f64 = 0.12;
const RATIO_BOUND: f64 = 0.105;
/// Equal ones are never called different by more.
const MOST_CALLED: f64 = 1.05;

fn queue(service_us: f64) -> Queue {
    Queue { workers: 4, mean_service: service_us / 1e6 }
}

fn server(service_us: f64, seed: u64) -> TestServer {
    let mean = Duration::from_nanos((service_us * 1e3) as u64);
    let workers =
        Workers { count: NonZeroU32::new(4).expect("not zero"), service: Delay::Exponential(mean) };
    serve(Behaviour { workers: Some(workers), seed, ..Behaviour::default() })
}

/// What one comparison says.
struct Seen {
    /// Capacities ÷ those of theory.
    capacities: [f64; 2],
    ratio: f64,
    interval: (f64, f64),
    verdict: String,
}

/// Compares two servers with these mean service times.
fn compared(services_us: [f64; 2], round: &str, seed: u64) -> Seen {
    let [a, b] = [server(services_us[0], seed), server(services_us[1], seed + 1)];
    let (a, b) = (format!("a={}", url(&a)), format!("b={}", url(&b)));
    let directory = TestDirectory::new();
    let words = ["compare", &a, &b, "--slo", "p99 <= 20ms", "--round", round, "--pilot", "600ms"];
    let (_, report) = directory.report(&words);
    let comparison = &report["comparisons"][0];
    let capacity = |at: usize| {
        let found = &report["contenders"][at]["capacity"];
        let theory = queue(services_us[at]).capacity(LIMIT.as_secs_f64(), MOST_LATE);
        figure_of(&found["rate"], found) / theory
    };
    let of = |field: &str| figure_of(&comparison[field], comparison);
    Seen {
        capacities: [capacity(0), capacity(1)],
        ratio: of("ratio"),
        interval: (of("low"), of("high")),
        verdict: comparison["verdict"].as_str().unwrap_or_default().to_owned(),
    }
}

fn figure_of(value: &Value, of: &Value) -> f64 {
    assert!(value.is_number(), "{of:#}");
    number(value)
}

/// Checks one comparison of queues whose capacities have this ratio.
fn check(seen: &Seen, ratio: f64) {
    for (name, capacity) in ["a", "b"].iter().zip(seen.capacities) {
        let limit = format!("± {:.0} %", 100.0 * CAPACITY_BOUND);
        figure(format!("capacity of {name}: {capacity:.3} of theory"), limit);
        assert!((capacity - 1.0).abs() <= CAPACITY_BOUND, "{name}: {capacity}");
    }
    let (low, high) = seen.interval;
    figure(
        format!("ratio {:.3} ({low:.3} to {high:.3}), {}", seen.ratio, seen.verdict),
        format!("{ratio:.3} ± {:.1} %", 100.0 * RATIO_BOUND),
    );
    assert!((seen.ratio / ratio).ln().abs() <= RATIO_BOUND, "{}", seen.ratio);
}

/// The ratio of the capacities of a server whose workers are 10 % faster, by theory.
fn true_ratio() -> f64 {
    let capacity = |us: f64| queue(us).capacity(LIMIT.as_secs_f64(), MOST_LATE);
    capacity(SERVICE_US / RATIO) / capacity(SERVICE_US)
}

/// Three figures, each beyond four deviations with a probability of 0.6 in 10 000; both runs of a truth that fails is run
/// again do so in none of 10 000 runs. A tool that takes the p99 of each turn errs by 2 to 16 % on one side, one that
/// takes the closed loop's throughput for the capacity by 20 % and more.
fn the_capacities_of_two_queues_and_their_ratio_are_those_of_theory() {
    let seen = compared([SERVICE_US, SERVICE_US / RATIO], "3s", 1);
    check(&seen, true_ratio());
    assert_ne!(seen.verdict, "slower", "the one that takes more is not slower");
}

/// As above: the ratio of equal queues is 1 within four deviations. Its interval is about 5.2 % wide on each side, so it
/// lies wholly beyond 5 % only with a ratio that errs by about four deviations.
fn equal_queues_have_equal_capacities() {
    let seen = compared([SERVICE_US, SERVICE_US], "3s", 11);
    check(&seen, 1.0);
    let (low, high) = seen.interval;
    assert!(
        low <= MOST_CALLED && high >= 1.0 / MOST_CALLED,
        "called different by more than 5 %: {low} to {high}"
    );
}

/// Turns of 2 s, as by default. The rules are those of METHOD: a 95 % interval covers in 15 of 20, else in 33 of 40
/// comparisons; equal ones are called different in 2 of 20, else in at most 9 of 60; a capacity is within 3 % of theory
/// in 89 % less four standard errors of 40, 69 %.
fn capacities_and_ratios_err_as_often_as_they_say() {
    let different = |of: &Seen| of.verdict == "faster" || of.verdict == "slower";
    let (mut covered, mut called, mut within, mut runs) = (0, 0, 0, 0);
    for look in [(20, 15), (40, 33)] {
        while runs < look.0 {
            let seen = compared([SERVICE_US, SERVICE_US / RATIO], "6s", 100 + 2 * runs);
            let (low, high) = seen.interval;
            covered += u64::from(low <= true_ratio() && true_ratio() <= high);
            called += u64::from(seen.verdict == "faster");
            within += seen.capacities.iter().filter(|of| (**of - 1.0).abs() <= 0.03).count();
            runs += 1;
        }
        if covered >= look.1 && called >= look.1 {
            break;
        }
    }
    figure(format!("covered {covered}, called {called} of {runs}"), "15 of 20, else 33 of 40");
    figure(format!("within 3 %: {within} of {}", 2 * runs), "69 %");
    let least = if runs == 20 { 15 } else { 33 };
    assert!(covered >= least && called >= least, "{covered} and {called} of {runs}");
    assert!(within as f64 >= 0.69 * 2.0 * runs as f64, "{within} of {}", 2 * runs);
    let (mut wrong, mut runs) = (0, 0);
    while runs < 60 && !(runs == 20 && wrong <= 2) {
        wrong += u64::from(different(&compared([SERVICE_US; 2], "6s", 1000 + 2 * runs)));
        runs += 1;
    }
    figure(format!("{wrong} of {runs} equal ones called different"), "2 of 20, else 9 of 60");
    assert!(wrong <= 9, "{wrong} of {runs}");
}
