//! Lanes of stores against real memcached and Redis: what was written is read back, and what is
//! not read back is reported.

use crate::common::beside::beside;
use crate::common::stores::{Server, StoreProtocol};
use crate::common::{lane, until_done, verified};
use ::memcached::{MemcachedAccess, memcached_lacks, memcached_lanes};
use ::redis::resp_lacks;
use engine::workload::COUNTED_FROM;
use engine::{Numbers, Stop};
use record::{
    Arrivals, Distribution, DriveOrder, Failure, Histogram, Kind, LaneTask, Loading, Reuse, Seen,
    Share, TrialRecord, Verify, Workload,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
use wire::memcached::Dialect;
use wire::resp::codes;

const KEYS: u64 = 500;
const ALL: [StoreProtocol; 4] =
    [StoreProtocol::Text, StoreProtocol::Meta, StoreProtocol::Resp2, StoreProtocol::Resp3];

fn workload(mix: &[(Kind, f64)]) -> Workload {
    Workload { distribution: Distribution::Zipf(0.9), ..verified(KEYS, mix) }
}

fn order(server: &Server, doing: LaneTask, operations: u64, depth: u32) -> DriveOrder {
    let mut lane = lane(server.address);
    lane.doing = doing;
    lane.operations = Some(operations);
    lane.intensity.depth = depth;
    until_done(vec![lane])
}

/// Drives this many operations.
fn drive(server: &Server, doing: LaneTask, operations: u64, depth: u32) -> Seen {
    let mut trials = server.drive(&mut order(server, doing, operations, depth));
    assert_eq!(trials.len(), 1);
    trials.remove(0).seen
}

fn load(server: &Server, workload: &Workload) {
    let seen = drive(server, LaneTask::load(workload.clone()), KEYS, 8);
    assert_eq!((seen.operations, seen.outcomes.ok), (KEYS, KEYS), "{:?}", seen.outcomes);
}

#[test]
fn a_load_goes_on_at_any_key() {
    let workload = workload(&[(Kind::Get, 1.0)]);
    for dialogue in [StoreProtocol::Text, StoreProtocol::Resp2] {
        let server = Server::start(dialogue, &[]);
        let first = KEYS / 3;
        let part = |from| LaneTask::Load(Loading { from, workload: workload.clone() });
        assert_eq!(drive(&server, part(0), first, 8).outcomes.ok, first, "{dialogue:?}");
        let before = drive(&server, LaneTask::Drive(workload.clone()), 3000, 1).outcomes;
        assert!(before.miss > 0, "two thirds are not there: {before:?}");
        assert_eq!(drive(&server, part(first), KEYS - first, 8).outcomes.ok, KEYS - first);
        let after = drive(&server, LaneTask::Drive(workload.clone()), 3000, 1).outcomes;
        assert_eq!((after.ok, after.miss), (3000, 0), "{dialogue:?}");
    }
}

#[test]
fn what_was_written_comes_back_at_any_depth() {
    let workload = workload(&[
        (Kind::Get, 5.0),
        (Kind::Set, 3.0),
        (Kind::MultiGet(7), 1.0),
        (Kind::Touch, 1.0),
    ]);
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        load(&server, &workload);
        for depth in [1, 16] {
            let seen = drive(&server, LaneTask::Drive(workload.clone()), 4000, depth);
            assert_eq!(seen.outcomes.ok, 4000, "{dialogue:?} {depth}: {:?}", seen.outcomes);
            assert_eq!((seen.sent, seen.unfinished), (4000, 0));
            assert_eq!(seen.response_time.len(), 4000, "each is timed on its own");
            assert_eq!(seen.connections.opened, 4);
        }
    }
}

#[test]
fn a_store_is_asked_whether_it_answers() {
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        let seen = drive(&server, LaneTask::Ask, 1, 1);
        assert_eq!(
            (seen.operations, seen.outcomes.ok),
            (1, 1),
            "{dialogue:?}: {:?}",
            seen.outcomes
        );
    }
}

#[test]
fn every_kind_is_answered() {
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        for kind in [Kind::Add, Kind::Replace, Kind::Append, Kind::Delete] {
            // The effect of these on a value is not tracked.
            let workload = Workload { verify: Verify::Off, ..workload(&[(kind, 1.0)]) };
            load(&server, &workload);
            let seen = drive(&server, LaneTask::Drive(workload), 100, 4);
            assert_eq!(seen.outcomes.ok, 100, "{dialogue:?} {kind:?}: {:?}", seen.outcomes);
        }
    }
}

#[test]
fn what_is_not_there_is_a_miss() {
    let workload = workload(&[(Kind::Get, 1.0), (Kind::MultiGet(3), 1.0)]);
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        let seen = drive(&server, LaneTask::Drive(workload.clone()), 100, 2);
        assert_eq!((seen.outcomes.miss, seen.outcomes.ok), (100, 0), "{dialogue:?}");
    }
}

