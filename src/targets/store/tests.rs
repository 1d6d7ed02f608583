//! The side channel to real stores, and to malicious servers.

use super::*;
use crate::scratch::Scratch;
use crate::targets::ports;
use engine::workload::Feeds;
use engine::{MemcachedAccess, Numbers, RespAccess};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
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

fn to_memcached(address: &Address) -> SideChannel {
    let access =
        MemcachedAccess { dialect: Default::default(), numbers: Numbers::new(1), sharded: None };
    SideChannel::of(&Access::Memcached(access), address, None).expect("a store")
}

fn to_redis(address: &Address, login: &Login<'_>) -> SideChannel {
    let opening = Opening::new(login).expect("a login");
    let access = RespAccess { opening, numbers: Numbers::new(1), feeds: Feeds::default() };
    SideChannel::of(&Access::Resp(access), address, None).expect("a store")
}

/// Checks that a note exists until it is removed, and counts as an item.
fn keeps_a_note(store: &SideChannel) {
    let items = |store: &SideChannel| store.about().expect("it tells").items.expect("a count");
    let before = items(store);
    assert_eq!(store.recall("t:loaded"), Ok(None));
    assert_eq!(store.forget("t:loaded"), Ok(()));
    store.keep("t:loaded", "a b c").expect("kept");
    store.keep("t:loaded", "d e f").expect("kept");
    assert_eq!(store.recall("t:loaded"), Ok(Some(b"d e f".to_vec())));
    assert_eq!(items(store), before + 1);
    store.forget("t:loaded").expect("removed");
    assert_eq!(store.recall("t:loaded"), Ok(None));
}

fn lines(about: &About) -> Vec<&str> {
    about.facts.iter().map(|fact| fact.line.as_deref().unwrap_or("")).collect()
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
        assert!(about.bytes.is_some_and(|bytes| bytes > 0));
        assert!(matches!(&about.start, Some(ServerStart::Run(id)) if id.len() == 40), "{about:?}");
        let facts = lines(&about);
        assert!(facts[0].starts_with("redis "), "{facts:?}");
        assert!(facts[0].ends_with(", maxmemory 3145728 noeviction"), "{facts:?}");
        assert_eq!(facts[1], "appendonly no, appendfsync everysec, save ''");
        keeps_a_note(&first);
        first.keep("t:loaded", "here").expect("kept");
        let third = to_redis(&server.address, &Login { database: 3, ..login });
        keeps_a_note(&third);
        first.forget("t:loaded").expect("removed");
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

/// The results for a server that answers every connection with this text and holds it open.
fn told_of(says: &'static [u8]) -> (Result<About, String>, Result<About, String>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tcp(listener.local_addr().expect("bound"));
    std::thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming().take(2) {
            let mut stream = stream.expect("a client");
            let _ = stream.read(&mut [0; 1000]);
            // A client that has read enough closes the connection.
            for _ in 0..1 << 16 {
                if stream.write_all(says).is_err() || says.is_empty() {
                    break;
                }
            }
            open.push(stream);
        }
        std::thread::sleep(PATIENCE * 3);
    });
    (to_memcached(&address).about(), to_redis(&address, &Login::default()).about())
}

#[test]
fn hostile_answers_end_in_time_and_in_little_memory() {
    let endless: [(&[u8], [&str; 2]); 4] = [
        (b"STAT x 1\r\n", ["its reply is longer than 256 kB", ""]),
        (b"$262144\r\nabc", ["", "its reply is longer than 256 kB"]),
        (b"$99999999\r\n", ["", ""]),
        (b"\x1b[2J\r\n", ["", ""]),
    ];
    for (says, messages) in endless {
        let (memcached, redis) = told_of(says);
        for (message, about) in messages.iter().zip([memcached, redis]) {
            let why = about.expect_err("no answer");
            assert!(why.contains(message) && !why.contains('\x1b'), "{why}");
        }
    }
}

#[test]
fn absurd_figures_are_not_known() {
    let stats = b"STAT pid -1\r\nSTAT time 5\r\nSTAT uptime 9\r\nSTAT evictions x\r\n\
                  STAT curr_items 99999999999999999999\r\nSTAT version \x1b[2J\r\nEND\r\n";
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tcp(listener.local_addr().expect("bound"));
    let serving = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().expect("a client");
        let _ = stream.read(&mut [0; 100]);
        stream.write_all(stats).expect("it reads");
    });
    let about = to_memcached(&address).about().expect("it answers");
    serving.join().expect("served");
    let (durable, facts) = (Some(false), about.facts.clone());
    let nothing = About { durable, facts, ..About::default() };
    assert_eq!(about, nothing);
    assert_eq!(lines(&about)[0], r"memcached \u{1b}[2J, in memory only");
}

#[test]
fn a_server_that_never_answers_or_accepts_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = Address::Tcp(listener.local_addr().expect("bound"));
    assert_eq!(to_memcached(&silent).about(), Err("it did not reply in time".to_owned()));
    let scratch = Scratch::new();
    let path = scratch.path().join("s");
    let listener = UnixListener::bind(&path).expect("a socket");
    full(&listener, &path);
    let closed = Address::Unix(path.to_str().expect("plain").to_owned());
    let why = to_redis(&closed, &Login::default()).about();
    assert_eq!(why, Err("it did not reply in time".to_owned()));
    drop(listener);
    let closed = scratch.path().join("gone").to_str().expect("plain").to_owned();
    let closed = to_memcached(&Address::Unix(closed)).about();
    assert_eq!(closed, Err("its socket does not exist".to_owned()));
}

/// Makes sure that nobody else can connect: the queue has room for one connection, and one waits to
/// be accepted.
fn full(listener: &UnixListener, path: &Path) {
    use std::os::fd::AsRawFd;
    // SAFETY: a socket of ours that listens already.
    assert_eq!(unsafe { libc::listen(listener.as_raw_fd(), 0) }, 0);
    std::mem::forget(UnixStream::connect(path).expect("room for one"));
}
