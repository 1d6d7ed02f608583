//! How often targets are launched, through the binary.

use crate::common::listening::start;
use crate::common::{TestDirectory, errors, number, stdout};
use serde_json::Value;

/// Two contenders, each a server of tiebreak's own, after these lines.
fn experiment(lines: &str) -> TestDirectory {
    delayed(lines, ["1ms"; 2])
}

/// Two contenders whose servers reply after these delays.
fn delayed(lines: &str, delays: [&str; 2]) -> TestDirectory {
    let directory = TestDirectory::new();
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let [a, b] = delays.map(|delay| {
        format!(
            "launch = ['{us}', 'testserver', '--listen', '127.0.0.1:{{port}}', '--delay', '{delay}']\n"
        )
    });
    let text = format!("{lines}[contender.a]\n{a}[contender.b]\n{b}");
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
    assert_eq!(
        (number(&comparison["interim_looks"]), number(&comparison["replicates"])),
        (1.0, 8.0)
    );
}

#[test]
fn the_former_name_is_still_accepted() {
    let launches = |lines: &str, flags: &[&str]| {
        let checked = experiment(lines).tiebreak(&[&["check", "e.toml"], flags].concat());
        assert_eq!(checked.status.code(), Some(0), "{}", errors(&checked));
        let plan = stdout(&checked);
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

/// The words of a comparison, and its scope in the report.
fn said(report: &Value, short: &str) -> (String, Value, Value) {
    let claim = short.lines().next().unwrap_or_default().to_owned();
    (claim, report["scope"].clone(), report["comparisons"][0]["scope"].clone())
}

/// The short answer and the report of a comparison of these contenders, b with half of the connections.
fn compared(directory: &TestDirectory, contenders: &[&str], more: &[&str]) -> (String, Value) {
    let set = ["--expect-different", "--quiet", "--out", "said", "--set", "b.connections=1"];
    let output = directory.tiebreak(&[&["compare"], contenders, &SHORT[2..], &set, more].concat());
    assert!(matches!(output.status.code(), Some(0 | 1)), "{}", errors(&output));
    let short = stdout(&output);
    let report = std::fs::read_to_string(directory.file("said/report.json")).expect("a report");
    (short, serde_json::from_str(&report).expect("JSON"))
}

#[test]
fn verdicts_say_whether_they_are_about_programs_or_launches() {
    // 32 times slower, with a fourth of the connections: neighbours do not hide that in any round.
    let delays = ["1ms", "8ms"];
    let several = delayed("launches = 8\n", delays);
    let (short, report) = compared(&several, &["e.toml"], &[]);
    let (claim, of_run, of_comparison) = said(&report, &short);
    assert!(claim.starts_with("b is slower than a: "), "{short}");
    assert_eq!((of_run, of_comparison), ("programs".into(), "programs".into()));

    let one = delayed("launches = 1\nrounds = 8\n", delays);
    let (short, report) = compared(&one, &["e.toml"], &[]);
    let (claim, of_run, of_comparison) = said(&report, &short);
    assert!(claim.starts_with("this launch of b was slower than this launch of a: "), "{short}");
    assert_eq!((of_run, of_comparison), ("launches".into(), "launches".into()));
    let markdown = one.tiebreak(&["report", "said", "--markdown"]);
    let markdown = stdout(&markdown);
    assert!(markdown.contains("this launch of `b` was slower than"), "{markdown}");
    let page = std::fs::read_to_string(one.file("said/report.html")).expect("a page");
    assert!(page.contains("this launch of "), "the page says it, too");
}

#[test]
fn running_servers_are_launches_unless_they_are_one_process() {
    let directory = TestDirectory::new();
    let server = ["testserver", "--listen", "127.0.0.1:0", "--delay", "1ms"];
    let servers = [0, 1].map(|_| start(&directory, &server));
    let urls = servers.each_ref().map(|server| format!("http://{}/", server.address));
    let required = ["--rounds", "8", "--require", "b/a throughput >= 2"];
    let of = |b: &str| {
        let contenders = [format!("a={}", urls[0]), format!("b={b}")];
        let contenders = contenders.each_ref().map(String::as_str);
        let (short, report) = compared(&directory, &contenders, &required);
        std::fs::remove_dir_all(directory.file("said")).expect("the run");
        let findings = report["findings"].as_array().expect("findings").iter();
        let weights: Vec<Value> = findings
            .filter(|of| of["rule"] == "one_launch")
            .map(|of| of["weight"].clone())
            .collect();
        (short, report, weights)
    };
    let (short, report, weights) = of(&urls[1]);
    assert!(short.starts_with("this launch of b was slower than this launch of a: "), "{short}");
    assert_eq!(weights, ["caution"]);
    let why = report["requirements"][0]["why"].as_str().expect("a sentence");
    assert!(why.starts_with("throughput of this launch of b is "), "{why}");
    // The same address, and the same process at another path.
    let (short, report, weights) = of(&format!("{}other", urls[0]));
    assert!(short.starts_with("b is slower than a: "), "{short}");
    assert_eq!((weights, &report["scope"]), (vec!["note".into()], &"launches".into()));
}

/// One that takes longer than 10 s to be ready is launched once, and `next` names the command for several.
#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn a_launch_that_is_dear_is_the_only_one() {
    let directory = TestDirectory::new();
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let serve = format!("exec {us} testserver --listen 127.0.0.1:{{port}} --delay 1ms");
    let text = format!(
        "[contender.slow]\nlaunch = ['sh', '-c', 'sleep 10.1; {serve}']\n\
         [contender.quick]\nlaunch = ['sh', '-c', '{serve}']\n"
    );
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let flags = ["--out", "run", "--round", "50ms", "--pilot", "100ms", "--connections", "4"];
    let output = directory.tiebreak(&[&["compare", "e.toml"], &flags[..]].concat());
    let short = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(matches!(output.status.code(), Some(0 | 3)), "{short}{}", errors(&output));
    let read = |file: &str| std::fs::read_to_string(directory.file(file)).expect(file);
    let report: Value = serde_json::from_str(&read("run/report.json")).expect("JSON");
    assert_eq!(
        (number(&report["plan"]["restarts"]), number(&report["plan"]["rounds"])),
        (0.0, 10.0)
    );
    assert_eq!(report["scope"], "launches");
    for contender in report["contenders"].as_array().expect("contenders") {
        assert_eq!(number(&contender["target_cost"]["launches"]), 1.0, "{}", contender["name"]);
    }
    // Eight launches of both, each with the warm-up that was found and 50 ms of rounds.
    let journal = read("run/journal.jsonl");
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let events: Vec<Value> = events.map(|line| line["event"].clone()).collect();
    let launched = events.iter().filter_map(|event| event["target"]["took_ns"].as_f64());
    let warm_up_ns = events.iter().find_map(|event| event["pilot"]["warm_up_ns"].as_f64());
    let of_both_ns = launched.sum::<f64>() + 2.0 * (warm_up_ns.expect("a warm-up") + 5e7);
    let eight_s = 8.0 * (of_both_ns / 1e9).ceil();
    assert!(eight_s > 80.0, "{eight_s}");
    let time = text::units::show_ns((eight_s * 1e9) as u64);
    let words = short.split_whitespace().collect::<Vec<_>>().join(" ");
    let next =
        format!("next the same command with --launches 8 compares the programs, in about {time}");
    assert!(words.contains(&next), "{time}: {short}");
}
