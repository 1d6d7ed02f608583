//! After warm-up a lane of files allocates nothing: ten times the operations make no more
//! allocations.

use crate::counting;
use crate::scratch::Scratch;
use ::files::{Action, Answer, FileWork, Guard, Judged, Request, Store, file_lanes};
use engine::{Numbers, Stop};
use protocol::testing::{lane_without_address, order};
use record::{Arrivals, DriveOrder, Intensity, LaneOrder, Outcome};
use std::ops::ControlFlow;

fn ask(_: &mut (), number: u64, _: &mut (), request: &mut Request) {
    let actions = [Action::Set, Action::Get, Action::Add, Action::Delete];
    request.action = actions[number as usize % 4];
    request.key.clear();
    request.key.extend_from_slice(&(number / 4 % 20).to_le_bytes());
    request.value.resize(200, 1);
}

fn judge(_: &mut (), _: &mut (), _: &Request, _: Answer<'_>) -> Judged {
    Judged { code: 0, outcome: Outcome::Ok }
}

fn allocations(arrivals: Arrivals, store: &Store, operations: u64) -> u64 {
    let lane = LaneOrder {
        intensity: Intensity { connections: 2, depth: 1, arrivals },
        operations: Some(operations),
        ..lane_without_address()
    };
    let long = 190_000_000_000;
    let order = DriveOrder { round_ns: long, slice_ns: long, ..order(vec![lane]) };
    let before = counting::allocations();
    let lanes = vec![file_lanes(&order, 0, store, &Numbers::new(1), |_| {
        Ok(FileWork { state: (), ask, judge })
    })];
    let stop = Stop::new().expect("a descriptor");
    let mut done = 0;
    let result = engine::run(&order, lanes, Vec::new(), &stop, &mut |trial| {
        done += trial.seen.outcomes.ok;
        ControlFlow::Continue(())
    });
    let after = counting::allocations();
    result.expect("driven");
    assert_eq!(done, operations);
    after - before
}

pub(crate) fn ten_times_the_operations_make_no_allocation_more() {
    let scratch = Scratch::memory();
    for guard in [Guard::Flock, Guard::Rename] {
        let store = scratch.store(guard);
        for arrivals in [Arrivals::Closed, Arrivals::Constant(20_000.0)] {
            // The first run also includes what is allocated once in a process.
            allocations(arrivals, &store, 100);
            let few = allocations(arrivals, &store, 2_000);
            let many = allocations(arrivals, &store, 20_000);
            // Threads start at any time, which makes a difference of a few allocations.
            assert!(many <= few + 10, "{guard:?} {arrivals:?}: {few} for 2000, {many} for 20000");
        }
    }
}
