//! `experiments/published/caches/`, for real but small.

use super::experiments::ranks_fit;
use crate::common::processes::{command, pids};
use crate::common::{TestDirectory, errors, number};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};

const SHORT: [&str; 6] = ["--round", "200ms", "--warm-up", "100ms", "--pilot", "200ms"];
const SLICES: [&str; 4] = ["--slice", "50ms", "--rounds", "9"];

fn sources() -> String {
    format!("{}/experiments/published/caches", env!("CARGO_MANIFEST_DIR"))
}

/// Copies an experiment here, with less to do and with the files of this place.
fn copy(directory: &TestDirectory, name: &str) {
    let text = std::fs::read_to_string(format!("{}/{name}", sources())).expect("the experiment");
    let cache = directory.file("cache").display().to_string();
    let text = text.replace("/dev/shm/tiebreak-caches", &cache);
    let text = text.replace("run.php", &format!("{}/run.php", sources()));
    let text = text.replace("\"20000\"", "\"500\"").replace("\"2000\"", "\"500\"");
    std::fs::write(directory.file(name), text).expect("a file");
}

/// The report, in which every contender completed all its operations.
fn sound(directory: &TestDirectory, output: &Output, contenders: &[&str]) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", errors(output));
    let report = directory.json("run/report.json");
    let all = report["contenders"].as_array().expect("contenders");
    let names: Vec<&str> = all.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, contenders);
    for contender in all {
        let outcomes = &contender["outcomes"];
        assert!(number(&outcomes["ok"]) > 100.0, "{contender:#}");
        assert_eq!(outcomes["ok"], contender["operations"], "{contender:#}");
    }
    let question = report["published"]["question"].as_str().expect("a question");
    let page = std::fs::read_to_string(directory.file("run/report.html")).expect("a page");
    let (before, lead) = page.split_once("class=\"published\">").expect("a paragraph");
    let lead = lead.split_once("</section>").expect("its end").0;
    assert!(lead.contains(question) && !before.contains("<table"), "it opens with: {question}");
    report
}

/// Compares the contenders of a file by tiebreak's connections. The article's script is run
/// against each.
fn by_own_connections(name: &str, contenders: &[&str]) -> Value {
    let directory = TestDirectory::new();
    copy(&directory, name);
    let words = ["compare", name, "--out", "run", "--quiet"];
    let output = directory.tiebreak(&[&words[..], &SHORT, &SLICES].concat());
    let report = sound(&directory, &output, contenders);
    by_the_articles_method(&report, contenders.len());
    assert!(!directory.file("cache-once").exists(), "the article's script removes its files");
    report
}

/// The article's method was run once for each contender, and gave a figure.
fn by_the_articles_method(report: &Value, contenders: usize) {
    let runs = report["published"]["single_runs"].as_array().expect("single runs");
    assert_eq!(runs.len(), contenders, "{runs:#?}");
    for run in runs {
        let figure = run["figure"].as_f64();
        assert!(figure.is_some_and(|figure| figure > 100.0), "{run:#}");
    }
}

/// Keys and values are those of the article, and every byte was verified.
fn has_the_articles_keys(report: &Value) {
    for contender in report["plan"]["contenders"].as_array().expect("contenders") {
        let description = contender["workload"].as_str().expect("words");
        for words in ["keys md5(i)", "values crc32(i)", "every byte verified"] {
            assert!(description.contains(words), "{description}");
        }
    }
}

const CACHES: [&str; 5] = ["memcached", "mariadb-memory", "postgres-tmpfs", "files", "redis"];

#[test]
fn gets_of_five_caches_and_the_articles_script() {
    let report = by_own_connections("experiment.toml", &CACHES);
    has_the_articles_keys(&report);
    ranks_fit(&report, &CACHES);
}

#[test]
fn sets_of_five_caches_and_the_articles_script() {
    let report = by_own_connections("sets.toml", &CACHES);
    has_the_articles_keys(&report);
    ranks_fit(&report, &CACHES);
}

#[test]
fn increments_of_stores_and_of_databases() {
    by_own_connections("incr.toml", &["memcached", "redis"]);
    by_own_connections("incr-sql.toml", &["mariadb-memory", "postgres-tmpfs"]);
}

/// A command in this place that runs tiebreak with these arguments.
fn around(directory: &TestDirectory, program: &str, own: &[&str], arguments: &[&str]) -> Command {
    let mut around = Command::new(program);
    around.args(own).arg(env!("CARGO_BIN_EXE_tiebreak")).args(arguments);
    around.args(["--out", "run", "--quiet"]).args(SHORT).current_dir(directory.path());
    around.env("XDG_CACHE_HOME", directory.file(".cache")).stdin(Stdio::null());
    around.stdout(Stdio::piped()).stderr(Stdio::piped());
    around
}

fn programs(name: &str, contenders: &[&str]) {
    let directory = TestDirectory::new();
    copy(&directory, name);
    let words = [&["compare", name, "--out", "run", "--quiet"][..], &SHORT].concat();
    let mut started = directory.command(&words);
    started.stdout(Stdio::piped()).stderr(Stdio::piped());
    let started = started.spawn().expect("the binary runs");
    // Its temporary directories are called after it.
    let of_servers = format!("/tiebreak-{}-", started.id());
    let output = started.wait_with_output().expect("it ends");
    let report = sound(&directory, &output, contenders);
    by_the_articles_method(&report, contenders.len());
    ranks_fit(&report, contenders);
    let left = pids().into_iter().map(command).filter(|it| it.contains(&of_servers));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new());
    let directories = std::fs::read_dir("/dev/shm").expect("a directory").flatten();
    let left = directories.map(|entry| entry.path().display().to_string());
    let left = left.filter(|path| path.contains(&of_servers));
    assert_eq!(left.collect::<Vec<_>>(), Vec::<String>::new());
}

const CLIENTS: [&str; 8] = [
    "memcached",
    "memcache",
    "redis",
    "mysqli",
    "mysqli-prepared",
    "pdo-mysql",
    "pdo-postgres",
    "files",
];

#[test]
fn the_articles_script_with_each_client_and_nothing_left_behind() {
    programs("programs.toml", &CLIENTS);
}

#[test]
fn increments_by_the_articles_script_with_each_client() {
    programs("programs-incr.toml", &CLIENTS[..7]);
}

#[test]
fn files_that_do_not_fit_are_reported_and_void_the_run() {
    let directory = TestDirectory::new();
    let [file, script] = ["tmpfs.toml", "tmpfs.sh"].map(|name| format!("{}/{name}", sources()));
    let arguments = [&["compare", &file, "--allow-file"][..], &SLICES].concat();
    let output = around(&directory, "sh", &[&script, "64m"], &arguments).output().expect("a shell");
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let report = directory.json("run/report.json");
    let [redis, files] = [0, 1].map(|at| &report["contenders"][at]);
    assert_eq!(redis["outcomes"]["ok"], redis["operations"], "{redis:#}");
    assert!(number(&files["outcomes"]["target_errors"]["full"]) > 0.0, "{files:#}");
    let findings = report["findings"].as_array().expect("findings").iter();
    let void = findings.filter(|finding| finding["weight"] == "void");
    let void: Vec<&Value> = void.collect();
    assert!(void.iter().all(|of| of["contender"] == "files"), "{void:#?}");
    let is_full =
        |of: &&Value| of["evidence"].as_str().is_some_and(|is_full| is_full.contains(" full"));
    assert!(void.iter().any(is_full), "{void:#?}");
    assert!(!Path::new("/dev/shm/tiebreak-caches-small").exists());
}
