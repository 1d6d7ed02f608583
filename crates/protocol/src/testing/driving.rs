//! Orders for the engine, and calls of it.

use engine::{MakeLane, Stop, TargetClock};
use record::{
    Address, DriveOrder, Kind, LaneOrder, Seen, TrialRecord, ValueBytes, Verify, Workload,
};
use std::net::SocketAddr;
use std::ops::ControlFlow;

/// A lane of four connections in closed loop.
pub fn lane(address: SocketAddr) -> LaneOrder {
    lane_to(Address::Tcp(address))
}

/// A lane whose access knows where to go, and whose address does not.
pub fn lane_without_address() -> LaneOrder {
    lane_to(Address::Unix(String::new()))
}

fn lane_to(address: Address) -> LaneOrder {
    LaneOrder {
        // A test of what is late sets its own: in the others a machine that stands still for a moment
        // makes no operation fail.
        timeout_ns: 60_000_000_000,
        ..LaneOrder::closed(address, 4)
    }
}

/// A workload of these kinds, all values of which are verified.
pub fn verified(keys: u64, mix: &[(Kind, f64)]) -> Workload {
    Workload {
        prefix: "t:".to_owned(),
        keys,
        value: ValueBytes::Uniform(16, 300),
        verify: Verify::All,
        ..Workload::of(mix)
    }
}

/// An order of one round with one turn of 200 ms.
pub fn order(lanes: Vec<LaneOrder>) -> DriveOrder {
    DriveOrder {
        seed: 7,
        first_round: 1,
        rounds: 1,
        round_ns: 200_000_000,
        slice_ns: 200_000_000,
        lanes,
        ..DriveOrder::default()
    }
}

/// An order of one turn that ends when the lanes' operations are done, however slow the machine is.
pub fn until_done(lanes: Vec<LaneOrder>) -> DriveOrder {
    DriveOrder { round_ns: 120_000_000_000, slice_ns: 120_000_000_000, ..order(lanes) }
}

/// The trials of these lanes.
///
/// # Panics
/// If the engine breaks.
pub fn drive_lanes(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock>,
    stop: &Stop,
) -> Vec<TrialRecord> {
    let mut trials = Vec::new();
    engine::run(order, lanes, targets, stop, &mut |trial| {
        trials.push(trial);
        ControlFlow::Continue(())
    })
    .expect("the engine holds");
    trials
}

/// What the only contender of an order of one round recorded.
///
/// # Panics
/// If the engine breaks, or there is more than one trial.
pub fn drive_one(order: &DriveOrder, lanes: Vec<MakeLane>) -> Seen {
    let stop = Stop::new().expect("a descriptor");
    let mut trials = drive_lanes(order, vec![lanes], Vec::new(), &stop);
    assert_eq!(trials.len(), 1);
    trials.remove(0).seen
}