/// Returns the counts of both halves of the operations.
fn halves(seen: &Seen, kind: Kind) -> (u64, u64, u64) {
    let of = seen.kinds.iter().find(|of| of.kind == kind).expect("driven");
    (of.operations, of.read_time.len(), of.update_time.len())
}

#[test]
fn a_read_and_its_write_are_one_operation() {
    let both = workload(&[(Kind::Get, 1.0), (Kind::ReadModifyWrite, 1.0), (Kind::Set, 0.2)]);
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        load(&server, &both);
        for depth in [1, 2, 16] {
            let seen = drive(&server, LaneTask::Drive(both.clone()), 4000, depth);
            assert_eq!(seen.outcomes.ok, 4000, "{dialogue:?} {depth}: {:?}", seen.outcomes);
            assert_eq!((seen.operations, seen.sent, seen.unfinished), (4000, 4000, 0));
            assert_eq!(seen.response_time.len(), 4000);
            let (operations, reads, updates) = halves(&seen, Kind::ReadModifyWrite);
            assert!(operations > 1500, "{operations}");
            assert_eq!((reads, updates), (operations, operations));
            assert_eq!(seen.kinds.iter().map(|of| of.operations).sum::<u64>(), 4000);
            assert_eq!(seen.kinds.iter().map(|of| of.ok).sum::<u64>(), 4000);
        }
    }
}

#[test]
fn fresh_connections_serve_both_halves() {
    let both = workload(&[(Kind::ReadModifyWrite, 1.0)]);
    for dialogue in ALL {
        // New connections come from all of 127.0.0.x; by default Redis accepts only the first.
        let open: &[&str] = match dialogue {
            StoreProtocol::Text | StoreProtocol::Meta => &[],
            _ => &["--protected-mode", "no"],
        };
        let server = Server::start(dialogue, open);
        load(&server, &both);
        for (reuse, opened) in [(Reuse::Never, 200), (Reuse::Times(20), 10)] {
            let mut order = order(&server, LaneTask::Drive(both.clone()), 200, 1);
            order.lanes[0].reuse = reuse;
            let seen = server.drive(&mut order).remove(0).seen;
            assert_eq!(seen.outcomes.ok, 200, "{dialogue:?} {reuse:?}: {:?}", seen.outcomes);
            // The connections of the last slice may end before their count is full.
            let most = opened + u64::from(order.lanes[0].intensity.connections);
            assert!((opened..=most).contains(&seen.connections.opened), "{:?}", seen.connections);
        }
    }
}

/// In open loop no operation begins when a reply arrives: the write must be sent without that.
#[test]
fn an_open_loop_goes_on_with_the_write() {
    let both = workload(&[(Kind::ReadModifyWrite, 1.0)]);
    let server = Server::start(StoreProtocol::Resp3, &[]);
    load(&server, &both);
    let mut order = order(&server, LaneTask::Drive(both), 300, 4);
    order.lanes[0].intensity.arrivals = Arrivals::Poisson(3000.0);
    let seen = server.drive(&mut order).remove(0).seen;
    assert_eq!((seen.outcomes.ok, seen.unsent), (300, 0), "{:?}", seen.outcomes);
}

/// Answers every read with a value, and never answers a write: it stays silent or closes.
fn answers_reads_only(closes: bool) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        // Kept open, because a silent server closes nothing.
        let mut kept = Vec::new();
        for mut stream in listener.incoming().flatten() {
            let mut buffer = [0; 4096];
            if stream.read(&mut buffer).is_ok_and(|got| got > 0) {
                let value = b"VALUE t:000000000000 0 1\r\nx\r\nEND\r\n";
                stream.write_all(value).expect("it listens");
            }
            if stream.read(&mut buffer).is_ok() && !closes {
                kept.push(stream);
            }
        }
    });
    address
}

#[test]
fn an_operation_whose_write_is_lost_is_one_that_failed() {
    let both = workload(&[(Kind::ReadModifyWrite, 1.0)]);
    let both = Workload { keys: 1, verify: Verify::Off, ..both };
    for (closes, failure, timed) in [(true, Failure::Closed, 0), (false, Failure::Timeout, 5)] {
        let mut lane = lane(answers_reads_only(closes));
        (lane.intensity.connections, lane.timeout_ns) = (1, 50_000_000);
        (lane.doing, lane.operations) = (LaneTask::Drive(both.clone()), Some(5));
        let order = until_done(vec![lane]);
        let access =
            MemcachedAccess { dialect: Dialect::Text, numbers: Numbers::new(1), sharded: None };
        let lanes = vec![memcached_lanes(&order, 0, &access)];
        let mut seen = Seen::default();
        let stop = Stop::new().expect("a descriptor");
        let each = &mut |trial: TrialRecord| {
            seen.merge(&trial.seen);
            ControlFlow::Continue(())
        };
        engine::run(&order, lanes, Vec::new(), &stop, each).expect("the engine holds");
        assert_eq!(seen.outcomes.failed, [(failure, 5)].into(), "{:?}", seen.outcomes);
        assert_eq!((seen.operations, seen.sent), (5, 5));
        let of = &seen.kinds[0];
        assert_eq!((of.operations, of.ok), (5, 0));
        assert_eq!([&of.response_time, &of.update_time].map(Histogram::len), [timed; 2]);
    }
}

