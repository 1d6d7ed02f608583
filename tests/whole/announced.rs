//! Nodes that a Cassandra announces are dialled only where the address policy allows it. The null
//! server answers, and a relay before it adds nodes to its list: no real server announces a public
//! address on demand.

use crate::common::not_tested::{Lack, lacks};
use crate::common::{TestDirectory, errors};
use serde_json::Value;
use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use testserver::null::NullServer;

/// Addresses that only `--allow-public` allows: one for documentation, and that where cloud machines
/// find their credentials.
const PUBLIC: [Ipv4Addr; 2] = [Ipv4Addr::new(203, 0, 113, 7), Ipv4Addr::new(169, 254, 169, 254)];

/// Operations of frames.
const SUPPORTED: u8 = 0x06;
const QUERY: u8 = 0x07;
const PREPARE: u8 = 0x09;
pub(crate) const EXECUTE: u8 = 0x0a;
const EVENT: u8 = 0x0c;
/// Bytes before the body of a frame.
pub(crate) const HEAD: usize = 9;

/// What a node announces.
#[derive(Clone, Copy, PartialEq)]
enum Announces {
    Nodes,
    /// Nodes in a second list, after an event.
    NodesLater,
    /// A port of its own for each of its shards, as ScyllaDB does.
    ShardPort(u16),
}

/// What the relay knows of one connection.
#[derive(Default)]
struct Known {
    /// Streams of requests whose replies list the nodes.
    lists: Vec<[u8; 2]>,
    /// Streams that prepare the statement for that, and its prepared IDs.
    prepares: Vec<[u8; 2]>,
    prepared: Vec<Vec<u8>>,
    announces: bool,
    shard_port: Option<u16>,
}

/// A node at this address that announces those at public addresses.
fn node(listener: TcpListener, null: SocketAddr, what: Announces) {
    std::thread::spawn(move || {
        for client in listener.incoming().flatten() {
            let server = TcpStream::connect(null).expect("the null server listens");
            let shard_port = match what {
                Announces::ShardPort(port) => Some(port),
                Announces::Nodes | Announces::NodesLater => None,
            };
            let announces = what == Announces::Nodes;
            let known = Known { announces, shard_port, ..Known::default() };
            let known = Arc::new(Mutex::new(known));
            let requests = (client.try_clone().unwrap(), server.try_clone().unwrap());
            let for_requests = known.clone();
            std::thread::spawn(move || {
                pass(requests, |frame| for_requests.lock().unwrap().request(frame))
            });
            std::thread::spawn(move || {
                pass((server, client), |frame| known.lock().unwrap().reply(frame));
            });
        }
    });
}

/// Passes on frames until one side ends.
pub(crate) fn pass((mut from, mut to): (TcpStream, TcpStream), change: impl Fn(&mut Vec<u8>)) {
    let mut all = || -> io::Result<()> {
        loop {
            let mut frame = vec![0; HEAD];
            from.read_exact(&mut frame)?;
            let length = u32::from_be_bytes(frame[5..].try_into().expect("four bytes")) as usize;
            frame.resize(HEAD + length, 0);
            from.read_exact(&mut frame[HEAD..])?;
            change(&mut frame);
            to.write_all(&frame)?;
        }
    };
    let _ = all();
    let _ = to.shutdown(Shutdown::Both);
}

impl Known {
    fn request(&mut self, frame: &[u8]) {
        let (stream, body) = ([frame[2], frame[3]], &frame[HEAD..]);
        let lists = String::from_utf8_lossy(body)
            .contains("rpc_address, data_center, rack, tokens FROM system.peers");
        let is_prepared = |id: &Vec<u8>| body.get(2..).is_some_and(|body| body.starts_with(id));
        match frame[4] {
            PREPARE if lists => self.prepares.push(stream),
            QUERY if lists => self.lists.push(stream),
            EXECUTE if self.prepared.iter().any(is_prepared) => self.lists.push(stream),
            _ => {}
        }
    }

    fn reply(&mut self, frame: &mut Vec<u8>) {
        let stream = [frame[2], frame[3]];
        if take(&mut self.prepares, stream) {
            let length = usize::from(u16::from_be_bytes([frame[HEAD + 4], frame[HEAD + 5]]));
            self.prepared.push(frame[HEAD + 6..][..length].to_vec());
        }
        if let (SUPPORTED, Some(port)) = (frame[4], self.shard_port) {
            replace_body(frame, &of_shards(port));
        }
        if self.shard_port.is_some() || !take(&mut self.lists, stream) {
            return;
        }
        if self.announces {
            frame.truncate(frame.len() - 4);
            frame.extend_from_slice(&(PUBLIC.len() as u32).to_be_bytes());
            for (number, ip) in PUBLIC.iter().enumerate() {
                let token = format!("-{number}000");
                let tokens = [&1u32.to_be_bytes()[..], &value(token.as_bytes())].concat();
                let cells = [&[number as u8 + 7; 16][..], &ip.octets(), b"1", b"1", &tokens];
                cells.iter().for_each(|cell| frame.extend(value(cell)));
            }
            let body = frame[HEAD..].to_vec();
            replace_body(frame, &body);
        } else {
            self.announces = true;
            let address = [&[4][..], &PUBLIC[0].octets(), &9042u32.to_be_bytes()].concat();
            let body = [text("TOPOLOGY_CHANGE"), text("NEW_NODE"), address].concat();
            frame.extend_from_slice(&[0x84, 0, 0xff, 0xff, EVENT]);
            frame.extend(value(&body));
        }
    }
}

fn replace_body(frame: &mut Vec<u8>, body: &[u8]) {
    frame.truncate(5);
    frame.extend(value(body));
}

