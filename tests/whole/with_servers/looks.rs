//! The looks of a comparison between running servers. A busy machine makes replies so slow that there are none.

use crate::common::{TestDirectory, number, stdout};
use crate::lengths::{delayed, events, fixed, named};
use serde_json::Value;
use std::time::Duration;
use testserver::Delay;

/// The report of a run with short rounds. The run is repeated if it had none, because a machine that is busy during
/// the pilot needs longer slices.
fn with_short_rounds(words: &[&str]) -> (TestDirectory, i32, Value) {
    for _ in 0..4 {
        let directory = TestDirectory::new();
        let (code, report) = directory.report(&[words, &["--out", "run"]].concat());
        if report["plan"]["interim_looks"] != Value::from(Vec::<u32>::new()) {
            return (directory, code, report);
        }
        eprintln!("no short rounds: {:#}", report["plan"]["pilot"]);
    }
    panic!("no pilot of four allowed short rounds");
}

#[test]
fn a_plain_difference_ends_at_the_first_look() {
    let (a, b) = (fixed(1), fixed(2));
    let (a, b) = (named("a", &a), named("b", &b));
    let (directory, code, report) =
        with_short_rounds(&["compare", &a, &b, "--connections", "16", "--warm-up", "100ms"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let looks = report["plan"]["interim_looks"].as_array().expect("looks");
    let (first, last) = (number(&looks[0]), number(&looks[2]));
    assert!((9.0..=10.0).contains(&first) && last == 32.0, "{looks:?}");
    let headline = &report["comparisons"][0];
    assert_eq!(headline["verdict"], "slower", "{headline:#}");
    assert_eq!(headline["interim_looks"], 1, "{headline:#}");
    assert_eq!(number(&headline["replicates"]), first);
    assert!((number(&headline["confidence"]) - 0.99).abs() < 1e-9, "{headline:#}");
    // The others are judged at the same look, at the level of their family.
    let family = report["comparisons"].as_array().expect("comparisons").len() - 1;
    let p50 = &report["comparisons"][1];
    assert_eq!(number(&p50["replicates"]), first);
    assert!((number(&p50["confidence"]) - (1.0 - 0.01 / family as f64)).abs() < 1e-9, "{p50:#}");
    // Numbers and levels are in the journal before round 1.
    let levels: Vec<f64> = events(&directory, "pilot")[0]["looks"]
        .as_array()
        .expect("looks")
        .iter()
        .map(|look| number(&look["level"]))
        .collect();
    for (level, wanted) in levels.iter().zip([0.01, 0.015, 0.035]) {
        assert!((level - wanted).abs() < 1e-9, "{levels:?}");
    }
    let rounds = events(&directory, "trial");
    let rounds = rounds.iter().filter(|trial| trial["phase"] == "round").count();
    assert_eq!(rounds as f64, 2.0 * first);
    // The journal alone gives the same verdict.
    let again = directory.tiebreak(&["report", "run"]);
    assert!(stdout(&again).contains("at look 1 of 3, after"), "{}", stdout(&again));
}

/// The interval of the p99 is wider than the distance of two bounds, so that one of them lies in it: nobody knows whether
/// that requirement is met.
#[test]
fn a_requirement_that_is_not_decided_needs_all_rounds() {
    let of = |median: u64| {
        delayed(Delay::Lognormal { median: Duration::from_millis(median), sigma: 1.0 })
    };
    let (a, b) = (of(1), of(2));
    let (a, b) = (named("a", &a), named("b", &b));
    let bounds = (-10..40).map(|power| format!("b/a p99 <= {:.3}x", 1.04f64.powi(power)));
    let required: Vec<String> = bounds.flat_map(|bound| ["--require".to_owned(), bound]).collect();
    let required: Vec<&str> = required.iter().map(String::as_str).collect();
    let words = ["compare", &a, &b, "--connections", "32", "--warm-up", "100ms"];
    let (_, code, report) = with_short_rounds(&[&words[..], &required].concat());
    let headline = &report["comparisons"][0];
    assert!(number(&headline["high"]) < 0.95, "throughput alone is plain: {headline:#}");
    assert_eq!(number(&headline["replicates"]), 32.0, "{:#}", report["requirements"]);
    assert_eq!(code, 1, "{:#}", report["requirements"]);
}
