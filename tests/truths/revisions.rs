//! Known truths about two revisions of a service that tiebreak launches, at the defaults: the same commit is
//! not called different, a slower one is called, and the order of the contenders does not matter.

use crate::common::TestDirectory;
use crate::compared::Compared;
use crate::driver::{figure, truths};
use crate::equal::{Called, Rule};
use crate::size::sized;
use judge::stats::signed_rank::SignedRank;
use std::fs;
use std::process::Command;

truths! {
    All: the_same_commit_is_not_called_different,
    All: a_commit_that_is_slower_by_a_tenth_is_called,
    Calibration: the_order_of_two_equal_programs_has_no_effect,
    Calibration: a_clean_working_tree_is_not_called_different_from_its_commit,
}

/// A service in one language, and how it is built and launched in its worktree.
struct Service {
    file: &'static str,
    source: &'static str,
    build: &'static str,
    launch: &'static str,
    /// Rows that it writes for each reply: some tenths of a millisecond of work.
    rows: u32,
}

const SERVICES: [Service; 3] = [
    Service {
        file: "service.js",
        source: include_str!("services/service.js"),
        build: "",
        launch: "'node', 'service.js'",
        rows: 1000,
    },
    Service {
        file: "service.go",
        source: include_str!("services/service.go"),
        build: "build = [['go', 'build', '-o', '{cache}/NAME', '{folder}/NAME/service.go']]\n",
        launch: "'{cache}/NAME'",
        rows: 1000,
    },
    Service {
        file: "service.py",
        source: include_str!("services/service.py"),
        build: "",
        launch: "'python3', 'service.py'",
        rows: 500,
    },
];

/// A repository of a service or a program: its file, and its experiment.
const REPOSITORIES: [(&str, &str, &str); 4] = [
    (
        SERVICES[0].file,
        SERVICES[0].source,
        "launch = ['node', 'service.js', '{port}', '1000']\nurl = 'http://127.0.0.1:{port}/'\n",
    ),
    (
        SERVICES[1].file,
        SERVICES[1].source,
        "build = [['go', 'build', '-o', 'service', 'service.go']]\n\
         launch = ['./service', '{port}', '1000']\nurl = 'http://127.0.0.1:{port}/'\n",
    ),
    (
        "work.c",
        "#include <stdio.h>\n\
         int main(void) {\n\
           unsigned long sum = 1;\n\
           for (unsigned long i = 0; i < 20000000; i++) sum = sum * 6364136223846793005UL + i;\n\
           printf(\"%lu\\noperations 20000000\\n\", sum);\n\
         }\n",
        "build = [['cc', '-O2', '-o', 'work', 'work.c']]\nurl = 'exec:./work'\n",
    ),
    (
        "work.rs",
        "fn main() {\n\
           let mut sum = 1u64;\n\
           for i in 0..20_000_000u64 {\n\
             sum = std::hint::black_box(sum.wrapping_mul(6364136223846793005).wrapping_add(i));\n\
           }\n\
           println!(\"{sum}\\noperations 20000000\");\n\
         }\n",
        "build = [['rustc', '-O', '-o', 'work', 'work.rs']]\nurl = 'exec:./work'\n",
    ),
];

/// The equality of twenty comparisons, as the issue of launches asks for it: ten of sixty fail. A right tool
/// (5 %) passes with all but a probability of 4.6 in 10 000. The short one has two languages, and fails a right
/// tool with 7.4 in 100 000.
const FULL: Rule = Rule { looks: &[(20, 2)], fails_at: 10, last: 60 };
const SHORT: Rule = Rule { looks: &[(2, 0), (8, 1)], fails_at: 5, last: 16 };

/// Runs git with an author, in a directory of the test.
pub(crate) fn git(directory: &TestDirectory, words: &[&str]) {
    let author = ["-c", "user.name=t", "-c", "user.email=t@example.org"];
    let mut command = Command::new("git");
    let output = command.args(author).args(words).current_dir(directory.file("")).output();
    let output = output.expect("git is installed");
    assert!(output.status.success(), "git {words:?}: {output:?}");
}

/// A repository with one commit of a service, checked out into `old` and `new`.
fn checked_out(service: &Service) -> TestDirectory {
    let directory = TestDirectory::new();
    git(&directory, &["init", "--quiet", "."]);
    fs::write(directory.file(service.file), service.source).expect("a file");
    git(&directory, &["add", service.file]);
    git(&directory, &["commit", "--quiet", "-m", "The service"]);
    for name in ["old", "new"] {
        git(&directory, &["worktree", "add", "--quiet", "--detach", name]);
    }
    directory
}

/// Names of the contenders, which are the folders of their revisions, in the order of the file.
const IN_ORDER: [&str; 2] = ["old", "new"];