/// What ScyllaDB says of its shards, of which this node has four.
fn of_shards(port: u16) -> Vec<u8> {
    let options = [
        ("SCYLLA_SHARD", "0"),
        ("SCYLLA_NR_SHARDS", "4"),
        ("SCYLLA_SHARDING_IGNORE_MSB", "12"),
        ("SCYLLA_PARTITIONER", "org.apache.cassandra.dht.Murmur3Partitioner"),
        ("SCYLLA_SHARDING_ALGORITHM", "biased-token-round-robin"),
        ("SCYLLA_SHARD_AWARE_PORT", &port.to_string()),
    ];
    let all = options.map(|(name, value)| [text(name), vec![0, 1], text(value)].concat());
    [&(options.len() as u16).to_be_bytes()[..], &all.concat()].concat()
}

fn text(text: &str) -> Vec<u8> {
    [&(text.len() as u16).to_be_bytes()[..], text.as_bytes()].concat()
}

fn take(streams: &mut Vec<[u8; 2]>, stream: [u8; 2]) -> bool {
    let at = streams.iter().position(|of| *of == stream);
    at.map(|at| streams.swap_remove(at)).is_some()
}

pub(crate) fn value(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_be_bytes()[..], bytes].concat()
}

/// What a run of 300 ms printed on standard error, and its report.
fn run(directory: &TestDirectory, node: SocketAddr, more: &[&str]) -> (String, Value) {
    let url = format!("a=cassandra://me:CANARY@{node}/app");
    let words = ["run", &url, "--query", "SELECT key FROM system.local", "--json", "report.json"];
    let short = ["--duration", "300ms", "--warm-up", "0s", "--connections", "2"];
    let output = directory.tiebreak(&[&words[..], &short, more].concat());
    (errors(&output), directory.json("report.json"))
}

fn named(port: u16) -> Vec<String> {
    let mut all: Vec<String> = PUBLIC.iter().map(|ip| format!("{ip}:{port}")).collect();
    all.sort();
    all
}

#[test]
fn what_is_not_dialled_is_named_with_its_remedy() {
    let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
        .expect("a null server");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let to = listener.local_addr().expect("bound");
    node(listener, null.addresses()[0], Announces::Nodes);
    let directory = TestDirectory::new();
    let (message, report) = run(&directory, to, &[]);
    let nodes = &report["contenders"][0]["target_cost"]["nodes"];
    assert_eq!(nodes["driven"], serde_json::json!([to.to_string()]), "{message}");
    assert_eq!(nodes["not_dialled"], serde_json::json!(named(to.port())), "{message}");
    for says in [format!("nodes of `a`: {to}"), "allow them with --allow-public".to_owned()] {
        assert!(message.contains(&says), "{says}: {message}");
    }
    for address in named(to.port()) {
        assert!(message.contains(&address), "{address}: {message}");
    }
    let findings = report["findings"].as_array().expect("findings");
    assert!(findings.iter().any(|of| of["rule"] == "announced_nodes"), "{findings:?}");
}

#[test]
fn the_port_that_a_node_announces_for_its_shards_is_not_dialled() {
    let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
        .expect("a null server");
    let shards = TcpListener::bind("127.0.0.1:0").expect("a port");
    shards.set_nonblocking(true).expect("a socket");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let to = listener.local_addr().expect("bound");
    let port = shards.local_addr().expect("bound").port();
    node(listener, null.addresses()[0], Announces::ShardPort(port));
    // Fails if there are sockets for each shard and the library may use the port.
    let sockets = ["--set", "a.sockets_per_node=4"];
    let (message, report) = run(&TestDirectory::new(), to, &sockets);
    assert!(report["contenders"][0]["operations"].as_u64() > Some(0), "{message}");
    let error = shards.accept().expect_err("nobody connects to it");
    assert_eq!(error.kind(), io::ErrorKind::WouldBlock);
}

/// How many connections the public addresses got, in a network namespace where they are this machine's.
fn connections(what: Announces, more: &'static [&'static str]) -> usize {
    std::thread::spawn(move || {
        // SAFETY: only this thread and those that it starts are moved.
        assert_eq!(unsafe { libc::unshare(libc::CLONE_NEWNET) }, 0);
        let ip = |words: &str| {
            let status = Command::new("ip").args(words.split(' ')).status().expect("ip starts");
            assert!(status.success(), "ip {words}");
        };
        ip("link set lo up");
        PUBLIC.iter().for_each(|address| ip(&format!("addr add {address}/32 dev lo")));
        let null = NullServer::start(&[::cassandra::ROW.null.expect("a service")], None)
            .expect("a null server");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let to = listener.local_addr().expect("bound");
        node(listener, null.addresses()[0], what);
        let accepted = Arc::new(AtomicUsize::new(0));
        for address in PUBLIC {
            let listener = TcpListener::bind((address, to.port())).expect("an address of lo");
            let accepted = accepted.clone();
            std::thread::spawn(move || {
                listener.incoming().for_each(|_| _ = accepted.fetch_add(1, Ordering::SeqCst));
            });
        }
        run(&TestDirectory::new(), to, more);
        // Connections that wait to be accepted count, too.
        std::thread::sleep(Duration::from_millis(100));
        accepted.load(Ordering::SeqCst)
    })
    .join()
    .expect("no panic")
}

#[test]
fn no_announced_public_address_is_dialled_without_permission() {
    if lacks(Lack::Root) || lacks(Lack::Namespaces) {
        return;
    }
    for what in [Announces::Nodes, Announces::NodesLater] {
        for reuse in [&[][..], &["--reuse", "never"]] {
            assert_eq!(connections(what, reuse), 0);
        }
        assert!(connections(what, &["--allow-public"]) > 0, "allowed, and not dialled");
    }
}
