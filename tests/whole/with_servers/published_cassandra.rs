//! The published experiment `experiments/published/cassandra-clients/`, for real but small: PHP's
//! pages under Apache, the extension `kassandra`, and Cassandras 1.2.8 and 5.0.9.

use crate::cassandra::Cassandra;
use crate::common::software::share_software;
use crate::common::turn::CassandraTurn;
use crate::common::{TestDirectory, errors, number};
use crate::with_servers::published_pooling::nothing_is_left;
use serde_json::Value;
use std::fs;
use std::os::unix::fs::symlink;

const DIRECTORY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/published/cassandra-clients");

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Where `./test` and tests/kassandra/ build the extension.
const BUILT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/target/kassandra");

/// Slices in which a page that takes 100 ms on a busy machine is loaded several times: the first
/// reply of a connection in each slice has no time of its own. Eight contenders are seven
/// comparisons, which need nine rounds at least.
const SMALL: [&str; 12] = [
    "--connections",
    "2",
    "--rounds",
    "10",
    "--round",
    "400ms",
    "--slice",
    "400ms",
    "--pilot",
    "200ms",
    "--warm-up",
    "300ms",
];

const CLIENTS: [&str; 6] = [
    "interpreted-persistent",
    "interpreted-fresh",
    "accelerated-persistent",
    "accelerated-fresh",
    "kassandra-persistent",
    "kassandra-fresh",
];

const CACHES: [&str; 8] = [
    "interpreted-cached",
    "interpreted-uncached",
    "accelerated-cached",
    "accelerated-uncached",
    "kassandra-persistent-cached",
    "kassandra-persistent-uncached",
    "kassandra-fresh-cached",
    "kassandra-fresh-uncached",
];

/// A place whose cache has the software that this user fetched, and the extension that is built
/// already, for experiments in this directory. Returns None if the software was not fetched.
fn directory_with_all(path: Option<&str>) -> Option<TestDirectory> {
    let directory = TestDirectory::new();
    let cache = directory.file(".cache");
    let path = path.map_or(directory.path().canonicalize().expect("a directory"), Into::into);
    let built = tiebreak::system::cache::built(&cache.join("tiebreak"), &path);
    fs::create_dir_all(&built).expect("a directory");
    fs::create_dir_all(BUILT).expect("a directory");
    symlink(BUILT, built.join("kassandra")).expect("a link");
    share_software(&cache).then_some(directory)
}

/// What the report of a file must have.
struct Wanted<'a> {
    contenders: &'a [&'a str],
    /// Parts of Server-Timing.
    parts: &'a [&'a str],
    /// The figures of the article.
    published: &'a [(&'a str, f64)],
}

