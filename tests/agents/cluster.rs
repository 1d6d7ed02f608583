//! The published experiment `experiments/published/cassandra-cluster/`, for real but small: Slurm starts
//! a coordinator, which launches two clusters of three nodes, and four agents, which drive them.

use crate::common::software::share_software;
use crate::common::turn::CassandraTurn;
use crate::common::{TestDirectory, assert_void_only_by, number};
use crate::group::errors;
use crate::slurm::in_slurm;
use serde_json::Value;
use std::time::Duration;

const EXPERIMENT: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/published/cassandra-cluster");

/// On an idle machine with two cores it takes two and a half minutes, half of them for the start of six
/// nodes.
const LONGEST: Duration = Duration::from_secs(900);

/// Few users and connections: each of the four agents has two readers and one writer.
const RUN: &str = "\
tiebreak=$1 experiment=$2
mkdir tmp
export TMPDIR=$PWD/tmp
srun --immediate=60 -N4 -n5 \"$tiebreak\" compare \"$experiment\" --agents slurm --allow-launch \\
    --out run --quiet --keys 20 --rounds 6 --round 400ms --warm-up 200ms --pilot 400ms --cores 1 \\
    --set cql.readers.connections=8 --set cql.writers.connections=4 \\
    --set thrift.readers.connections=8 --set thrift.writers.connections=4
code=$?
# All ends with this namespace, so what is left is listed before. The search is not meant.
env -u TMPDIR grep -lzx \"TMPDIR=$TMPDIR\" /proc/[0-9]*/environ >left 2>/dev/null
exit \"$code\"
";

#[test]
fn four_agents_drive_two_clusters_of_cassandra_with_readers_beside_writers() {
    let Some(_turn) = CassandraTurn::take() else { return };
    let directory = TestDirectory::new();
    if !share_software(&directory.file(".cache")) {
        return;
    }
    let Some(output) = in_slurm(&directory, RUN, &[EXPERIMENT], LONGEST) else { return };
    // Shown if the test fails.
    println!("{}", errors(&output));
    let code = output.status.code().expect("no signal");
    let report = directory.json("run/report.json");
    // At one replica of three an answer may be older than what was written, or be none. Where six nodes
    // share two cores, some do not answer in time, and agents start late.
    let excuses = ["misses", "non_success", "agents_out_of_step"];
    assert_void_only_by(&(code, report.clone()), &excuses);
    for contender in report["contenders"].as_array().expect("contenders") {
        is_as_it_should_be(contender);
    }
    assert!(number(&report["gate"]["pause"]) > 0.0, "{}", report["gate"]);
    let page = std::fs::read_to_string(directory.file("run/report.html")).expect("a page");
    assert!(page.contains("Which serves readers beside writers faster on three nodes"));
    assert!(page.contains("By agent"));
    assert_eq!(std::fs::read_to_string(directory.file("left")).expect("a list"), "", "processes");
}

fn is_as_it_should_be(contender: &Value) {
    let name = contender["name"].as_str().expect("a name");
    let ended = number(&contender["operations"]);
    let outcomes = &contender["outcomes"];
    assert!(ended > 20.0, "{name}: {outcomes}");
    assert_eq!(outcomes["wrong"], 0, "{name}: {outcomes}");
    // At one replica of three an answer may be older than what was written.
    assert!(number(&outcomes["ok"]) > 0.9 * ended, "{name}: {outcomes}");
    let groups = contender["groups"].as_array().expect("groups").iter();
    let names: Vec<&str> = groups.filter_map(|group| group["name"].as_str()).collect();
    assert_eq!(names, ["readers", "writers"], "{name}");
    let agents = contender["agents"].as_array().expect("figures of each agent");
    assert_eq!(agents.len(), 4, "{name}");
    let sum: f64 = agents.iter().map(|agent| number(&agent["operations"])).sum();
    assert_eq!(sum, ended, "{name}");
}
