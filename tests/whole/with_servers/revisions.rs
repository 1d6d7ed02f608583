//! Revisions that are built and compared, searches among them, and suites, where they take seconds: the group
//! `revisions`. What is quick stands in `tests/whole/{against,bisect,suites}.rs` and `recorded/suites.rs`, for
//! every change.

use crate::against::{SHORT_PROGRAM, git, programs, repository, with, write};
use crate::bisect::{FAST, PROGRAM, SLOW, search, short};
use crate::common::{TestDirectory, errors, number, rules, stdout};
use crate::recorded::suites::called;
use crate::suites::{KNOWN, pairs, refused, with_file, words};
use serde_json::Value;
use std::fs;

/// Flags of a comparison of programs or servers that is short.
#[rustfmt::skip]
const SHORT: [&str; 11] = [
    "--rounds", "8", "--launches", "1", "--round", "50ms", "--pilot", "100ms", "--warm-up", "50ms",
    "--matters=3%",
];

#[test]
fn two_revisions_of_a_service_are_two_services() {
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let file = format!(
        "[contender.api]\nshell = true\nbuild = ['cp flags {{cache}}/flags']\n\
         launch = 'exec {us} testserver --listen 127.0.0.1:{{port}} $(cat {{cache}}/flags)'\n"
    );
    let directory = repository(&[
        &[("tiebreak.toml", &file), ("flags", "--delay 1ms")],
        &[("flags", "--delay 1ms --body-bytes 500")],
        &[("flags", "--delay 20ms")],
    ]);
    let short = with(&SHORT, &["--connections", "4", "--slice", "25ms"]);
    let (code, report) =
        directory.report(&with(&["compare", "--against", "HEAD~2", "--out", "run"], &short));
    assert_eq!(code, 0, "{:#}", report["findings"]);
    // No reply of the later revision can come sooner, and the earlier one is far below that.
    let p50 = |at: usize| number(&report["contenders"][at]["metrics"]["response_time"]["p50"]);
    assert!(p50(0) < 0.02 && 0.02 <= p50(1), "{} and {}", p50(0), p50(1));
    // Replies of another length are seen, so each side runs what its revision says.
    let (code, report) =
        directory.report(&with(&["compare", "--against", "HEAD~1", "--out", "run-2"], &short));
    assert_eq!(code, 3, "{:#}", report["findings"]);
    assert!(rules(&report, "void").contains(&"differing_replies"), "{:?}", rules(&report, "void"));
}

#[test]
fn a_build_is_kept_for_its_commit_until_something_in_it_changes() {
    let directory = programs(&["10", "10"]);
    let compared = |run: &str| {
        let words = ["compare", "--against", "HEAD~1", "--require", "new/old throughput >= 0.1x"];
        let output = directory.tiebreak(&with(&words, &with(&SHORT_PROGRAM, &["--out", run])));
        assert!(output.status.success(), "{}", errors(&output));
        errors(&output)
    };
    let kept = "its build is kept from before";
    assert!(!compared("run-1").contains(kept));
    assert!(compared("run-2").contains(kept));
    let snapshots = directory.file(".cache/tiebreak/revisions");
    let all: Vec<_> = fs::read_dir(&snapshots).expect("it exists").flatten().collect();
    assert_eq!(all.len(), 1, "the working tree is not kept");
    fs::write(all[0].path().join("tree/size"), "operations 10\n").expect("written");
    assert!(!compared("run-3").contains(kept));
    fs::create_dir(snapshots.join("of-somebody-else")).expect("a directory");
    let output = directory.tiebreak(&["clean"]);
    let told = stdout(&output).replace('\u{a0}', " ");
    assert!(told.starts_with("removed 1 build ("), "{told}");
    let left: Vec<_> = fs::read_dir(&snapshots).expect("it exists").flatten().collect();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].file_name(), "of-somebody-else");
}

