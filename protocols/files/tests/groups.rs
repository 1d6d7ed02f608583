//! Groups of operations on files.

use crate::scratch::Scratch;
use engine::{Numbers, Stop, grouped};
use files::{FilesAccess, Guard};
use protocol::testing::drive_lanes;
use protocol::testing::groups::{
    WRITES, adds_up, due, loading, readers_and_writers, wanted, workload,
};
use protocol::testing::lane_without_address;
use record::{Address, Kind, LaneOrder};
use std::sync::Arc;

#[test]
fn files_have_groups_too() {
    let directory = Scratch::memory();
    let numbers = Numbers::new(4);
    let access = FilesAccess { store: Arc::new(directory.store(Guard::Rename)), numbers };
    let address = Address::Directory(directory.0.display().to_string());
    let lane = LaneOrder { address, ..lane_without_address() };
    let workload = workload(&[&[(Kind::Get, 1.0)], &[(Kind::Set, 1.0)]]);
    let load = loading(lane.clone(), workload.clone());
    for order in [load, readers_and_writers(lane, workload, 1, 1)] {
        let lanes = grouped(&order, 0, |order| access.lanes(order, 0));
        let stop = Stop::new().expect("a descriptor");
        for trial in drive_lanes(&order, vec![lanes], Vec::new(), &stop) {
            let seen = &trial.seen;
            assert_eq!(seen.outcomes.ok, seen.operations, "{:?}", seen.outcomes);
            if !order.lanes[0].groups.is_empty() {
                adds_up(seen);
                assert_eq!(wanted(&seen.groups[1]), due(WRITES, seen));
                assert!(seen.groups[0].operations > 0);
            }
        }
    }
}
