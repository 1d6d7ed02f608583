//! Several workloads at once, through the binary, on real Redis, memcached and
//! PostgreSQL.

use crate::common::stores::Store;
use crate::common::{TestDirectory, assert_sound, errors, number, sent, serve, url};
use crate::with_servers::sweep_factors::{calls, hits};
use serde_json::Value;
use testserver::Behaviour;

const SHORT: [&str; 10] = [
    "--rounds",
    "6",
    "--round",
    "200ms",
    "--warm-up",
    "100ms",
    "--slice",
    "100ms",
    "--pilot",
    "200ms",
];

const STORES: &str = "contenders = ['memcached', 'redis']\n\
     [workload]\nkeys = 1000\nverify = 'all'\n\
     [[groups]]\nname = 'readers'\nconnections = 20\ndepth = 4\nmix = { get = 1 }\n\
     [[groups]]\nname = 'writers'\nconnections = 2\ndepth = 32\nrate = '2k/s'\nmix = { set = 1 }\n";

/// The report of a run that nothing but the machine disturbed.
fn compare(directory: &TestDirectory, text: &str, more: &[&str]) -> Value {
    std::fs::write(directory.file("e.toml"), text).expect("a file");
    let mut words = vec!["compare", "e.toml", "--out", "run"];
    words.extend(SHORT);
    words.extend(more);
    let ended = directory.report(&words);
    assert_sound(&ended);
    ended.1
}

fn count(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is no count"))
}

#[test]
fn readers_beside_writers_at_a_rate_are_verified_and_distinguished() {
    let directory = TestDirectory::new();
    let report = compare(&directory, STORES, &["--allow-launch"]);
    for contender in report["contenders"].as_array().expect("two") {
        let outcomes = &contender["outcomes"];
        assert_eq!(outcomes["ok"], contender["operations"], "nothing wrong or stale: {outcomes}");
        let [readers, writers] = contender["groups"].as_array().expect("a list").as_slice() else {
            panic!("two groups")
        };
        assert_eq!((&readers["name"], &writers["name"]), (&"readers".into(), &"writers".into()));
        let together = count(&readers["operations"]) + count(&writers["operations"]);
        assert_eq!(together, count(&contender["operations"]));
        assert_eq!(contender["sent"]["load"], 1000);
        assert!(number(&contender["target_cost"]["peak_memory_bytes"]) > 0.0);
        // 6 rounds of 200 ms. On a busy machine some of the writes are not sent in time.
        assert_eq!(count(&writers["operations"]) + count(&writers["unsent"]), 2400);
        assert!(count(&writers["operations"]) > 0, "{writers}");
        assert_eq!(number(&readers["connections"]["established"]), 20.0);
    }
    // On a busy machine the p99 of so few operations is not compared.
    let compared = |group: &str, metric: &str| {
        let all = report["comparisons"].as_array().expect("a list").iter();
        all.filter(|of| of["group"] == group && of["metric"] == metric).count()
    };
    let p50 = "response_time.p50";
    for (group, metric) in [("readers", "throughput"), ("readers", p50), ("writers", p50)] {
        assert_eq!(compared(group, metric), 1, "{group}, {metric}: {report:#}");
    }
    assert_eq!(compared("writers", "throughput"), 0, "its rate is given");
    // The report from the journal is the same, byte for byte.
    let written = std::fs::read(directory.file("run/report.json")).expect("a report");
    let again = directory.tiebreak(&["report", "run", "--json"]);
    assert!(again.stdout == written, "{}", errors(&again));
    let page = std::fs::read_to_string(directory.file("run/report.html")).expect("a page");
    assert!(page.contains("By group") && page.contains("Throughput of readers"));
}

