//! The lane of Cassandra's Thrift interface against a small server of it.

use crate::server::{Cassandra, Refusal};
use protocol::testing::{lane, until_done, verified};
use record::{Arrivals, DriveOrder, Kind, LaneTask, Reuse, Seen, ValueBytes, Workload};
use std::sync::atomic::Ordering;
use thrift::ROW;
use wire::thrift::codes;

const KEYS: u64 = 300;

fn order(server: &Cassandra, doing: LaneTask, operations: u64, depth: u32) -> DriveOrder {
    let mut lane = lane(server.address());
    (lane.doing, lane.operations, lane.intensity.depth) = (doing, Some(operations), depth);
    until_done(vec![lane])
}

/// Drives this many operations.
fn drive(server: &Cassandra, doing: LaneTask, operations: u64, depth: u32) -> Seen {
    server.drive(&mut order(server, doing, operations, depth))
}

fn load(server: &Cassandra, workload: &Workload) {
    let seen = drive(server, LaneTask::load(workload.clone()), KEYS, 8);
    assert_eq!((seen.operations, seen.outcomes.ok), (KEYS, KEYS), "{:?}", seen.outcomes);
}

#[test]
fn what_was_written_comes_back_at_any_depth() {
    let workload = verified(
        KEYS,
        &[
            (Kind::Get, 4.0),
            (Kind::Set, 3.0),
            (Kind::MultiGet(7), 1.0),
            (Kind::ReadModifyWrite, 1.0),
        ],
    );
    let server = Cassandra::start(None);
    load(&server, &workload);
    for depth in [1, 16] {
        let seen = drive(&server, LaneTask::Drive(workload.clone()), 4000, depth);
        assert_eq!(seen.outcomes.ok, 4000, "{depth}: {:?}", seen.outcomes);
        assert_eq!((seen.sent, seen.unfinished, seen.connections.opened), (4000, 0, 4));
        assert_eq!(seen.response_time.len(), 4000, "each is timed on its own");
    }
}

#[test]
fn wide_rows_come_back_with_the_newest_columns_first() {
    let kinds = [(Kind::Newest, 4.0), (Kind::OneColumn, 1.0), (Kind::InsertColumn, 1.0)];
    let workload = Workload { keys: 5, ..verified(5, &kinds) };
    let reads = Workload { keys: 5, ..verified(5, &kinds[..2]) };
    let (server, columns) = (Cassandra::start(None), workload.to_load());
    assert_eq!(columns, 5 * 2 * 100);
    let empty = drive(&server, LaneTask::Drive(reads), 100, 2).outcomes;
    assert_eq!(empty.miss, 100, "{empty:?}");
    let loaded = drive(&server, LaneTask::load(workload.clone()), columns, 8).outcomes;
    assert_eq!(loaded.ok, columns, "{loaded:?}");
    // The operations of the second run follow those of the first.
    for depth in [1, 16] {
        let seen = drive(&server, LaneTask::Drive(workload.clone()), 2000, depth);
        assert_eq!(seen.outcomes.ok, 2000, "{depth}: {:?}", seen.outcomes);
        assert!(seen.kinds.iter().all(|kind| kind.ok > 100), "{depth}");
    }
}

/// If a server holds the columns of another workload, every value is wrong.
#[test]
fn values_of_other_wide_rows_are_wrong() {
    let workload = verified(5, &[(Kind::Newest, 1.0)]);
    let other = Workload { value: ValueBytes::Fixed(40), ..workload.clone() };
    let server = Cassandra::start(None);
    let loaded = drive(&server, LaneTask::load(other), workload.to_load(), 8).outcomes;
    assert_eq!(loaded.ok, workload.to_load());
    let seen = drive(&server, LaneTask::Drive(workload), 100, 4).outcomes;
    assert_eq!((seen.wrong, seen.ok), (100, 0), "{seen:?}");
}

/// With two keys a multi-get names one of them several times; the server answers it once.
#[test]
fn a_key_that_is_requested_twice_is_not_a_miss() {
    let workload = Workload { keys: 2, ..verified(2, &[(Kind::MultiGet(5), 1.0)]) };
    let server = Cassandra::start(None);
    assert_eq!(drive(&server, LaneTask::load(workload.clone()), 2, 1).outcomes.ok, 2);
    let seen = drive(&server, LaneTask::Drive(workload), 200, 2);
    assert_eq!(seen.outcomes.ok, 200, "{:?}", seen.outcomes);
}

/// On one connection with one operation in flight, no write arrives after a later one.
#[test]
fn every_write_is_later_than_the_one_before() {
    let workload = verified(KEYS, &[(Kind::Set, 1.0), (Kind::Delete, 1.0)]);
    let server = Cassandra::start(None);
    load(&server, &workload);
    let mut order = order(&server, LaneTask::Drive(workload), 3000, 1);
    order.lanes[0].intensity.connections = 1;
    assert_eq!(server.drive(&mut order).outcomes.ok, 3000);
    assert_eq!(server.counts().late.load(Ordering::Relaxed), 0);
}

