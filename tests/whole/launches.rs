//! How often targets are launched, through the binary.

use crate::common::{TestDirectory, errors, number};
use serde_json::Value;

/// Two contenders, each a server of tiebreak's own, after these lines.
fn experiment(lines: &str) -> TestDirectory {
    let directory = TestDirectory::new();
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let launch = format!(
        "launch = ['{us}', 'testserver', '--listen', '127.0.0.1:{{port}}', '--delay', '1ms']\n"
    );
    let text = format!("{lines}[contender.a]\n{launch}[contender.b]\n{launch}");
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    directory
}

/// Short rounds of whatever number.
#[rustfmt::skip]
const SHORT: [&str; 12] = [
    "compare", "e.toml", "--round", "50ms", "--slice", "25ms", "--pilot", "100ms", "--warm-up", "50ms",
    "--connections", "4",
];

/// What the first launches cost, in nanoseconds: the dearest of them.
fn dearest_launch(directory: &TestDirectory) -> u64 {
    let journal = std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let first = events.filter(|event| event["event"]["target"]["launch"] == 1);
    first.filter_map(|event| event["event"]["target"]["took_ns"].as_u64()).max().expect("launches")
}

#[test]
fn targets_are_launched_several_times_and_the_launch_counts() {
    let directory = experiment("");
    let (code, report) = directory.report(&[&SHORT[..], &["--out", "run"]].concat());
    assert!([0, 3].contains(&code), "{:#}", report["findings"]);
    let cost_ns = dearest_launch(&directory) + 50_000_000;
    let launches = if cost_ns <= 1_500_000_000 { 10.0 } else { 8.0 };
    let plan = &report["plan"];
    assert_eq!((number(&plan["restarts"]), number(&plan["rounds"])), (launches, 2.0 * launches));
    assert_eq!(number(&report["comparisons"][0]["replicates"]), launches);
    for contender in report["contenders"].as_array().expect("contenders") {
        assert_eq!(
            number(&contender["target_cost"]["launches"]),
            launches,
            "{}",
            contender["name"]
        );
    }
    // Judged again, the journal says the same.
    let again = directory.tiebreak(&["report", "run", "--json", "again.json"]);
    assert_eq!(again.status.code(), Some(code), "{}", errors(&again));
    let again = std::fs::read_to_string(directory.file("again.json")).expect("a report");
    let again: Value = serde_json::from_str(&again).expect("JSON");
    assert_eq!(again["comparisons"], report["comparisons"]);
}

#[test]
fn until_decided_looks_after_launches() {
    let directory = experiment("until_decided = true\nlaunches = 8\n");
    // b takes twice as long: that is decided at the first look.
    let slower = ["--set", "b.connections=2", "--expect-different"];
    let (_, report) = directory.report(&[&SHORT[..], &slower].concat());
    let comparison = &report["comparisons"][0];
    assert_eq!((number(&comparison["looks"]), number(&comparison["replicates"])), (1.0, 8.0));
}

#[test]
fn the_former_name_is_still_accepted() {
    let launches = |lines: &str, flags: &[&str]| {
        let checked = experiment(lines).tiebreak(&[&["check", "e.toml"], flags].concat());
        assert_eq!(checked.status.code(), Some(0), "{}", errors(&checked));
        let plan = String::from_utf8_lossy(&checked.stdout).into_owned();
        plan.lines().find_map(|line| line.trim().split_once(" launches of ")?.0.parse::<u32>().ok())
    };
    assert_eq!(launches("restarts = 12\n", &[]), Some(12));
    assert_eq!(launches("launches = 12\n", &[]), Some(12));
    assert_eq!(launches("restarts = 12\n", &["--restarts", "9"]), Some(9));
    assert_eq!(launches("", &["--rounds", "9"]), None);
    let both = experiment("launches = 12\nrestarts = 12\n").tiebreak(&["check", "e.toml"]);
    assert_eq!(both.status.code(), Some(2));
    let says = "e.toml:2: restarts: is the former name of launches, which is given, too: remove it";
    assert!(errors(&both).contains(says), "{}", errors(&both));
}

#[test]
fn a_requirement_between_programs_needs_several_launches() {
    let directory = experiment("");
    let required = ["check", "e.toml", "--require", "b/a throughput >= 0.97"];
    for (more, code) in [
        (&[][..], 0),
        (&["--launches", "8"], 0),
        (&["--launches", "1"], 2),
        (&["--rounds", "10"], 2),
    ] {
        let checked = directory.tiebreak(&[&required[..], more].concat());
        assert_eq!(checked.status.code(), Some(code), "{more:?}: {}", errors(&checked));
        assert_eq!(errors(&checked).contains("use --launches 8"), code == 2, "{more:?}");
    }
}
