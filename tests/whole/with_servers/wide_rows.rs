//! The workload wide-rows on real Cassandras: 5.0 by CQL beside 1.2 over Thrift.

use crate::common::software::share_software;
use crate::common::turn::CassandraTurn;
use crate::common::{TestDirectory, errors, number};

/// A short run of few users on both.
const SHORT: [&str; 12] = [
    "--workload",
    "wide-rows",
    "--keys",
    "10",
    "--verify",
    "all",
    "--rounds",
    "6",
    "--round",
    "200ms",
    "--connections",
    "4",
];

#[test]
fn both_lanes_read_the_newest_columns_in_their_order() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let directory = TestDirectory::new();
    if !share_software(&directory.file(".cache")) {
        return;
    }
    let both = ["compare", "cql=cassandra", "thrift=cassandra-1.2"];
    let mix = ["--mix", "newest=4,one=2,insert=1", "--warm-up", "200ms", "--pilot", "400ms"];
    let (code, report) = directory.report(&[&both[..], &SHORT, &mix].concat());
    assert_eq!(code, 0, "{}", report["findings"]);
    for of in report["contenders"].as_array().expect("contenders") {
        assert!(number(&of["operations"]) > 20.0, "{of}");
        assert_eq!(of["outcomes"]["ok"], of["operations"], "{}", of["outcomes"]);
        assert_eq!(number(&of["store"]["load"]["written"]), 2000.0, "{}", of["store"]);
        let kinds = of["kinds"].as_array().expect("kinds").iter();
        let names: Vec<&str> = kinds.filter_map(|kind| kind["operation"].as_str()).collect();
        assert_eq!(names, ["newest 20 columns", "one column", "insert of a column"]);
    }
}

#[test]
fn stores_of_keys_and_values_have_no_wide_rows() {
    for url in ["redis://127.0.0.1:1", "mysql://me@127.0.0.1:1/app", "file:///tmp/none"] {
        let output = TestDirectory::new().tiebreak(&["run", url, "--workload", "wide-rows"]);
        let stderr = errors(&output);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        let why = "cannot run wide-rows: each of its keys has one value; use cassandra://, \
                   cassandra+thrift://";
        assert!(stderr.contains(why), "{stderr}");
    }
}
