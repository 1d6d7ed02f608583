//! The engine with a protocol with stream ids, whose replies arrive in any order and in pieces,
//! with unsolicited messages between them. WebSocket, CQL and HTTP/2 require no more of the
//! engine than this toy.

mod codec;
mod dialogue;
mod server;

use crate::common::{REPLY, access};
use ::http::http_lanes;
use dialogue::{Echo, Ended, Notes, TWICE};
use engine::codec_lane::codec_lanes;
use engine::{MakeLane, Stop};
use protocol::testing::{drive_lanes, lane, order, until_done};
use record::{Arrivals, DriveOrder, Failure, LaneOrder, Outcome, TrialRecord};
use server::{Behaviours, Counts, SLOW, Slow, serve};
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

fn toy_lanes(order: &DriveOrder, notes: &Arc<Mutex<Notes>>) -> Vec<MakeLane> {
    let (depth, notes) = (order.lanes[0].intensity.depth, notes.clone());
    codec_lanes(order, 0, None, move |_| {
        Ok(Echo { depth, notes: notes.clone(), keeps_pushes: true })
    })
}

/// Drives the first lane of an order. Returns the trial and how its operations ended.
fn drive(order: &DriveOrder) -> (TrialRecord, Vec<Ended>) {
    let notes = Notes::new();
    let stop = Stop::new().expect("a descriptor");
    let mut trials = drive_lanes(order, vec![toy_lanes(order, &notes)], Vec::new(), &stop);
    assert_eq!(trials.len(), 1);
    let ended = notes.lock().expect("no test failed").ended.clone();
    (trials.remove(0), ended)
}

/// Returns a lane with this many operations on one connection.
fn on_one(address: SocketAddr, depth: u32, operations: u64) -> LaneOrder {
    let mut lane_order = LaneOrder { operations: Some(operations), ..lane(address) };
    (lane_order.intensity.connections, lane_order.intensity.depth) = (1, depth);
    lane_order
}

