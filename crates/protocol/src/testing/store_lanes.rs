//! What the lane of every store does, checked against the real store: what was written is read back, and
//! what is not read back is reported. The tests of each protocol call these with its dialects.

use super::{Dialect, verified};
use engine::workload::COUNTED_FROM;
use record::{Distribution, Kind, LaneTask, Loading, Reuse, Seen, Share, Verify, Workload};

const KEYS: u64 = 500;

/// Makes a test of each check that every store's lane passes, with these dialects.
#[macro_export]
macro_rules! store_lane_tests {
    ($dialects:expr) => {
        $crate::store_lane_tests! {
            $dialects;
            a_load_goes_on_at_any_key,
            what_was_written_comes_back_at_any_depth,
            a_store_is_asked_whether_it_answers,
            every_kind_is_answered,
            what_is_not_there_is_a_miss,
            a_read_and_its_write_are_one_operation,
            a_read_that_finds_nothing_ends_the_operation,
            counters_hold_what_was_counted,
        }
    };
    ($dialects:expr; $($check:ident),+ $(,)?) => {
        $(#[test]
        fn $check() {
            $crate::testing::store_lanes::$check(&$dialects);
        })+
    };
}

/// A workload of these kinds, some keys of which are requested more often than others.
pub fn workload(mix: &[(Kind, f64)]) -> Workload {
    Workload { distribution: Distribution::Zipf(0.9), ..verified(KEYS, mix) }
}

/// # Panics
/// If a load in two parts does not write all keys.
pub fn a_load_goes_on_at_any_key(dialects: &[Dialect]) {
    let workload = workload(&[(Kind::Get, 1.0)]);
    for (name, start) in dialects {
        let server = start();
        let first = KEYS / 3;
        let part = |from| LaneTask::Load(Loading { from, workload: workload.clone() });
        assert_eq!(server.seen(part(0), first, 8).outcomes.ok, first, "{name}");
        let before = server.seen(LaneTask::Drive(workload.clone()), 3000, 1).outcomes;
        assert!(before.miss > 0, "two thirds are not there: {before:?}");
        assert_eq!(server.seen(part(first), KEYS - first, 8).outcomes.ok, KEYS - first);
        let after = server.seen(LaneTask::Drive(workload.clone()), 3000, 1).outcomes;
        assert_eq!((after.ok, after.miss), (3000, 0), "{name}");
    }
}

/// # Panics
/// If a value that was written is not read back.
pub fn what_was_written_comes_back_at_any_depth(dialects: &[Dialect]) {
    let workload = workload(&[
        (Kind::Get, 5.0),
        (Kind::Set, 3.0),
        (Kind::MultiGet(7), 1.0),
        (Kind::Touch, 1.0),
    ]);
    for (name, start) in dialects {
        let server = start();
        server.load(&workload);
        for depth in [1, 16] {
            let seen = server.seen(LaneTask::Drive(workload.clone()), 4000, depth);
            assert_eq!(seen.outcomes.ok, 4000, "{name} {depth}: {:?}", seen.outcomes);
            assert_eq!((seen.sent, seen.unfinished), (4000, 0));
            assert_eq!(seen.response_time.len(), 4000, "each is timed on its own");
            assert_eq!(seen.connections.opened, 4);
        }
    }
}

/// # Panics
/// If a store that answers is not asked whether it does.
pub fn a_store_is_asked_whether_it_answers(dialects: &[Dialect]) {
    for (name, start) in dialects {
        let seen = start().seen(LaneTask::Ask, 1, 1);
        assert_eq!((seen.operations, seen.outcomes.ok), (1, 1), "{name}: {:?}", seen.outcomes);
    }
}

/// # Panics
/// If a kind is not answered.
pub fn every_kind_is_answered(dialects: &[Dialect]) {
    for (name, start) in dialects {
        let server = start();
        for kind in [Kind::Add, Kind::Replace, Kind::Append, Kind::Delete] {
            // The effect of these on a value is not tracked.
            let workload = Workload { verify: Verify::Off, ..workload(&[(kind, 1.0)]) };
            server.load(&workload);
            let seen = server.seen(LaneTask::Drive(workload), 100, 4);
            assert_eq!(seen.outcomes.ok, 100, "{name} {kind:?}: {:?}", seen.outcomes);
        }
    }
}

/// # Panics
/// If a key that does not exist is no miss.
pub fn what_is_not_there_is_a_miss(dialects: &[Dialect]) {
    let workload = workload(&[(Kind::Get, 1.0), (Kind::MultiGet(3), 1.0)]);
    for (name, start) in dialects {
        let seen = start().seen(LaneTask::Drive(workload.clone()), 100, 2);
        assert_eq!((seen.outcomes.miss, seen.outcomes.ok), (100, 0), "{name}");
    }
}