#[test]
fn what_is_not_there_is_a_miss_and_a_deletion_of_it_is_none() {
    let reads = verified(KEYS, &[(Kind::Get, 1.0), (Kind::MultiGet(3), 1.0)]);
    let deletes = verified(KEYS, &[(Kind::Delete, 1.0)]);
    let server = Cassandra::start(None);
    let empty = drive(&server, LaneTask::Drive(reads.clone()), 100, 2).outcomes;
    assert_eq!((empty.miss, empty.ok), (100, 0));
    load(&server, &reads);
    assert_eq!(drive(&server, LaneTask::Drive(deletes.clone()), 2000, 4).outcomes.ok, 2000);
    let after = drive(&server, LaneTask::Drive(reads), 500, 2).outcomes;
    assert!(after.miss > 400 && after.ok + after.miss == 500, "{after:?}");
    let (both, operations) = (verified(KEYS, &[(Kind::ReadModifyWrite, 1.0)]), 50);
    let empty = Cassandra::start(None);
    let ended = drive(&empty, LaneTask::Drive(both), operations, 1);
    assert_eq!((ended.outcomes.miss, ended.kinds[0].update_time.len()), (operations, 0));
}

/// The keyspace need not exist before the load.
#[test]
fn whether_it_answers_is_asked_without_a_keyspace() {
    let server = Cassandra::start(None);
    let seen = drive(&server, LaneTask::Ask, 1, 1);
    assert_eq!((seen.operations, seen.outcomes.ok), (1, 1), "{:?}", seen.outcomes);
    assert!(server.counts().logins.load(Ordering::Relaxed) > 0);
    assert_eq!(server.counts().keyspaces.load(Ordering::Relaxed), 0);
}

#[test]
fn every_fresh_connection_logs_in_and_chooses_the_keyspace() {
    let both = verified(KEYS, &[(Kind::Get, 1.0), (Kind::ReadModifyWrite, 1.0)]);
    for (reuse, least) in [(Reuse::Never, 200), (Reuse::Times(20), 10)] {
        let server = Cassandra::start(None);
        load(&server, &both);
        let counted = || {
            let counts = server.counts();
            [&counts.logins, &counts.keyspaces].map(|count| count.load(Ordering::Relaxed))
        };
        let before = counted();
        let mut order = order(&server, LaneTask::Drive(both.clone()), 200, 1);
        order.lanes[0].reuse = reuse;
        let seen = server.drive(&mut order);
        assert_eq!(seen.outcomes.ok, 200, "{reuse:?}: {:?}", seen.outcomes);
        assert!(seen.connections.opened >= least, "{reuse:?}: {:?}", seen.connections);
        let after = counted();
        for (after, before) in after.iter().zip(before) {
            assert_eq!(after - before, seen.connections.opened, "{reuse:?}");
        }
    }
}

#[test]
fn exceptions_are_counted_by_class() {
    for (call, exception, kind, code) in [
        (&b"get"[..], 1, Kind::Get, codes::INVALID_REQUEST),
        (b"get", 3, Kind::Get, codes::UNAVAILABLE),
        (b"get", 4, Kind::ReadModifyWrite, codes::TIMED_OUT),
        (b"insert", 2, Kind::Set, codes::UNAVAILABLE),
        (b"insert", 3, Kind::Set, codes::TIMED_OUT),
        (b"batch_mutate", 2, Kind::Delete, codes::UNAVAILABLE),
        (b"multiget_slice", 3, Kind::MultiGet(3), codes::TIMED_OUT),
    ] {
        let server = Cassandra::start(Some(Refusal { call, exception }));
        let workload = verified(KEYS, &[(kind, 1.0)]);
        if call != b"insert" {
            load(&server, &workload);
        }
        let seen = drive(&server, LaneTask::Drive(workload), 40, 4);
        let (outcomes, call) = (&seen.outcomes, call.escape_ascii());
        assert_eq!(outcomes.unexpected, [(code, 40)].into(), "{call}: {outcomes:?}");
        assert_eq!(seen.connections.opened, 4, "{call}: an exception ends no connection");
    }
}

#[test]
fn a_refused_login_is_counted_by_its_class() {
    for (call, exception, code) in [
        (&b"login"[..], 1, codes::AUTHENTICATION),
        (b"login", 2, codes::AUTHORIZATION),
        (b"set_keyspace", 1, codes::INVALID_REQUEST),
    ] {
        let server = Cassandra::start(Some(Refusal { call, exception }));
        let workload = verified(KEYS, &[(Kind::Get, 1.0)]);
        let mut order = order(&server, LaneTask::Drive(workload), 20, 1);
        order.lanes[0].reuse = Reuse::Never;
        let outcomes = server.drive(&mut order).outcomes;
        assert_eq!(outcomes.ok, 0);
        assert_eq!(outcomes.unexpected, [(code, 20)].into(), "{}", call.escape_ascii());
    }
}

#[test]
fn an_open_loop_is_driven() {
    let workload = verified(KEYS, &[(Kind::ReadModifyWrite, 1.0)]);
    let server = Cassandra::start(None);
    load(&server, &workload);
    let mut order = order(&server, LaneTask::Drive(workload), 300, 4);
    order.lanes[0].intensity.arrivals = Arrivals::Poisson(3000.0);
    let seen = server.drive(&mut order);
    assert_eq!((seen.outcomes.ok, seen.unsent), (300, 0), "{:?}", seen.outcomes);
}

#[test]
fn what_it_cannot_do_is_refused() {
    for kind in [Kind::Cas, Kind::Add, Kind::Incr, Kind::Scan(9), Kind::Command(0)] {
        assert!((ROW.lacks)(kind).is_some(), "{kind:?}");
    }
}
