//! Suites through the binary: small programs whose figures are known are listed, run in rounds and compared case by
//! case.

use crate::common::{TestDirectory, errors, number, rules, stdout};
use crate::lengths::events;
use crate::validator;
use serde_json::Value;
use std::fs;

/// Prints what `go test -bench` prints: three cases, of which B costs FACTOR times as much, with a noise of ± 1 % that
/// follows from SEED and the number of the run. REGEX selects cases.
const BENCH: &str = r#"# SEED FACTOR REGEX [MORE…]
n=$(cat "count.$1" 2>/dev/null || echo 0)
echo $((n + 1)) > "count.$1"
seed=$1; factor=$2; regex=$3; shift 3
awk -v seed="$seed" -v run="$n" -v factor="$factor" -v regex="$regex" -v more="$*" 'BEGIN {
  count = split("A B C " more, name, " ")
  for (i = 1; i <= count; i++) {
    full = "Benchmark" name[i] "-8"
    if (full !~ regex) continue
    noise = sin(seed * 12.9898 + run * 78.233 + i * 37.719) * 43758.5453
    noise = (noise - int(noise)) * 0.01
    value = 100 * i * (1 + noise) * (name[i] == "B" ? factor : 1)
    printf "%s \t 1000 \t %.4f ns/op\n", full, value
  }
}'
"#;

fn directory() -> TestDirectory {
    let directory = TestDirectory::new();
    fs::write(directory.file("bench.sh"), BENCH).expect("a file");
    directory
}

pub(crate) fn with_file(text: &str) -> TestDirectory {
    let directory = directory();
    fs::write(directory.file("suite.toml"), text).expect("a file");
    directory
}

/// The word of each case of the pair, in the order of the report.
pub(crate) fn words(report: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let all = report["comparisons"].as_array().expect("a list").iter();
    all.map(|of| (text(&of["case"]), text(&of["verdict"]))).collect()
}

pub(crate) fn pairs(words: &[(String, String)]) -> Vec<(&str, &str)> {
    words.iter().map(|(case, word)| (case.as_str(), word.as_str())).collect()
}

pub(crate) const KNOWN: [(&str, &str); 3] =
    [("BenchmarkA-8", "equivalent"), ("BenchmarkB-8", "slower"), ("BenchmarkC-8", "equivalent")];

/// What two suites have of which the second is 10 % slower in one case.
fn is_known(report: &Value) {
    let found = words(report);
    assert_eq!(pairs(&found), KNOWN);
    let slower = &report["comparisons"][1];
    assert!((1.07..1.13).contains(&number(&slower["ratio"])), "{slower}");
    assert!(number(&slower["low"]) > 1.05 && number(&slower["high"]) < 1.15, "{slower}");
}

#[test]
fn each_case_of_two_programs_has_a_verdict() {
    let directory = directory();
    let programs = ["old=exec:sh bench.sh 1 1 . D E", "new=exec:sh bench.sh 2 1.1 . F"];
    let words = ["compare", programs[0], programs[1], "--figures", "auto", "--out", "run"];
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    is_known(&report);
    assert_eq!(number(&report["plan"]["rounds"]), 10.0);
    assert_eq!(number(&report["plan"]["question"]["matters"]), 0.03);
    let cases = events(&directory, "cases");
    let [cases] = cases.as_slice() else { panic!("{cases:?}") };
    assert_eq!(number(&cases["replicates"]), 10.0);
    let only = &cases["only_in"];
    assert_eq!((&only[0]["contender"], &only[1]["contender"]), (&0.into(), &1.into()));
    assert_eq!(only[0]["cases"], serde_json::json!(["BenchmarkD-8", "BenchmarkE-8"]));
    assert_eq!(only[1]["cases"], serde_json::json!(["BenchmarkF-8"]));
    // One run each to list the cases, and one in each round.
    assert_eq!((directory.text("count.1").trim(), directory.text("count.2").trim()), ("11", "11"));
    let text = stdout(&directory.tiebreak(&["report", "run"]));
    assert!(text.starts_with("1 of 3 slower (worst: BenchmarkB-8 1.1"), "{text}");
    assert!(text.contains("only in old: 2 (BenchmarkD-8 and BenchmarkE-8)"), "{text}");
}

