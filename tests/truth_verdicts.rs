//! Known truths about verdicts: equal is not called different, different is
//! found with the right sign and size, and a broken schedule is caught.

mod common;

use common::witness::witnessed;
use common::{Drive, braided, judged, serve, trials};
use judge::verdict::{Comparison, Verdict, Word};
use record::Metric;
use std::net::SocketAddr;
use std::time::Duration;
use tiebreak::testserver::{Behaviour, TestServer};

fn service(micros: u64) -> TestServer {
    serve(Behaviour { service: Duration::from_micros(micros), ..Behaviour::default() })
}

fn throughput(verdict: &Verdict) -> &Comparison {
    let found = verdict.comparisons().iter().find(|one| one.metric == Metric::Throughput);
    found.expect("throughput is compared")
}

fn called_different(verdict: &Verdict) -> bool {
    matches!(throughput(verdict).verdict, Word::Faster | Word::Slower)
}

/// Rounds as short as they may be.
const SHORT: Drive = Drive { connections: 8, rounds: 10, round_ms: 100, slice_ms: 25, seed: 1 };

/// The two-stage rule: pass if at most 2 of 20 are called different; else 40
/// more, fail as soon as there are 10. A right tool fails it once in 2000 runs.
fn passes_as_equal(mut one_comparison: impl FnMut(u64) -> bool) -> Result<(), u32> {
    let mut different = 0;
    for seed in 0..60 {
        if seed == 20 && different <= 2 {
            break;
        }
        different += u32::from(one_comparison(seed));
        if different == 10 {
            return Err(different);
        }
    }
    Ok(())
}

#[test]
fn one_server_compared_with_itself_is_not_called_different() {
    witnessed("one_server_compared_with_itself_is_not_called_different", || {
        let server = serve(Behaviour::default());
        let address = server.address();
        let result = passes_as_equal(|seed| {
            called_different(&braided(address, address, &Drive { seed, ..SHORT }))
        });
        assert_eq!(
            result,
            Ok(()),
            "comparisons of 60 that called one server different from itself"
        );
    });
}

/// All of A, then all of B, judged as if they were rounds.
fn one_after_the_other(a: SocketAddr, b: SocketAddr, drive: &Drive) -> Verdict {
    let mut all = trials(&[a], drive);
    all.extend(trials(&[b], drive).into_iter().map(|mut trial| {
        trial.contender = 1;
        trial
    }));
    // The judge takes a round's trials together.
    all.sort_by_key(|trial| (trial.phase, trial.round));
    judged(&all, drive.rounds)
}

#[test]
fn on_a_server_that_drifts_a_broken_schedule_is_caught_and_the_braid_is_not() {
    witnessed("on_a_server_that_drifts_a_broken_schedule_is_caught_and_the_braid_is_not", || {
        let drifting = || {
            serve(Behaviour {
                service: Duration::from_micros(100),
                service_drift: 0.2,
                ..Behaviour::default()
            })
        };
        let broken = passes_as_equal(|seed| {
            let server = drifting();
            let drive = Drive { seed, ..SHORT };
            called_different(&one_after_the_other(server.address(), server.address(), &drive))
        });
        assert!(broken.is_err(), "the test cannot fail: it let a broken schedule pass");
        let right = passes_as_equal(|seed| {
            let server = drifting();
            called_different(&braided(server.address(), server.address(), &Drive { seed, ..SHORT }))
        });
        assert_eq!(right, Ok(()));
    });
}

#[test]
fn three_and_ten_percent_are_found_with_the_right_sign_and_size() {
    witnessed("three_and_ten_percent_are_found_with_the_right_sign_and_size", || {
        for slower in [103, 110] {
            let (a, b) = (service(100), service(slower));
            let truth = 100.0 / slower as f64;
            let (mut covered, mut signs) = (0, 0);
            for seed in 0..12 {
                let verdict = braided(a.address(), b.address(), &Drive { seed, ..SHORT });
                let found = throughput(&verdict);
                let (low, high) =
                    (found.low.expect("an interval"), found.high.expect("an interval"));
                covered += u32::from(low <= truth && truth <= high);
                signs += u32::from(found.ratio.is_some_and(|ratio| ratio < 1.0));
                assert_ne!(found.verdict, Word::Faster, "the wrong sign: {found:?}");
            }
            assert!(covered >= 9, "{slower}: {covered} of 12 intervals cover {truth}");
            assert!(signs >= 9, "{slower}: {signs} of 12 estimates on the right side");
        }
    });
}

#[test]
fn a_ratio_of_two_is_read_as_two_at_any_number_of_connections() {
    witnessed("a_ratio_of_two_is_read_as_two_at_any_number_of_connections", || {
        let (a, b) = (service(100), service(50));
        for connections in [8, 64, 256] {
            // The rule of the pilot: slices of 25 times the median of the slowest.
            let slice_ms = (25 * u64::from(connections) * 100 / 1000).max(50);
            let (rounds, round_ms) = (6, 2 * slice_ms);
            let drive = Drive { connections, slice_ms, rounds, round_ms, ..SHORT };
            let verdict = braided(a.address(), b.address(), &drive);
            let ratio = throughput(&verdict).ratio.expect("an estimate");
            println!("{connections} connections: {ratio}");
            assert!((ratio / 2.0 - 1.0).abs() < 0.02, "{connections} connections: {ratio}");
        }
    });
}
