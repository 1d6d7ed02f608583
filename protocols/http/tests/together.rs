//! Several processes that drive the same contenders together, here as threads: what they record is
//! what one process with all their workers records.

use crate::common::{Counts, REPLY, access, drive, serve};
use engine::{Gate, MakeLane, Stop, Together, clock, grouped, run_together};
use http::http_lanes;
use protocol::testing::{lane, order, until_done};
use record::{Arrivals, DriveOrder, LaneOrder, Seen, TrialRecord};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Condvar, Mutex};

const SIZE: usize = 3;
const LEAD_NS: u64 = 1_000_000;

/// Where all processes meet before each slice: who has arrived, and when it starts.
#[derive(Default)]
struct Meeting {
    state: Mutex<(usize, u64, u64)>,
    changed: Condvar,
}

struct AtMeeting {
    meeting: Arc<Meeting>,
    starts: Mutex<Vec<(u64, u64)>>,
    /// The slices before which a round had ended, and how many connections had been opened then.
    rounds: Mutex<Vec<(u64, u64)>>,
    counts: Arc<Counts>,
}

impl Gate for AtMeeting {
    fn next(&self, index: u64) -> Option<u64> {
        let starts = self.meet();
        self.starts.lock().expect("no panic").push((index, starts));
        Some(starts)
    }

    fn round_ended(&self, index: u64) -> bool {
        let opened = self.counts.connections.load(Ordering::Relaxed);
        self.rounds.lock().expect("no panic").push((index, opened));
        self.meet();
        true
    }
}

impl AtMeeting {
    /// Waits for all processes. Returns the same time for all of them.
    fn meet(&self) -> u64 {
        let mut state = self.meeting.state.lock().expect("no panic");
        state.0 += 1;
        if state.0 == SIZE {
            *state = (0, state.1 + 1, clock::now() + LEAD_NS);
            self.meeting.changed.notify_all();
        } else {
            let this = state.1;
            state = self.meeting.changed.wait_while(state, |s| s.1 == this).expect("no panic");
        }
        state.2
    }
}

/// The lanes of the order, and where each notes its place among all workers.
fn lanes(order: &DriveOrder, seats: &Arc<Mutex<Vec<(usize, usize)>>>) -> Vec<Vec<MakeLane>> {
    let access = access();
    let noted = |make: MakeLane| {
        let seats = seats.clone();
        let noting: MakeLane = Box::new(move |seat| {
            seats.lock().expect("no panic").push((seat.worker, seat.workers));
            make(seat)
        });
        noting
    };
    let of = |contender| {
        let lanes = grouped(order, contender, |order| http_lanes(order, contender, &access));
        lanes.into_iter().map(noted).collect()
    };
    (0..order.lanes.len()).map(of).collect()
}

type Driven = (Vec<TrialRecord>, Vec<(u64, u64)>, Vec<(u64, u64)>);

fn drive_together(
    order: &DriveOrder,
    seats: &Arc<Mutex<Vec<(usize, usize)>>>,
    counts: &Arc<Counts>,
) -> Vec<Driven> {
    let meeting = Arc::new(Meeting::default());
    let one = |rank| {
        let gate = Arc::new(AtMeeting {
            meeting: meeting.clone(),
            starts: Mutex::default(),
            rounds: Mutex::default(),
            counts: counts.clone(),
        });
        let mut trials = Vec::new();
        let together = Together { rank, size: SIZE, gate: gate.clone() };
        let stop = Stop::new().expect("a descriptor");
        run_together(order, lanes(order, seats), &stop, together, &mut |trial| {
            trials.push(trial);
            ControlFlow::Continue(())
        })
        .expect("the engine holds");
        let noted = |of: &Mutex<Vec<(u64, u64)>>| of.lock().expect("no panic").clone();
        (trials, noted(&gate.starts), noted(&gate.rounds))
    };
    std::thread::scope(|scope| {
        let one = &one;
        let all: Vec<_> = (0..SIZE).map(|rank| scope.spawn(move || one(rank))).collect();
        all.into_iter().map(|one| one.join().expect("no panic")).collect()
    })
}

fn merged(all: &[Driven]) -> Vec<Seen> {
    (0..all[0].0.len())
        .map(|at| {
            let mut seen = Seen::default();
            all.iter().for_each(|(trials, ..)| seen.merge(&trials[at].seen));
            seen
        })
        .collect()
}

#[test]
fn the_workers_of_all_processes_are_those_of_one() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let mut lane_order = LaneOrder { operations: Some(1001), ..lane(address) };
    lane_order.intensity.connections = 13;
    let order = DriveOrder { cores: vec![0, 0], ..until_done(vec![lane_order]) };
    let seats = Arc::default();
    let together = merged(&drive_together(&order, &seats, &counts)).remove(0);
    let sent = counts.requests.load(Ordering::Relaxed);
    assert_eq!(sent, 1001);
    let mut seats = seats.lock().expect("no panic").clone();
    seats.sort_unstable();
    assert_eq!(seats, (0..6).map(|worker| (worker, 6)).collect::<Vec<_>>());
    let alone = drive(&DriveOrder { cores: vec![0; 6], ..order }).remove(0).seen;
    assert_eq!((together.operations, together.sent), (alone.operations, alone.sent));
    assert_eq!(together.connections, alone.connections);
    assert_eq!(together.response_time.len(), alone.response_time.len());
}

#[test]
fn a_rate_is_shared_and_slices_start_together() {
    let (address, counts) = serve(REPLY, u64::MAX);
    let mut lane_order = lane(address);
    lane_order.intensity.arrivals = Arrivals::Constant(2000.0);
    let order = DriveOrder {
        rounds: 2,
        slice_ns: 50_000_000,
        ..order(vec![lane_order.clone(), lane_order])
    };
    let all = drive_together(&order, &Arc::default(), &counts);
    // No process renews its connections before all of them have ended the round.
    let opened = order.lanes.iter().map(|lane| u64::from(lane.intensity.connections)).sum();
    let rounds: Vec<_> = all.iter().map(|(.., rounds)| rounds.as_slice()).collect();
    assert_eq!(rounds, [[(8, opened)]; SIZE]);
    assert_eq!(counts.connections.load(Ordering::Relaxed), 2 * opened);
    let starts: Vec<_> = all.iter().map(|(_, starts, _)| starts).collect();
    assert_eq!(starts[0].len(), 16);
    assert!(starts.iter().all(|of| *of == starts[0]), "each slice starts at one time");
    for (seen, trial) in merged(&all).iter().zip(&all[0].0) {
        let due: u64 = seen.slices.iter().map(|slice| slice.due).sum();
        assert_eq!(due, 400, "2000/s for 200 ms: {trial:?}");
        assert_eq!(seen.slices.len(), 4);
    }
    // What was driven in a slice had ended everywhere before the next one started.
    for (at, (_, next)) in starts[0].iter().enumerate().skip(1) {
        for (trials, starts, _) in &all {
            let slices = trials.iter().flat_map(|trial| &trial.seen.slices);
            let before = slices.into_iter().find(|slice| slice.index == at as u64 - 1);
            let took = before.expect("each slice was driven").took_ns;
            assert!(starts[at - 1].1 + took <= *next, "slice {at}");
        }
    }
}
