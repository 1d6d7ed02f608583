//! The side channel to real and to malicious servers.

use crate::MemcachedAccess;
use engine::Numbers;
use protocol::side_channel::{About, SideChannel};
use protocol::testing::{about_of, about_of_endless, lines, side_channel};
use record::Address;
use std::net::TcpListener;

fn to(address: &Address) -> Box<dyn SideChannel> {
    let (dialect, numbers) = (Default::default(), Numbers::new(1));
    side_channel(&MemcachedAccess { dialect, numbers, sharded: None }, address)
}

#[test]
fn hostile_answers_end_in_time_and_in_little_memory() {
    for (text, message) in [
        (&b"STAT x 1\r\n"[..], "its reply is longer than 256 kB"),
        (b"$262144\r\nabc", ""),
        (b"$99999999\r\n", ""),
        (b"\x1b[2J\r\n", ""),
    ] {
        let why = about_of_endless(text, to).expect_err("no answer");
        assert!(why.contains(message) && !why.contains('\x1b'), "{why}");
    }
}

#[test]
fn absurd_figures_are_not_known() {
    let stats = b"STAT pid -1\r\nSTAT time 5\r\nSTAT uptime 9\r\nSTAT evictions x\r\n\
                  STAT curr_items 99999999999999999999\r\nSTAT version \x1b[2J\r\n\
                  STAT bytes 1000000000000000\r\nEND\r\n";
    let about = about_of(&[stats], to).expect("it answers");
    let (durable, facts) = (Some(false), about.facts.clone());
    let nothing = About { durable, facts, ..About::default() };
    assert_eq!(about, nothing);
    assert_eq!(lines(&about)[0], r"memcached \u{1b}[2J, in memory only");
}

#[test]
fn a_server_that_never_answers_is_given_up() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let silent = Address::Tcp(listener.local_addr().expect("bound"));
    assert_eq!(to(&silent).about(), Err("it did not reply in time".to_owned()));
    let gone = to(&Address::Unix("/nowhere/at/all".to_owned())).about();
    assert_eq!(gone, Err("its socket does not exist".to_owned()));
}

#[cfg(feature = "servers")]
mod servers {
    use super::*;
    use crate::scratch::Scratch;
    use protocol::side_channel::ServerStart;
    use protocol::testing::{Server, free_address, keeps_a_note};
    use std::process::Command;

    fn memcached(more: &[&str]) -> Server {
        let (address, port) = free_address();
        let mut command = Command::new("memcached");
        command.args(["-l", "127.0.0.1", "-p", &port, "-U", "0", "-u", "nobody"]).args(more);
        Server::start(address, command)
    }

    #[test]
    fn it_tells_of_itself_and_keeps_a_note() {
        let server = memcached(&["-m", "3"]);
        let store = to(&server.address);
        let about = store.about().expect("it tells");
        assert_eq!((about.items, about.evictions), (Some(0), Some(0)));
        assert!(about.bytes.is_some());
        assert_eq!((about.room, about.reuses_room), (Some(3_145_728), false));
        let Some(ServerStart::Process { pid, began }) = about.start.clone() else {
            panic!("{about:?}")
        };
        assert_eq!(pid, u64::from(server.id()));
        assert!(began > 1_600_000_000);
        let fact = lines(&about)[0];
        assert!(fact.starts_with("memcached 1."), "{fact}");
        assert!(fact.ends_with(", in memory only, 3145728 bytes at most"), "{fact}");
        keeps_a_note(&*store);
        let again = store.about().expect("it tells").start.expect("a start");
        assert!(again.is(&about.start.expect("a start")));
        let other = to(&memcached(&[]).address).about().expect("it tells");
        assert!(!again.is(&other.start.expect("a start")));
    }

    #[test]
    fn a_unix_socket_is_asked_too() {
        let scratch = Scratch::new();
        let path = scratch.path().join("m").to_str().expect("plain").to_owned();
        let mut command = Command::new("memcached");
        command.args(["-s", &path, "-u", "root"]);
        let server = Server::start(Address::Unix(path), command);
        keeps_a_note(&*to(&server.address));
    }
}
