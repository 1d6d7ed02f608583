//! Real Cassandras: one node and three, of both versions. `tiebreak setup cassandra`
//! fetches them.

use crate::common::not_tested::not_installed;
use crate::launches::{LaunchTest, homes, started};
use crate::process::{Process, tree};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;
use tiebreak::targets::cpu::Meter;
use tiebreak::targets::launch::{Failed, Launcher, Running};

/// A version as a client sees it.
struct Version {
    /// How its recipe is called.
    recipe: &'static str,
    /// A question of its protocol.
    question: &'static [u8],
    /// What is in the answer.
    answer: &'static [u8],
    /// What the commit log does between two writes to disk, by choice.
    batch: &'static str,
}

/// CQL: OPTIONS is answered by SUPPORTED.
const CQL: Version = Version {
    recipe: "cassandra",
    question: &[4, 0, 0, 0, 5, 0, 0, 0, 0],
    answer: b"CQL_VERSION",
    batch: "commitlog_sync: batch\n",
};

/// Thrift: describe_version is answered by the version of the interface.
const THRIFT: Version = Version {
    recipe: "cassandra-1.2",
    question: b"\0\0\0\x1d\x80\x01\0\x01\0\0\0\x10describe_version\0\0\0\0\0",
    answer: b"19.",
    batch: "commitlog_sync: batch\ncommitlog_sync_batch_window_in_ms: 2\n",
};

pub(crate) fn one_node() {
    launched_twice(&CQL);
}

pub(crate) fn one_node_of_1_2() {
    launched_twice(&THRIFT);
}

pub(crate) fn cluster() {
    three_nodes("cassandra-cluster", &CQL);
}

pub(crate) fn cluster_of_1_2() {
    three_nodes("cassandra-1.2-cluster", &THRIFT);
}

/// A launcher of this contender, prepared. Returns None where Cassandra is not on this machine.
pub(crate) fn prepared(launch_test: &LaunchTest) -> Option<Launcher<'_>> {
    let mut launcher = match launch_test.launcher() {
        Ok(launcher) => launcher,
        Err(Failed::Error(error)) => {
            let message = &error.text;
            let remedy = ["run `tiebreak setup cassandra`", "apt-get install default-jre-headless"];
            assert!(remedy.iter().any(|remedy| message.contains(remedy)), "{message}");
            not_installed(message);
            return None;
        }
        Err(Failed::Stopped) => panic!("nobody asked for the end"),
    };
    let facts = launcher.prepare().unwrap_or_else(|failed| panic!("{failed:?}"));
    assert!(facts.iter().all(|fact| fact.line.is_some()), "{facts:?}");
    Some(launcher)
}

/// One node that waits for the disk, and the same again with an empty data directory.
fn launched_twice(version: &Version) {
    let recipe = version.recipe;
    let text = format!(
        "[contender.one-{recipe}]\nrecipe = '{recipe}'\nchoices = {{ commitlog_sync = 'batch' }}\n"
    );
    let launch_test = LaunchTest::new(&text.replace(".2]", "-2]"));
    let Some(mut launcher) = prepared(&launch_test) else { return };
    let name = launch_test.launch().name.clone();
    let mut directories = Vec::new();
    for _ in 0..2 {
        let running = started(&mut launcher);
        answers(&running, version, 1);
        let [home] = &homes(&name)[..] else { panic!("one directory: {:?}", homes(&name)) };
        let config = std::fs::read_to_string(home.join(&name).join("cassandra.yaml"));
        assert!(config.expect("a file").contains(version.batch), "as it was chosen");
        assert!(home.join(&name).join("commitlog").is_dir(), "its data are there");
        directories.push(home.clone());
        ends_in_order(running);
    }
    assert_ne!(directories[0], directories[1], "another directory for the second launch");
    drop(launcher);
    assert!(homes(&name).is_empty());
}

/// Three nodes are one target.
fn three_nodes(recipe: &str, version: &Version) {
    let launch_test = LaunchTest::new(&format!("[contender.three]\nrecipe = '{recipe}'\n"));
    let Some(mut launcher) = prepared(&launch_test) else { return };
    let running = started(&mut launcher);
    answers(&running, version, 3);
    let names: Vec<&str> = running.started().map(|(name, _)| name).collect();
    assert_eq!(names, ["node1", "node2", "node3"]);
    for name in names {
        let log = launch_test.log(&format!("three-{name}.log"));
        assert_eq!(log.matches(" is now UP").count(), 2, "{name} sees the others: {log}");
    }
    sums_of_all(&running);
    ends_in_order(running);
    drop(launcher);
    assert!(homes("three").is_empty());
}

/// Every node that the address names answers its protocol.
fn answers(running: &Running, version: &Version, nodes: usize) {
    let (_, rest) = running.url().split_once("://").expect("an address");
    let (hosts, _) = rest.split_once('/').expect("a keyspace");
    let hosts: Vec<&str> = hosts.split(',').collect();
    assert_eq!(hosts.len(), nodes, "{hosts:?}");
    for (number, host) in hosts.iter().enumerate() {
        assert!(host.starts_with(&format!("127.0.0.{}:", number + 1)), "{hosts:?}");
        let mut stream = TcpStream::connect(host).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a socket");
        stream.write_all(version.question).expect("it reads");
        let (mut reply, mut piece) = (Vec::new(), [0; 1024]);
        while !reply.windows(version.answer.len()).any(|part| part == version.answer) {
            let count = stream.read(&mut piece).expect("it answers");
            assert!(count > 0, "{host}: {}", String::from_utf8_lossy(&reply));
            reply.extend_from_slice(&piece[..count]);
        }
    }
}

/// The reported cost of the target is the cost of all its nodes.
fn sums_of_all(running: &Running) {
    let nodes: Vec<i32> = running.started().map(|(_, pid)| pid).collect();
    let of_nodes: u64 = nodes.iter().map(|pid| cpu_ns(*pid)).sum();
    let meter = Meter::of_launched(running.keeper() as u32, running.cgroup());
    let mut meter = meter.unwrap_or_else(|why| panic!("{}", why.0));
    assert!(meter.read() >= of_nodes, "CPU time of all nodes");
    let memory: Vec<u64> = nodes.iter().map(|pid| memory_bytes(*pid)).collect();
    let peak = meter.peak_memory().expect("it is visible").bytes;
    // A cgroup does not count what processes share more than once.
    let (sum, largest) = (memory.iter().sum::<u64>(), memory.iter().max().expect("nodes"));
    assert!(peak > *largest && peak > sum * 6 / 10, "{peak} of {memory:?}");
}

/// CPU time of a process in nanoseconds, to a hundredth of a second, rounded down.
fn cpu_ns(pid: i32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let (_, rest) = stat.rsplit_once(')').expect("a name");
    let ticks = rest.split_whitespace().skip(11).take(2).map(|ticks| ticks.parse::<u64>());
    ticks.map(|ticks| ticks.expect("a number") * 10_000_000).sum()
}

/// The most memory that a process had, in bytes.
fn memory_bytes(pid: i32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a line");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

/// Every node ends by the signal that asks for it, and nothing is left.
fn ends_in_order(running: Running) {
    let all = tree(running.keeper());
    let farewell = running.stop().expect("it stops");
    assert_eq!(farewell.killed, 0, "{:?}", farewell.endings);
    let left: Vec<String> =
        all.iter().filter(|it| Process::runs(it)).map(Process::command).collect();
    assert!(left.is_empty(), "{left:?}");
}
