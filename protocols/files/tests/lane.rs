//! The blocking lane driven by the engine, on files in memory.

use crate::scratch::{Scratch, files, on_a_small_tmpfs};
use engine::{Numbers, Stop};
use files::{Action, Answer, FileWork, Guard, Judged, Request, Store, file_lanes};
use protocol::testing::{self, lane_without_address, until_done};
use record::{
    Arrivals, DriveOrder, Failure, FaultOwner, Intensity, LaneOrder, Outcome, Reuse, TrialRecord,
};
use std::fs::File;
use std::ops::ControlFlow;
use std::os::fd::AsRawFd;
use std::time::Duration;

/// Codes of answers.
const HIT: u16 = 1;
const MISS: u16 = 2;
const DONE: u16 = 3;
const HELD: u16 = 4;
const WRONG: u16 = 5;

/// Ten operations on a key, by number: a set, seven gets, a delete, a get. The value names its
/// key.
fn ask(last: &mut Option<u64>, number: u64, _: &mut (), request: &mut Request) {
    assert!(last.is_none_or(|last| last < number), "{number} after {last:?}");
    *last = Some(number);
    request.action = match number % 10 {
        0 => Action::Set,
        8 => Action::Delete,
        _ => Action::Get,
    };
    request.key.clear();
    request.key.extend_from_slice(&(number / 10 % 50).to_le_bytes());
    request.value.clear();
    request.value.extend_from_slice(&request.key);
    request.value.resize(100, 9);
}

fn judge(_: &mut Option<u64>, _: &mut (), request: &Request, answer: Answer<'_>) -> Judged {
    let code = match answer {
        Answer::Value(value) if value == request.value => HIT,
        Answer::Value(_) => WRONG,
        Answer::Absent => MISS,
        Answer::Done => DONE,
        Answer::Held => HELD,
    };
    Judged { code, outcome: if code == WRONG { Outcome::Wrong } else { Outcome::Ok } }
}

fn work() -> FileWork<Option<u64>> {
    FileWork { state: None, ask, judge }
}

fn lane(connections: u32, operations: Option<u64>) -> LaneOrder {
    let intensity = Intensity { connections, depth: 1, arrivals: Arrivals::Closed };
    LaneOrder { intensity, operations, ..lane_without_address() }
}

/// Returns an order of one round with one turn, of 200 ms or until the operations are done.
fn order(lane: LaneOrder) -> DriveOrder {
    if lane.operations.is_some() { until_done(vec![lane]) } else { testing::order(vec![lane]) }
}

fn drive(order: &DriveOrder, store: &Store, work: FileWork<Option<u64>>) -> Vec<TrialRecord> {
    drive_until(order, store, work, &Stop::new().expect("a descriptor"))
}

fn drive_until(
    order: &DriveOrder,
    store: &Store,
    work: FileWork<Option<u64>>,
    stop: &Stop,
) -> Vec<TrialRecord> {
    let lanes = vec![file_lanes(order, 0, store, &Numbers::new(2), move |_| Ok(work.clone()))];
    let mut trials = Vec::new();
    engine::run(order, lanes, Vec::new(), stop, &mut |trial| {
        trials.push(trial);
        ControlFlow::Continue(())
    })
    .expect("the engine holds");
    trials
}

#[test]
fn one_thread_does_every_operation_in_its_order() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    let trials = drive(&order(lane(1, Some(5_000))), &store, work());
    let seen = &trials[0].seen;
    assert_eq!(seen.outcomes.ok, 5_000, "{:?}", seen.outcomes);
    let codes: Vec<_> = seen.codes.iter().map(|(code, n)| (*code, *n)).collect();
    assert_eq!(codes, [(HIT, 3_500), (MISS, 500), (DONE, 1_000)]);
    assert_eq!((seen.operations, seen.sent, seen.unsent, seen.unfinished), (5_000, 5_000, 0, 0));
    assert_eq!(seen.response_time.len(), 5_000);
    assert_eq!((seen.connections.requested, seen.connections.established), (1, 1));
    let slice = &seen.slices[0];
    assert_eq!((slice.operations, slice.due), (5_000, 5_000));
    assert!(slice.generator_cpu_ns > 0 && slice.generator_cpu_ns < 2 * slice.took_ns);
    assert_eq!(files(&scratch.0).len(), 0, "the last operation on each key but reads: a delete");
}

