//! A server that answers reads, and no writes.

use engine::Numbers;
use memcached::{MemcachedAccess, memcached_lanes};
use protocol::testing::store_lanes::workload;
use protocol::testing::{drive_one, lane, serve, until_done};
use record::{Failure, Histogram, Kind, LaneTask, Verify, Workload};
use std::io::{Read, Write};
use std::net::SocketAddr;
use wire::memcached::Dialect;

/// Answers every read with a value, and never answers a write: it stays silent or closes.
fn answers_reads_only(closes: bool) -> SocketAddr {
    serve(move |mut stream| {
        let mut buffer = [0; 4096];
        if stream.read(&mut buffer).is_ok_and(|got| got > 0) {
            let value = b"VALUE t:000000000000 0 1\r\nx\r\nEND\r\n";
            stream.write_all(value).expect("it listens");
        }
        if stream.read(&mut buffer).is_ok() && !closes {
            // A silent server closes nothing.
            while let Ok(1..) = stream.read(&mut buffer) {}
        }
    })
}

#[test]
fn an_operation_whose_write_is_lost_is_one_that_failed() {
    let both = workload(&[(Kind::ReadModifyWrite, 1.0)]);
    let both = Workload { keys: 1, verify: Verify::Off, ..both };
    for (closes, failure, timed) in [(true, Failure::Closed, 0), (false, Failure::Timeout, 5)] {
        let mut lane = lane(answers_reads_only(closes));
        (lane.intensity.connections, lane.timeout_ns) = (1, 50_000_000);
        (lane.doing, lane.operations) = (LaneTask::Drive(both.clone()), Some(5));
        let order = until_done(vec![lane]);
        let access =
            MemcachedAccess { dialect: Dialect::Text, numbers: Numbers::new(1), sharded: None };
        let seen = drive_one(&order, memcached_lanes(&order, 0, &access));
        assert_eq!(seen.outcomes.failed, [(failure, 5)].into(), "{:?}", seen.outcomes);
        assert_eq!((seen.operations, seen.sent), (5, 5));
        let of = &seen.kinds[0];
        assert_eq!((of.operations, of.ok), (5, 0));
        assert_eq!([&of.response_time, &of.update_time].map(Histogram::len), [timed; 2]);
    }
}
