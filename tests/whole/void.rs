//! A contender that does not do the work gets no verdict: the run goes
//! through, the numbers are shown, and the exit code says void.

use crate::common::{TestDirectory, rules, serve, unhurried, url};
use serde_json::Value;
use testserver::{Behaviour, Body};

const SHORT: [&str; 12] = [
    "--rounds",
    "6",
    "--round",
    "100ms",
    "--warm-up",
    "50ms",
    "--connections",
    "8",
    "--slice",
    "25ms",
    "--pilot",
    "100ms",
];

/// Compares a right server with a wrong one.
fn compare(wrong: Behaviour, extra: &[&str]) -> (i32, Value) {
    let (right, wrong) = (serve(unhurried()), serve(wrong));
    run_compare(&format!("right={}", url(&right)), &format!("wrong={}", url(&wrong)), extra)
}

fn run_compare(a: &str, b: &str, extra: &[&str]) -> (i32, Value) {
    let mut arguments = vec!["compare", a, b];
    arguments.extend(SHORT);
    arguments.extend(extra);
    TestDirectory::new().report(&arguments)
}

fn assert_void((code, report): (i32, Value), rule: &str) {
    assert_eq!(code, 3, "{report}");
    assert_eq!(report["void"], true);
    let voids = rules(&report, "void");
    assert!(voids.contains(&rule), "{voids:?} without {rule}");
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    assert!(!comparisons.is_empty());
    for comparison in comparisons {
        assert_eq!(comparison["verdict"], "void");
    }
    assert!(comparisons[0]["ratio"].is_number(), "the numbers are still shown");
}

#[test]
fn a_contender_that_answers_404_voids_the_first_one_too() {
    let missing = || Behaviour { status: 404, ..unhurried() };
    assert_void(compare(missing(), &[]), "non_success");
    let (right, wrong) = (serve(unhurried()), serve(missing()));
    let (first, second) = (format!("wrong={}", url(&wrong)), format!("right={}", url(&right)));
    assert_void(run_compare(&first, &second, &[]), "non_success");
}

#[test]
fn a_contender_with_an_empty_body_voids() {
    assert_void(compare(Behaviour { body: Body::Page(0), ..unhurried() }, &[]), "empty_reply");
}

#[test]
fn a_contender_with_another_page_of_the_same_length_voids() {
    let body = Body::Bytes(vec![b'y'; 87].into());
    assert_void(compare(Behaviour { body, ..unhurried() }, &[]), "differing_replies");
}

#[test]
fn a_contender_with_a_longer_page_voids_unless_that_is_expected() {
    let longer = || Behaviour { body: Body::Page(200), ..unhurried() };
    assert_void(compare(longer(), &[]), "differing_replies");
    let (code, report) = compare(longer(), &["--expect-different"]);
    assert_eq!((code, &report["void"]), (0, &Value::Bool(false)), "{}", report["findings"]);
}

#[test]
fn bodies_that_differ_in_every_reply_are_compared_by_length_with_a_note() {
    let random = Behaviour { body: Body::Random(87), ..unhurried() };
    let (code, report) = compare(random, &[]);
    assert_eq!(code, 0, "{}", report["findings"]);
    assert!(rules(&report, "note").contains(&"differing_replies"));
}

#[test]
fn one_failure_in_a_hundred_voids_and_one_in_ten_thousand_is_a_caution() {
    let every = |n: u64| Behaviour {
        status_nth: Some((n.try_into().expect("not 0"), 503)),
        ..Behaviour::default()
    };
    assert_void(compare(every(100), &[]), "non_success");
    let (code, report) = compare(every(10_000), &[]);
    assert_eq!(code, 0, "{}", report["findings"]);
    assert!(rules(&report, "caution").contains(&"non_success"));
}
