//! Servers that close connections, that stop in the middle of a reply, or that send something
//! that is not a frame.

use crate::common::{MS, in_one_slice, order, took_at_least};
use crate::counted::{classes, only};
use crate::name_of;

use crate::proxy::{Fault, OPTIONS, PREPARE, Proxy, Which};
use crate::{access, driven};
use record::{FaultOwner, LaneTask, Seen};

const TIMEOUT_NS: u64 = 100 * MS;

fn driven_through(proxy: &Proxy, operations: u64) -> Seen {
    let mut order = in_one_slice(order(proxy.address(), LaneTask::Ask), operations);
    order.lanes[0].timeout_ns = TIMEOUT_NS;
    driven(&order, &access(true))
}

#[test]
fn a_server_that_says_nothing_or_half_a_frame_is_given_up() {
    for which in [Which::All(OPTIONS), Which::All(PREPARE), Which::OneIn(1)] {
        for bytes in [&b""[..], b"\x84\0\0", b"\x84\0\0\x01\x08\0\0\x01\0half"] {
            let what = format!("{which:?} {}", bytes.escape_ascii());
            let proxy = Proxy::with(which, Fault::Stop(bytes.to_vec()));
            let seen = driven_through(&proxy, 8);
            assert_eq!(only(&seen, name_of, "timeout", &what), seen.operations, "{what}");
            assert!(seen.operations > 0 && took_at_least(&seen, TIMEOUT_NS), "{what}");
        }
    }
}

/// Only what is in flight on the connection is lost: others are opened.
#[test]
fn a_server_that_closes_connections_loses_what_is_in_flight() {
    let proxy = Proxy::with(Which::OneIn(10), Fault::Close);
    let seen = driven_through(&proxy, 60);
    let lost = classes(&seen, name_of);
    let known = ["closed", "reset", "refused"];
    assert!(lost.keys().all(|class| known.contains(&class.as_str())), "{lost:?}");
    let outcomes = &seen.outcomes;
    let lost: u64 = lost.values().sum();
    assert!(lost >= proxy.given() && proxy.given() > 0, "{lost} of {}", proxy.given());
    assert_eq!((lost, outcomes.ok), (outcomes.count(FaultOwner::Target), seen.operations - lost));
    assert!(outcomes.ok > 0, "{outcomes:?}");
}

#[test]
fn what_is_no_frame_ends_the_connection() {
    for (bytes, class) in [
        (&b"HTTP/1.1 400 Bad Request\r\n\r\n"[..], "protocol"),
        (b"\x04\0\0\0\x08\0\0\0\0", "protocol"),
    ] {
        let what = bytes.escape_ascii().to_string();
        let proxy = Proxy::with(Which::OneIn(1), Fault::Stop(bytes.to_vec()));
        let seen = driven_through(&proxy, 8);
        assert_eq!(only(&seen, name_of, class, &what), seen.operations, "{what}");
    }
}
