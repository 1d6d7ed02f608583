//! The side channel to real stores.

use super::tests::{lines, to_memcached, to_redis};
use super::*;
use crate::scratch::Scratch;
use crate::targets::ports;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use wire::resp::{Login, Protocol};

/// A server that runs until it is dropped.
struct Server {
    child: Child,
    address: Address,
}

impl Drop for Server {
    fn drop(&mut self) {
        self.child.kill().expect("our child");
        self.child.wait().expect("our child");
    }
}

/// Starts this command, and waits until it listens on the address.
fn server(address: Address, mut command: Command) -> Server {
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let server = Server { child: command.spawn().expect("./test installs it"), address };
    let gives_up = Instant::now() + Duration::from_secs(30);
    while Instant::now() < gives_up {
        let listens = match &server.address {
            Address::Tcp(address) => TcpStream::connect(address).is_ok(),
            Address::Unix(path) => UnixStream::connect(path).is_ok(),
            Address::Nodes(_) | Address::Directory(_) | Address::Program => {
                unreachable!("no server")
            }
        };
        if listens {
            return server;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("no server within half a minute");
}

fn tcp() -> (Address, String) {
    let port = ports::free().expect("a port");
    (Address::Tcp(([127, 0, 0, 1], port).into()), port.to_string())
}

fn memcached(more: &[&str]) -> Server {
    let (address, port) = tcp();
    let mut command = Command::new("memcached");
    command.args(["-l", "127.0.0.1", "-p", &port, "-U", "0", "-u", "nobody"]).args(more);
    server(address, command)
}

fn redis(more: &[&str]) -> Server {
    let (address, port) = tcp();
    let mut command = Command::new("redis-server");
    command.args(["--bind", "127.0.0.1", "--port", &port, "--save", ""]).args(more);
    server(address, command)
}

/// Checks that a note exists until it is removed, and counts as an item.
fn keeps_a_note(store: &SideChannel) {
    let items = |store: &SideChannel| store.about().expect("it tells").items.expect("a count");
    let before = items(store);
    assert_eq!(store.read_fingerprint("t:loaded"), Ok(None));
    assert_eq!(store.remove_fingerprint("t:loaded"), Ok(()));
    store.write_fingerprint("t:loaded", "a b c").expect("kept");
    store.write_fingerprint("t:loaded", "d e f").expect("kept");
    assert_eq!(store.read_fingerprint("t:loaded"), Ok(Some(b"d e f".to_vec())));
    assert_eq!(items(store), before + 1);
    store.remove_fingerprint("t:loaded").expect("removed");
    assert_eq!(store.read_fingerprint("t:loaded"), Ok(None));
}

#[test]
fn memcached_tells_of_itself_and_keeps_a_note() {
    let server = memcached(&["-m", "3"]);
    let store = to_memcached(&server.address);
    let about = store.about().expect("it tells");
    assert_eq!((about.items, about.evictions), (Some(0), Some(0)));
    assert!(about.bytes.is_some());
    let Some(ServerStart::Process { pid, began }) = about.start.clone() else {
        panic!("{about:?}")
    };
    assert_eq!(pid, u64::from(server.child.id()));
    assert!(began > 1_600_000_000);
    let fact = lines(&about)[0];
    assert!(fact.starts_with("memcached 1."), "{fact}");
    assert!(fact.ends_with(", in memory only, 3145728 bytes at most"), "{fact}");
    keeps_a_note(&store);
    let again = store.about().expect("it tells").start.expect("a start");
    assert!(again.is(&about.start.expect("a start")));
    let other = to_memcached(&memcached(&[]).address).about().expect("it tells");
    assert!(!again.is(&other.start.expect("a start")));
}

#[test]
fn redis_tells_of_itself_and_keeps_a_note_in_its_database() {
    let server = redis(&[
        "--requirepass",
        "secret",
        "--maxmemory",
        "3mb",
        "--maxmemory-policy",
        "noeviction",
    ]);
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        let login = Login { protocol, password: Some("secret"), ..Login::default() };
        let first = to_redis(&server.address, &login);
        let about = first.about().expect("it tells");
        assert_eq!((about.items, about.evictions), (Some(0), Some(0)), "{protocol:?}");
        // Redis 8 has a negative number for an empty store.
        assert!(about.bytes.is_none_or(|bytes| bytes > 0));
        assert!(matches!(&about.start, Some(ServerStart::Run(id)) if id.len() == 40), "{about:?}");
        let facts = lines(&about);
        assert!(facts[0].starts_with("redis "), "{facts:?}");
        assert!(facts[0].ends_with(", maxmemory 3145728 noeviction"), "{facts:?}");
        assert_eq!(facts[1], "appendonly no, appendfsync everysec, save ''");
        keeps_a_note(&first);
        first.write_fingerprint("t:loaded", &"x".repeat(200_000)).expect("kept");
        let about = first.about().expect("it tells");
        assert!(about.bytes.is_some_and(|bytes| bytes > 100_000), "{about:?}");
        let third = to_redis(&server.address, &Login { database: 3, ..login });
        keeps_a_note(&third);
        first.remove_fingerprint("t:loaded").expect("removed");
    }
    let stranger = to_redis(&server.address, &Login { password: Some("x"), ..Login::default() });
    let why = stranger.about().expect_err("a wrong password");
    assert!(!why.is_empty() && !why.contains("secret"), "{why}");
}

#[test]
fn a_user_who_may_not_ask_gets_what_he_may_know() {
    let server = redis(&["--user", "low", "on", ">pw", "~*", "+get", "+set", "+del", "+info"]);
    let login = Login { user: Some("low"), password: Some("pw"), ..Login::default() };
    let about = to_redis(&server.address, &login).about().expect("INFO is allowed");
    assert_eq!((about.items, about.evictions), (None, Some(0)));
    assert_eq!(lines(&about)[1], "aof_enabled 0");
}

#[test]
fn unix_sockets_are_asked_too() {
    let scratch = Scratch::new();
    // memcached gives up its rights, and must reach the directory without them.
    let path = |name: &str| scratch.path().join(name).to_str().expect("plain").to_owned();
    let mut command = Command::new("redis-server");
    command.args(["--port", "0", "--save", "", "--unixsocket", &path("r")]);
    let redis = server(Address::Unix(path("r")), command);
    keeps_a_note(&to_redis(&redis.address, &Login::default()));
    let mut command = Command::new("memcached");
    command.args(["-s", &path("m"), "-u", "root"]);
    let memcached = server(Address::Unix(path("m")), command);
    keeps_a_note(&to_memcached(&memcached.address));
}
