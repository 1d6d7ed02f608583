//! Rankings.

use crate::common::{TestDirectory, errors, number, serve, stdout, url};
use serde_json::Value;
use std::collections::BTreeSet;
use std::process::Command;
use std::time::{Duration, Instant};
use testserver::{Behaviour, Delay};

/// Servers whose replies take so many milliseconds.
const DELAYS_MS: [u64; 4] = [9, 1, 3, 1];
const SHORT: &str = "--rounds 8 --round 100ms --pilot 200ms --warm-up 0s --connections 4 --out run";

/// Best and worst rank of the contender of this name.
fn ranks(report: &Value, name: &str) -> (f64, f64) {
    let ranked = report["ranking"]["ranked"].as_array().expect("entries");
    let of = ranked.iter().find(|of| of["name"] == name).expect("it is ranked");
    (number(&of["best"]), number(&of["worst"]))
}

#[test]
fn contenders_are_ranked_from_the_best_to_the_worst_and_share_ranks() {
    let servers = DELAYS_MS.map(|ms| {
        let delay = Delay::Fixed(Duration::from_millis(ms));
        serve(Behaviour { delay, ..Behaviour::default() })
    });
    let targets: Vec<String> = ["d", "a", "c", "b"]
        .iter()
        .zip(&servers)
        .map(|(name, it)| format!("{name}={}", url(it)))
        .collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let directory = TestDirectory::new();
    // Chosen by the pilot, a slice would be 25 times as long as the slowest reply. Of more and shorter rounds a busy
    // machine may spoil some.
    let short = SHORT.replace("--rounds 8", "--rounds 16 --slice 100ms");
    let words = [&["rank"][..], &targets, &short.split(' ').collect::<Vec<_>>()].concat();
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!(
        report["comparisons"]
            .as_array()
            .map(|all| all.iter().filter(|of| of["primary"] == true).count()),
        Some(6)
    );
    assert_eq!([ranks(&report, "c"), ranks(&report, "d")], [(3.0, 3.0), (4.0, 4.0)]);
    for name in ["a", "b"] {
        let (best, worst) = ranks(&report, name);
        assert!(best >= 1.0 && worst <= 2.0, "{name}: {best} to {worst}");
    }
    let printed = directory.tiebreak(&["report", "run"]);
    let printed = String::from_utf8_lossy(&printed.stdout).into_owned();
    let at =
        |name: &str| printed.find(&format!("   {name}  ")).unwrap_or_else(|| panic!("{printed}"));
    assert!(at("c") < at("d"), "{printed}");
    assert!(printed.contains("all ranks hold together with 95 %"), "{printed}");
}

/// A launch of the test server by a shell, after these commands.
fn launched_after(commands: &str) -> String {
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let server = format!("exec \"{us}\" testserver --listen 127.0.0.1:{{port}} --delay 1ms");
    format!("launch = ['sh', '-c', '{commands} {server}']\n")
}

/// A ranking of these contenders, each with its lines in an experiment file.
fn experiment(contenders: &[(&str, String)]) -> TestDirectory {
    let directory = TestDirectory::new();
    let tables = contenders.iter().map(|(name, lines)| format!("[contender.{name}]\n{lines}"));
    let text = format!("rank = true\n{}", tables.collect::<String>());
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    directory
}

/// The entries of the journal about who left.
fn withdrawn(directory: &TestDirectory) -> Vec<Value> {
    let journal = std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    let events = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    events.map(|line| line["event"]["withdrawn"].clone()).filter(|of| !of.is_null()).collect()
}

/// The names of those who are ranked, in the order of the alphabet.
fn names(report: &Value) -> Vec<&str> {
    let ranked = report["ranking"]["ranked"].as_array().expect("entries");
    let mut names: Vec<&str> = ranked.iter().filter_map(|of| of["name"].as_str()).collect();
    names.sort_unstable();
    names
}

