//! Oracle without a server: listeners that are silent, close, refuse, or send garbage. What
//! requires a database (logins, rows) is not tested here.
#![allow(clippy::disallowed_types, reason = "a test has deadlines of its own")]
#![cfg(feature = "oracle")]

#[path = "../../../tests/databases/common/mod.rs"]
mod common;

use common::{MS, PASSWORD, drive, order};
use drivers::{Database, SqlAccess};
use engine::Numbers;
use oracle::OracleAccess;
use protocol::testing::{free_port, serve};
use record::{Address, DriveOrder, Failure, LaneTask, Reuse, Seen};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How long a question waits for its answer.
const WAIT: Duration = Duration::from_secs(3);

fn access() -> OracleAccess {
    let common = SqlAccess {
        user: "me".to_owned(),
        password: Some(PASSWORD.to_owned()),
        database: "FREEPDB1".to_owned(),
        table: "t".to_owned(),
        query: "SELECT 1 FROM dual".to_owned(),
        numbers: Numbers::new(4),
        ..SqlAccess::without_log_in()
    };
    OracleAccess { common, announced: drivers::Announced::default() }
}

fn drive_order(to: SocketAddr, reuse: Reuse) -> DriveOrder {
    let mut drive_order = order(Address::Tcp(to), LaneTask::Ask);
    drive_order.rounds = 1;
    drive_order.lanes[0].timeout_ns = 2_000 * MS;
    drive_order.lanes[0].reuse = reuse;
    drive_order
}

fn seen(to: SocketAddr, reuse: Reuse) -> Seen {
    let order = drive_order(to, reuse);
    drive(&order, access().lanes(&order, 0))
}

/// One packet of Oracle Net: its length, its type, and what is in it.
fn packet(kind: u8, body: &[u8]) -> Vec<u8> {
    let length = (8 + body.len()) as u16;
    let mut packet = length.to_be_bytes().to_vec();
    packet.extend_from_slice(&[0, 0, kind, 0, 0, 0]);
    packet.extend_from_slice(body);
    packet
}

/// Receives the first packet, which must not contain the password, and answers with this.
fn answer(mut stream: TcpStream, with: &[u8]) {
    let mut received = vec![0; 4096];
    let count = stream.read(&mut received).unwrap_or(0);
    let received = String::from_utf8_lossy(&received[..count]).into_owned();
    assert!(received.contains("SERVICE_NAME=FREEPDB1"), "{received}");
    assert!(!received.contains(PASSWORD), "{received}");
    let _ = stream.write_all(with);
}

fn refuse(stream: TcpStream) {
    const WHY: &[u8] =
        b"(DESCRIPTION=(TMP=)(VSNNUM=0)(ERR=12514)(ERROR_STACK=(ERROR=(CODE=12514))))";
    let mut body = vec![0, 0];
    body.extend_from_slice(&(WHY.len() as u16).to_be_bytes());
    body.extend_from_slice(WHY);
    answer(stream, &packet(4, &body));
}

#[track_caller]
fn only_failed(seen: &Seen, with: Failure) {
    let failed: Vec<_> = seen.outcomes.failed.keys().copied().collect();
    assert_eq!(failed, [with], "{:?}", seen.outcomes);
    assert_eq!((seen.outcomes.ok, seen.connections.established), (0, 0), "{seen:?}");
}

#[test]
fn a_refusing_listener_is_counted_and_not_hammered() {
    for reuse in [Reuse::Always, Reuse::Times(2)] {
        let seen = seen(free_port(), reuse);
        only_failed(&seen, Failure::Refused);
        assert_eq!(seen.sent, 0, "nothing was asked");
        assert!(seen.operations < 200, "it is waited between connects: {}", seen.operations);
    }
}

#[test]
fn a_silent_listener_is_abandoned_after_the_timeout() {
    let silent = serve(|stream| {
        std::thread::sleep(Duration::from_secs(60));
        drop(stream);
    });
    let began = Instant::now();
    let seen = seen(silent, Reuse::Always);
    only_failed(&seen, Failure::Timeout);
    assert!(seen.response_time.min() >= Some(1_990 * MS), "none before the timeout");
    assert!(began.elapsed() < Duration::from_secs(50), "nothing waits for the listener");
}

#[test]
fn an_unknown_service_is_an_error_by_its_number() {
    let seen = seen(serve(refuse), Reuse::Never);
    let code = oracle::code(12514);
    assert_eq!(seen.outcomes.unexpected.keys().copied().collect::<Vec<_>>(), [code]);
    assert!(seen.outcomes.failed.is_empty(), "{:?}", seen.outcomes);
    let name = oracle::code_names().find(|(known, _)| *known == code);
    assert_eq!(name.expect("it has a name").1, "no_such_service");
}

