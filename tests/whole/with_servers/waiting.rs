//! Connections to real servers that wait for a reply while the others are served. A lost reply is tested
//! without servers, in `tests/whole/waiting.rs`.

use super::held_load::pass;
use crate::common::few_workers::hands_to_workers;
use crate::common::stores::Store;
use crate::common::{TestDirectory, number};
use crate::servers::postgres::Postgres;
use crate::waiting::{assert_ends_within_twice_its_plan, assert_starved, finding, one_waits};
use std::net::{SocketAddr, TcpStream};
use std::thread;

/// Passes on so many connections to the server at a time, as a server with so many workers does. It is not slower on
/// purpose: a slice with fewer than 100 replies waits for the others for as long as the plan.
fn with_workers(server: SocketAddr, workers: usize) -> SocketAddr {
    hands_to_workers(workers, move |client| {
        let server = TcpStream::connect(server).expect("the server listens");
        let [from, to] = [&server, &client].map(|stream| {
            stream.set_nodelay(true).expect("a socket");
            stream.try_clone().expect("a descriptor")
        });
        let back = thread::spawn(move || pass(from, to, |_| ()));
        pass(client, server, |_| ());
        back.join().expect("it passes bytes on");
    })
}

#[test]
fn a_store_that_serves_4_of_16_connections_is_void() {
    let (directory, server) = (TestDirectory::new(), Store::redis(&[]));
    let keys = ["--keys", "1k", "--workload", "ycsb-c"];
    let loaded = directory.tiebreak(&[&["load", &server.url()][..], &keys].concat());
    assert_eq!(loaded.status.code(), Some(0), "{loaded:?}");
    let url = format!("redis://{}", with_workers(server.address, 4));
    let times = ["--duration", "1s", "--warm-up", "200ms", "-c", "16"];
    assert_starved(&directory.report(&[&["run", &url][..], &keys, &times].concat()));
}

#[test]
fn a_comparison_of_stores_with_its_loads_ends_within_twice_its_plan() {
    let servers = [Store::redis(&[]), Store::redis(&[])];
    let targets = [one_waits(servers[0].address), with_workers(servers[1].address, 4)];
    let targets = targets.map(|target| format!("redis://{target}"));
    let keys = ["-c", "16", "--keys", "10k", "--workload", "ycsb-c"];
    assert_ends_within_twice_its_plan(targets, &keys);
}

#[test]
fn a_query_that_hangs_in_a_database_does_not_stop_the_clock() {
    let server = Postgres::start("waiting", &[]);
    let url = format!("postgres://bench@{}/postgres", server.address);
    server.does(&["CREATE SEQUENCE numbers"]);
    // Two of the 8 connections wait, from the start: only then do they wait for the whole time. The other
    // replies take 20 ms, so after the end of sending they are waited for during 400 ms or more. After replies
    // of a millisecond that would be 50 ms, and a busy machine keeps some backends from their core for longer.
    let hangs = "nextval('numbers') IN (9, 10)";
    let query = format!("SELECT pg_sleep(CASE WHEN {hangs} THEN 600 ELSE 0.02 END)");
    let words = ["run", &url, "--query", &query, "--duration", "4s", "--warm-up", "0s", "-c", "8"];
    let (_, report) = TestDirectory::new().report(&words);
    let contender = &report["contenders"][0];
    assert_eq!(contender["outcomes"]["target_errors"], serde_json::json!({ "waiting": 2 }));
    let found = finding(&report, "starved_connections").expect("a finding");
    let text = found["evidence"].as_str().expect("a text");
    assert!(text.starts_with("2 of 8 connections "), "{text}");
    let throughput = number(&contender["metrics"]["throughput"]["value"]);
    assert!(4.0 * throughput > 0.8 * number(&contender["operations"]), "in 4 s: {throughput}/s");
}
