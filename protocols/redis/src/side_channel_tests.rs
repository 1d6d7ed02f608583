//! The side channel to real and to malicious servers.

use crate::RespAccess;
use crate::scratch::Scratch;
use engine::Numbers;
use engine::workload::Feeds;
use protocol::side_channel::SideChannel;
use protocol::testing::{about_of, about_of_endless, side_channel};
use record::Address;
use std::os::unix::net::{UnixListener, UnixStream};
use wire::resp::{Login, Opening};

fn to(address: &Address, login: &Login<'_>) -> Box<dyn SideChannel> {
    let opening = Opening::new(login).expect("a login");
    let access = RespAccess { opening, numbers: Numbers::new(1), feeds: Feeds::default() };
    side_channel(&access, address)
}

fn to_any(address: &Address) -> Box<dyn SideChannel> {
    to(address, &Login::default())
}

#[test]
fn hostile_answers_end_in_time_and_in_little_memory() {
    for (text, message) in [
        (&b"STAT x 1\r\n"[..], ""),
        (b"$262144\r\nabc", "its reply is longer than 256 kB"),
        (b"$99999999\r\n", ""),
        (b"\x1b[2J\r\n", ""),
    ] {
        let why = about_of_endless(text, to_any).expect_err("no answer");
        assert!(why.contains(message) && !why.contains('\x1b'), "{why}");
    }
}

/// Redis 8 counts less memory than there was before its first key.
#[test]
fn a_negative_number_of_bytes_is_not_known() {
    let info = b"$42\r\nused_memory_dataset:18446744073709550568\r\n\r\n";
    let error: &[u8] = b"-ERR\r\n";
    let answers = [info.as_slice(), b":999999999999999\r\n", error, error, error];
    let about = about_of(&answers, to_any).expect("it answers");
    assert_eq!((about.bytes, about.items), (None, Some(999_999_999_999_999)));
}

#[test]
fn a_server_that_never_accepts_is_given_up() {
    let scratch = Scratch::new();
    let path = scratch.path().join("s").to_str().expect("plain").to_owned();
    let listener = UnixListener::bind(&path).expect("a socket");
    // Nobody else can connect: the queue has room for one connection, and one waits to be accepted.
    sys::net::listen(&listener, 0).expect("it listens already");
    let _waiting = UnixStream::connect(&path).expect("room for one");
    let why = to_any(&Address::Unix(path)).about();
    assert_eq!(why, Err("it did not reply in time".to_owned()));
}

#[cfg(feature = "servers")]
mod servers {
    use super::*;
    use protocol::side_channel::ServerStart;
    use protocol::testing::{Server, free_address, keeps_a_note, lines};
    use std::process::Command;
    use wire::resp::Protocol;

    fn redis(more: &[&str]) -> Server {
        let (address, port) = free_address();
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--port", &port, "--save", ""]).args(more);
        Server::start(address, command)
    }

    #[test]
    fn it_tells_of_itself_and_keeps_a_note_in_its_database() {
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
            let first = to(&server.address, &login);
            let about = first.about().expect("it tells");
            assert_eq!((about.items, about.evictions), (Some(0), Some(0)), "{protocol:?}");
            // Redis 8 has a negative number for an empty store.
            assert!(about.bytes.is_none_or(|bytes| bytes > 0));
            assert!(
                matches!(&about.start, Some(ServerStart::Run(id)) if id.len() == 40),
                "{about:?}"
            );
            let facts = lines(&about);
            assert!(facts[0].starts_with("redis "), "{facts:?}");
            assert!(facts[0].ends_with(", maxmemory 3145728 noeviction"), "{facts:?}");
            assert_eq!(facts[1], "appendonly no, appendfsync everysec, save ''");
            keeps_a_note(&*first);
            first.write_fingerprint("t:loaded", &"x".repeat(200_000)).expect("kept");
            let about = first.about().expect("it tells");
            assert!(about.bytes.is_some_and(|bytes| bytes > 100_000), "{about:?}");
            let third = to(&server.address, &Login { database: 3, ..login });
            keeps_a_note(&*third);
            first.remove_fingerprint("t:loaded").expect("removed");
        }
        let stranger = to(&server.address, &Login { password: Some("x"), ..Login::default() });
        let why = stranger.about().expect_err("a wrong password");
        assert!(!why.is_empty() && !why.contains("secret"), "{why}");
    }

    #[test]
    fn a_user_who_may_not_ask_gets_what_he_may_know() {
        let server = redis(&["--user", "low", "on", ">pw", "~*", "+get", "+set", "+del", "+info"]);
        let login = Login { user: Some("low"), password: Some("pw"), ..Login::default() };
        let about = to(&server.address, &login).about().expect("INFO is allowed");
        assert_eq!((about.items, about.evictions), (None, Some(0)));
        assert_eq!(lines(&about)[1], "aof_enabled 0");
    }

    #[test]
    fn a_unix_socket_is_asked_too() {
        let scratch = Scratch::new();
        let path = scratch.path().join("r").to_str().expect("plain").to_owned();
        let mut command = Command::new("redis-server");
        command.args(["--port", "0", "--save", "", "--unixsocket", &path]);
        let server = Server::start(Address::Unix(path), command);
        keeps_a_note(&*to_any(&server.address));
    }
}