/// The lines of the short report.
fn printed(directory: &TestDirectory) -> String {
    let printed = directory.tiebreak(&["report", "run"]);
    String::from_utf8_lossy(&printed.stdout).into_owned()
}

#[test]
fn a_target_that_is_killed_in_the_middle_leaves_and_the_others_are_ranked_by_all_rounds() {
    let plain = launched_after("");
    let victim = launched_after("echo $$ > $PID_FILE;");
    let directory =
        experiment(&[("a", plain.clone()), ("b", victim), ("c", plain.clone()), ("d", plain)]);
    let text = std::fs::read_to_string(directory.file("e.toml")).expect("the file");
    let pid_file = directory.file("pid").display().to_string();
    std::fs::write(directory.file("e.toml"), text.replace("$PID_FILE", &pid_file)).expect("a file");
    let words = ["compare", "e.toml", "--quiet", "--json", "report.json", "--slice", "25ms"];
    let words = [&words[..], &SHORT.split(' ').collect::<Vec<_>>()].concat();
    let mut run = directory.command(&words).spawn().expect("the binary runs");
    let journal = directory.file("run/journal.jsonl");
    let in_round_2 = || {
        let text = std::fs::read_to_string(&journal).unwrap_or_default();
        text.contains("\"phase\":\"round\",\"round\":1,")
    };
    let began = Instant::now();
    while !in_round_2() && began.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = std::fs::read_to_string(pid_file).expect("it was launched");
    let killed = Command::new("kill").args(["-9", pid.trim()]).status().expect("kill runs");
    assert!(killed.success(), "it still ran");
    assert_eq!(run.wait().expect("it ends").code(), Some(4));
    let report = directory.json("report.json");
    assert_eq!(names(&report), ["a", "c", "d"], "{:#}", report["findings"]);
    let not_ranked = &report["ranking"]["not_ranked"][0];
    assert_eq!((&not_ranked["name"], &not_ranked["rule"]), (&"b".into(), &"withdrawn".into()));
    let why = not_ranked["why"].as_str().expect("words");
    assert!(
        why.starts_with("it left in round ") && why.contains("it was ended by SIGKILL"),
        "{why}"
    );
    for comparison in report["comparisons"].as_array().expect("comparisons") {
        let is_of_b = comparison["a"] == "b" || comparison["b"] == "b";
        let rounds = if is_of_b { 0.0 } else { 8.0 };
        assert_eq!(number(&comparison["replicates"]), rounds, "{comparison:#}");
    }
    for contender in report["contenders"].as_array().expect("contenders") {
        let said = contender["withdrawn"].as_str();
        assert_eq!(said, (contender["name"] == "b").then_some(why), "{}", contender["name"]);
    }
    let left = withdrawn(&directory);
    assert!(!left.is_empty() && left.iter().all(|of| of["contender"] == 1), "{left:?}");
    let printed = printed(&directory);
    assert!(printed.contains("not ranked: b: it left in round "), "{printed}");
}

#[test]
fn one_that_is_never_ready_is_not_ranked_and_fewer_than_two_are_void() {
    let servers = [1, 1].map(|ms| {
        let delay = Delay::Fixed(Duration::from_millis(ms));
        serve(Behaviour { delay, ..Behaviour::default() })
    });
    let [a, c] = servers.each_ref().map(url);
    // Nobody listens there once it is closed.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port").local_addr();
    let b = format!("b=http://{}/", closed.expect("an address"));
    let rank = |targets: &[&str]| {
        let directory = TestDirectory::new();
        let words = [&["rank"][..], targets, &SHORT.split(' ').collect::<Vec<_>>()].concat();
        let (code, report) = directory.report(&words);
        (code, report, withdrawn(&directory), printed(&directory))
    };
    let (a, c) = (format!("a={a}"), format!("c={c}"));
    let (code, report, left, printed) = rank(&[&a, &b, &c]);
    assert_eq!(code, 4, "{:#}", report["findings"]);
    assert_eq!(names(&report), ["a", "c"]);
    assert_eq!(
        (left.len(), &left[0]["contender"], &left[0]["round"]),
        (1, &1.into(), &Value::Null)
    );
    assert!(printed.contains("not ranked: b: it left before the first round: "), "{printed}");
    let (code, report, left, _) = rank(&[&a, &b]);
    assert_eq!((code, left.len()), (3, 1), "{report:#}");
    assert_eq!(names(&report).len(), 2, "nobody is left out of what is void: {report:#}");
}

