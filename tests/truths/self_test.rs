//! `tiebreak conformance self` on this machine, with its known differences.

use crate::common::running::Running;
use crate::common::{TestDirectory, errors};
use crate::driver::{exact, figure, first_failure, truths};
use crate::size::sized;
use crate::validator;
use crate::web::nginx;
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

truths! {
    All: a_self_test_finds_ten_percent_on_this_machine,
}

/// Comparisons of about two seconds, and those that a user gets.
fn size() -> &'static [&'static str] {
    sized(&["--rounds", "6", "--round", "100ms", "--pilot", "200ms"], &[])
}

/// One nginx is compared with itself. A correct tool fails the rule of two stages with a
/// probability of 4.5 in 10 000 with ten rounds, and of 1.2 in 100 000 with six, which call 3.1 %
/// different (sums of binomial probabilities). A failure is confirmed by a second self-test. Of the
/// six comparisons at 10 % two would have to be missed, and an interval is about 1 % wide. A tool
/// that calls 30 % of equal pairs different fails both self-tests with a probability of 0.92.
fn a_self_test_finds_ten_percent_on_this_machine() {
    let first = self_test();
    let trusted = |json: &Value| json["trusted"] == true;
    let json = if trusted(&first) {
        first
    } else {
        first_failure(&first);
        self_test()
    };
    let alike = &json["alike"];
    figure(
        format!("{} of {} called different", alike["different"], alike["compared"]),
        "2 of 20, else 9 of 60",
    );
    figure(format!("finds {} %", json["finds_percent"]), "10 %");
    assert!(trusted(&json), "{json}");
}

/// Returns its figures. Everything else that it leaves must agree with them.
fn self_test() -> Value {
    let (served, directory) = (TestDirectory::new(), TestDirectory::new());
    let nginx = nginx(&served);
    let against = nginx.url();
    let words = ["conformance", "self", "--against", &against, "--out", "runs"];
    let words = [&words[..], &["--json", "self.json"], size()].concat();
    let mut command = directory.command(&words);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("starts");
    let output = Running::new(child).output_within(Duration::from_secs(1200));
    exact(|| {
        let json = directory.json("self.json");
        validator::assert_fits(include_str!("../../schema/self.v1.json"), &json);
        let code = match &json["trusted"] {
            Value::Bool(true) => 0,
            _ if json["alike"]["passed"].is_null() => 3,
            _ => 1,
        };
        assert_eq!(output.status.code(), Some(code), "{}", errors(&output));
        let stdout = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(stdout.lines().next().map(str::trim), Some(answer(&json).as_str()));
        assert_eq!(json["alike"]["against"], against);
        each_comparison_is_counted_as_its_report_says(&directory, &json);
        json
    })
}

/// The answer that these figures call for.
fn answer(json: &Value) -> String {
    let alike = &json["alike"];
    match (&alike["passed"], &json["finds_percent"]) {
        (Value::Bool(true), Value::Null) => "this machine reports no difference between equal \
                                             servers, but found none of the known differences: it \
                                             is too noisy"
            .to_owned(),
        (Value::Bool(true), percent) => {
            let known = json["known"].as_array().expect("known differences");
            let longest = known.iter().map(|one| one["longest_round"].as_f64().expect("a time"));
            let longest = longest.fold(0.0, f64::max);
            let up_to = if Some(longest) > json["round"].as_f64() { "up to " } else { "" };
            format!(
                "this machine can be trusted to find a difference of {percent} % and more in {} \
                 rounds of {up_to}{:.0} ms",
                json["rounds"],
                1000.0 * longest
            )
        }
        (Value::Null, _) => format!(
            "nothing can be said about this machine: the audit refused {} of {} comparisons of a \
             server with itself",
            alike["void"], alike["compared"]
        ),
        _ => format!(
            "this machine cannot be trusted: a server was reported as different from itself in {} \
             of {} comparisons",
            alike["different"], alike["compared"]
        ),
    }
}

fn each_comparison_is_counted_as_its_report_says(directory: &TestDirectory, json: &Value) {
    let verdict = |run: String| {
        let output = directory.tiebreak(&["report", &format!("runs/{run}"), "--json"]);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        let all = report["comparisons"].as_array().expect("comparisons").clone();
        let primary = all.into_iter().find(|one| one["primary"] == true).expect("a primary one");
        primary["verdict"].as_str().expect("a word").to_owned()
    };
    let counted = |words: &[String], word: &str| words.iter().filter(|one| *one == word).count();
    let number = |value: &Value| value.as_u64().expect("a number") as usize;
    let alike = &json["alike"];
    let words: Vec<String> =
        (1..=number(&alike["compared"])).map(|at| verdict(format!("equal-{at:02}"))).collect();
    let different = counted(&words, "faster") + counted(&words, "slower");
    assert_eq!(number(&alike["different"]), different, "{words:?}");
    assert_eq!(number(&alike["void"]), counted(&words, "void"), "{words:?}");
    if alike["passed"] != true {
        return;
    }
    let known = json["known"].as_array().expect("known differences");
    let percents: Vec<&Value> = known.iter().map(|one| &one["percent"]).collect();
    assert_eq!(percents, [10, 3, 1]);
    for one in known {
        let name = |at| format!("slower-by-{}-percent-{at}", one["percent"]);
        let words: Vec<String> = (1..=6).map(|at| verdict(name(at))).collect();
        assert_eq!(number(&one["compared"]), 6);
        assert_eq!(number(&one["found"]), counted(&words, "slower"), "{words:?}");
        assert_eq!(number(&one["wrong"]), counted(&words, "faster"), "{words:?}");
        assert_eq!(number(&one["void"]), counted(&words, "void"), "{words:?}");
    }
}