impl Wanted<'_> {
    /// Compares the contenders of a file as it is.
    fn compared(&self, file: &str) {
        if let Some(directory) = directory_with_all(Some(DIRECTORY)) {
            self.all_is_well(&directory, &format!("{DIRECTORY}/{file}"));
        }
    }

    /// Compares the contenders of a copy, which reads from one Cassandra for all: a start of
    /// Cassandra takes longer than all that is measured.
    fn compared_on(&self, cassandra: &Cassandra, file: &str) {
        let Some(directory) = directory_with_all(None) else { return };
        let text = fs::read_to_string(format!("{DIRECTORY}/{file}")).expect("the experiment");
        let (before, rest) = text.split_once("{ name = \"cassandra\"").expect("a process");
        let (_, after) = rest.split_once("{ name = \"apache\"").expect("the next one");
        let text = format!("{before}{{ name = \"apache\"{after}");
        let port = cassandra.address().port().to_string();
        let text = text.replace("{cassandra.port}", &port);
        let text = text.replace("{folder}/../../..", ROOT).replace("{folder}", DIRECTORY);
        let text = text.replace("\"apache.php\"", &format!("\"{DIRECTORY}/apache.php\""));
        fs::write(directory.file(file), text).expect("a file");
        self.all_is_well(&directory, &format!("./{file}"));
    }

    /// The report has these contenders, replies with the same bytes, these parts of
    /// Server-Timing, what the article's method gave, and the article's figures.
    fn all_is_well(&self, directory: &TestDirectory, file: &str) {
        let arguments = ["compare", file, "--allow-file", "--out", "run", "--quiet"];
        let temporary = directory.file("tmp");
        fs::create_dir(&temporary).expect("a directory");
        let mut command = directory.command(&[&arguments[..], &SMALL].concat());
        let output = command.env("TMPDIR", &temporary).output().expect("the binary runs");
        assert_eq!(output.status.code(), Some(0), "{file}: {}", errors(&output));
        nothing_is_left(&temporary);
        let text = fs::read_to_string(directory.file("run/report.json")).expect("a report");
        assert!(!text.contains("differing_replies"), "{file}: every client sends the same bytes");
        let report: Value = serde_json::from_str(&text).expect("JSON");
        let all = report["contenders"].as_array().expect("contenders");
        let names: Vec<&str> = all.iter().filter_map(|it| it["name"].as_str()).collect();
        assert_eq!(names, self.contenders, "{file}");
        for contender in all {
            let ended = number(&contender["operations"]);
            assert!(ended > 5.0, "{file}: {contender:#}");
            assert_eq!(number(&contender["outcomes"]["ok"]), ended, "{file}: {contender:#}");
            let times =
                contender["metrics"]["server_times"].as_object().expect("times of the server");
            let known = times.keys().all(|part| self.parts.contains(&part.as_str()));
            assert!(known && times.len() == self.parts.len(), "{file}: {times:#?}");
            for time in times.values() {
                assert!(number(&time["max"]) > 0.0, "{file}: {times:#?}");
            }
        }
        has_what_was_published(file, &report["published"], self);
        let page = fs::read_to_string(directory.file("run/report.html")).expect("a page");
        let (before, lead) = page.split_once("class=\"published\">").expect("a paragraph");
        assert!(!before.contains("<table"), "{file}: the page opens with it");
        let question = report["published"]["question"].as_str().expect("a question");
        let first = question.split(['\'', '"']).next().expect("words");
        assert!(lead.contains(first), "{file}: {question}");
        for part in self.parts {
            assert!(page.contains(&format!("server: {part}")), "{file}: {part}");
        }
    }
}

fn has_what_was_published(file: &str, published: &Value, wanted: &Wanted<'_>) {
    let runs = published["single_runs"].as_array().expect("single runs");
    assert_eq!(runs.len(), wanted.contenders.len(), "{file}: {published:#}");
    for run in runs {
        assert!(run["figure"].as_f64().is_some_and(|figure| figure > 0.0), "{file}: {run:#}");
        assert_eq!(run["command"], "ab -q -n 200 -c 10 {url}");
    }
    let figures = published["figures"].as_object();
    let figures: Vec<(&str, f64)> =
        figures.into_iter().flatten().map(|(name, figure)| (&**name, number(figure))).collect();
    let mut wanted = wanted.published.to_vec();
    wanted.sort_by_key(|(name, _)| *name);
    assert_eq!(figures, wanted, "{file}");
}

/// What the page reports of one read.
const READ: [&str; 2] = ["connect", "get"];

#[test]
fn one_row_by_each_client() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let published =
        &[("interpreted-fresh", 37.3), ("kassandra-persistent", 588.0), ("kassandra-fresh", 576.0)];
    Wanted { contenders: &CLIENTS, parts: &READ, published }.compared("experiment.toml");
}

#[test]
fn one_row_over_cql() {
    let Some(_turn) = CassandraTurn::take() else { return };
    Wanted { contenders: &CLIENTS[4..], parts: &READ, published: &[] }.compared("cql.toml");
}

#[test]
fn a_super_column_each_step_apart_and_the_caches_of_php() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let cassandra = Cassandra::start("AllowAllAuthenticator");
    let published = &[("interpreted-fresh", 38.7), ("kassandra-persistent", 664.0)];
    let wanted = Wanted { contenders: &CLIENTS, parts: &READ, published };
    wanted.compared_on(&cassandra, "super-column.toml");
    let parts = &["connect", "first-get", "second-get", "new-column-family", "first-super-column"];
    let wanted = Wanted { contenders: &CLIENTS, parts, published: &[] };
    wanted.compared_on(&cassandra, "phases.toml");
    let published = &[
        ("interpreted-cached", 24.0),
        ("interpreted-uncached", 37.3),
        ("kassandra-persistent-cached", 1062.0),
        ("kassandra-persistent-uncached", 588.0),
        ("kassandra-fresh-cached", 901.0),
        ("kassandra-fresh-uncached", 576.0),
    ];
    let wanted = Wanted { contenders: &CACHES, parts: &READ, published };
    wanted.compared_on(&cassandra, "caches.toml");
}
