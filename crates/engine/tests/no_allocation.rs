//! After warm-up the hot path allocates nothing: ten times the operations make
//! not one allocation more.

mod common;
#[path = "common/counting.rs"]
mod counting;

use common::{drive, lane, order, serve};
use record::Arrivals;

/// Allocations of a run of `operations`. The server of the test allocates when
/// it accepts, and never for a request.
fn allocations(arrivals: Arrivals, operations: u64) -> u64 {
    let (address, _) = serve(common::REPLY, u64::MAX);
    let mut lane = lane(address);
    lane.arrivals = arrivals;
    lane.operations = Some(operations);
    let mut order = order(vec![lane]);
    order.round_ns = 190_000_000_000;
    order.slice_ns = order.round_ns;
    let before = counting::allocations();
    let trials = drive(&order);
    let after = counting::allocations();
    assert_eq!(trials[0].seen.outcomes.ok, operations);
    after - before
}

#[test]
fn ten_times_the_operations_make_no_allocation_more() {
    for arrivals in [Arrivals::Closed, Arrivals::Constant(20_000.0)] {
        // The first run also pays for what is made once in a process.
        allocations(arrivals, 100);
        let few = allocations(arrivals, 2_000);
        let many = allocations(arrivals, 20_000);
        // Threads of the server start when they like: a few allocations more
        // or less, and thousands if operations allocated.
        assert!(many <= few + 40, "{arrivals:?}: {few} for 2000, {many} for 20000");
    }
}