#[test]
fn what_was_planned_is_said_before_it_is_driven() {
    let text = "[defaults]\nfigures = 'go'\n\
                [contender.old]\nurl = 'exec:sh bench.sh 1 1 .'\n\
                [contender.new]\nurl = 'exec:sh bench.sh 2 1.1 .'\n";
    let directory = with_file(text);
    let output = directory.tiebreak(&["compare", "suite.toml", "--out", "run"]);
    let said = errors(&output);
    assert!(said.contains("3 cases, 10 rounds of 2 programs: about "), "{said}");
    assert_eq!(events(&directory, "pilot")[0]["run_length"], "-benchtime");
    let check = stdout(&directory.tiebreak(&["check", "suite.toml"]));
    let planned = "one run of each program, which lists the cases, then at least 10 rounds, by the number of cases";
    assert!(check.contains(planned), "{check}");
    assert!(
        check.contains(
            "takes a time that is known once one run of each program has listed the cases"
        ),
        "{check}"
    );
    assert!(check.contains("figures of go from its standard output"), "{check}");
    let plan = directory.tiebreak(&["plan", "suite.toml", "--json", "plan.json"]);
    let planned = stdout(&plan);
    assert!(planned.starts_with("3 cases, 10 rounds of 2 programs: about "), "{planned}");
    let json = directory.json("plan.json");
    validator::assert_fits(include_str!("../../schema/plan.v1.json"), &json);
    assert_eq!((number(&json["replicates"]), &json["sees"]), (10.0, &Value::Null));
    let names = ["BenchmarkA-8", "BenchmarkB-8", "BenchmarkC-8"];
    assert_eq!((&json["cases"], &json["left_out"]), (&names.into(), &serde_json::json!([])));
    assert_eq!(json["takes_at_least"], false, "each run of all cases was timed");
    let listed: Vec<_> = planned.lines().filter_map(|line| line.strip_prefix("  ")).collect();
    assert_eq!(listed, names, "{planned}");
    // 11 runs of the comparison, and one that `plan` lists the cases with.
    assert_eq!(directory.text("count.2").trim(), "12");
}

#[test]
fn a_plan_names_some_cases_and_all_if_asked() {
    let directory = directory();
    let more: Vec<String> = (0..22).map(|number| format!("X{number:02}")).collect();
    let program =
        |seed: u32| format!("{seed}=exec:sh bench.sh {seed} 1 {{case}} {}", more.join(" "));
    let (a, b) = (program(1), program(2));
    let words = ["plan", &a, &b, "--figures", "go", "--quiet"];
    let listed = |more: &[&str]| {
        let text = stdout(&directory.tiebreak(&[&words[..], more].concat()));
        assert!(text.starts_with("25 cases, 12 rounds of 2 programs: at least "), "{text}");
        let names = text.lines().filter(|line| line.starts_with("  "));
        names.map(str::to_owned).collect::<Vec<_>>()
    };
    let some = listed(&["--json", "plan.json"]);
    assert_eq!((some.len(), some[20].as_str()), (21, "  and 5 more, which --verbose names"));
    assert_eq!((some[0].as_str(), some[19].as_str()), ("  BenchmarkA-8", "  BenchmarkX16-8"));
    let all = listed(&["--verbose"]);
    assert_eq!((all.len(), all[24].as_str()), (25, "  BenchmarkX21-8"));
    let json = directory.json("plan.json");
    assert_eq!(json["cases"].as_array().map(Vec::len), Some(25));
    assert_eq!(json["takes_at_least"], true, "runs of one case were not timed");
}