fn count(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Returns the requests of these operations, one in [`TWICE`] of which has two.
fn requests_of(operations: u64) -> u64 {
    operations + operations.div_ceil(TWICE)
}

/// Each of the operations ended once, with its own reply.
fn assert_all_are_right(trial: &TrialRecord, ended: &[Ended], counts: &Counts, operations: u64) {
    let seen = &trial.seen;
    assert_eq!(seen.outcomes.ok, operations, "{:?}", seen.outcomes);
    assert_eq!((seen.operations, seen.sent, seen.unfinished), (operations, operations, 0));
    assert_eq!(seen.response_time.len(), operations);
    assert_eq!(count(&counts.requests), requests_of(operations));
    assert_eq!((count(&counts.forbidden), count(&counts.doubled)), (0, 0));
    let numbers: BTreeSet<u64> = ended.iter().map(|ended| ended.number).collect();
    assert_eq!((ended.len() as u64, numbers.len() as u64), (operations, operations));
    for Ended { number, at, outcome } in ended {
        assert_eq!(*outcome, Some(Outcome::Ok), "{number}");
        assert!(at.sent <= at.asked && at.asked <= at.began && at.began <= at.done, "{at:?}");
    }
}

#[test]
fn each_operation_ends_once_with_its_own_reply_whatever_the_order() {
    for (depth, connections) in [(1, 3), (4, 2), (32, 1)] {
        let (address, counts) = serve(Behaviours { push_every: 7, ..Behaviours::PLAIN });
        let mut lane_order = on_one(address, depth, 3000);
        lane_order.intensity.connections = connections;
        let (trial, ended) = drive(&until_done(vec![lane_order]));
        assert_all_are_right(&trial, &ended, &counts, 3000);
        assert!(trial.seen.pushes > 1000, "{} at depth {depth}", trial.seen.pushes);
        assert_eq!(count(&counts.most_open), u64::from(depth));
        let out_of_order = ended.windows(2).any(|two| two[0].number > two[1].number);
        assert!(out_of_order || depth == 1, "depth {depth}");
    }
}

/// Each connection received its pushes complete and in order. Returns how many there were.
fn pushes_in_order(notes: &Notes, counts: &Counts) -> u64 {
    for pushes in notes.pushes.values() {
        for (number, push) in pushes.iter().enumerate() {
            assert_eq!(*push, format!("push {number}"));
        }
    }
    // The last ones may arrive when nothing reads any more.
    assert!(notes.pushed() <= count(&counts.pushes));
    notes.pushed()
}

#[test]
fn a_push_ends_no_operation_and_arrives_whole_and_in_order() {
    let (address, counts) = serve(Behaviours { push_every: 2, ..Behaviours::PLAIN });
    let notes = Notes::new();
    let mut lane_order = on_one(address, 8, 2000);
    lane_order.intensity.connections = 3;
    let order = until_done(vec![lane_order]);
    let stop = Stop::new().expect("a descriptor");
    let trials = drive_lanes(&order, vec![toy_lanes(&order, &notes)], Vec::new(), &stop);
    let notes = notes.lock().expect("no test failed");
    assert_all_are_right(&trials[0], &notes.ended, &counts, 2000);
    let pushes = pushes_in_order(&notes, &counts);
    assert!(notes.pushes.len() == 3 && pushes > 1000, "{pushes}");
    assert!((1000..=pushes).contains(&trials[0].seen.pushes), "{}", trials[0].seen.pushes);
}

#[test]
fn a_push_at_rest_is_received_and_is_not_a_fault() {
    // Pushes are sent only while a connection rests.
    let (address, counts) = serve(Behaviours { push_every: u64::MAX, ..Behaviours::PLAIN });
    let (other, _) = crate::common::serve(REPLY, u64::MAX);
    let notes = Notes::new();
    let toy = LaneOrder { operations: None, ..on_one(address, 4, 0) };
    let order = DriveOrder { slice_ns: 20_000_000, ..order(vec![toy, lane(other)]) };
    let lanes = vec![toy_lanes(&order, &notes), http_lanes(&order, 1, &access())];
    let trials = drive_lanes(&order, lanes, Vec::new(), &Stop::new().expect("a descriptor"));
    let seen = &trials.iter().find(|trial| trial.contender == 0).expect("driven").seen;
    assert!(seen.slices.len() > 5 && seen.operations > 100, "{:?}", seen.outcomes);
    assert_eq!((seen.outcomes.ok, seen.unfinished), (seen.operations, 0));
    assert_eq!((count(&counts.connections), seen.connections.reopened_at_rest), (1, 0));
    let pushes = pushes_in_order(&notes.lock().expect("no test failed"), &counts);
    assert!(seen.pushes > 0 && pushes >= seen.pushes, "{} of {pushes}", seen.pushes);
}

#[test]
fn no_more_are_in_flight_than_the_window_allows_however_it_changes() {
    const WINDOWS: &[u8] = &[3, 6, 2, 7, 1, 5];
    for arrivals in [Arrivals::Closed, Arrivals::Constant(200_000.0)] {
        let (address, counts) = serve(Behaviours { windows: WINDOWS, ..Behaviours::PLAIN });
        let mut lane_order = on_one(address, 16, 3000);
        lane_order.intensity.arrivals = arrivals;
        let (trial, ended) = drive(&until_done(vec![lane_order]));
        assert_all_are_right(&trial, &ended, &counts, 3000);
        assert_eq!(count(&counts.most_open), 7, "{arrivals:?}: each window is used up");
        assert_eq!(trial.seen.connections.opened, 1);
    }
}

#[test]
fn a_window_wider_than_the_depth_changes_nothing() {
    let (address, counts) = serve(Behaviours { windows: &[200], ..Behaviours::PLAIN });
    let (trial, ended) = drive(&until_done(vec![on_one(address, 5, 1000)]));
    assert_all_are_right(&trial, &ended, &counts, 1000);
    assert_eq!(count(&counts.most_open), 5);
}

/// Returns how many operations ended between the send of this one and its end.
fn meanwhile(of: &Ended, all: &[Ended]) -> usize {
    let during = of.at.sent..=of.at.done;
    all.iter().filter(|other| during.contains(&other.at.done)).count() - 1
}

#[test]
fn a_time_is_that_of_its_own_operation() {
    let operations = 2000;
    let slow = Slow { remainder: 7, others: 60, requests: operations };
    let (address, counts) = serve(Behaviours { slow: Some(slow), ..Behaviours::PLAIN });
    let (trial, ended) = drive(&until_done(vec![on_one(address, 8, operations)]));
    assert_all_are_right(&trial, &ended, &counts, operations);
    // The server delays none of the last ones: too few others follow them.
    let judged = ended.iter().filter(|ended| requests_of(ended.number + 100) < operations);
    let (slow, quick): (Vec<&Ended>, Vec<&Ended>) =
        judged.partition(|ended| ended.number % SLOW == 7);
    let took = |ended: &&Ended| ended.at.done - ended.at.sent;
    let fewest = slow.iter().map(|of| meanwhile(of, &ended)).min().expect("some");
    // Up to half of 60 replies to others are to first requests of two.
    assert!(fewest >= 30, "{fewest} ended during a slow operation");
    let mut counts: Vec<usize> = quick.iter().map(|of| meanwhile(of, &ended)).collect();
    counts.sort_unstable();
    assert!(counts[counts.len() / 2] < 30, "{} ended during a quick one", counts[counts.len() / 2]);
    let mean = |of: &[&Ended]| of.iter().map(took).sum::<u64>() / of.len() as u64;
    assert!(mean(&slow) > mean(&quick), "{} and {} ns", mean(&slow), mean(&quick));
}

#[test]
fn a_stream_that_times_out_takes_no_other_with_it() {
    const TIMEOUT_NS: u64 = 1_500_000_000;
    let late = Some((3, Duration::from_secs(4)));
    let (address, counts) =
        serve(Behaviours { windows: &[8], late, push_every: 9, ..Behaviours::PLAIN });
    let lane_order = LaneOrder { timeout_ns: TIMEOUT_NS, ..on_one(address, 8, 160) };
    // Ten of 160 operations are late. The first eight use up the window, even after they were
    // given up, so the last 40 operations are sent when those late replies have arrived.
    let (trial, ended) = drive(&until_done(vec![lane_order]));
    let late = (0..160).filter(|number| number % SLOW == 3).count() as u64;
    let seen = &trial.seen;
    assert_eq!(seen.outcomes.ok, 160 - late, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.failed.get(&Failure::Timeout), Some(&late));
    assert_eq!((seen.operations, seen.without_latency), (160, 0), "each timeout has a time");
    assert_eq!((seen.connections.opened, count(&counts.connections)), (1, 1));
    assert_eq!((count(&counts.forbidden), count(&counts.doubled)), (0, 0));
    for Ended { number, at, outcome } in &ended {
        let is_late = number % SLOW == 3;
        assert_eq!(*outcome, (!is_late).then_some(Outcome::Ok), "{number}");
        assert_eq!(at.done - at.sent >= TIMEOUT_NS, is_late, "{number}: {at:?}");
    }
}

#[test]
fn a_connection_that_goes_away_answers_what_is_in_flight() {
    let behaviours = Behaviours { windows: &[4], goes_away_after: Some(150), ..Behaviours::PLAIN };
    for arrivals in [Arrivals::Closed, Arrivals::Constant(200_000.0)] {
        let (address, counts) = serve(behaviours);
        let mut lane_order = on_one(address, 8, 1000);
        lane_order.intensity.arrivals = arrivals;
        let (trial, ended) = drive(&until_done(vec![lane_order]));
        assert_all_are_right(&trial, &ended, &counts, 1000);
        // 1200 requests; each connection answers 150 and a few more.
        let opened = count(&counts.connections);
        assert!((4..=8).contains(&opened), "{opened} connections");
        assert_eq!(trial.seen.connections.opened, opened);
    }
}
