//! A contender that does not do the work gets no verdict: the run goes
//! through, the numbers are shown, and the exit code says void.

mod common;

use common::{Place, serve, url};
use serde_json::Value;
use tiebreak::testserver::{Behaviour, Body};

const SHORT: [&str; 10] = [
    "--rounds",
    "6",
    "--round",
    "200ms",
    "--warm-up",
    "100ms",
    "--connections",
    "8",
    "--slice",
    "50ms",
];

/// Compares a right server with a wrong one, in both orders.
fn compare(wrong: Behaviour, extra: &[&str]) -> Vec<(i32, Value)> {
    let (right, wrong) = (serve(Behaviour::default()), serve(wrong));
    let (right, wrong) = (url(&right), url(&wrong));
    [
        [format!("right={right}"), format!("wrong={wrong}")],
        [format!("wrong={wrong}"), format!("right={right}")],
    ]
    .iter()
    .map(|pair| {
        let mut arguments = vec!["compare", &pair[0], &pair[1]];
        arguments.extend(SHORT);
        arguments.extend(extra);
        Place::new().report(&arguments)
    })
    .collect()
}

fn rules(report: &Value, weight: &str) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings");
    findings
        .iter()
        .filter(|finding| finding["weight"] == weight)
        .map(|finding| finding["rule"].as_str().expect("a name").to_owned())
        .collect()
}

fn assert_void(wrong: Behaviour, rule: &str) {
    for (code, report) in compare(wrong, &[]) {
        assert_eq!(code, 3, "{report}");
        assert_eq!(report["void"], true);
        let voids = rules(&report, "void");
        assert!(voids.iter().any(|name| name == rule), "{voids:?} without {rule}");
        let comparisons = report["comparisons"].as_array().expect("comparisons");
        assert!(!comparisons.is_empty());
        for comparison in comparisons {
            assert_eq!(comparison["verdict"], "void");
        }
        assert!(comparisons[0]["ratio"].is_number(), "the numbers are still shown");
    }
}

#[test]
fn a_contender_that_answers_404_voids() {
    assert_void(Behaviour { status: 404, ..Behaviour::default() }, "non_success");
}

#[test]
fn a_contender_with_an_empty_body_voids() {
    assert_void(Behaviour { body: Body::Page(0), ..Behaviour::default() }, "empty_reply");
}

#[test]
fn a_contender_with_another_page_of_the_same_length_voids() {
    let body = Body::Bytes(vec![b'y'; 87].into());
    assert_void(Behaviour { body, ..Behaviour::default() }, "differing_replies");
}

#[test]
fn a_contender_with_a_longer_page_voids_unless_that_is_expected() {
    let longer = || Behaviour { body: Body::Page(200), ..Behaviour::default() };
    assert_void(longer(), "differing_replies");
    for (code, report) in compare(longer(), &["--expect-different"]) {
        assert_eq!((code, &report["void"]), (0, &Value::Bool(false)), "{}", report["findings"]);
    }
}

#[test]
fn bodies_that_differ_in_every_reply_are_compared_by_length_with_a_note() {
    for (code, report) in compare(Behaviour { body: Body::Random(87), ..Behaviour::default() }, &[])
    {
        assert_eq!(code, 0, "{}", report["findings"]);
        assert!(rules(&report, "note").iter().any(|name| name == "differing_replies"));
    }
}

#[test]
fn one_failure_in_a_hundred_voids_and_one_in_ten_thousand_is_a_caution() {
    let every = |n: u64| Behaviour {
        status_nth: Some((n.try_into().expect("not 0"), 503)),
        ..Behaviour::default()
    };
    assert_void(every(100), "non_success");
    for (code, report) in compare(every(10_000), &[]) {
        assert_eq!(code, 0, "{}", report["findings"]);
        assert!(rules(&report, "caution").iter().any(|name| name == "non_success"));
    }
}

#[test]
fn a_run_of_one_contender_that_answers_404_is_void_too() {
    let server = serve(Behaviour { status: 404, ..Behaviour::default() });
    let (code, report) =
        Place::new().report(&["run", &url(&server), "--warm-up", "0s", "--duration", "1s"]);
    assert_eq!((code, &report["void"]), (3, &Value::Bool(true)));
    let allowed = serve(Behaviour { status: 404, ..Behaviour::default() });
    let (code, report) = Place::new().report(&[
        "run",
        &url(&allowed),
        "--warm-up",
        "0s",
        "--duration",
        "1s",
        "--expect",
        "404",
    ]);
    assert_eq!((code, &report["void"]), (0, &Value::Bool(false)), "{}", report["findings"]);
}
