//! Known truths about slow services: one that takes 10 % longer is found, and the comparison takes at most
//! twice the time that was announced. All is at the defaults, with 8 connections.

use crate::common::{TestDirectory, errors, number, serve, url};
use crate::driver::{figure, truths};
use serde_json::Value;
use std::time::{Duration, Instant};
use testserver::{Behaviour, Delay};

truths! {
    All: of_two_services_of_20_ms_the_slower_one_is_found,
    All waits: of_two_services_of_200_ms_the_slower_one_is_found,
    All waits: of_two_services_of_a_second_the_slower_one_is_found,
    Calibration waits: of_two_services_of_5_seconds_the_slower_one_is_found,
}

/// The time in a sentence like `about 26 s …`, `at most 26 s …` or `about 2 min 5 s …` at the end of a line or before
/// a comma or bracket, after the last occurrence of `about ` or `at most `.
fn announced_s(line: &str) -> Option<f64> {
    let (_, time) = line.rsplit_once("about ").or(line.rsplit_once("at most "))?;
    let words: Vec<&str> = time.split([' ', ',', ';', ')']).collect();
    let pairs = words.chunks(2).map_while(|pair| match pair {
        [number, "s"] => number.parse::<f64>().ok(),
        [number, "min"] => number.parse::<f64>().ok().map(|minutes| 60.0 * minutes),
        _ => None,
    });
    Some(pairs.sum::<f64>()).filter(|seconds| *seconds > 0.0)
}

/// Compares two services with these delays, the second 10 % slower. The ratio of throughput of servers that
/// only wait is that of their delays; a lognormal delay scatters by 30 %, so a round of some hundred replies
/// by 1 to 2 %, and ten of them miss 10 % with a chance of less than 1 in 10 000.
fn slower_one_is_found(a: Delay, b: Delay) {
    let delayed = |delay| serve(Behaviour { delay, ..Behaviour::default() });
    let (a, b) = (delayed(a), delayed(b));
    let (a, b) = (format!("a={}", url(&a)), format!("b={}", url(&b)));
    let directory = TestDirectory::new();
    let began = Instant::now();
    let words =
        ["compare", &a, &b, "-c", "8", "--seed", "1", "--out", "run", "--json", "report.json"];
    let output = directory.tiebreak(&words);
    let took_s = began.elapsed().as_secs_f64();
    let printed = errors(&output);
    // The last announcement binds: that before the rounds, or that of the first line.
    let announces = |line: &&str| line.contains("from here on") || line.starts_with("run: ");
    let last = printed.lines().filter(announces).filter_map(announced_s).next_back();
    let announced_s = last.unwrap_or_else(|| panic!("no time is announced: {printed}"));
    figure(format!("{took_s:.0} s"), format!("at most twice {announced_s:.0} s"));
    assert!(took_s <= 2.0 * announced_s, "{took_s} s: {printed}");
    let report = std::fs::read_to_string(directory.file("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let comparisons = report["comparisons"].as_array().expect("comparisons");
    let word = &comparisons[0]["verdict"];
    figure(format!("{word}"), "\"slower\"");
    assert_eq!(word, "slower", "{comparisons:#?}");
    for contender in report["contenders"].as_array().expect("contenders") {
        let p50 = &contender["metrics"]["response_time"]["p50"];
        assert!(number(p50) > 0.0, "there is a p50: {contender:#}");
    }
}

fn fixed(ms: u64) -> Delay {
    Delay::Fixed(Duration::from_millis(ms))
}

fn of_two_services_of_20_ms_the_slower_one_is_found() {
    let lognormal = |ms| Delay::Lognormal { median: Duration::from_millis(ms), sigma: 0.3 };
    slower_one_is_found(lognormal(20), lognormal(22));
}

fn of_two_services_of_200_ms_the_slower_one_is_found() {
    slower_one_is_found(fixed(200), fixed(220));
}

fn of_two_services_of_a_second_the_slower_one_is_found() {
    slower_one_is_found(fixed(1000), fixed(1100));
}

fn of_two_services_of_5_seconds_the_slower_one_is_found() {
    slower_one_is_found(fixed(5000), fixed(5500));
}
