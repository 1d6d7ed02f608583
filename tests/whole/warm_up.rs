//! How long contenders are warmed up, through the binary.

use crate::common::{TestDirectory, number, sent, serve, unhurried, url};
use serde_json::Value;
use std::time::Duration;
use testserver::{Behaviour, Delay};

/// A server alone, driven for a moment after its warm-up.
fn run(behaviour: Behaviour, more: &[&str]) -> (Value, u64) {
    let server = serve(behaviour);
    let url = url(&server);
    let words = ["run", &url, "--connections", "4", "--duration", "300ms"];
    let (_, report) = TestDirectory::new().report(&[&words[..], more].concat());
    (report, server.stop().requests)
}

fn notes(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().expect("findings").iter();
    let about = findings.filter(|finding| finding["rule"] == "not_steady");
    about.map(|finding| finding["evidence"].as_str().expect("a sentence")).collect()
}

#[test]
fn a_steady_server_is_warmed_up_for_a_second_or_little_more() {
    let (report, served) = run(unhurried(), &[]);
    let contender = &report["contenders"][0];
    let warm_ups = &contender["warm_ups"];
    assert_eq!((number(&warm_ups["number"]), number(&warm_ups["not_levelled"])), (1.0, 0.0));
    let first = number(&warm_ups["first"]);
    assert!((1.0..3.0).contains(&first), "{first}");
    assert_eq!(warm_ups["longest"], warm_ups["first"]);
    assert_eq!(sent(contender), served, "every request of the warm-up is counted");
}

/// After 5 s there are no four slices that could be compared.
#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn one_that_is_not_known_to_have_levelled_after_5_seconds_is_noted() {
    let delay = Delay::Fixed(Duration::from_secs(3));
    let (report, _) = run(Behaviour { delay, ..Behaviour::default() }, &[]);
    let warm_ups = &report["contenders"][0]["warm_ups"];
    assert_eq!(number(&warm_ups["not_levelled"]), 1.0);
    let first = number(&warm_ups["first"]);
    assert!((6.0..9.0).contains(&first), "two slices of 3 s: {first}");
    let notes = notes(&report);
    assert!(
        notes.iter().any(|note| note.contains("had not levelled after a warm-up")),
        "{notes:?}"
    );
}

#[test]
fn a_length_that_is_given_is_kept() {
    let (report, served) = run(unhurried(), &["--warm-up", "100ms"]);
    let contender = &report["contenders"][0];
    assert_eq!(contender["warm_ups"], Value::Null);
    let warm_up = number(&contender["sent"]["warm_up"]);
    // Four connections, a reply of each in a millisecond or more.
    assert!((1.0..=404.0).contains(&warm_up), "{warm_up}");
    assert_eq!(sent(contender), served);
}