#[test]
fn many_threads_on_two_workers_share_the_operations() {
    let scratch = Scratch::memory();
    for guard in [Guard::Flock, Guard::Rename] {
        let store = scratch.store(guard);
        let mut order = order(lane(9, Some(20_000)));
        order.cores = vec![0, 0];
        order.rounds = 1;
        let trials = drive(&order, &store, work());
        let seen = &trials[0].seen;
        // A get can precede its set and follow its delete, but must never return another value.
        assert_eq!(seen.outcomes.ok, 20_000, "{guard:?}: {:?}", seen.outcomes);
        assert_eq!((seen.connections.requested, seen.connections.established), (9, 9));
        assert!(seen.codes[&HIT] > 0, "{guard:?}");
    }
}

#[test]
fn rounds_of_slices_go_on_where_they_stopped() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    let mut order = order(lane(3, None));
    (order.rounds, order.slice_ns, order.warm_up) =
        (2, 50_000_000, record::WarmUp::fixed(20_000_000));
    let trials = drive(&order, &store, work());
    assert_eq!(trials.len(), 3);
    for trial in &trials {
        let seen = &trial.seen;
        assert!(seen.operations > 0 && seen.outcomes.ok == seen.operations);
        assert_eq!(seen.slices.iter().map(|slice| slice.operations).sum::<u64>(), seen.operations);
        assert_eq!((seen.unsent, seen.unfinished), (0, 0));
    }
    assert_eq!(trials[1].seen.slices.len(), 4);
}

#[test]
fn in_open_loop_every_operation_that_falls_due_is_counted() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    for (connections, cores) in [(1, vec![]), (4, vec![]), (4, vec![0, 0])] {
        let mut lane_order = lane(connections, None);
        lane_order.intensity.arrivals = Arrivals::Constant(2_000.0);
        let mut order = order(lane_order);
        (order.cores, order.slice_ns) = (cores, 50_000_000);
        let seen = &drive(&order, &store, work())[0].seen;
        assert_eq!(seen.operations + seen.unsent, 400, "{connections}: {seen:?}");
        assert_eq!(seen.outcomes.ok, seen.operations);
        assert_eq!(seen.response_time.len(), seen.operations);
    }
}

/// Locks every existing value.
fn lock_all(scratch: &Scratch) -> Vec<File> {
    let locked = files(&scratch.0).into_iter().map(|path| {
        let file = File::open(path).expect("there");
        // SAFETY: no pointers.
        assert_eq!(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX) }, 0);
        file
    });
    locked.collect()
}

/// Alternates gets of a locked key and of an absent one.
fn ask_locked(_: &mut Option<u64>, number: u64, _: &mut (), request: &mut Request) {
    request.action = Action::Get;
    request.key.clear();
    request.key.extend_from_slice(if number.is_multiple_of(2) { b"locked" } else { b"free" });
}

#[test]
fn a_lock_that_is_never_given_back_is_a_timeout_and_hangs_nothing() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    store.set(b"locked", b"value").expect("room");
    let locked = lock_all(&scratch);
    for (connections, arrivals) in
        [(1, Arrivals::Closed), (2, Arrivals::Closed), (2, Arrivals::Constant(200.0))]
    {
        // In closed loop it goes on until they are done, however long the machine takes.
        let operations = (arrivals == Arrivals::Closed).then_some(8);
        let mut lane_order = LaneOrder { timeout_ns: 20_000_000, ..lane(connections, operations) };
        lane_order.intensity.arrivals = arrivals;
        let work = FileWork { state: None, ask: ask_locked, judge };
        let seen = &drive(&order(lane_order), &store, work)[0].seen;
        let timeouts = seen.outcomes.failed[&Failure::Timeout];
        assert!(timeouts >= 2, "{connections} {arrivals:?}: {:?}", seen.outcomes);
        assert!(seen.outcomes.ok >= 1, "the others go on: {:?}", seen.outcomes);
        assert_eq!(seen.operations, timeouts + seen.outcomes.ok);
        assert_eq!(seen.unfinished, 0);
        assert!(seen.response_time.max() >= Some(20_000_000), "censored at the timeout at least");
        if let Arrivals::Constant(_) = arrivals {
            assert_eq!(seen.operations + seen.unsent, 40, "{:?}", seen.outcomes);
        }
    }
    drop(locked);
}