/// Compares two revisions, whose replies cost so many rows, at the defaults and with these flags.
fn compare(
    service: &Service,
    (names, rows): ([&str; 2], [u32; 2]),
    (seed, more): (u64, &[&str]),
) -> Compared {
    let directory = checked_out(service);
    let contender = |name: &str, rows: u32| {
        let text = format!(
            "[contender.{name}]\ncwd = '{name}'\n{}url = 'http://127.0.0.1:{{port}}/'\n\
             launch = [{}, '{{port}}', '{rows}']\n",
            service.build, service.launch
        );
        text.replace("NAME", name)
    };
    let [a, b] = names;
    let text =
        format!("contenders = ['{a}', '{b}']\n{}{}", contender(a, rows[0]), contender(b, rows[1]));
    fs::write(directory.file("e.toml"), text).expect("a file");
    let seed = seed.to_string();
    let (_, report) =
        directory.report(&[&["compare", "e.toml", "--seed", &seed][..], more].concat());
    Compared::of(&report, 0.0)
}

fn the_same_commit_is_not_called_different() {
    let rule = sized(SHORT, FULL);
    let mut told = Vec::new();
    let result = rule.apply_and_tell(|number| {
        let service = &SERVICES[number as usize % sized(2, SERVICES.len())];
        let compared = compare(service, (IN_ORDER, [service.rows; 2]), (number + 1, &[]));
        told.push(format!("{} {:.3}", service.file, compared.ratio));
        compared.is_called_different()
    });
    passes(&rule, result, &told);
}

/// Prints the ratios of equal revisions and how many were called different, which must pass the rule.
fn passes(rule: &Rule, result: Result<Called, Called>, told: &[String]) {
    figure(told.join(", "), "1");
    let called = result.as_ref().unwrap_or_else(|called| called);
    figure(called, rule);
    assert!(result.is_ok(), "{called}: {told:?}");
}

/// Short: called in one of at most three comparisons, each of which misses with a probability of less than 4 %.
fn a_commit_that_is_slower_by_a_tenth_is_called() {
    let (most, wanted) = sized((3, 1), (10, 9));
    let mut called = 0;
    let mut told = Vec::new();
    for number in 0..most {
        let service = &SERVICES[number as usize % SERVICES.len()];
        // Writing rows is about nine tenths of the work.
        let rows = [service.rows, service.rows + service.rows / 9];
        let compared = compare(service, (IN_ORDER, rows), (number + 1, &[]));
        told.push(format!("{} {} {:.3}", service.file, compared.word, compared.ratio));
        assert_ne!(compared.word, "faster", "the wrong sign: {told:?}");
        called += u64::from(compared.word == "slower");
        if most < 10 && called >= wanted {
            break;
        }
    }
    figure(told.join(", "), "slower");
    figure(format!("{called} called slower"), format!("at least {wanted} of {most}"));
    assert!(called >= wanted, "{told:?}");
}

/// Sixty launches of one program, half of them with exchanged positions. If the second place were slower or
/// faster, the ratios of all of them would be on one side. The interval of 99.99 % fails a right tool once in
/// 10 000 times.
fn the_order_of_two_equal_programs_has_no_effect() {
    let node = &SERVICES[0];
    let mut differences = Vec::new();
    for (seed, names) in [(1, IN_ORDER), (2, ["new", "old"])] {
        let compared = compare(node, (names, [node.rows; 2]), (seed, &["--launches", "30"]));
        let launches = compared.rounds.chunks(2);
        differences.extend(launches.map(|rounds| (rounds[0] * rounds[1]).ln() / 2.0));
    }
    assert_eq!(differences.len(), 60);
    let ranks = SignedRank::new(&differences).expect("finite");
    let at = |level| ranks.interval(level).expect("enough launches");
    let (low, high) = at(0.05);
    figure(
        format!("{:.4} ({low:.4} to {high:.4} at 95 %)", ranks.estimate()),
        "ln of second to first; 0 within the interval of 99.99 %",
    );
    let (low, high) = at(0.0001);
    assert!(low <= 0.0 && 0.0 <= high, "{low} to {high}");
}

/// `--against HEAD` on a clean tree: both sides are one commit, built in the same way in directories of their own.
fn a_clean_working_tree_is_not_called_different_from_its_commit() {
    let mut told = Vec::new();
    let result = FULL.apply_and_tell(|number| {
        let (file, source, experiment) = REPOSITORIES[number as usize % REPOSITORIES.len()];
        let directory = TestDirectory::new();
        git(&directory, &["init", "--quiet", "."]);
        for (name, text) in [
            (file, source),
            ("tiebreak.toml", &format!("[contender.mine]\n{experiment}")),
            (".gitignore", "/.cache\n/tiebreak-runs\n/report-of-the-test.json\n"),
        ] {
            fs::write(directory.file(name), text).expect("a file");
        }
        git(&directory, &["add", "--all"]);
        git(&directory, &["commit", "--quiet", "-m", "All of it"]);
        let seed = (number + 1).to_string();
        let (_, report) = directory.report(&["compare", "--against", "HEAD", "--seed", &seed]);
        let tree = &report["plan"]["contenders"][1]["revision"]["work_tree"];
        assert_eq!((&tree["changed_files"], &tree["untracked_files"]), (&0.into(), &0.into()));
        let compared = Compared::of(&report, 0.0);
        told.push(format!("{file} {:.3}", compared.ratio));
        compared.is_called_different()
    });
    passes(&FULL, result, &told);
}