#[test]
fn one_that_fails_in_a_later_launch_leaves_there() {
    let plain = launched_after("");
    let second = "if [ -e $ONCE ]; then exit 7; fi; touch $ONCE;";
    let directory =
        experiment(&[("a", plain.clone()), ("b", launched_after(second)), ("c", plain)]);
    let text = std::fs::read_to_string(directory.file("e.toml")).expect("the file");
    let once = directory.file("once").display().to_string();
    std::fs::write(directory.file("e.toml"), text.replace("$ONCE", &once)).expect("a file");
    let words = ["compare", "e.toml", "--launches", "7", "--round", "50ms", "--slice", "25ms"];
    let more = ["--pilot", "100ms", "--warm-up", "50ms", "--connections", "4", "--out", "run"];
    let (code, report) = directory.report(&[words, more].concat());
    assert_eq!(code, 4, "{:#}", report["findings"]);
    assert_eq!(names(&report), ["a", "c"]);
    let why = report["ranking"]["not_ranked"][0]["why"].as_str().expect("words").to_owned();
    assert!(why.starts_with("it left in launch 2: "), "{why}");
    let of_others = report["comparisons"].as_array().expect("comparisons").iter();
    let mut of_others = of_others.filter(|of| of["a"] == "a" && of["b"] == "c");
    assert!(of_others.all(|of| number(&of["replicates"]) == 7.0), "{:#}", report["comparisons"]);
}

#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn seventeen_contenders_are_ranked_in_blocks() {
    let servers: Vec<_> = (0..17)
        .map(|at| {
            let delay = Delay::Fixed(Duration::from_millis(if at == 5 { 8 } else { 1 }));
            serve(Behaviour { delay, ..Behaviour::default() })
        })
        .collect();
    let targets: Vec<String> =
        servers.iter().enumerate().map(|(at, it)| format!("c{at}={}", url(it))).collect();
    let targets: Vec<&str> = targets.iter().map(String::as_str).collect();
    let short = "--rounds 13 --round 40ms --slice 20ms --pilot 60ms --warm-up 0s --connections 2";
    let short: Vec<&str> = short.split(' ').collect();
    let directory = TestDirectory::new();
    let words = [&["rank", "--out", "run"][..], &targets, &short].concat();
    let (code, report) = directory.report(&words);
    assert!([0, 3].contains(&code), "{:#}", report["findings"]);
    let comparisons = report["comparisons"].as_array().expect("comparisons").iter();
    let primary: Vec<f64> = comparisons
        .filter(|of| of["primary"] == true)
        .map(|of| number(&of["replicates"]))
        .collect();
    assert_eq!(primary.len(), 136);
    assert!(primary.iter().all(|rounds| [13.0, 14.0].contains(rounds)), "{primary:?}");
    if code == 0 {
        // A round in which the machine stands still may hide the difference of a pair, but not that of all.
        let last = report["ranking"]["ranked"].as_array().and_then(|ranked| ranked.last());
        assert_eq!(last.map(|of| &of["name"]), Some(&"c5".into()), "{:#}", report["ranking"]);
        assert!(ranks(&report, "c5").0 > 1.0, "{:#}", report["ranking"]);
    }
    assert!(printed(&directory).contains("drawn at random; each pair meets in 13"));
    // What blocks cannot do is refused before anything is sent, and what they take is said.
    let check = |more: &[&str]| {
        let words = [&["check", "--rank"][..], &targets, &short[2..], more].concat();
        let output = directory.tiebreak(&words);
        (output.status.code(), stdout(&output) + &errors(&output))
    };
    let (code, plan) = check(&[]);
    assert!(
        code == Some(0) && plan.contains("of the 17 contenders each, drawn at random"),
        "{plan}"
    );
    for length in [&["--until-decided"][..], &["--see", "2%"], &["--within", "1h"]] {
        let (code, refused) = check(length);
        assert!(code == Some(2) && refused.contains("or rank at most 16 contenders"), "{refused}");
    }
    let words = [&["check"][..], &targets].concat();
    let output = directory.tiebreak(&words);
    assert_eq!(output.status.code(), Some(2));
    assert!(errors(&output).contains("`tiebreak rank` ranks up to 64"), "{}", errors(&output));
}

