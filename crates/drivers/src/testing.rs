//! What tests of lanes through client libraries share.

use crate::dialect::Dialect;
use engine::{MakeLane, Stop};
use record::{Address, Arrivals, DriveOrder, Failure, Intensity, LaneOrder, LaneTask, Reuse, Seen};
use std::ops::ControlFlow;

const MS: u64 = 1_000_000;

/// Four connections, closed loop, twice four slices of 10 ms.
pub fn order() -> DriveOrder {
    DriveOrder {
        seed: 1,
        cores: Vec::new(),
        warm_up: record::WarmUp::default(),
        rounds: 2,
        first_round: 1,
        round_ns: 40 * MS,
        slice_ns: 10 * MS,
        requests: 0,
        lanes: vec![LaneOrder {
            address: Address::Unix("/nowhere".to_owned()),
            intensity: Intensity { connections: 4, depth: 1, arrivals: Arrivals::Closed },
            reuse: Reuse::Always,
            doing: LaneTask::Ask,
            timeout_ns: 2_000 * MS,
            burn_in_ns: 0,
            operations: None,
            groups: Vec::new(),
        }],
    }
}

/// The measurements of the order's one contender.
pub fn run(order: &DriveOrder, made: Vec<MakeLane>) -> Seen {
    let mut all = Seen::default();
    let stop = Stop::new().expect("a descriptor");
    engine::run(order, vec![made], Vec::new(), &stop, &mut |trial| {
        all.merge(&trial.seen);
        ControlFlow::Continue(())
    })
    .expect("nothing broke");
    all
}

/// Why the run of these lanes ends early.
pub fn ended(order: &DriveOrder, made: Vec<MakeLane>) -> String {
    let stop = Stop::new().expect("a descriptor");
    let done =
        engine::run(order, vec![made], Vec::new(), &stop, &mut |_| ControlFlow::Continue(()));
    done.expect_err("refused").to_string()
}

/// Operations that succeeded. On a busy machine a connection may still wait for its reply when a slice ends, and
/// is left waiting.
pub fn ok_or_waiting(seen: &Seen) -> u64 {
    seen.outcomes.ok + seen.outcomes.failed.get(&Failure::Waiting).copied().unwrap_or(0)
}

/// A dialect without anything of its own.
pub struct PlainDialect;

impl Dialect for PlainDialect {
    fn name(&self, name: &str) -> String {
        format!("[{name}]")
    }

    fn placeholder(&self, _number: usize, to: &mut String) {
        to.push('?');
    }

    fn insert_missing(&self) -> (&'static str, &'static str) {
        ("INSERT INTO", " UNLESS THERE")
    }

    fn replacing(&self) -> &'static str {
        " IN PLACE"
    }

    fn around_bytes(&self) -> (&'static str, &'static str) {
        ("x'", "'")
    }
}
