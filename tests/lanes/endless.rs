//! Servers that never stop sending, as fast as they can: timeout, end of the slice and stop
//! still work, and the other connections get their replies.

use crate::common::{drive, drive_lanes, drive_stopped, lane, order};
use ::memcached::{MemcachedAccess, memcached_lanes};
use ::redis::{RespAccess, resp_lanes};
use engine::workload::Feeds;
use engine::{Numbers, Stop};
use record::{DriveOrder, Failure, LaneOrder, LaneTask};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use wire::memcached::Dialect;
use wire::resp::{Login, Opening, Protocol};

/// How long a server sends unless its client hangs up. A client that reads no clock as long as
/// bytes arrive would be blocked all that time.
const PATIENCE: Duration = Duration::from_secs(20);

const CHUNKED: &str = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const CHUNK: &str = "1\r\nx\r\n";
const ROW: &str = "$1\r\nx\r\n";
const PUSH: &str = ">2\r\n+a\r\n+b\r\n";

/// What the server counted.
#[derive(Default)]
struct Counts {
    /// Connections that the client closed before the patience was over.
    hung_up: AtomicU64,
    /// Connections that were still open when it was over.
    outlasted: AtomicU64,
}

impl Counts {
    fn outlasted(&self) -> u64 {
        self.outlasted.load(Ordering::Relaxed)
    }
}

/// Sends `begins` and then `again` for ever on each connection once a request arrived there.
/// Every `every`-th connection does so; the others get `REPLY`.
fn endless(begins: &'static str, again: &'static str, every: u64) -> (SocketAddr, Arc<Counts>) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let counts = Arc::new(Counts::default());
    let counted = counts.clone();
    std::thread::spawn(move || {
        for (number, stream) in (0u64..).zip(listener.incoming().flatten()) {
            let counted = counted.clone();
            std::thread::spawn(move || match number % every {
                0 => flood(stream, begins, again, &counted),
                _ => answer(stream),
            });
        }
    });
    (address, counts)
}

fn flood(mut stream: TcpStream, begins: &str, again: &str, counts: &Counts) {
    if !matches!(stream.read(&mut [0; 4096]), Ok(1..)) {
        return;
    }
    let many = again.repeat(64 * 1024 / again.len());
    let gives_up = Instant::now() + PATIENCE;
    let mut sent = stream.write_all(begins.as_bytes());
    while sent.is_ok() && Instant::now() < gives_up {
        sent = stream.write_all(many.as_bytes());
    }
    let ended = if sent.is_err() { &counts.hung_up } else { &counts.outlasted };
    ended.fetch_add(1, Ordering::Relaxed);
}

fn answer(mut stream: TcpStream) {
    while let Ok(1..) = stream.read(&mut [0; 4096]) {
        if stream.write_all(crate::common::REPLY).is_err() {
            return;
        }
    }
}

/// Returns a lane with one operation at a time, given up after 300 ms.
fn impatient(address: SocketAddr, connections: u32) -> LaneOrder {
    let mut lane = LaneOrder { timeout_ns: 300_000_000, ..lane(address) };
    lane.intensity.connections = connections;
    lane
}

#[test]
fn an_endless_reply_is_given_up_at_the_timeout() {
    let (address, counts) = endless(CHUNKED, CHUNK, 1);
    let trials = drive(&order(vec![impatient(address, 4)]));
    let seen = &trials[0].seen;
    assert!(seen.operations >= 4, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.failed.get(&Failure::Timeout), Some(&seen.operations));
    assert_eq!(counts.outlasted(), 0, "the timeout waited for the server");
}

#[test]
fn connections_beside_an_endless_reply_get_their_replies() {
    let (address, counts) = endless(CHUNKED, CHUNK, 8);
    let lane_order = impatient(address, 8);
    let trials = drive(&DriveOrder { round_ns: 500_000_000, ..order(vec![lane_order]) });
    let outcomes = &trials[0].seen.outcomes;
    assert!(outcomes.ok > 100, "{outcomes:?}");
    assert!(outcomes.failed[&Failure::Timeout] >= 1, "{outcomes:?}");
    assert_eq!(counts.outlasted(), 0);
}