#[test]
fn garbage_is_a_protocol_error_and_no_panic() {
    // A kind of packet that the library does not know, and one that it cannot parse.
    for bytes in [&[0u8, 9, 0, 0, 99, 0, 0, 0, 7][..], &[0, 0, 0, 0, 0, 0, 0, 0, 0]] {
        let at = match bytes[4] {
            99 => serve(|stream| answer(stream, &[0, 9, 0, 0, 99, 0, 0, 0, 7])),
            _ => serve(|stream| answer(stream, &[0; 9])),
        };
        only_failed(&seen(at, Reuse::Always), Failure::Protocol);
    }
}

#[test]
fn a_closing_listener_is_distinguished() {
    only_failed(&seen(serve(|stream| answer(stream, &[])), Reuse::Always), Failure::Closed);
}

/// A question outside of a measurement, as for its version.
#[test]
fn a_question_to_one_that_refuses_or_hangs_is_answered_in_words() {
    let ask = |to: SocketAddr| {
        let result = access().ask(&Address::Tcp(to), &["SELECT 1 FROM dual".to_owned()], WAIT);
        result.expect_err("no database is there")
    };
    let query_error = ask(serve(refuse));
    assert_eq!(query_error.code, Some(oracle::code(12514)), "{}", query_error.why);
    assert!(query_error.why.contains("FREEPDB1"), "{}", query_error.why);
    let silent = serve(|stream| {
        std::thread::sleep(Duration::from_secs(60));
        drop(stream);
    });
    let query_error = ask(silent);
    assert_eq!(
        (query_error.code, query_error.why.contains(PASSWORD)),
        (None, false),
        "{}",
        query_error.why
    );
}

/// Sends its client elsewhere.
fn redirect(stream: TcpStream, to: &str) {
    let data = format!("{to}\0(DESCRIPTION=(CONNECT_DATA=(SERVICE_NAME=FREEPDB1)))");
    let length = (data.len() as u16).to_be_bytes();
    let data = [b"\0\0", data.as_bytes()].concat();
    answer(stream, &[packet(5, &length), packet(6, &data)].concat());
}

#[test]
fn a_redirect_is_followed_only_where_the_policy_allows_it() {
    let ask = |to: SocketAddr| {
        let access = access();
        let result = access.ask(&Address::Tcp(to), &["SELECT 1 FROM dual".to_owned()], WAIT);
        (result.expect_err("no database is there"), access.nodes())
    };
    let public = serve(|stream| {
        redirect(stream, "(ADDRESS=(PROTOCOL=TCP)(HOST=203.0.113.7)(PORT=1521))");
    });
    let (query_error, nodes) = ask(public);
    for says in ["redirects to 203.0.113.7:1521, a public address", "--allow-public"] {
        assert!(query_error.why.contains(says), "{}", query_error.why);
    }
    let refused = ["203.0.113.7:1521".parse().expect("an address")];
    assert_eq!(nodes.expect("one was refused").not_dialled, refused);

    static REFUSES: OnceLock<SocketAddr> = OnceLock::new();
    REFUSES.get_or_init(|| serve(refuse));
    let private = serve(|stream| {
        let port = REFUSES.get().expect("set before").port();
        redirect(stream, &format!("(ADDRESS=(PROTOCOL=TCP)(HOST=127.0.0.1)(PORT={port}))"));
    });
    let (query_error, nodes) = ask(private);
    assert_eq!(query_error.code, Some(oracle::code(12514)), "{}", query_error.why);
    assert_eq!(nodes, None);
}

#[test]
fn unsupported_orders_are_rejected() {
    let at = free_port();
    let broken = |change: fn(&mut DriveOrder, &mut OracleAccess)| {
        let (mut order, mut access) = (drive_order(at, Reuse::Always), access());
        change(&mut order, &mut access);
        let lanes = vec![access.lanes(&order, 0)];
        let stop = engine::Stop::new().expect("a descriptor");
        let mut none = |_| std::ops::ControlFlow::Continue(());
        let broken = engine::run(&order, lanes, Vec::new(), &stop, &mut none);
        broken.expect_err("it cannot").to_string()
    };
    assert!(broken(|order, _| order.lanes[0].intensity.depth = 2).contains("leave out depth"));
    assert!(broken(|_, access| access.common.database = "a)(b".to_owned()).contains("service"));
}
