//! Every preset of YCSB on every store, and what the command line says of connections and
//! keys, each driven once through the binary.

use crate::common::stores::Store;
use crate::common::{TestDirectory, errors, number};
use crate::servers::PASSWORD;
use crate::servers::mariadb::Mariadb;
use crate::servers::postgres::Postgres;
use serde_json::Value;

/// One of each, for all tests of this file: databases take seconds to start.
struct Stores {
    directory: TestDirectory,
    memcached: Store,
    redis: Store,
    postgres: Postgres,
    mariadb: Mariadb,
}

impl Stores {
    fn start(name: &str) -> Stores {
        Stores {
            directory: TestDirectory::new(),
            memcached: Store::memcached(&[]),
            // Connections that end come from many addresses of loopback, and by itself it takes
            // those of 127.0.0.1 alone.
            redis: Store::redis(&["--protected-mode", "no"]),
            postgres: Postgres::start(name, &["max_connections=100"]),
            mariadb: Mariadb::start(name, &[]),
        }
    }

    /// Addresses, and the presets that such a store cannot do: what keeps keys by their
    /// hash has no scan, and files have no read-modify-write.
    fn urls(&self) -> [(String, &'static [&'static str]); 5] {
        [
            (self.memcached.url(), &["ycsb-e"]),
            (self.redis.url(), &["ycsb-e"]),
            (format!("file://{}", self.directory.file("cache").display()), &["ycsb-e", "ycsb-f"]),
            (format!("postgres://bench@{}/postgres", self.postgres.address), &[]),
            (format!("mysql://bench:{PASSWORD}@{}/bench", self.mariadb.address), &[]),
        ]
    }

    /// A short run on one store: nothing failed, and every reply was right.
    fn run(&self, url: &str, more: &[&str]) -> Value {
        let short = ["--duration", "300ms", "--warm-up", "0s", "--connections", "4"];
        let words = [&["run", url, "--keys", "500", "--verify", "all"], &short[..], more].concat();
        let (code, report) = self.directory.report(&words);
        assert_eq!(code, 0, "{more:?} on {url}: {:#}", report["findings"]);
        let of = &report["contenders"][0];
        assert!(number(&of["operations"]) > 10.0, "{more:?} on {url}: {of}");
        let outcomes = &of["outcomes"];
        let right = number(&outcomes["ok"]) + number(&outcomes["miss"]);
        assert_eq!(right, number(&of["operations"]), "{more:?} on {url}: {outcomes}");
        // Reads of new keys may come before their insert is done: on files, where a thread
        // that waits for a core holds one back while others go on. More than 1 in 100
        // would be void.
        let inserts = more.iter().any(|word| ["ycsb-d", "ycsb-e"].contains(word));
        assert!(inserts || number(&outcomes["miss"]) == 0.0, "{more:?} on {url}: {outcomes}");
        report
    }
}

/// Operations of each preset, by their names in the report.
const PRESETS: [(&str, &[&str]); 6] = [
    ("ycsb-a", &["get", "set"]),
    ("ycsb-b", &["get", "set"]),
    ("ycsb-c", &["get"]),
    ("ycsb-d", &["get", "insert"]),
    ("ycsb-e", &["insert", "scan of up to 100 keys"]),
    ("ycsb-f", &["get", "read-modify-write"]),
];

#[test]
fn every_preset_of_ycsb_is_driven_on_every_store_that_can() {
    let stores = Stores::start("presets");
    for (url, refused) in stores.urls() {
        for (preset, operations) in PRESETS {
            if refused.contains(&preset) {
                let output = stores.directory.tiebreak(&["run", &url, "--workload", preset]);
                assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
                let stderr = errors(&output);
                assert!(stderr.contains(&format!("cannot run {preset}")), "{stderr}");
                continue;
            }
            let report = stores.run(&url, &["--workload", preset]);
            let kinds = report["contenders"][0]["kinds"].as_array().expect("kinds");
            let mut names: Vec<&str> =
                kinds.iter().filter_map(|kind| kind["operation"].as_str()).collect();
            // In their order in the mix, which is not that of the preset's name.
            names.sort_unstable();
            // Where there is one kind, no table of kinds is made.
            let wanted = if operations.len() == 1 { &[][..] } else { operations };
            assert_eq!(names, wanted, "{preset} on {url}");
        }
    }
}

#[test]
fn connections_end_after_so_many_operations_on_every_store() {
    let stores = Stores::start("reuse");
    for (url, _) in stores.urls() {
        if url.starts_with("file:") {
            let output = stores.directory.tiebreak(&["run", &url, "--reuse", "7"]);
            assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
            assert!(errors(&output).contains("files have no connections"), "{}", errors(&output));
            continue;
        }
        let report = stores.run(&url, &["--reuse", "7"]);
        let of = &report["contenders"][0];
        let (opened, done) = (number(&of["connections"]["opened"]), number(&of["operations"]));
        // One checked whether the server is ready, and four loaded the keys. Of the operations'
        // own, all but the last four served seven each, and those between none and seven.
        assert!((done / 7.0 + 5.0..=done / 7.0 + 9.0).contains(&opened), "{url}: {of:#}");
        assert_eq!(report["plan"]["contenders"][0]["reuse"], 7);
    }
}

#[test]
fn keys_are_requested_as_the_command_line_says_on_every_store() {
    let stores = Stores::start("keys");
    /// The words, and between which shares the hottest tenth of the keys is requested.
    const CASES: [(&[&str], f64, f64); 6] = [
        (&["--distribution", "uniform"], 0.09, 0.11),
        (&["--distribution", "uniform", "--hot", "10%"], 0.99, 1.0),
        (&["--distribution", "zipf(0.99)"], 0.5, 0.8),
        (&["--distribution", "hotspot(10%,80%)"], 0.79, 0.81),
        (&["--distribution", "latest"], 0.5, 0.8),
        (&["--distribution", "sequential"], 0.09, 0.11),
    ];
    for (url, _) in stores.urls() {
        for (words, least, most) in CASES {
            // Reads alone are confined to the hot part.
            let report = stores.run(&url, &[words, &["--mix", "get=1"]].concat());
            let skew = &report["plan"]["contenders"][0]["skew"]["top_10_percent"];
            assert!((least..=most).contains(&number(skew)), "{words:?} on {url}: {skew}");
        }
    }
}