#[test]
fn while_one_thread_blocks_the_others_mind_the_schedule() {
    fn ask(_: &mut Option<u64>, number: u64, _: &mut (), request: &mut Request) {
        request.action = Action::Get;
        request.key.clear();
        request.key.extend_from_slice(if number == 0 { b"locked" } else { b"free" });
    }
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    store.set(b"locked", b"value").expect("room");
    let _locked = lock_all(&scratch);
    let mut lane_order = LaneOrder { timeout_ns: 500_000_000, ..lane(3, None) };
    lane_order.intensity.arrivals = Arrivals::Constant(200.0);
    let work = FileWork { state: None, ask, judge };
    let seen = &drive(&order(lane_order), &store, work)[0].seen;
    assert_eq!((seen.outcomes.ok, seen.unsent), (39, 0), "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.failed[&Failure::Timeout], 1);
    assert!(seen.response_time.at_rank(39) < Some(500_000_000), "they did not wait for it");
    // The locked one. On a busy machine another that was due just before the end may be in
    // flight, too.
    assert!((1..=2).contains(&seen.slices[0].in_flight_at_end));
}

#[test]
fn a_run_that_is_stopped_ends_at_once() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    store.set(b"locked", b"value").expect("room");
    for arrivals in [Arrivals::Closed, Arrivals::Constant(10.0)] {
        for locks in [false, true] {
            let locked = if locks { lock_all(&scratch) } else { Vec::new() };
            let mut lane_order = lane(2, Some(1 << 40));
            lane_order.intensity.arrivals = arrivals;
            let order = order(lane_order);
            let stop = Stop::new().expect("a descriptor");
            let work = FileWork { state: None, ask: ask_locked, judge };
            let trials = std::thread::scope(|scope| {
                scope.spawn(|| {
                    std::thread::sleep(Duration::from_millis(150));
                    stop.raise();
                });
                drive_until(&order, &store, work, &stop)
            });
            let seen = &trials[0].seen;
            assert!(trials[0].cut_short);
            assert_eq!(seen.unfinished > 0, locks, "{arrivals:?}: {:?}", seen.outcomes);
            assert!(seen.slices[0].took_ns < 30_000_000_000);
            drop(locked);
        }
    }
}

#[test]
fn a_full_store_is_counted_as_theirs_and_the_run_goes_on() {
    fn fill(_: &mut Option<u64>, number: u64, _: &mut (), request: &mut Request) {
        request.action = Action::Set;
        request.key.clear();
        request.key.extend_from_slice(&number.to_le_bytes());
        request.value.resize(50_000, 1);
    }
    on_a_small_tmpfs(|small| {
        let settings = crate::scratch::settings(Guard::Flock);
        let store = Store::new(&small.join("cache"), settings).expect("ours");
        let work = FileWork { state: None, ask: fill, judge };
        let seen = &drive(&order(lane(2, Some(100))), &store, work)[0].seen;
        let full = seen.outcomes.failed[&Failure::Full];
        assert!(full >= 70 && seen.outcomes.ok >= 10, "{:?}", seen.outcomes);
        assert_eq!(full + seen.outcomes.ok, 100);
        assert_eq!(seen.outcomes.count(FaultOwner::Target), full);
    });
}

#[test]
fn what_the_lane_cannot_do_breaks_the_run_with_a_reason() {
    let scratch = Scratch::memory();
    let store = scratch.store(Guard::Flock);
    let broken = |order: &DriveOrder, work: FileWork<Option<u64>>| {
        let lanes = vec![file_lanes(order, 0, &store, &Numbers::new(2), move |_| Ok(work.clone()))];
        let stop = Stop::new().expect("a descriptor");
        let result =
            engine::run(order, lanes, Vec::new(), &stop, &mut |_| ControlFlow::Continue(()));
        result.expect_err("broken").to_string()
    };
    let fresh = LaneOrder { reuse: Reuse::Never, ..lane(1, None) };
    assert!(broken(&order(fresh), work()).contains("leave out reuse"));
    fn panics(_: &mut Option<u64>, _: u64, _: &mut (), _: &mut Request) {
        panic!("this panic belongs to the test");
    }
    let work = FileWork { state: None, ask: panics, judge };
    assert!(broken(&order(lane(2, None)), work).contains("ended with a panic"));
}