/// The counts of both halves of the operations: all, reads and updates.
///
/// # Panics
/// If there was no operation of this kind.
pub fn halves(seen: &Seen, kind: Kind) -> (u64, u64, u64) {
    let of = seen.kinds.iter().find(|of| of.kind == kind).expect("driven");
    (of.operations, of.read_time.len(), of.update_time.len())
}

/// # Panics
/// If a read and its write are not counted as one operation.
pub fn a_read_and_its_write_are_one_operation(dialects: &[Dialect]) {
    let both = workload(&[(Kind::Get, 1.0), (Kind::ReadModifyWrite, 1.0), (Kind::Set, 0.2)]);
    for (name, start) in dialects {
        let server = start();
        server.load(&both);
        for depth in [1, 2, 16] {
            let seen = server.seen(LaneTask::Drive(both.clone()), 4000, depth);
            assert_eq!(seen.outcomes.ok, 4000, "{name} {depth}: {:?}", seen.outcomes);
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

/// # Panics
/// If a connection serves other operations than its policy says.
pub fn fresh_connections_serve_both_halves(dialects: &[Dialect]) {
    let both = workload(&[(Kind::ReadModifyWrite, 1.0)]);
    for (name, start) in dialects {
        let server = start();
        server.load(&both);
        for (reuse, opened) in [(Reuse::Never, 200), (Reuse::Times(20), 10)] {
            let mut order = server.order(LaneTask::Drive(both.clone()), 200, 1);
            order.lanes[0].reuse = reuse;
            let seen = server.drive_one(&mut order);
            assert_eq!(seen.outcomes.ok, 200, "{name} {reuse:?}: {:?}", seen.outcomes);
            // The connections of the last slice may end before their count is full.
            let most = opened + u64::from(order.lanes[0].intensity.connections);
            assert!((opened..=most).contains(&seen.connections.opened), "{:?}", seen.connections);
        }
    }
}

/// # Panics
/// If something is written where nothing was read.
pub fn a_read_that_finds_nothing_ends_the_operation(dialects: &[Dialect]) {
    let both = Workload { keys: 1, ..workload(&[(Kind::ReadModifyWrite, 1.0)]) };
    for (name, start) in dialects {
        let server = start();
        let seen = server.seen(LaneTask::Drive(both.clone()), 100, 4);
        assert_eq!((seen.outcomes.miss, seen.operations), (100, 100), "{name}");
        assert_eq!(halves(&seen, Kind::ReadModifyWrite), (100, 100, 0));
        assert_eq!(seen.kinds[0].miss, 100);
        let gets = Workload { mix: vec![Share { kind: Kind::Get, weight: 1.0 }], ..both.clone() };
        let after = server.seen(LaneTask::Drive(gets), 1, 1);
        assert_eq!(after.outcomes.miss, 1, "{name}: nothing was written");
    }
}

/// # Panics
/// If the counters of the store are not what was counted.
pub fn counters_hold_what_was_counted(dialects: &[Dialect]) {
    let counting = [(Kind::Incr, 3.0), (Kind::Decr, 1.0), (Kind::Get, 1.0), (Kind::Set, 1.0)];
    let counting = Workload { keys: 50, ..workload(&counting) };
    assert_eq!(counting.to_load(), 100);
    for (name, start) in dialects {
        let server = start();
        server.load(&counting);
        let seen = server.seen(LaneTask::Drive(counting.clone()), 3000, 8);
        assert_eq!(seen.outcomes.ok, 3000, "{name}: {:?}", seen.outcomes);
        let count = |kind| seen.kinds.iter().find(|of| of.kind == kind).map_or(0, |of| of.ok);
        let held = |key: u64| {
            let reply = server.says(&format!("get t:n{key:012}\r\n"));
            let number = reply.lines().nth(1).unwrap_or_default().trim();
            number.parse::<u64>().unwrap_or_else(|_| panic!("{name}: {reply}"))
        };
        let wanted = 50 * COUNTED_FROM + count(Kind::Incr) - count(Kind::Decr);
        assert_eq!((0..50).map(held).sum::<u64>(), wanted, "{name}");
        assert!(count(Kind::Incr) > 1000);
    }
}

/// Checks that a value that `set` wrote for the first key is wrong.
///
/// # Panics
/// If it is not.
pub fn a_value_that_was_never_written_is_wrong(dialects: &[Dialect], set: &str) {
    let workload = Workload { keys: 1, ..workload(&[(Kind::Get, 1.0)]) };
    for (name, start) in dialects {
        let server = start();
        server.says(set);
        let seen = server.seen(LaneTask::Drive(workload.clone()), 50, 1);
        assert_eq!((seen.outcomes.wrong, seen.outcomes.ok), (50, 0), "{name}");
    }
}
