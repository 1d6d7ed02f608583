//! Servers that never stop sending, as fast as they can: timeout, end of the slice and stop
//! still work, and the other connections get their replies.

use crate::common::{REPLY, drive, drive_stopped, serve};
use protocol::testing::{EndlessCounts, impatient, lane, order};
use record::{DriveOrder, Failure, LaneOrder};
use std::net::SocketAddr;
use std::sync::Arc;

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const CHUNK: &str = "1\r\nx\r\n";

/// Every `every`-th connection gets a reply that never ends.
fn endless(every: u64) -> (SocketAddr, Arc<EndlessCounts>) {
    protocol::testing::endless(CHUNKED.to_owned(), CHUNK, (every, REPLY))
}

#[test]
fn an_endless_reply_is_given_up_at_the_timeout() {
    let (address, counts) = endless(1);
    let trials = drive(&order(vec![impatient(address, 4)]));
    let seen = &trials[0].seen;
    assert!(seen.operations >= 4, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.failed.get(&Failure::Timeout), Some(&seen.operations));
    assert_eq!(counts.outlasted(), 0, "the timeout waited for the server");
}

#[test]
fn connections_beside_an_endless_reply_get_their_replies() {
    let (address, counts) = endless(8);
    let lane_order = impatient(address, 8);
    let trials = drive(&DriveOrder { round_ns: 500_000_000, ..order(vec![lane_order]) });
    let outcomes = &trials[0].seen.outcomes;
    assert!(outcomes.ok > 100, "{outcomes:?}");
    assert!(outcomes.failed[&Failure::Timeout] >= 1, "{outcomes:?}");
    assert_eq!(counts.outlasted(), 0);
}

#[test]
fn a_stop_ends_a_run_in_which_replies_never_end() {
    let (address, counts) = endless(1);
    let lane_order = LaneOrder { timeout_ns: 3_600_000_000_000, ..impatient(address, 4) };
    let trials = drive_stopped(lane_order);
    assert!(trials[0].cut_short);
    assert_eq!((trials[0].seen.unfinished, counts.outlasted()), (4, 0));
}

/// The end of a slice is 1 s after the last operation could have timed out.
#[test]
fn the_slices_of_others_come_in_their_turn() {
    let (flooding, counts) = endless(1);
    let (sound, _) = serve(REPLY, u64::MAX);
    let mut order = order(vec![impatient(flooding, 2), lane(sound)]);
    order.slice_ns = 20_000_000;
    let trials = drive(&order);
    assert_eq!(trials[1].seen.slices.len(), 10);
    assert_eq!(trials[1].seen.outcomes.ok, trials[1].seen.operations);
    assert_eq!(counts.outlasted(), 0);
}
