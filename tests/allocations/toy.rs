//! A protocol with stream ids and pushes makes the engine allocate no more than the others: ten
//! times the operations make no more allocations.

use crate::counting;
use crate::toy_codec::dialogue::{Echo, Notes};
use crate::toy_codec::server::{Behaviours, serve};
use engine::codec_lane::codec_lanes;
use protocol::testing::{drive_one, lane, until_done};
use record::{Arrivals, LaneOrder};

/// Returns the allocations of a run of `operations` through windows that change. The server of
/// the test allocates when it accepts, and never for a request.
fn allocations(arrivals: Arrivals, operations: u64) -> u64 {
    let behaviours = Behaviours { windows: &[3, 9, 16], push_every: 5, ..Behaviours::PLAIN };
    let (address, _) = serve(behaviours);
    let (depth, operations) = (16, Some(operations));
    let mut lane_order = LaneOrder { operations, ..lane(address) };
    (lane_order.intensity.arrivals, lane_order.intensity.depth) = (arrivals, depth);
    let order = until_done(vec![lane_order]);
    let notes = Notes::new();
    let before = counting::allocations();
    let lanes = codec_lanes(&order, 0, None, move |_| {
        Ok(Echo { depth, notes: notes.clone(), keeps_pushes: false })
    });
    let seen = drive_one(&order, lanes);
    let after = counting::allocations();
    assert_eq!(Some(seen.outcomes.ok), operations);
    after - before
}

pub(crate) fn ten_times_the_operations_make_no_allocation_more() {
    counting::no_more_for_ten_times_the_operations(allocations);
}
