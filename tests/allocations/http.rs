//! After warm-up the hot path allocates nothing: ten times the operations make no more
//! allocations.

use crate::common::{REPLY, drive, serve};
use crate::counting;
use protocol::testing::{lane, order};
use record::Arrivals;

/// Returns the allocations of a run of `operations`. The server of the test allocates when it
/// accepts, and never for a request.
fn allocations(arrivals: Arrivals, operations: u64) -> u64 {
    let (address, _) = serve(REPLY, u64::MAX);
    let mut lane = lane(address);
    lane.intensity.arrivals = arrivals;
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

pub(crate) fn ten_times_the_operations_make_no_allocation_more() {
    counting::no_more_for_ten_times_the_operations(allocations);
}