#[test]
fn the_file_of_another_revision_reads_only_what_todays_file_reads() {
    let file = |more: &str| {
        format!(
            "[contender.work]\nurl = 'exec:sh -c \"sleep 0.01; echo operations 5\"'\nenv = {{ {more} }}\n"
        )
    };
    let [theirs, ours] = [file("A = '${TOKEN_OF_THEIRS}'"), file("A = 'x'")];
    let directory = repository(&[&[("tiebreak.toml", &theirs)], &[("tiebreak.toml", &ours)]]);
    let words = ["compare", "--against", "HEAD~1", "--their-experiment", "--allow-file"];
    let mut command = directory.command(&with(&words, &SHORT_PROGRAM));
    let output = command.env("TOKEN_OF_THEIRS", "CANARY-of-theirs").output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    assert!(errors(&output).contains("names the variable TOKEN_OF_THEIRS"), "{}", errors(&output));
    // Without it, theirs is what runs: five operations where today's says another number.
    let directory = repository(&[
        &[("tiebreak.toml", &file("A = 'x'"))],
        &[("tiebreak.toml", &file("A = 'x'").replace("operations 5", "operations 50"))],
    ]);
    let words = with(&words, &with(&SHORT_PROGRAM, &["--out", "run"]));
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{report:#}");
    assert!(number(&report["comparisons"][0]["ratio"]) > 3.0, "{report:#}");
}

/// Of a launch as of a round, each build is one: the number that a build was given is in the log of its runs.
#[test]
fn each_rebuild_is_one_replicate() {
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let service = format!(
        "[contender.api]\nshell = true\nbuild = ['echo $TIEBREAK_REBUILD > number']\n\
         launch = 'cat number >> $PLACE; exec {us} testserver --listen 127.0.0.1:{{port}} --delay 1ms'\n\
         env = {{ PLACE = '${{PLACE_OF_THE_TEST}}' }}\n"
    );
    let program = "[contender.work]\nbuild = [['sh', '-c', 'echo $TIEBREAK_REBUILD > number']]\n\
        url = \"exec:sh -c 'cat number >> $PLACE; sleep 0.05; echo operations 1'\"\n\
        env = { PLACE = '${PLACE_OF_THE_TEST}' }\n";
    for (file, more) in [
        (service.as_str(), &["--slice", "25ms", "--connections", "4", "--warm-up", "50ms"][..]),
        (program, &[]),
    ] {
        let directory = repository(&[&[("tiebreak.toml", file)]]);
        let outside = TestDirectory::new();
        let place = outside.file("numbers");
        let words = ["compare", "--against", "HEAD", "--round", "50ms", "--pilot", "100ms", "-q"];
        let words = with(&words, &with(more, &["--rebuilds", "6", "--json", "run.json"]));
        let mut command = directory.command(&words);
        let output = command.env("PLACE_OF_THE_TEST", &place).output().expect("it runs");
        assert!(matches!(output.status.code(), Some(0 | 3)), "{}", errors(&output));
        let report = directory.json("run.json");
        assert_eq!(number(&report["comparisons"][0]["replicates"]), 6.0, "{report:#}");
        let numbers = fs::read_to_string(&place).expect("runs");
        for build in 1..=6 {
            let runs = numbers.lines().filter(|line| *line == build.to_string()).count();
            assert!(runs >= 2, "build {build} of each side: {numbers}");
        }
        assert_eq!(number(&report["plan"]["contenders"][1]["revision"]["rebuilds"]), 6.0);
    }
    let directory = programs(&["10"]);
    for (words, part) in [
        (
            ["--rebuilds", "5"],
            "5 builds cannot support 1 comparison at 5 %; at least 6 are needed: use --rebuilds",
        ),
        (["--rebuilds=8", "--rounds=8"], "leave out --rounds"),
    ] {
        let output = directory.tiebreak(&with(&["compare", "--against", "HEAD"], &words));
        assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
        assert!(errors(&output).contains(part), "{}", errors(&output));
    }
}

#[test]
fn a_merge_is_opened_and_equal_ends_end_early() {
    let directory = repository(&[&[PROGRAM[0], PROGRAM[1], FAST], &[("notes", "1")]]);
    let in_git = |words: &[&str]| git(directory.path(), words);
    in_git(&["checkout", "--quiet", "-b", "side", "HEAD~1"]);
    for (file, subject) in [(("other", "1"), "before"), (SLOW, "slow"), (("other", "2"), "after")] {
        write(&directory, &[file]);
        in_git(&["add", "--all"]);
        in_git(&["commit", "--quiet", "--message", subject]);
    }
    in_git(&["checkout", "--quiet", "main"]);
    in_git(&["merge", "--quiet", "--no-ff", "--message", "the merge", "side"]);
    let (code, answer, progress) = search(&directory, &["HEAD~2", "HEAD"]);
    assert_eq!(code, Some(0), "{progress}");
    let line = answer.replace('\n', " ");
    assert!(line.starts_with(&format!("{} (slow, ", short(&directory, "side~1"))), "{answer}");
    let merge = format!("it came with the merge {} (the merge, ", short(&directory, "HEAD"));
    assert!(line.contains(&merge), "{answer}");

    let (code, answer, progress) = search(&directory, &["HEAD~2", "HEAD~1", "--quiet"]);
    assert_eq!(code, Some(0), "{progress}");
    let none = answer.starts_with("no regression of 3 % or more between ");
    assert!(none || answer.starts_with("undecided: "), "{answer}");
}

/// Two suites of which C takes a second.
fn with_a_slow_case() -> TestDirectory {
    let script = "case $3 in *C*|.) sleep 1;; esac; exec sh bench.sh $1 $2 \"$3\"\n";
    let text = "[defaults]\nfigures = 'go'\n[contender.old]\nurl = 'exec:sh slow.sh 1 1 {case}'\n\
                [contender.new]\nurl = 'exec:sh slow.sh 2 1.1 {case}'\n";
    let directory = with_file(text);
    fs::write(directory.file("slow.sh"), script).expect("a file");
    directory
}

#[test]
fn a_time_leaves_out_the_dearest_cases_and_no_rounds() {
    let directory = with_a_slow_case();
    // Ten rounds of C alone take 20 s.
    let (code, report) =
        directory.report(&["compare", "suite.toml", "--within", "20s", "--out", "run"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let found = words(&report);
    assert_eq!(pairs(&found), KNOWN[..2]);
    assert_eq!(report["suite"]["left_out"], serde_json::json!(["BenchmarkC-8"]));
    assert_eq!(number(&report["plan"]["rounds"]), 10.0);
    let text = stdout(&directory.tiebreak(&["report", "run"]));
    assert!(text.contains("left out to fit into the time: BenchmarkC-8"), "{text}");
}

#[test]
fn a_requirement_about_no_case_that_is_driven_is_refused_and_the_report_says_so() {
    let directory = with_a_slow_case();
    let require = |case: &str, out: &str, said: &str| {
        let requirement = format!("case \"{case}\" <= 1.5x");
        let words = ["compare", "suite.toml", "--within", "20s", "--quiet", "--out", out];
        refused(&directory, &[&words[..], &["--require", &requirement]].concat(), 2, said);
    };
    let nearest = "no case fits `BenchmarkD-8`: the nearest names are ";
    require("BenchmarkD-8", "unknown", nearest);
    assert_eq!(directory.text("count.1").trim(), "1", "no case was timed");
    let left_out = "what it is about was left out by --within (BenchmarkC-8): give more time";
    require("BenchmarkC-8", "run", left_out);
    let report = stdout(&directory.tiebreak(&["report", "run", "--verbose"]));
    assert!(report.contains("left out by --within"), "{report}");
    assert!(!report.contains("signal"), "{report}");
}

/// At most 4 of 40 suites or, if there are more, at most 13 of 100 have any flag: the rule fails a level of 5 % in
/// 0.04 % of all choices of the seeds, which are fixed.
#[test]
fn seventy_equal_cases_of_a_journal_are_rarely_called_different() {
    let directory = TestDirectory::new();
    let with_flags = |seeds: std::ops::Range<u64>| {
        seeds.filter(|seed| !called(&directory, *seed, 1.0).is_empty()).count()
    };
    let first = with_flags(0..40);
    if first > 4 {
        let all = first + with_flags(40..100);
        assert!(all <= 13, "{first} of 40, {all} of 100");
    }
}

/// A service, or a program, with as much memory as a file says: `dd` has a buffer of that size. The second of two
/// commits at least doubles it.
fn of_memory(contender: &str, before: &str, after: &str) -> TestDirectory {
    let experiment = format!("[contender.work]\nbuild = [['cp', 'bytes', 'built']]\n{contender}");
    let dd = "dd if=/dev/zero bs=\"$(cat built)\" count=1 2> /dev/null";
    let script = format!("{dd} {before}\n{after}\n");
    let first =
        [("tiebreak.toml", experiment.as_str()), ("start.sh", &script), ("bytes", "30000000")];
    repository(&[&first, &[("notes", "1")], &[("bytes", "120000000")]])
}

#[test]
fn a_search_by_memory_compares_the_peaks_of_launches_and_of_programs() {
    let us = env!("CARGO_BIN_EXE_tiebreak");
    let launch = format!("launch = ['sh', 'start.sh', '{us}', '{{port}}']\n");
    // It has filled its buffer when the first byte arrives, and keeps it, because nobody reads the others.
    let serve =
        "| (head -c 1 > /dev/null; \"$1\" testserver --listen \"127.0.0.1:$2\" --delay 1ms)";
    let quick = "--round 40ms --pilot 100ms --warm-up 0s --connections 2";
    for (contender, before, after, flags) in [
        (launch.as_str(), serve, "", quick),
        ("url = 'exec:sh ./start.sh'\n", "> /dev/null", "echo operations 1", ""),
    ] {
        let directory = of_memory(contender, before, after);
        let words = ["HEAD~2", "HEAD", "--by", "memory", "--out", "run-search"];
        let flags: Vec<&str> = flags.split_whitespace().collect();
        let (code, answer, progress) = search(&directory, &[&words[..], &flags].concat());
        assert_eq!(code, Some(0), "{progress}");
        let line = answer.replace('\n', " ");
        let named = format!("{} (#2 by @team, ", short(&directory, "HEAD"));
        assert!(line.starts_with(&named) && line.contains("x) against its parent"), "{answer}");
        let record = directory.json("run-search/bisect.json");
        assert_eq!(record["asked"]["metric"], "target_peak_memory");
        let parts = &record["lines"][0]["answer"]["named"];
        let ratio = |part: &str| parts[part]["ratio"].as_f64().expect("a ratio");
        assert!(ratio("commit") > 1.5, "{parts}");
        assert!((0.8..1.25).contains(&ratio("before")), "{parts}");
        // A unit of the search is one launch, and its difference that of one pair of peaks.
        let probes = record["lines"][0]["probes"].as_array().expect("probes");
        let of_one = |probe: &&Value| probe["purpose"] == "side" && probe["state"] == "measured";
        assert!(probes.iter().filter(of_one).all(|probe| probe["units"] == 1));
        assert!(probes.iter().any(|probe| of_one(&probe)), "{probes:?}");
    }
}

/// The words of the command that an answer names as the next one.
fn next(answer: &str, finds: &str) -> Vec<String> {
    let (_, after) = answer.split_once(&format!("  next     {finds}: `")).expect(answer);
    let (command, _) = after.split_once('`').expect("a command");
    let words = command.strip_prefix("tiebreak bisect ").expect("a search").split(' ');
    words.map(|word| word.trim_matches('\'').to_owned()).collect()
}

#[test]
fn an_answer_names_the_search_that_says_more() {
    let first = [PROGRAM[0], PROGRAM[1], SLOW];
    let directory = repository(&[&first, &[FAST], &[("notes", "1")]]);
    let searched = |words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (code, answer, progress) = search(&directory, &words);
        assert_eq!(code, Some(0), "{progress}");
        // The page names the same search.
        let (_, page) = answer.rsplit_once("  page     ").expect(&answer);
        let page = directory.text(page.trim());
        let named = page.split_once("Next: ").map(|(_, after)| {
            let next = after.split('<').next().expect("a text").replace("&#39;", "'");
            format!("  next     {next}\n")
        });
        assert_eq!(named.is_some(), answer.contains("  next  "), "{answer}");
        assert!(named.is_none_or(|next| answer.contains(&next)), "{answer}");
        (answer.split_whitespace().collect::<Vec<_>>().join(" "), answer)
    };
    let typed = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let last = short(&directory, "HEAD");
    let names_the_first = |(line, answer): (String, String)| {
        let named = format!("{} (#1 by @team, ", short(&directory, "HEAD~1"));
        assert!(line.starts_with(&named) && line.contains(" with 95 %: 0."), "{answer}");
        assert!(!answer.contains("  next  "), "no other search says more: {answer}");
    };
    let (line, answer) = searched(&typed("HEAD~2 HEAD"));
    assert!(line.starts_with("no regression of 3 % or more between "), "{answer}");
    assert!(
        line.contains(&format!(
            ", so {last} is cheaper: search with --improvement for what made it so"
        )),
        "{answer}"
    );
    let command = next(&answer, "what made it cheaper");
    assert_eq!(command, ["HEAD~2", "HEAD", "--improvement"]);
    names_the_first(searched(&command));

    // Only the last commit touches the path, so it cannot be told apart from the one before it.
    let (line, answer) = searched(&typed("HEAD~2 HEAD --improvement -- notes"));
    let lead = format!("{last} (#2 by @team, ");
    let before = ") or the commit before it that touches none of the paths, with 95 %: 0.";
    assert!(line.starts_with(&lead) && line.contains(before), "{answer}");
    let command = next(&answer, "which of these commits it is");
    assert_eq!(command, [&short(&directory, "HEAD~2"), &last, "--improvement"]);
    names_the_first(searched(&command));
}

/// Prints figures of Go's benchmarks with a noise of 1 %. B costs as much as a file says, and C has two figures.
const SUITE: [(&str, &str); 2] = [
    (
        "suite.sh",
        "echo pkg: example.org/slug\n\
         awk -v seed=$$ -v b=\"$(cat cost)\" 'BEGIN { srand(seed)\n\
         printf \"BenchmarkA 9 %.3f ns/op\\nBenchmarkB 9 %.3f ns/op\\n\", 100 + rand(), b * (100 + rand())\n\
         print \"BenchmarkC 9 7 ns/op 5 MB\" }'\n",
    ),
    ("tiebreak.toml", "[contender.work]\nurl = 'exec:sh ./suite.sh'\nfigures = 'go'\n"),
];

#[test]
fn a_case_may_be_named_without_its_package() {
    let directory = repository(&[&[SUITE[0], SUITE[1], ("cost", "1")], &[("cost", "1.5")]]);
    let of = |case: &str, more: &[&str]| {
        search(&directory, &[&["HEAD~1", "HEAD", "--quiet", "--case", case], more].concat())
    };
    let (code, plan, why) = of("BenchmarkB", &["--dry-run"]);
    assert_eq!(code, Some(0), "{why}");
    // Two commits in eight rounds, twice, each time with a run that lists the cases.
    assert!(plan.contains("(by the case BenchmarkB)?\nmeasuring takes 36 runs if "), "{plan}");
    assert!(
        plan.ends_with("18 runs or more; how long a run takes is known after the first\n"),
        "{plan}"
    );
    let (code, answer, why) = of("BenchmarkB", &[]);
    assert_eq!(code, Some(0), "{why}");
    assert!(answer.starts_with(&short(&directory, "HEAD")), "{answer}");
    let (code, _, why) = of("BenchmarkC", &[]);
    assert_eq!(code, Some(4), "{why}");
    let both = "the case `BenchmarkC` fits `BenchmarkC (slug)` and `BenchmarkC (slug, MB)`: write the whole name of one";
    assert!(why.contains(both), "{why}");
}
