//! What was written is read back, and what is not read back is reported.

use crate::server::{DIALECTS, start};
use memcached::ROW;
use protocol::testing::groups;
use protocol::testing::store_lanes::{self, halves, workload};
use record::{Kind, LaneTask, Workload};
use wire::memcached::Dialect;

protocol::store_lane_tests!(DIALECTS);

#[test]
fn fresh_connections_serve_both_halves() {
    store_lanes::fresh_connections_serve_both_halves(&DIALECTS);
}

#[test]
fn a_value_that_was_never_written_is_wrong() {
    let set = format!("set t:000000000000 0 0 40\r\n{}\r\n", "x".repeat(40));
    store_lanes::a_value_that_was_never_written_is_wrong(&DIALECTS, &set);
}

#[test]
fn a_cas_alone_on_its_key_wins() {
    // One operation in flight: no other write comes between.
    let alone = workload(&[(Kind::Cas, 3.0), (Kind::Get, 1.0)]);
    for (name, start) in DIALECTS {
        let server = start();
        server.load(&alone);
        let mut order = server.order(LaneTask::Drive(alone.clone()), 1000, 1);
        order.lanes[0].intensity.connections = 1;
        let seen = server.drive_one(&mut order);
        assert_eq!(seen.outcomes.ok, 1000, "{name}: {:?}", seen.outcomes);
    }
}

#[test]
fn of_many_that_meet_on_one_key_some_lose_and_none_fails() {
    let meeting = Workload { keys: 1, ..workload(&[(Kind::Cas, 1.0), (Kind::Get, 1.0)]) };
    for (name, start) in DIALECTS {
        let server = start();
        let one = LaneTask::load(meeting.clone());
        assert_eq!(server.seen(one, 1, 1).outcomes.ok, 1);
        let seen = server.seen(LaneTask::Drive(meeting.clone()), 4000, 8);
        let outcomes = &seen.outcomes;
        assert!(outcomes.conflict > 100 && outcomes.ok > 2000, "{name}: {outcomes:?}");
        assert_eq!(outcomes.conflict + outcomes.ok, 4000, "{name}: {outcomes:?}");
        let (operations, reads, updates) = halves(&seen, Kind::Cas);
        assert_eq!((reads, updates), (operations, operations));
    }
}

#[test]
fn where_only_counters_are_requested_only_they_are_loaded() {
    let server = start(Dialect::Text);
    let counting = Workload { keys: 10, ..workload(&[(Kind::Incr, 1.0)]) };
    assert_eq!(counting.to_load(), 10);
    server.load(&counting);
    let seen = server.seen(LaneTask::Drive(counting), 100, 1);
    assert_eq!(seen.outcomes.ok, 100, "{:?}", seen.outcomes);
    assert!(seen.kinds.is_empty(), "one kind is all operations");
}

/// A kind that the store does not support makes the lane fail.
#[test]
fn what_a_store_has_not_is_refused() {
    for kind in [Kind::Scan(9), Kind::Command(0)] {
        assert!((ROW.lacks)(kind).is_some(), "{kind:?}");
    }
    for kind in [Kind::Get, Kind::Incr, Kind::ReadModifyWrite, Kind::Touch] {
        assert_eq!((ROW.lacks)(kind), None, "{kind:?}");
    }
}

#[test]
fn readers_verify_what_writers_of_another_group_wrote() {
    let [text, meta] = DIALECTS;
    groups::readers_verify_what_writers_of_another_group_wrote(&[(text, 1), (meta, 2)]);
}
