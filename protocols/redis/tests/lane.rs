//! What was written is read back, and what is not read back is reported.

use crate::server::{DIALECTS, start, start_with};
use protocol::testing::store_lanes::{self, workload};
use protocol::testing::{Dialect, beside, groups};
use record::{Arrivals, Kind, LaneTask, Share, Workload};
use redis::ROW;
use std::io::{Read, Write};
use std::net::TcpStream;
use wire::resp::Protocol;
use wire::resp::codes;

/// New connections come from all of 127.0.0.x; by default Redis accepts only the first.
const OPEN: [Dialect; 2] = [
    ("RESP2", || start_with(Protocol::Resp2, &["--protected-mode", "no"])),
    ("RESP3", || start_with(Protocol::Resp3, &["--protected-mode", "no"])),
];

protocol::store_lane_tests!(DIALECTS);

#[test]
fn fresh_connections_serve_both_halves() {
    store_lanes::fresh_connections_serve_both_halves(&OPEN);
}

#[test]
fn a_value_that_was_never_written_is_wrong() {
    let set = format!("SET t:000000000000 {}\r\n", "x".repeat(40));
    store_lanes::a_value_that_was_never_written_is_wrong(&DIALECTS, &set);
}

/// In open loop no operation begins when a reply arrives: the write must be sent without that.
#[test]
fn an_open_loop_goes_on_with_the_write() {
    let both = workload(&[(Kind::ReadModifyWrite, 1.0)]);
    let server = start(Protocol::Resp3);
    server.load(&both);
    let mut order = server.order(LaneTask::Drive(both), 300, 4);
    order.lanes[0].intensity.arrivals = Arrivals::Poisson(3000.0);
    let seen = server.drive_one(&mut order);
    assert_eq!((seen.outcomes.ok, seen.unsent), (300, 0), "{:?}", seen.outcomes);
}

fn commands(texts: &[&str]) -> Workload {
    let words = |text: &&str| text.split(' ').map(str::to_owned).collect();
    let shares = (0..texts.len() as u32).map(|at| Share { kind: Kind::Command(at), weight: 1.0 });
    Workload { mix: shares.collect(), commands: texts.iter().map(words).collect(), ..workload(&[]) }
}

#[test]
fn user_defined_commands_are_sent_as_they_are_written() {
    let texts =
        ["RPUSH {key} {value}", "ZADD board {number} {key}", "LPOP none", "ECHO a{number}b"];
    let custom = commands(&texts);
    assert_eq!(custom.to_load(), 0);
    for (name, start) in DIALECTS {
        let server = start();
        let seen = server.seen(LaneTask::Drive(custom.clone()), 2000, 8);
        let outcomes = &seen.outcomes;
        assert_eq!(outcomes.ok + outcomes.miss, 2000, "{name}: {outcomes:?}");
        let of =
            |at: u32| seen.kinds.iter().find(|of| of.kind == Kind::Command(at)).expect("driven");
        assert_eq!(outcomes.miss, of(2).operations, "a nil is a miss");
        assert_eq!(of(2).miss, of(2).operations);
        server.says("ZCARD board\r\n");
    }
}

#[test]
fn an_error_reply_to_a_command_is_an_error() {
    let server = start(Protocol::Resp2);
    let custom = commands(&["SET {key} {value}", "LPUSH {key} {value}"]);
    let seen = server.seen(LaneTask::Drive(Workload { keys: 1, ..custom }), 400, 1);
    let wrong_type = seen.outcomes.unexpected.get(&codes::WRONGTYPE).copied().unwrap_or(0);
    assert!(wrong_type > 100, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.ok + wrong_type, 400);
}

#[test]
fn a_loaded_value_that_comes_back_after_a_write_is_stale() {
    let written = Workload { keys: 1, ..workload(&[(Kind::Set, 1.0), (Kind::Get, 1.0)]) };
    let server = start(Protocol::Resp2);
    let one = LaneTask::load(written.clone());
    assert_eq!(server.seen(one, 1, 1).outcomes.ok, 1);
    server.says("COPY t:000000000000 kept\r\n");
    // This simulates a server that loses every write: another client restores the loaded value
    // all the time.
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    let undo = || {
        stream.write_all(b"COPY kept t:000000000000 REPLACE\r\n").expect("sent");
        assert!(stream.read(&mut [0; 100]).expect("answered") > 0);
    };
    let mut order = server.order(LaneTask::Drive(written), 4000, 1);
    order.lanes[0].intensity.connections = 1;
    let seen = beside([undo], || server.drive_one(&mut order));
    assert!(seen.outcomes.stale > 0, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.stale + seen.outcomes.ok, 4000, "{:?}", seen.outcomes);
}

/// A kind that the store does not support makes the lane fail.
#[test]
fn what_a_store_has_not_is_refused() {
    for kind in [Kind::Scan(9), Kind::Cas] {
        assert!((ROW.lacks)(kind).is_some(), "{kind:?}");
    }
    for kind in [Kind::Get, Kind::Incr, Kind::ReadModifyWrite, Kind::Touch] {
        assert_eq!((ROW.lacks)(kind), None, "{kind:?}");
    }
}

#[test]
fn readers_verify_what_writers_of_another_group_wrote() {
    let [resp2, resp3] = DIALECTS;
    groups::readers_verify_what_writers_of_another_group_wrote(&[(resp2, 2), (resp3, 1)]);
}

#[test]
fn one_group_alone_asks_what_is_asked_without_groups() {
    groups::one_group_alone_asks_what_is_asked_without_groups(DIALECTS[0]);
}
