//! `--slo`: capacities, their ratio, and checks of a rate.

use crate::common::{TestDirectory, number, rules, serve, stdout, url};
use serde_json::Value;
use std::num::NonZeroU32;
use std::time::Duration;
use testserver::{Behaviour, Delay, TestServer, Workers};

/// A server with one worker, which serves one request at a time in a constant time.
fn worker(millis: u64) -> TestServer {
    let service = Delay::Fixed(Duration::from_millis(millis));
    let workers = Workers { count: NonZeroU32::MIN, service };
    serve(Behaviour { workers: Some(workers), ..Behaviour::default() })
}

const SHORT: [&str; 8] =
    ["--pilot", "300ms", "--warm-up", "100ms", "--connections", "16", "--out", "run"];

fn capacity<'a>(report: &'a Value, name: &str) -> &'a Value {
    let all = report["contenders"].as_array().expect("contenders");
    &all.iter().find(|of| of["name"] == name).expect("the contender")["capacity"]
}

/// A queue with constant services of 2 ms takes less than 500 a second, and one with 4 ms half as many. Other tests use
/// the machine, and its pauses must not decide: so the objective is about the median, and the bounds are wide.
#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn two_capacities_and_their_ratio() {
    let (fast, slow) = (worker(2), worker(4));
    let directory = TestDirectory::new();
    let (a, b) = (format!("fast={}", url(&fast)), format!("slow={}", url(&slow)));
    let words = ["compare", &a, &b, "--slo", "p50 <= 20ms"];
    let asked = ["--round", "1.2s", "--require", "slow/fast capacity >= 0.95"];
    let (code, report) = directory.report(&[&words[..], &asked, &SHORT].concat());
    assert_eq!(code, 1, "{:#}", report["findings"]);
    let comparison = &report["comparisons"][0];
    assert_eq!(comparison["metric"], "capacity");
    assert_eq!(comparison["verdict"], "slower", "{comparison:#}");
    assert!((0.3..0.75).contains(&number(&comparison["ratio"])), "{comparison:#}");
    assert_eq!(comparison["replicates"], 10.0);
    for (name, most) in [("fast", 500.0), ("slow", 250.0)] {
        let found = capacity(&report, name);
        assert_eq!((&found["outcome"], &found["limited_by"]), (&"at".into(), &"target".into()));
        assert_eq!(found["objective"], "p50 <= 20 ms");
        let rate = number(&found["rate"]);
        assert!(rate > 0.3 * most && rate < 1.3 * most, "{name}: {rate}");
        let turns = found["turns"].as_array().expect("turns");
        assert_eq!(turns.iter().filter(|turn| turn["round"] != 0.0).count(), 30);
    }
    assert_eq!(report["requirements"][0]["status"], "not_met");
    assert_eq!(report["plan"]["question"]["primary"], "capacity");
    let printed = stdout(&directory.tiebreak(&["report", "run"]));
    for words in ["slow took 0.", "the rate of ", "p50 <= 20 ms", "limited by", "SLOWER"] {
        assert!(printed.contains(words), "{words}: {printed}");
    }
    let page = directory.text("run/report.html");
    assert!(page.contains("P50 of response time against the rate"), "the picture");
}

#[test]
fn an_objective_that_no_rate_meets_is_below_the_lowest_rate() {
    let delay = Delay::Fixed(Duration::from_millis(1));
    let server = serve(Behaviour { delay, ..Behaviour::default() });
    let directory = TestDirectory::new();
    let target = format!("a={}", url(&server));
    let words = ["run", &target, "--slo", "p50 <= 500us", "--duration", "12s"];
    let short = ["--warm-up", "100ms", "--connections", "16", "--out", "run"];
    let (code, report) = directory.report(&[&words[..], &short].concat());
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let found = capacity(&report, "a");
    assert_eq!((&found["outcome"], &found["rate"]), (&"below".into(), &Value::Null), "{found:#}");
    let printed = stdout(&directory.tiebreak(&["report", "run"]));
    assert!(printed.starts_with("a takes below "), "{printed}");
    assert!(printed.contains("missed an objective at"), "{printed}");
}

#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn a_rate_is_checked() {
    let server = worker(1);
    let directory = TestDirectory::new();
    let target = format!("a={}", url(&server));
    let checked = |limit: &str, out: &str| {
        let objectives = ["--slo", limit, "--slo", "errors <= 0.1%"];
        let words = ["run", &target, "--rate", "200", "--arrivals", "poisson", "--out", out];
        let length = ["--duration", "6s", "--warm-up", "100ms", "--connections", "16"];
        directory.report(&[&words[..], &objectives, &length].concat())
    };
    let (code, report) = checked("p99 <= 2s", "met");
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let required = report["requirements"].as_array().expect("objectives");
    let status = |at: usize| required[at]["status"].as_str();
    assert_eq!((status(0), status(1)), (Some("met"), Some("met")), "{required:?}");
    let printed = stdout(&directory.tiebreak(&["report", "met"]));
    assert!(printed.contains("p99 <= 2 s (a)") && printed.contains("MET"), "{printed}");
    assert!(printed.contains("p99 is ") && printed.contains(" at 95 %): the whole"), "{printed}");
    assert!(report["contenders"][0].get("capacity").is_none());
    // A reply takes 1 ms at least.
    let (code, report) = checked("p99 <= 500us", "missed");
    assert_eq!(code, 1, "{:#}", report["findings"]);
    assert_eq!(report["requirements"][0]["status"], "not_met");
    assert!(rules(&report, "void").is_empty());
}

#[test]
fn mistakes_name_the_remedy() {
    let directory = TestDirectory::new();
    let two = ["compare", "a=http://127.0.0.1:9/", "b=http://127.0.0.1:9/x"];
    for (words, remedy) in [
        (&["--slo", "p99 5ms"][..], "the sign <= is missing"),
        (&["--slo", "p99 <= 5ms", "--rate", "1k"], "leave out --rate"),
        (&["--slo", "p99 <= 5ms", "--sweep", "connections=1,8"], "leave out --sweep or --slo"),
        (&["--slo", "p99 <= 5ms", "--rounds", "12"], "--within sets how long they take"),
    ] {
        let output = directory.tiebreak(&[&two[..], words].concat());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {text}");
        assert!(text.contains(remedy), "{words:?}: {text}");
    }
}