/// The events of the journal of a kind, in order, each with its line.
fn events(directory: &TestDirectory, kind: &str) -> Vec<(usize, Value)> {
    let journal = std::fs::read_to_string(directory.file("run/journal.jsonl")).expect("a journal");
    let lines = journal.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    let of_kind = lines.enumerate().map(|(at, line)| (at, line["event"][kind].clone()));
    of_kind.filter(|(_, event)| !event.is_null()).collect()
}

/// In a launch, the contenders of these events, and the lines from the first to the last of them.
fn in_launch(events: &[(usize, Value)], key: &str, launch: u64) -> (BTreeSet<u64>, usize, usize) {
    let of_launch: Vec<_> = events.iter().filter(|(_, event)| event[key] == launch).collect();
    let who = of_launch.iter().filter_map(|(_, event)| event["contender"].as_u64()).collect();
    let lines = || of_launch.iter().map(|(line, _)| *line);
    (who, lines().min().unwrap_or(0), lines().max().unwrap_or(0))
}

#[test]
#[cfg_attr(not(feature = "servers"), ignore = "it takes ten seconds or more: ./test runs it")]
fn each_launch_of_a_ranking_in_blocks_holds_some_of_the_servers() {
    const LAUNCHES: u64 = 7;
    let names: Vec<String> = (0..17).map(|at| format!("c{at:02}")).collect();
    let plain: Vec<(&str, String)> =
        names.iter().map(|name| (name.as_str(), launched_after(""))).collect();
    let directory = experiment(&plain);
    let short = "--launches 13 --rounds 1 --round 40ms --slice 20ms --pilot 60ms --warm-up 0s --connections 2";
    let short: Vec<&str> = short.split(' ').collect();
    let check = directory.tiebreak(&[&["check", "e.toml"][..], &short].concat());
    let plan = stdout(&check);
    assert!(
        plan.contains(" launches with ") && plan.contains(" of the 17 contenders each"),
        "{plan}"
    );
    assert!(
        plan.contains("each pair meets in 13") && plan.contains(" and the launches ("),
        "{plan}"
    );
    // All of the launches would take a minute: a signal ends the run in the eighth.
    let words = ["compare", "e.toml", "--quiet", "--json", "report.json", "--out", "run"];
    let mut run = directory.command(&[&words, &short[..]].concat()).spawn().expect("it runs");
    let has_begun = format!("\"phase\":\"round\",\"round\":{},", LAUNCHES + 1);
    let journal = directory.file("run/journal.jsonl");
    let is_there = || std::fs::read_to_string(&journal).unwrap_or_default().contains(&has_begun);
    let began = Instant::now();
    while !is_there() && began.elapsed() < Duration::from_secs(120) {
        std::thread::sleep(Duration::from_millis(5));
    }
    let pid = run.id().to_string();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill runs").success());
    let code = run.wait().expect("it ends").code();
    let report = directory.json("report.json");
    assert!([Some(0), Some(3)].contains(&code), "{:#}", report["findings"]);
    let blocks: Vec<BTreeSet<u64>> =
        events(&directory, "header")[0].1["plan"]["question"]["blocks"]
            .as_array()
            .expect("blocks")
            .iter()
            .map(|block| {
                block.as_array().expect("numbers").iter().filter_map(Value::as_u64).collect()
            })
            .collect();
    let [up, done, mut rounds] =
        ["target", "target_done", "trial"].map(|of| events(&directory, of));
    rounds.retain(|(_, trial)| trial["phase"] == "round");
    let everyone: BTreeSet<u64> = (0..17).collect();
    for (launch, block) in (1..=LAUNCHES).zip(&blocks) {
        let (launched, first_up, _) = in_launch(&up, "launch", launch);
        let (driven, first_round, last_round) = in_launch(&rounds, "round", launch);
        let (ended, first_down, last_down) = in_launch(&done, "launch", launch);
        assert_eq!(&launched, if launch == 1 { &everyone } else { block }, "launch {launch}");
        assert_eq!((&driven, &ended), (block, &launched), "launch {launch}");
        let (_, next_up, _) = in_launch(&up, "launch", launch + 1);
        assert!(
            first_up < first_round && last_round < last_down && last_down < next_up,
            "{launch}"
        );
        assert_eq!(
            first_down < first_round,
            launch == 1,
            "the first launch goes on with its block"
        );
    }
    // A pair is compared over the launches that hold both.
    let whole = number(&report["complete_rounds"]) as usize;
    assert!(whole >= LAUNCHES as usize, "{whole}");
    let shared = |a: u64, b: u64| {
        let held = blocks[..whole].iter().filter(|block| block.contains(&a) && block.contains(&b));
        held.count() as f64
    };
    let position = |of: &Value| names.iter().position(|name| *of == **name).expect("a name") as u64;
    let comparisons = report["comparisons"].as_array().expect("comparisons").iter();
    for comparison in comparisons.filter(|of| of["primary"] == true) {
        let wanted = shared(position(&comparison["a"]), position(&comparison["b"]));
        assert_eq!(number(&comparison["replicates"]), wanted, "{comparison:#}");
    }
    assert_eq!(report["scope"], "programs");
}