#[test]
fn a_read_that_finds_nothing_ends_the_operation() {
    let both = Workload { keys: 1, ..workload(&[(Kind::ReadModifyWrite, 1.0)]) };
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        let seen = drive(&server, LaneTask::Drive(both.clone()), 100, 4);
        assert_eq!((seen.outcomes.miss, seen.operations), (100, 100), "{dialogue:?}");
        assert_eq!(halves(&seen, Kind::ReadModifyWrite), (100, 100, 0));
        assert_eq!(seen.kinds[0].miss, 100);
        let gets = Workload { mix: vec![Share { kind: Kind::Get, weight: 1.0 }], ..both.clone() };
        let after = drive(&server, LaneTask::Drive(gets), 1, 1);
        assert_eq!(after.outcomes.miss, 1, "{dialogue:?}: nothing was written");
    }
}

#[test]
fn a_cas_alone_on_its_key_wins() {
    // One operation in flight: no other write comes between.
    let alone = workload(&[(Kind::Cas, 3.0), (Kind::Get, 1.0)]);
    for dialogue in [StoreProtocol::Text, StoreProtocol::Meta] {
        let server = Server::start(dialogue, &[]);
        load(&server, &alone);
        let mut order = order(&server, LaneTask::Drive(alone.clone()), 1000, 1);
        order.lanes[0].intensity.connections = 1;
        let seen = server.drive(&mut order).remove(0).seen;
        assert_eq!(seen.outcomes.ok, 1000, "{dialogue:?}: {:?}", seen.outcomes);
    }
}

#[test]
fn of_many_that_meet_on_one_key_some_lose_and_none_fails() {
    let meeting = Workload { keys: 1, ..workload(&[(Kind::Cas, 1.0), (Kind::Get, 1.0)]) };
    for dialogue in [StoreProtocol::Text, StoreProtocol::Meta] {
        let server = Server::start(dialogue, &[]);
        let one = LaneTask::load(meeting.clone());
        assert_eq!(drive(&server, one, 1, 1).outcomes.ok, 1);
        let seen = drive(&server, LaneTask::Drive(meeting.clone()), 4000, 8);
        let outcomes = &seen.outcomes;
        assert!(outcomes.conflict > 100 && outcomes.ok > 2000, "{dialogue:?}: {outcomes:?}");
        assert_eq!(outcomes.conflict + outcomes.ok, 4000, "{dialogue:?}: {outcomes:?}");
        let (operations, reads, updates) = halves(&seen, Kind::Cas);
        assert_eq!((reads, updates), (operations, operations));
    }
}

/// Returns the number that a key holds.
fn held(server: &Server, dialogue: StoreProtocol, key: &str) -> u64 {
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.write_all(format!("get {key}\r\n").as_bytes()).expect("sent");
    let mut reply = [0; 200];
    let got = stream.read(&mut reply).expect("answered");
    let text = String::from_utf8_lossy(&reply[..got]).into_owned();
    let number = text.lines().nth(1).unwrap_or_default().trim();
    number.parse().unwrap_or_else(|_| panic!("{dialogue:?}: {text}"))
}

#[test]
fn counters_hold_what_was_counted() {
    let counting = [(Kind::Incr, 3.0), (Kind::Decr, 1.0), (Kind::Get, 1.0), (Kind::Set, 1.0)];
    let counting = Workload { keys: 50, ..workload(&counting) };
    assert_eq!(counting.to_load(), 100);
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        let loaded = drive(&server, LaneTask::load(counting.clone()), counting.to_load(), 8);
        assert_eq!(loaded.outcomes.ok, 100, "{dialogue:?}: {:?}", loaded.outcomes);
        let seen = drive(&server, LaneTask::Drive(counting.clone()), 3000, 8);
        assert_eq!(seen.outcomes.ok, 3000, "{dialogue:?}: {:?}", seen.outcomes);
        let count = |kind| seen.kinds.iter().find(|of| of.kind == kind).map_or(0, |of| of.ok);
        let sum: u64 = (0..50).map(|key| held(&server, dialogue, &format!("t:n{key:012}"))).sum();
        let wanted = 50 * COUNTED_FROM + count(Kind::Incr) - count(Kind::Decr);
        assert_eq!(sum, wanted, "{dialogue:?}");
        assert!(count(Kind::Incr) > 1000);
    }
}