#[test]
fn the_server_counts_what_all_groups_sent() {
    let server = serve(Behaviour::default());
    let directory = TestDirectory::new();
    let text = format!(
        "groups = [{{ name = 'many', connections = 6 }}, \
         {{ name = 'few', connections = 2, rate = '400/s' }}]\n\
         [contender.a]\nurl = '{url}'\n[contender.b]\nurl = '{url}'\n",
        url = url(&server)
    );
    let report = compare(&directory, &text, &[]);
    let contenders = report["contenders"].as_array().expect("two");
    let all: u64 = contenders.iter().map(sent).sum();
    assert_eq!(all, server.stop().requests);
    let few = &contenders[1]["groups"][1];
    assert_eq!(count(&few["operations"]) + count(&few["unsent"]), 480);
    assert!(count(&few["operations"]) > 0, "{few}");
}

#[test]
fn readers_of_a_database_beside_a_writer_are_distinguished_with_pools_too() {
    let directory = TestDirectory::new();
    let text = "[workload]\nkeys = 1000\nverify = 'all'\n\
         [[groups]]\nname = 'readers'\nconnections = 4\nmix = { get = 1 }\n\
         [[groups]]\nname = 'writer'\nconnections = 1\nrate = '200/s'\nmix = { set = 1 }\n\
         [contender.kept]\nrecipe = 'postgres-tmpfs'\n\
         [contender.pooled]\nrecipe = 'postgres-tmpfs'\npool = { max = 2 }\n";
    let report = compare(&directory, text, &["--allow-launch"]);
    for (contender, opened) in [("kept", [4.0, 1.0]), ("pooled", [2.0, 1.0])] {
        let all = report["contenders"].as_array().expect("two");
        let of = all.iter().find(|of| of["name"] == contender).expect("it is there");
        assert_eq!(of["outcomes"]["ok"], of["operations"], "{contender}: {}", of["outcomes"]);
        let [readers, writer] = of["groups"].as_array().expect("a list").as_slice() else {
            panic!("two groups")
        };
        // 6 rounds of 200 ms. On a busy machine some of them are not sent in time.
        assert_eq!(count(&writer["operations"]) + count(&writer["unsent"]), 240);
        assert!(count(&writer["operations"]) > 0, "{writer}");
        let together = count(&readers["operations"]) + count(&writer["operations"]);
        assert_eq!(together, count(&of["operations"]));
        let got = [readers, writer].map(|group| number(&group["connections"]["established"]));
        assert_eq!(got, opened, "{contender}");
    }
    let page = std::fs::read_to_string(directory.file("run/report.html")).expect("a page");
    assert!(page.contains("a pool of 2 for each group"));
}

#[test]
fn one_group_of_one_contender_can_get_more() {
    let directory = TestDirectory::new();
    let groups = "groups = [{ name = 'light', connections = 2, rate = '500/s', mix = 'get=1' }, \
                  { name = 'heavy', connections = 2, rate = '200/s', mix = 'get=1' }]\n";
    let (a, b) = (Store::redis(&[]), Store::redis(&[]));
    let text = format!(
        "{groups}[workload]\nkeys = 1000\n[contender.a]\nurl = '{}'\n[contender.b]\nurl = '{}'\n",
        a.url(),
        b.url()
    );
    let report = compare(&directory, &text, &["--set", "b.heavy.mix=multi-get:1000=1"]);
    let sent_by = |at: usize, group: usize| sent(&report["contenders"][at]["groups"][group]);
    // Besides, the notes of what is loaded are read a few times.
    let beside = |server: &Store, gets: u64| calls(server.address, "get") - gets;
    assert!(beside(&a, sent_by(0, 0) + sent_by(0, 1)) <= 40 && beside(&b, sent_by(1, 0)) <= 40);
    // 6 rounds of 200 ms, and what came before them.
    let many = sent_by(1, 1);
    assert!(many >= 240, "{many}");
    assert_eq!(calls(b.address, "mget"), many);
    // Each of them brought 1000 values.
    let by_gets = hits(b.address) - 1000 * many;
    assert!((sent_by(1, 0)..=sent_by(1, 0) + 40).contains(&by_gets), "{by_gets}");
    let all = report["comparisons"].as_array().expect("a list").iter();
    // What the judge makes of such a difference is tested where time stands still.
    let groups: Vec<&Value> =
        all.filter(|of| !of["group"].is_null()).map(|of| &of["group"]).collect();
    assert_eq!(groups, ["light", "heavy"]);
}
