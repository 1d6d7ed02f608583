//! Lanes of stores against real memcached and Redis: what was written is what
//! comes back, and what does not come back is told.

mod common;

use common::stores::{Server, Speech};
use common::{lane, until_done};
use record::{
    Asked, Distribution, Doing, Kind, Loading, Seen, Share, ValueBytes, Verify, Workload,
};
use std::io::{Read, Write};
use std::net::TcpStream;

const KEYS: u64 = 500;
const ALL: [Speech; 4] = [Speech::Text, Speech::Meta, Speech::Resp2, Speech::Resp3];

fn workload(mix: &[(Kind, f64)]) -> Workload {
    Workload {
        prefix: "t:".into(),
        keys: KEYS,
        distribution: Distribution::Zipf(0.9),
        hot: 1.0,
        value: ValueBytes::Uniform(16, 300),
        compressible: false,
        mix: mix.iter().map(|&(kind, weight)| Share { kind, weight }).collect(),
        verify: Verify::All,
    }
}

fn order(server: &Server, doing: Doing, operations: u64, depth: u32) -> Asked {
    let mut lane = lane(server.address);
    lane.doing = doing;
    lane.operations = Some(operations);
    lane.depth = depth;
    until_done(vec![lane])
}

/// What comes of so many operations.
fn drive(server: &Server, doing: Doing, operations: u64, depth: u32) -> Seen {
    let mut trials = server.drive(&mut order(server, doing, operations, depth));
    assert_eq!(trials.len(), 1);
    trials.remove(0).seen
}

fn load(server: &Server, workload: &Workload) {
    let seen = drive(server, Doing::load(workload.clone()), KEYS, 8);
    assert_eq!((seen.operations, seen.outcomes.ok), (KEYS, KEYS), "{:?}", seen.outcomes);
}

#[test]
fn a_load_goes_on_at_any_key() {
    let workload = workload(&[(Kind::Get, 1.0)]);
    for speech in [Speech::Text, Speech::Resp2] {
        let server = Server::start(speech, &[]);
        let first = KEYS / 3;
        let part = |from| Doing::Load(Loading { from, workload: workload.clone() });
        assert_eq!(drive(&server, part(0), first, 8).outcomes.ok, first, "{speech:?}");
        let before = drive(&server, Doing::Drive(workload.clone()), 3000, 1).outcomes;
        assert!(before.miss > 0, "two thirds are not there: {before:?}");
        assert_eq!(drive(&server, part(first), KEYS - first, 8).outcomes.ok, KEYS - first);
        let after = drive(&server, Doing::Drive(workload.clone()), 3000, 1).outcomes;
        assert_eq!((after.ok, after.miss), (3000, 0), "{speech:?}");
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
    for speech in ALL {
        let server = Server::start(speech, &[]);
        load(&server, &workload);
        for depth in [1, 16] {
            let seen = drive(&server, Doing::Drive(workload.clone()), 4000, depth);
            assert_eq!(seen.outcomes.ok, 4000, "{speech:?} {depth}: {:?}", seen.outcomes);
            assert_eq!((seen.sent, seen.unfinished), (4000, 0));
            assert_eq!(seen.response_time.len(), 4000, "each is timed on its own");
            assert_eq!(seen.connections.opened, 4);
        }
    }
}

#[test]
fn a_store_is_asked_whether_it_answers() {
    for speech in ALL {
        let server = Server::start(speech, &[]);
        let seen = drive(&server, Doing::Ask, 1, 1);
        assert_eq!((seen.operations, seen.outcomes.ok), (1, 1), "{speech:?}: {:?}", seen.outcomes);
    }
}

#[test]
fn every_kind_is_answered() {
    for speech in ALL {
        let server = Server::start(speech, &[]);
        for kind in [Kind::Add, Kind::Replace, Kind::Append, Kind::Delete] {
            // What these do to a value is not followed.
            let workload = Workload { verify: Verify::Off, ..workload(&[(kind, 1.0)]) };
            load(&server, &workload);
            let seen = drive(&server, Doing::Drive(workload), 100, 4);
            assert_eq!(seen.outcomes.ok, 100, "{speech:?} {kind:?}: {:?}", seen.outcomes);
        }
    }
}

#[test]
fn what_is_not_there_is_a_miss() {
    let workload = workload(&[(Kind::Get, 1.0), (Kind::MultiGet(3), 1.0)]);
    for speech in ALL {
        let server = Server::start(speech, &[]);
        let seen = drive(&server, Doing::Drive(workload.clone()), 100, 2);
        assert_eq!((seen.outcomes.miss, seen.outcomes.ok), (100, 0), "{speech:?}");
    }
}

/// Says something to the server beside the lane.
fn say(server: &Server, text: &str) {
    let mut stream = TcpStream::connect(server.address).expect("it listens");
    stream.write_all(text.as_bytes()).expect("said");
    assert!(stream.read(&mut [0; 100]).expect("answered") > 0);
}

#[test]
fn a_value_that_was_never_written_is_wrong() {
    let workload = Workload { keys: 1, ..workload(&[(Kind::Get, 1.0)]) };
    let foreign = "x".repeat(40);
    for speech in ALL {
        let server = Server::start(speech, &[]);
        match speech {
            Speech::Text | Speech::Meta => {
                say(&server, &format!("set t:000000000000 0 0 40\r\n{foreign}\r\n"));
            }
            _ => say(&server, &format!("SET t:000000000000 {foreign}\r\n")),
        }
        let seen = drive(&server, Doing::Drive(workload.clone()), 50, 1);
        assert_eq!((seen.outcomes.wrong, seen.outcomes.ok), (50, 0), "{speech:?}");
    }
}

#[test]
fn a_loaded_value_that_comes_back_after_a_write_is_stale() {
    let written = Workload { keys: 1, ..workload(&[(Kind::Set, 1.0), (Kind::Get, 1.0)]) };
    let server = Server::start(Speech::Resp2, &[]);
    let one = Doing::load(written.clone());
    assert_eq!(drive(&server, one, 1, 1).outcomes.ok, 1);
    say(&server, "COPY t:000000000000 kept\r\n");
    // A server that forgets every write: a script of its own cannot be had, so
    // another client puts the loaded value back all the time.
    let over = std::sync::atomic::AtomicBool::new(false);
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut stream = TcpStream::connect(server.address).expect("it listens");
            while !over.load(std::sync::atomic::Ordering::Relaxed) {
                let back = b"COPY kept t:000000000000 REPLACE\r\n";
                stream.write_all(back).expect("said");
                assert!(stream.read(&mut [0; 100]).expect("answered") > 0);
            }
        });
        let mut order = order(&server, Doing::Drive(written), 4000, 1);
        order.lanes[0].connections = 1;
        let seen = server.drive(&mut order).remove(0).seen;
        over.store(true, std::sync::atomic::Ordering::Relaxed);
        seen
    });
    assert!(seen.outcomes.stale > 0, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.stale + seen.outcomes.ok, 4000, "{:?}", seen.outcomes);
}
