//! The pages of `experiments/published/cassandra-clients/`: every client sends the same bytes.

use crate::common::TestDirectory;
use crate::common::processes::wait_at_most;
use crate::php::Php;
use crate::web::{Server, fetched, spawned};
use std::process::Command;
use std::time::Duration;
use tiebreak::targets::ports;

const DIRECTORY: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/experiments/published/cassandra-clients");

/// What each page says it did, in the header Server-Timing.
const PAGES: [(&str, &[&str]); 3] = [
    ("row.php", &["connect", "get"]),
    ("super-column.php", &["connect", "get"]),
    (
        "phases.php",
        &["connect", "first-get", "second-get", "new-column-family", "first-super-column"],
    ),
];

/// Clients, their connections, PHP's caches, and the protocol.
const CLIENTS: [[&str; 4]; 6] = [
    ["interpreted", "fresh", "off", "thrift"],
    ["interpreted", "persistent", "on", "thrift"],
    ["accelerated", "persistent", "on", "thrift"],
    ["kassandra", "fresh", "off", "thrift"],
    ["kassandra", "persistent", "on", "thrift"],
    ["kassandra", "persistent", "on", "cql"],
];

/// Each client on servers at these addresses (CQL, Thrift); `home` is where 1.2.8 is.
pub(crate) fn every_client_sends_the_same(php: &Php, cql: &str, thrift: &str, home: &str) {
    let mut bodies: Vec<String> = Vec::new();
    for [client, connections, caches, protocol] in CLIENTS {
        let directory = TestDirectory::new();
        let interface = format!("{home}/interface/cassandra.thrift");
        let made = Command::new("thrift")
            .args(["--gen", "php", "-o"])
            .args([directory.path(), interface.as_ref()])
            .status()
            .expect("thrift is installed (./test installs it)");
        assert!(made.success(), "{interface}");
        let port = ports::free().expect("a port");
        let address = if protocol == "cql" { cql } else { thrift };
        let extension = php.extension().display().to_string();
        let arguments =
            ["-d", &format!("extension={extension}"), &format!("{DIRECTORY}/apache.php")];
        let variables = [
            ("CLIENT", client),
            ("CONNECTIONS", connections),
            ("CACHES", caches),
            ("LIBRARY", &extension),
            ("CASSANDRA", &format!("{protocol}://{address}")),
            ("TEMP", &directory.path().display().to_string()),
            ("FOLDER", DIRECTORY),
            ("PORT", &port.to_string()),
            ("PROCESSES", "2"),
        ];
        let mut apache = Server::new(spawned(&directory, "php", &arguments, &variables));
        wait_at_most(Duration::from_secs(60), "Apache", || {
            assert!(apache.runs(), "{}", directory.text("log"));
            std::net::TcpStream::connect(("127.0.0.1", port)).is_ok()
        });
        for (page, phases) in PAGES {
            let (head, body) = fetched(port, &format!("/{page}"));
            let what = format!("{client} {connections} {protocol} {page}");
            assert!(head.starts_with("HTTP/1.1 200 "), "{what}: {head}{}", directory.text("log"));
            let times = head.lines().find_map(|line| line.strip_prefix("Server-Timing: "));
            let times = times.unwrap_or_else(|| panic!("{what}: no times in {head}"));
            let named: Vec<&str> =
                times.split(", ").filter_map(|time| time.split(";dur=").next()).collect();
            assert_eq!(named, phases, "{what}: {times}");
            bodies.push(body);
        }
    }
    bodies.dedup();
    let [body] = &bodies[..] else { panic!("pages differ: {bodies:?}") };
    assert!(body.matches("<p>").count() == 5, "{body}");
}
