//! The side channel to malicious servers.

use super::*;
use crate::scratch::Scratch;
use engine::workload::Feeds;
use engine::{MemcachedAccess, Numbers, RespAccess};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use wire::resp::Login;

pub(super) fn to_memcached(address: &Address) -> SideChannel {
    let access =
        MemcachedAccess { dialect: Default::default(), numbers: Numbers::new(1), sharded: None };
    SideChannel::of(&Access::Memcached(access), address, None).expect("a store")
}

pub(super) fn to_redis(address: &Address, login: &Login<'_>) -> SideChannel {
    let opening = Opening::new(login).expect("a login");
    let access = RespAccess { opening, numbers: Numbers::new(1), feeds: Feeds::default() };
    SideChannel::of(&Access::Resp(access), address, None).expect("a store")
}

pub(super) fn lines(about: &About) -> Vec<&str> {
    about.facts.iter().map(|fact| fact.line.as_deref().unwrap_or("")).collect()
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

/// What a server tells that gives these answers, one after the other, on one connection.
fn about_of<'a>(
    answers: &'a [&'a [u8]],
    side: impl FnOnce(&Address) -> SideChannel,
) -> Result<About, String> {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = Address::Tcp(listener.local_addr().expect("bound"));
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = listener.accept().expect("a client");
            for answer in answers {
                let _ = stream.read(&mut [0; 100]);
                stream.write_all(answer).expect("it reads");
            }
        });
        side(&address).about()
    })
}

#[test]
fn absurd_figures_are_not_known() {
    let stats = b"STAT pid -1\r\nSTAT time 5\r\nSTAT uptime 9\r\nSTAT evictions x\r\n\
                  STAT curr_items 99999999999999999999\r\nSTAT version \x1b[2J\r\n\
                  STAT bytes 1000000000000000\r\nEND\r\n";
    let about = about_of(&[stats], to_memcached).expect("it answers");
    let (durable, facts) = (Some(false), about.facts.clone());
    let nothing = About { durable, facts, ..About::default() };
    assert_eq!(about, nothing);
    assert_eq!(lines(&about)[0], r"memcached \u{1b}[2J, in memory only");
}

/// Redis 8 counts less memory than there was before its first key.
#[test]
fn a_negative_number_of_bytes_is_not_known() {
    let info = b"$42\r\nused_memory_dataset:18446744073709550568\r\n\r\n";
    let error: &[u8] = b"-ERR\r\n";
    let answers = [info.as_slice(), b":999999999999999\r\n", error, error, error];
    let about = about_of(&answers, |at| to_redis(at, &Login::default())).expect("it answers");
    assert_eq!((about.bytes, about.items), (None, Some(999_999_999_999_999)));
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
    sys::net::listen(listener, 0).expect("it listens already");
    std::mem::forget(UnixStream::connect(path).expect("room for one"));
}
