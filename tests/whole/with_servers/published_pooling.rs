//! The published experiment `experiments/published/connection-pooling/`, for real but small:
//! PHP's pages under Apache and php-fpm, MariaDB, PostgreSQL and PgBouncer.

use crate::common::processes::{Process, marked};
use crate::common::{TestDirectory, errors, number, rules};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const DIRECTORY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/published/connection-pooling");

const SMALL: [&str; 10] = [
    "--connections",
    "8",
    "--round",
    "200ms",
    "--slice",
    "100ms",
    "--pilot",
    "200ms",
    "--warm-up",
    "300ms",
];

/// A small run of one of its files, and what it wrote.
struct Ran {
    report: Value,
    page: String,
}

/// Runs a copy: the servers, which are of other users, may not read the directory of the sources.
fn ran(file: &str, exit: i32) -> Ran {
    let directory = TestDirectory::new();
    copy(Path::new(DIRECTORY), &directory.file("experiment"));
    fs::create_dir(directory.file("tmp")).expect("a directory");
    let file = format!("experiment/{file}");
    let arguments = ["compare", &file, "--out", "run", "--quiet"];
    let mut command = directory.command(&[&arguments[..], &SMALL].concat());
    let output = command.env("TMPDIR", directory.file("tmp")).output().expect("the binary runs");
    assert_eq!(output.status.code(), Some(exit), "{file}: {}", errors(&output));
    nothing_is_left(&directory.file("tmp"));
    let page = fs::read_to_string(directory.file("run/report.html")).expect("a page");
    Ran { report: directory.json("run/report.json"), page }
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a directory");
    for entry in fs::read_dir(from).expect("a directory") {
        let entry = entry.expect("an entry");
        let to = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).expect("a copy");
        }
    }
}

/// Neither a process that was launched with this directory for its temporary files nor a file.
pub(crate) fn nothing_is_left(temporary: &Path) {
    let mark = format!("TMPDIR={}", temporary.display());
    let processes = marked(&mark, &BTreeSet::new(), &mut BTreeSet::new());
    let processes: Vec<String> = processes.iter().map(Process::command).collect();
    assert_eq!(processes, Vec::<String>::new());
    assert_eq!(fs::read_dir(temporary).expect("a directory").count(), 0);
}

impl Ran {
    /// These contenders, in this order, and every operation of each was a success.
    fn all_is_well(&self, names: &[&str]) {
        let contenders = self.report["contenders"].as_array().expect("contenders");
        let found: Vec<&str> = contenders.iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(found, names);
        for contender in contenders {
            let ended = number(&contender["operations"]);
            assert!(ended > 50.0, "{contender:#}");
            assert_eq!(number(&contender["outcomes"]["ok"]), ended, "{contender:#}");
        }
        assert_eq!(rules(&self.report, "void"), [""; 0], "{:#}", self.report["findings"]);
    }

    /// The page opens with the question.
    fn asks(&self, question: &str) {
        let at = self.page.find(question).expect("the question");
        assert!(at < self.page.find("<table").expect("a table"), "the page opens with it");
    }

    /// The verdict on `b` beside `a`, with all that it rests on.
    fn verdict(&self, a: &str, b: &str) -> (&str, &Value) {
        let comparisons = self.report["comparisons"].as_array().expect("comparisons").iter();
        let mut of_pair = comparisons.filter(|of| of["a"] == a && of["b"] == b);
        let comparison = of_pair.find(|of| of["primary"] == true).expect("a comparison");
        (comparison["verdict"].as_str().expect("a verdict"), comparison)
    }

    /// By so much that no noise of this machine hides it.
    fn is_faster(&self, a: &str, b: &str) {
        let (verdict, comparison) = self.verdict(a, b);
        assert_eq!(verdict, "faster", "{comparison:#}");
    }

    /// The article's method was run once against each contender.
    fn has_single_runs(&self) {
        let published = &self.report["published"];
        let runs = published["single_runs"].as_array().expect("single runs");
        assert_eq!(runs.len(), self.report["contenders"].as_array().expect("contenders").len());
        for run in runs {
            assert!(run["figure"].as_f64().is_some_and(|figure| figure > 0.0), "{run:#}");
            assert_eq!(run["command"], "ab -q -n 1000 -c 100 {url}");
        }
    }
}

#[test]
fn pages_that_ask_mysql_under_apache_and_fpm() {
    let ran = ran("", 0);
    ran.all_is_well(&["apache-fresh", "apache-persistent", "fpm-fresh", "fpm-persistent"]);
    ran.asks("What does a page of PHP gain by a connection to MySQL that it keeps?");
    ran.has_single_runs();
    for (fresh, persistent) in
        [("apache-fresh", "apache-persistent"), ("fpm-fresh", "fpm-persistent")]
    {
        let (verdict, comparison) = ran.verdict(fresh, persistent);
        // The gain is small enough that other tests at the same time can hide it, but not turn it round.
        assert!(["faster", "undecided"].contains(&verdict), "{comparison:#}");
        assert!(number(&comparison["ratio"]) > 1.0, "{comparison:#}");
    }
}

#[test]
fn pages_that_ask_postgresql_and_pgbouncer() {
    for file in ["postgresql-apache.toml", "postgresql-fpm.toml"] {
        let ran = ran(file, 0);
        ran.all_is_well(&["fresh", "persistent", "pgbouncer-fresh", "pgbouncer-persistent"]);
        let to = "a connection to PostgreSQL that it keeps or by PgBouncer?";
        ran.asks(&format!("What does a page of PHP gain by {to}"));
        ran.has_single_runs();
        ran.is_faster("fresh", "persistent");
    }
}

#[test]
fn the_same_question_without_php() {
    let mysql = ran("own-lanes-mysql.toml", 0);
    mysql.all_is_well(&["fresh", "persistent", "pooled"]);
    let postgresql = ran("own-lanes-postgresql.toml", 0);
    postgresql.all_is_well(&["fresh", "persistent", "pgbouncer-fresh", "pgbouncer-persistent"]);
    for ran in [mysql, postgresql] {
        ran.asks("gain, without PHP, by a connection that it keeps or by");
        ran.is_faster("fresh", "persistent");
    }
}

/// Its replies are empty, and a run with empty replies has no verdict.
#[test]
fn the_audit_names_what_the_published_page_did() {
    let ran = ran("as-published.toml", 3);
    assert_eq!(
        rules(&ran.report, "void"),
        ["empty_reply", "empty_reply"],
        "{:#}",
        ran.report["findings"]
    );
    ran.asks("What did the page measure whose query was parsed and never executed?");
    assert!(ran.page.contains("had its query parsed, never executed it, and sent 0 bytes"));
    let (verdict, comparison) = ran.verdict("fresh", "persistent");
    assert_eq!(verdict, "void", "{comparison:#}");
}