#[test]
fn figures_are_read_from_a_file_of_each_run() {
    let text = "[contender.old]\nurl = \"exec:sh -c 'sh bench.sh 1 1 . > {figures}'\"\nfigures = 'go'\n\
                [contender.new]\nurl = \"exec:sh -c 'echo noise; mkdir {temp}/x; sh bench.sh 2 1.1 . > {temp}/x/out'\"\n\
                figures = { kind = 'go', file = '{temp}/x/out' }\n";
    let directory = with_file(text);
    let (code, report) = directory.report(&["compare", "suite.toml", "--out", "run"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    is_known(&report);
    let journal = directory.text("run/journal.jsonl");
    assert!(
        !journal.contains("tiebreak-figures") && journal.contains("{figures}"),
        "the plan keeps the placeholder"
    );
}

#[test]
fn a_pattern_of_ones_own_reads_any_output() {
    let pattern = r"figures = { kind = 'pattern', pattern = '^Benchmark(?<name>\w+)-8.*\s(?<number>\S+) ns', unit = 'ns' }";
    let text = format!(
        "[defaults]\n{pattern}\n[contender.old]\nurl = 'exec:sh bench.sh 1 1 .'\n\
         [contender.new]\nurl = 'exec:sh bench.sh 2 1.1 .'\n"
    );
    let directory = with_file(&text);
    let (code, report) = directory.report(&["compare", "suite.toml", "--out", "run"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let found = words(&report);
    assert_eq!(pairs(&found), [("A", "equivalent"), ("B", "slower"), ("C", "equivalent")]);
}

const CASE_BY_CASE: &str = "[defaults]\nfigures = 'go'\n\
    [contender.old]\nurl = 'exec:sh bench.sh 1 1 {case}'\n\
    [contender.new]\nurl = 'exec:sh bench.sh 2 1.1 {case}'\n";

#[test]
fn contenders_take_turns_case_by_case_where_cases_can_be_selected() {
    let directory = with_file(CASE_BY_CASE);
    let (code, report) =
        directory.report(&["compare", "suite.toml", "--seed", "5", "--out", "run"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    is_known(&report);
    // One run of all cases, and then one of each case in each of ten rounds.
    assert_eq!((directory.text("count.1").trim(), directory.text("count.2").trim()), ("31", "31"));
    let trials = events(&directory, "trial");
    let rounds = trials.iter().filter(|trial| trial["phase"] == "round");
    let mut firsts = [0; 2];
    for trial in rounds {
        let figures = trial["seen"]["programs"]["figures"].as_array().expect("figures");
        assert_eq!(figures.len(), 3, "{trial}");
        let slices = trial["seen"]["slices"].as_array().expect("slices");
        let contender = trial["contender"].as_u64().unwrap_or(0);
        for (case, slice) in slices.iter().enumerate() {
            // The two runs of a case follow each other.
            let index = slice["place"].as_u64().unwrap_or(0) % 6;
            assert_eq!(index / 2, case as u64, "{trial}");
            firsts[contender as usize] += u32::from(index % 2 == 0);
        }
    }
    // Of 30 drawn orders, each begins with the one or the other: the standard deviation is 2.7.
    assert_eq!(firsts[0] + firsts[1], 30);
    assert!((4..=26).contains(&firsts[0]), "{firsts:?}");
}

#[test]
fn criterions_files_are_read_from_a_directory() {
    let script = "# FACTOR DIRECTORY REGEX\nmkdir -p \"$2/a/new\" \"$2/a/base\"\n\
                  echo '{\"full_id\": \"a\"}' > \"$2/a/new/benchmark.json\"\n\
                  echo \"{\\\"median\\\": {\\\"point_estimate\\\": $1}}\" > \"$2/a/new/estimates.json\"\n\
                  echo '{\"median\": {\"point_estimate\": 1}}' > \"$2/a/base/estimates.json\"\n\
                  echo \"$3\" >> selected\n";
    let text = "[defaults]\nfigures = 'criterion'\n\
                [contender.old]\nurl = 'exec:sh c.sh 100 {figures} {case}'\n\
                [contender.new]\nurl = 'exec:sh c.sh 120 {figures} {case}'\n";
    let directory = with_file(text);
    fs::write(directory.file("c.sh"), script).expect("a file");
    let (code, report) = directory.report(&["compare", "suite.toml", "--out", "run"]);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    let found = words(&report);
    assert_eq!(pairs(&found), [("a", "slower")]);
    assert_eq!(number(&report["comparisons"][0]["ratio"]), 1.2);
    let selected = directory.text("selected");
    let of = |word: &str| selected.lines().filter(|line| *line == word).count();
    assert_eq!((of("."), of("^a$")), (2, 20), "{selected}");
}

#[test]
fn a_case_without_a_figure_in_some_round_has_failed() {
    // The case C is not printed in the fifth run, which is the fourth round.
    let text = "[defaults]\nfigures = 'go'\n[contender.old]\nurl = 'exec:sh bench.sh 1 1 .'\n\
                [contender.new]\nurl = \"exec:sh -c 'n=$(cat count.2 2>/dev/null); r=.; \
                if [ \\\"$n\\\" = 4 ]; then r=[AB]-; fi; sh bench.sh 2 1.1 $r'\"\n";
    let directory = with_file(text);
    let (code, report) = directory.report(&["compare", "suite.toml", "--out", "run"]);
    assert_eq!(code, 4, "{:#}", report["suite"]);
    let failed = &report["suite"]["pairs"][0]["failed"];
    assert_eq!(failed[0]["case"], "BenchmarkC-8", "{failed}");
    assert_eq!((&failed[0]["contender"], &failed[0]["round"]), (&"new".into(), &4.into()));
    let found = words(&report);
    assert!(pairs(&found).contains(&("BenchmarkB-8", "slower")), "{found:?}");
}

#[test]
fn a_run_of_one_case_that_fails_leaves_the_others() {
    // The seventh run of the program is that of C in the second round.
    let script = "n=$(cat count.2 2>/dev/null); if [ \"$n\" = 6 ]; then echo 7 > count.2; exit 3; fi\n\
                  exec sh bench.sh 2 1.1 \"$1\"\n";
    let text = "[defaults]\nfigures = 'go'\n[contender.old]\nurl = 'exec:sh bench.sh 1 1 {case}'\n\
                [contender.new]\nurl = 'exec:sh fail.sh {case}'\n";
    let directory = with_file(text);
    fs::write(directory.file("fail.sh"), script).expect("a file");
    let (code, report) = directory.report(&["compare", "suite.toml", "--out", "run"]);
    assert_eq!(code, 4, "{:#}", report["suite"]);
    let failed = &report["suite"]["pairs"][0]["failed"];
    assert_eq!(failed.as_array().map(Vec::len), Some(1), "{failed}");
    assert_eq!((&failed[0]["case"], &failed[0]["round"]), (&"BenchmarkC-8".into(), &2.into()));
    let found = words(&report);
    assert_eq!(pairs(&found)[..2], KNOWN[..2]);
    // The listing, three runs in each of two rounds, and two in each of eight: the case that failed is left out, and
    // the script counts its failed run as one.
    assert_eq!(directory.text("count.2").trim(), "23");
    assert_eq!(directory.text("count.1").trim(), "31", "the other program runs all its cases");
}

#[test]
fn a_case_that_hangs_costs_its_timeout_once() {
    let script =
        "case $1 in .) ;; *C*) echo >> hung; sleep 60;; esac; exec sh bench.sh 2 1.1 \"$1\"\n";
    let text = "[defaults]\nfigures = 'go'\ntimeout = '1s'\n\
                [contender.old]\nurl = 'exec:sh bench.sh 1 1 {case}'\n\
                [contender.new]\nurl = 'exec:sh hang.sh {case}'\n";
    let directory = with_file(text);
    fs::write(directory.file("hang.sh"), script).expect("a file");
    let (code, report) = directory.report(&["compare", "suite.toml", "--out", "run"]);
    assert_eq!(code, 4, "{:#}", report["suite"]);
    let failed = &report["suite"]["pairs"][0]["failed"];
    assert_eq!((&failed[0]["case"], &failed[0]["round"]), (&"BenchmarkC-8".into(), &1.into()));
    assert_eq!(directory.text("hung").lines().count(), 1);
    let found = words(&report);
    assert_eq!(pairs(&found)[..2], KNOWN[..2]);
}

/// A script of the program NUMBER that prints the figures of REGEX, and whose run after N others fails.
fn failing(directory: &TestDirectory) {
    let script = "# NUMBER N REGEX\nn=$(cat count.$1 2>/dev/null || echo 0)\n\
                  if [ $n = $2 ]; then echo $((n + 1)) > count.$1; exit 3; fi\n\
                  exec sh bench.sh $1 1 \"$3\"\n";
    fs::write(directory.file("failing.sh"), script).expect("a file");
}

#[test]
fn a_run_that_fails_makes_its_cases_fail_and_all_rounds_are_driven() {
    for (failing_one, round) in [(1, 1), (2, 1), (1, 4), (2, 10)] {
        let directory = directory();
        failing(&directory);
        // One run lists the cases.
        let run = |number: u32| if number == failing_one { round } else { 99 };
        let program = |number| format!("{number}=exec:sh failing.sh {number} {} .", run(number));
        let (a, b) = (program(1), program(2));
        let words = ["compare", &a, &b, "--figures", "go", "--out", "run"];
        let (code, report) = directory.report(&words);
        assert_eq!(code, 4, "{:#}", report["suite"]);
        let failed = report["suite"]["pairs"][0]["failed"].as_array().expect("a list").clone();
        assert_eq!(failed.len(), 3, "{failed:?}");
        for of in failed {
            let expected = (&failing_one.to_string().into(), &round.into());
            assert_eq!((&of["contender"], &of["round"]), expected, "{of}");
        }
        for number in [1, 2] {
            assert_eq!(directory.text(&format!("count.{number}")).trim(), "11", "all rounds");
        }
        let end = &events(&directory, "end")[0];
        assert_eq!(end["reason"], "complete", "{end}");
    }
}

/// A command with these words is refused with this code, and says so.
#[track_caller]
pub(crate) fn refused(directory: &TestDirectory, words: &[&str], code: i32, said: &str) {
    let output = directory.tiebreak(words);
    let message = errors(&output);
    assert!(message.contains(said), "{words:?}: {message}");
    assert_eq!(output.status.code(), Some(code), "{words:?}: {message}");
}

#[test]
fn a_listing_that_fails_ends_the_run_with_the_end_of_its_output() {
    let directory = directory();
    let compare = |a: &str, b: &str, said: &str| {
        let (a, b) = (format!("a=exec:{a}"), format!("b=exec:{b}"));
        refused(&directory, &["compare", &a, &b, "--figures", "go", "--quiet"], 4, said);
    };
    let good = "sh bench.sh 1 1 .";
    compare(
        good,
        "sh -c 'echo panic in C; exit 2'",
        "exited with status 2; its standard output ends with:\n  panic in C",
    );
    compare(
        good,
        "sh -c 'echo to stderr >&2; exit 2'",
        "its standard error ends with:\n  to stderr",
    );
    compare(good, "echo hello", "gave no figures: the output has no usable figure of go");
    compare(
        good,
        "sh bench.sh 2 1 '[XYZ]-' X Y",
        "no case is in all contenders, so nothing can be compared: `a` has 3 cases",
    );
    compare(
        good,
        "head -c 16777217 /dev/zero",
        "printed 16777217 bytes on its standard output, and at most 16777216 are read",
    );
}

#[test]
fn a_case_that_failed_is_not_one_that_only_the_other_has() {
    let directory = directory();
    let head = "Benchmark  Time  CPU  Iterations";
    for (file, b) in [("old", "5 ns 5 ns 9"), ("new", "ERROR OCCURRED: 'broken'")] {
        let text = format!("{head}\nBM_A  5 ns 5 ns 9\nBM_B  {b}\n");
        fs::write(directory.file(file), text).expect("a file");
    }
    let words = ["compare", "old=exec:cat old", "new=exec:cat new", "--figures", "auto", "--quiet"];
    refused(&directory, &words, 4, "`cat new` reports 1 case as failed, such as `BM_B`: repair or");
}

#[test]
fn metrics_whose_direction_does_not_follow_from_the_unit_are_read_if_it_is_said() {
    let of = |more: &str, code: i32, said: &str| {
        let programs = "[contender.old]\nurl = 'exec:echo BenchmarkX 9 7 hits'\n\
                        [contender.new]\nurl = 'exec:echo BenchmarkX 9 14 hits'\n";
        let figures = format!("[defaults]\nfigures = {{ kind = 'go'{more} }}\n{programs}");
        let directory = with_file(&figures);
        let output = directory.tiebreak(&["compare", "suite.toml"]);
        let text = format!("{}{}", stdout(&output), errors(&output));
        assert!(text.contains(said), "{more}: {text}");
        assert_eq!(output.status.code(), Some(code), "{more}: {text}");
    };
    of("", 4, "it does not follow from the unit `hits` whether a larger figure is better");
    of(", larger_is_better = true", 0, "0 of 1 slower, 1 faster (best: BenchmarkX (hits) 0.50x");
    of(", larger_is_better = false", 0, "1 of 1 slower (worst: BenchmarkX (hits) 2.00x");
}

#[test]
fn what_is_no_suite_or_has_no_meaning_is_refused() {
    let programs = ["old=exec:sh bench.sh 1 1 .", "new=exec:sh bench.sh 2 1.1 ."];
    let directory = directory();
    let compare = |more: &[&str], said: &str| {
        let words =
            [&["compare", programs[0], programs[1], "--figures", "go", "--quiet"], more].concat();
        refused(&directory, &words, 2, said);
    };
    for flag in [
        &["--rank"][..],
        &["--see", "2%"],
        &["--until-decided"],
        &["--operations", "5"],
        &["--round", "1s"],
        &["--slo", "p99 <= 5ms"],
        &["--warm-up", "1s"],
    ] {
        compare(flag, &format!("{} has no meaning for suites", flag[0]));
    }
    compare(&["--launches", "8"], "--launches launches servers anew");
    compare(&["--sweep", "connections=1,2"], "whose load cannot be set: leave out --sweep");
    compare(
        &["--rounds", "6"],
        "6 rounds cannot support 3 comparisons at 5 %; at least 7 are needed",
    );
    let servers = ["compare", programs[0], "http://127.0.0.1:1/", "--figures", "go"];
    refused(&directory, &servers, 2, "only programs (exec:) have figures of cases");
    let control = ["compare", programs[0], programs[1], "--control"];
    refused(
        &directory,
        &control,
        2,
        "--control compares a suite with itself, and no contender is one",
    );
}

#[test]
fn mistakes_in_a_file_are_named_by_line_and_key() {
    let directory = directory();
    for (keys, said) in [
        ("figures = 'gO'", "suite.toml:3: contender.old.figures: `gO` is no kind of figures"),
        ("figures = 3", "suite.toml:3: contender.old.figures: must be the name of a kind"),
        (
            "figures = { kin = 'go' }",
            "contender.old.figures.kin: this key is not known; did you mean `kind`?",
        ),
        ("figures = { kind = 'pattern' }", "contender.old.figures.kind: `pattern` is missing"),
        ("figures = { pattern = '(' }", "contender.old.figures.pattern: "),
        ("figures = { kind = 'go', unit = 's' }", "figures.unit: this key belongs to `pattern`"),
        ("figures = { larger_is_better = true }", "figures.larger_is_better: name the `kind` of"),
        ("figures = { file = 'out.txt' }", "figures.file: `out.txt` must begin with {temp}/"),
        (
            "figures = { file = '{temp}/../x' }",
            "figures.file: `{temp}/../x` must begin with {temp}/",
        ),
        ("figures = { file = '{temp}/x' }", "the program does not learn where {temp}/x is"),
        ("figures = 'go'", "suite.toml:4: contender.new: `figures` is missing: `old` is a suite"),
    ] {
        let text = format!(
            "[contender.old]\nurl = 'exec:true'\n{keys}\n[contender.new]\nurl = 'exec:true'\n"
        );
        fs::write(directory.file("suite.toml"), text).expect("a file");
        refused(&directory, &["compare", "suite.toml"], 2, said);
    }
    let selects = "[contender.old]\nurl = 'exec:true {case}'\nfigures = 'libtest'\n";
    fs::write(directory.file("suite.toml"), selects).expect("a file");
    let kinds = "possible only for these kinds: criterion, cargo-criterion, go, google-benchmark, pytest-benchmark;";
    refused(&directory, &["compare", "suite.toml"], 2, kinds);
    let server = "[contender.old]\nurl = 'http://127.0.0.1:1/'\nfigures = 'go'\n";
    fs::write(directory.file("suite.toml"), server).expect("a file");
    refused(
        &directory,
        &["compare", "suite.toml"],
        2,
        "figures: only a program (url = 'exec:…') has figures",
    );
    let alone = "[contender.old]\nurl = 'exec:true'\nfigures = 'go'\n";
    fs::write(directory.file("suite.toml"), alone).expect("a file");
    refused(
        &directory,
        &["run", "suite.toml"],
        2,
        "`tiebreak compare` compares those of two or more",
    );
}

#[test]
fn a_requirement_names_a_case_without_its_package() {
    let directory = directory();
    let program = |seed: u32, b: f64| {
        format!("{seed}=exec:sh -c 'echo pkg: a/slug; sh bench.sh {seed} {b} .'")
    };
    let (a, b) = (program(1, 1.0), program(2, 1.1));
    let words = ["compare", &a, &b, "--figures", "go", "--out", "run"];
    let required = ["--require=case \"BenchmarkA-8\" <= 1.05x", "--require=case \"*B-8\" <= 1.05x"];
    let (code, report) = directory.report(&[&words[..], &required].concat());
    assert_eq!(code, 1, "{:#}", report["requirements"]);
    let status = |at: usize| report["requirements"][at]["status"].as_str();
    assert_eq!((status(0), status(1)), (Some("met"), Some("not_met")));
}

#[test]
fn a_time_in_which_all_cases_do_not_fit_is_refused_where_none_can_be_left_out() {
    let directory = directory();
    let program = |seed: u32| format!("exec:sh -c 'sleep 0.3; sh bench.sh {seed} 1 .'");
    let (old, new) = (format!("old={}", program(1)), format!("new={}", program(2)));
    let words = ["compare", &old, &new, "--figures", "go", "--within", "4s", "--quiet"];
    let message = "no case can be left out, because each run is of all cases: give more time, make runs shorter \
                   (-benchtime 100ms (go)), or let the command select cases with {case}";
    refused(&directory, &words, 2, message);
    assert_eq!(directory.text("count.1").trim(), "1", "no round was driven");
}

#[test]
fn a_control_is_a_copy_of_the_last_contender_and_differs_in_nothing() {
    let directory = with_file(CASE_BY_CASE);
    let words = ["compare", "suite.toml", "--control", "--out", "run"];
    let (code, report) = directory.report(&words);
    assert_eq!(code, 0, "{:#}", report["findings"]);
    is_known(&report);
    let names: Vec<_> =
        report["contenders"].as_array().expect("a list").iter().map(|of| &of["name"]).collect();
    assert_eq!(names, ["old", "new", "new-again"]);
    assert_eq!(number(&report["plan"]["rounds"]), 10.0, "the control has a budget of its own");
    let text = stdout(&directory.tiebreak(&["report", "run"]));
    assert!(
        text.contains("the control, new-again against new, differs in none of 3 cases"),
        "{text}"
    );
}

#[test]
fn a_control_that_differs_voids_the_run() {
    // The copy that runs first is remembered by its directory, and the other one costs 10 % more.
    let script = "d=$(dirname $1); [ -e first ] || echo $d > first; f=1; [ \"$(cat first)\" = $d ] || f=1.1\n\
                  exec sh bench.sh 2 $f .\n";
    let text = "[defaults]\nfigures = 'go'\n[contender.old]\nurl = 'exec:sh bench.sh 1 1 .'\n\
                [contender.new]\nurl = 'exec:sh odd.sh {temp}'\n";
    let directory = with_file(text);
    fs::write(directory.file("odd.sh"), script).expect("a file");
    let (code, report) = directory.report(&["compare", "suite.toml", "--control", "--out", "run"]);
    assert_eq!(code, 3, "{:#}", report["suite"]);
    let rules = rules(&report, "void");
    assert!(rules.contains(&"control"), "{rules:?}");
    let text = stdout(&directory.tiebreak(&["report", "run"]));
    let first = text.lines().next().unwrap_or_default();
    assert!(first.contains("control"), "what the control shows comes first: {text}");
}
