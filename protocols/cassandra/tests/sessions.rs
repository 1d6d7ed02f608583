//! Sessions that persist, that are reopened, and that are shared.

use crate::common::{MS, in_one_slice, order};
use crate::proxy::{PREPARE, Proxy, STARTUP};
use crate::{access, driven};
use record::{LaneTask, Maintenance, Pool, Reuse, Seen};

const OPERATIONS: u64 = 24;
/// Connections of a session to its only node: one on which the library learns about the cluster,
/// and one for operations.
const SOCKETS: u64 = 2;

fn reusing(reuse: Reuse) -> (Proxy, Seen) {
    let proxy = Proxy::new();
    let mut order = in_one_slice(order(proxy.address(), LaneTask::Ask), OPERATIONS);
    order.lanes[0].reuse = reuse;
    let seen = driven(&order, &access(true));
    assert_eq!(seen.outcomes.ok, OPERATIONS, "{reuse:?}: {:?}", seen.outcomes);
    (proxy, seen)
}

#[test]
fn all_connections_that_last_share_one_session() {
    let (proxy, _) = reusing(Reuse::Always);
    assert_eq!(proxy.requests(STARTUP), SOCKETS);
}

#[test]
fn each_fresh_connection_is_a_session_of_its_own() {
    // Each of the four connections may not have reached its third operation at the end.
    let thirds = OPERATIONS / 3..=OPERATIONS / 3 + 4;
    for (reuse, wanted) in [(Reuse::Never, OPERATIONS..=OPERATIONS), (Reuse::Times(3), thirds)] {
        let (proxy, seen) = reusing(reuse);
        let sessions = seen.connections.opened;
        assert!(wanted.contains(&sessions), "{reuse:?}: {:?}", seen.connections);
        assert_eq!(proxy.requests(STARTUP), SOCKETS * sessions, "{reuse:?}");
        // Each prepares the statement and the library's own requests.
        assert_eq!(proxy.requests(PREPARE) % sessions, 0, "{reuse:?}");
    }
}

#[test]
fn a_pool_has_as_many_sessions_as_it_is_large() {
    let (proxy, seen) =
        reusing(Reuse::Pool(Pool { max: 2, wait_ns: 5_000 * MS, maintenance: Maintenance::Ping }));
    assert!((1..=2).contains(&seen.connections.opened), "{:?}", seen.connections);
    assert_eq!(proxy.requests(STARTUP), SOCKETS * seen.connections.opened);
}