#[test]
fn a_stop_ends_a_run_in_which_replies_never_end() {
    let (address, counts) = endless(CHUNKED, CHUNK, 1);
    let lane_order = LaneOrder { timeout_ns: 3_600_000_000_000, ..impatient(address, 4) };
    let trials = drive_stopped(lane_order);
    assert!(trials[0].cut_short);
    assert_eq!((trials[0].seen.unfinished, counts.outlasted()), (4, 0));
}

/// The end of a slice is 1 s after the last operation could have timed out.
#[test]
fn the_slices_of_others_come_in_their_turn() {
    let (flooding, counts) = endless(CHUNKED, CHUNK, 1);
    let (sound, _) = crate::common::serve(crate::common::REPLY, u64::MAX);
    let mut order = order(vec![impatient(flooding, 2), lane(sound)]);
    order.slice_ns = 20_000_000;
    let trials = drive(&order);
    assert_eq!(trials[1].seen.slices.len(), 10);
    assert_eq!(trials[1].seen.outcomes.ok, trials[1].seen.operations);
    assert_eq!(counts.outlasted(), 0);
}

fn stores(lane_order: LaneOrder) -> DriveOrder {
    let doing = LaneTask::Drive(engine::workload::preset("kv").expect("a preset"));
    order(vec![LaneOrder { doing, ..lane_order }])
}

/// Pushes are not answers, and an array that announces more elements than will ever arrive never
/// ends.
#[test]
fn a_redis_that_never_stops_is_given_up_at_the_timeout() {
    for protocol in [Protocol::Resp2, Protocol::Resp3] {
        for (begins, again) in [("", PUSH), ("*1000000000\r\n", ROW)] {
            let opened = if protocol == Protocol::Resp3 { "%0\r\n" } else { "" };
            let begins: &'static str = Box::leak(format!("{opened}{begins}").into_boxed_str());
            let (address, counts) = endless(begins, again, 1);
            let login = Login { protocol, ..Login::default() };
            let opening = Opening::new(&login).expect("no user");
            let (numbers, feeds) = (Numbers::new(1), Feeds::default());
            let order = stores(impatient(address, 2));
            let access = RespAccess { opening, numbers, feeds };
            let lanes = resp_lanes(&order, 0, &access);
            let trials =
                drive_lanes(&order, vec![lanes], Vec::new(), &Stop::new().expect("a descriptor"));
            let seen = &trials[0].seen;
            assert!(seen.operations >= 2, "{protocol:?} {again:?}: {:?}", seen.outcomes);
            assert_eq!(seen.outcomes.ok, 0, "{protocol:?} {again:?}");
            assert_eq!(counts.outlasted(), 0, "{protocol:?} {again:?}");
        }
    }
}

#[test]
fn a_memcached_that_never_stops_is_given_up() {
    for dialect in [Dialect::Text, Dialect::Meta] {
        // A value that never ends, and words that are not answers.
        for (begins, again) in [("VALUE k 0 1000000000\r\n", "xxxxxxxx"), ("", "MN\r\n")] {
            let (address, counts) = endless(begins, again, 1);
            let order = stores(impatient(address, 2));
            let access = MemcachedAccess { dialect, numbers: Numbers::new(1), sharded: None };
            let lanes = memcached_lanes(&order, 0, &access);
            let trials =
                drive_lanes(&order, vec![lanes], Vec::new(), &Stop::new().expect("a descriptor"));
            let seen = &trials[0].seen;
            assert!(seen.operations >= 2, "{dialect:?} {again:?}: {:?}", seen.outcomes);
            assert_eq!((seen.outcomes.ok, counts.outlasted()), (0, 0), "{dialect:?} {again:?}");
        }
    }
}