#[test]
fn where_only_counters_are_requested_only_they_are_loaded() {
    let server = Server::start(StoreProtocol::Text, &[]);
    let counting = Workload { keys: 10, ..workload(&[(Kind::Incr, 1.0)]) };
    assert_eq!(counting.to_load(), 10);
    drive(&server, LaneTask::load(counting.clone()), 10, 1);
    let seen = drive(&server, LaneTask::Drive(counting), 100, 1);
    assert_eq!(seen.outcomes.ok, 100, "{:?}", seen.outcomes);
    assert!(seen.kinds.is_empty(), "one kind is all operations");
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
    for dialogue in [StoreProtocol::Resp2, StoreProtocol::Resp3] {
        let server = Server::start(dialogue, &[]);
        let seen = drive(&server, LaneTask::Drive(custom.clone()), 2000, 8);
        let outcomes = &seen.outcomes;
        assert_eq!(outcomes.ok + outcomes.miss, 2000, "{dialogue:?}: {outcomes:?}");
        let of =
            |at: u32| seen.kinds.iter().find(|of| of.kind == Kind::Command(at)).expect("driven");
        assert_eq!(outcomes.miss, of(2).operations, "a nil is a miss");
        assert_eq!(of(2).miss, of(2).operations);
        say(&server, "ZCARD board\r\n");
    }
}

#[test]
fn an_error_reply_to_a_command_is_an_error() {
    let server = Server::start(StoreProtocol::Resp2, &[]);
    let custom = commands(&["SET {key} {value}", "LPUSH {key} {value}"]);
    let seen = drive(&server, LaneTask::Drive(Workload { keys: 1, ..custom }), 400, 1);
    let wrong_type = seen.outcomes.unexpected.get(&codes::WRONGTYPE).copied().unwrap_or(0);
    assert!(wrong_type > 100, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.ok + wrong_type, 400);
}

/// A kind that the store does not support makes the lane fail.
#[test]
fn what_a_store_has_not_is_refused() {
    for (lacks, kind) in [
        (memcached_lacks as fn(Kind) -> Option<&'static str>, Kind::Scan(9)),
        (memcached_lacks, Kind::Command(0)),
        (resp_lacks, Kind::Scan(9)),
        (resp_lacks, Kind::Cas),
    ] {
        assert!(lacks(kind).is_some(), "{kind:?}");
    }
    for kind in [Kind::Get, Kind::Incr, Kind::ReadModifyWrite, Kind::Touch] {
        assert_eq!((memcached_lacks(kind), resp_lacks(kind)), (None, None), "{kind:?}");
    }
}

/// Sends a command to the server on a separate connection.
fn say(server: &Server, text: &str) {
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.write_all(text.as_bytes()).expect("sent");
    assert!(stream.read(&mut [0; 100]).expect("answered") > 0);
}

#[test]
fn a_value_that_was_never_written_is_wrong() {
    let workload = Workload { keys: 1, ..workload(&[(Kind::Get, 1.0)]) };
    let foreign = "x".repeat(40);
    for dialogue in ALL {
        let server = Server::start(dialogue, &[]);
        match dialogue {
            StoreProtocol::Text | StoreProtocol::Meta => {
                say(&server, &format!("set t:000000000000 0 0 40\r\n{foreign}\r\n"));
            }
            _ => say(&server, &format!("SET t:000000000000 {foreign}\r\n")),
        }
        let seen = drive(&server, LaneTask::Drive(workload.clone()), 50, 1);
        assert_eq!((seen.outcomes.wrong, seen.outcomes.ok), (50, 0), "{dialogue:?}");
    }
}

#[test]
fn a_loaded_value_that_comes_back_after_a_write_is_stale() {
    let written = Workload { keys: 1, ..workload(&[(Kind::Set, 1.0), (Kind::Get, 1.0)]) };
    let server = Server::start(StoreProtocol::Resp2, &[]);
    let one = LaneTask::load(written.clone());
    assert_eq!(drive(&server, one, 1, 1).outcomes.ok, 1);
    say(&server, "COPY t:000000000000 kept\r\n");
    // This simulates a server that loses every write: another client restores the loaded value
    // all the time.
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    let undo = || {
        stream.write_all(b"COPY kept t:000000000000 REPLACE\r\n").expect("sent");
        assert!(stream.read(&mut [0; 100]).expect("answered") > 0);
    };
    let mut order = order(&server, LaneTask::Drive(written), 4000, 1);
    order.lanes[0].intensity.connections = 1;
    let seen = beside([undo], || server.drive(&mut order).remove(0).seen);
    assert!(seen.outcomes.stale > 0, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.stale + seen.outcomes.ok, 4000, "{:?}", seen.outcomes);
}