#[test]
fn peak_memory_of_launches_ranks_them() {
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let server = format!("\"{us}\" testserver --listen 127.0.0.1:{{port}} --delay 1ms");
    // The shell keeps what it read as long as its server runs.
    let large = "kept=$(head -c 40000000 /dev/zero | tr \"\\\\0\" a);";
    let launch = |before: &str| format!("launch = ['sh', '-c', '{before} {server}; exit 0']\n");
    let directory = experiment(&[("large", launch(large)), ("small", launch(""))]);
    let short = "--launches 6 --rounds 1 --round 100ms --slice 25ms --pilot 200ms --warm-up 0s --connections 4";
    let words = ["compare", "e.toml", "--by", "memory", "--out", "run"];
    let words = [&words[..], &short.split(' ').collect::<Vec<_>>()].concat();
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    assert_eq!([ranks(&report, "small"), ranks(&report, "large")], [(1.0, 1.0), (2.0, 2.0)]);
    let decided = &report["comparisons"][0];
    assert_eq!(decided["metric"], "target_peak_memory");
    assert_eq!((&decided["verdict"], number(&decided["replicates"])), (&"lower".into(), 6.0));
    for (at, name) in ["large", "small"].iter().enumerate() {
        let contender = &report["contenders"][at];
        assert_eq!(contender["name"], *name);
        let memory = &contender["metrics"]["target_peak_memory"];
        assert_eq!(memory["unit"], "B");
        assert!((number(&memory["value"]) > 40e6) == (at == 0), "{memory}");
    }
    let printed = printed(&directory);
    assert!(printed.contains(" MB"), "{printed}");
}
