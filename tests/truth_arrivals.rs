//! Does the server meet the arrivals that were asked for? Its own log says.

mod common;

use common::{Place, serve, url};
use tiebreak::testserver::Behaviour;

/// Mean and coefficient of variation of the gaps, and the most arrivals within
/// a millisecond, in one second of the log.
fn window(arrivals: &[u64]) -> (f64, usize) {
    let gaps: Vec<f64> = arrivals.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
    let burst = (0..arrivals.len())
        .map(|from| arrivals[from..].partition_point(|at| *at < arrivals[from] + 1_000_000))
        .max()
        .unwrap_or(0);
    (variance.sqrt() / mean, burst)
}

/// Medians over the seconds of a run at `rate`.
fn fidelity(rate: usize, arrivals: &str) -> (f64, usize) {
    let server = serve(Behaviour { log: true, awake: true, ..Behaviour::default() });
    let asked = format!("{rate}/s");
    let (code, report) = Place::new().report(&[
        "run",
        &url(&server),
        "--rate",
        &asked,
        "--arrivals",
        arrivals,
        "--connections",
        "32",
        "--warm-up",
        "0s",
        "--duration",
        "7s",
    ]);
    assert_eq!(code, 0, "{}", report["findings"]);
    let log = server.stop().arrivals_ns;
    // Behind the readiness request; the last part of a second is left out.
    let start = log[1];
    let mut windows: Vec<(f64, usize)> = (0..7)
        .map(|second| {
            let from = log.partition_point(|at| *at < start + second * 1_000_000_000);
            let to = log.partition_point(|at| *at < start + (second + 1) * 1_000_000_000);
            window(&log[from..to])
        })
        .collect();
    windows.sort_by(|a, b| a.0.total_cmp(&b.0));
    let variation = windows[windows.len() / 2].0;
    windows.sort_by_key(|window| window.1);
    (variation, windows[windows.len() / 2].1)
}

#[test]
fn a_constant_rate_arrives_as_a_steady_clock() {
    for rate in [1_000, 10_000] {
        let (variation, burst) = fidelity(rate, "constant");
        assert!(variation < 0.1, "{rate}/s: coefficient of variation {variation}");
        assert!(burst <= 2 + rate / 1000, "{rate}/s: {burst} within a millisecond");
    }
}

#[test]
fn poisson_arrivals_have_a_coefficient_of_variation_of_one() {
    for rate in [1_000, 10_000] {
        let (variation, burst) = fidelity(rate, "poisson");
        assert!((variation - 1.0).abs() < 0.05, "{rate}/s: coefficient of variation {variation}");
        // A Poisson millisecond of mean 1 or 10 holds no more than this once
        // in a thousand seconds; a volley of 32 connections does.
        assert!(burst <= 12 + rate / 500, "{rate}/s: {burst} within a millisecond");
    }
}
