//! Servers that never stop sending.

use engine::Numbers;
use engine::workload::Feeds;
use protocol::testing::{drive_one, endless, impatient_of_keys};
use redis::{RespAccess, resp_lanes};
use wire::resp::{Login, Opening, Protocol};

const ROW: &str = "$1\r\nx\r\n";
const PUSH: &str = ">2\r\n+a\r\n+b\r\n";

/// Pushes are not answers, and an array that announces more elements than will ever arrive never
/// ends.
#[test]
fn a_redis_that_never_stops_is_given_up_at_the_timeout() {
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        for (begins, again) in [("", PUSH), ("*1000000000\r\n", ROW)] {
            let opened = if protocol == Protocol::Resp3 { "%0\r\n" } else { "" };
            let (address, counts) = endless(format!("{opened}{begins}"), again, (1, b""));
            let login = Login { protocol, ..Login::default() };
            let opening = Opening::new(&login).expect("no user");
            let (numbers, feeds) = (Numbers::new(1), Feeds::default());
            let order = impatient_of_keys(address);
            let access = RespAccess { opening, numbers, feeds };
            let lanes = resp_lanes(&order, 0, &access);
            let seen = drive_one(&order, lanes);
            assert!(seen.operations >= 2, "{protocol:?} {again:?}: {:?}", seen.outcomes);
            assert_eq!(seen.outcomes.ok, 0, "{protocol:?} {again:?}");
            assert_eq!(counts.outlasted(), 0, "{protocol:?} {again:?}");
        }
    }
}
