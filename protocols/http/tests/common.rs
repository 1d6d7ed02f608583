//! A minimal HTTP server that counts, and the lane that drives it.

#![allow(dead_code, reason = "each test program uses a part of it")]

use ::http::{HttpAccess, http_lanes};
use engine::{MakeLane, Stop, TargetClock, grouped};
use protocol::testing::{drive_lanes, order, serve as on_threads};
use record::{DriveOrder, LaneOrder, TrialRecord};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

pub(crate) const REPLY: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

/// What the server counted.
#[derive(Default)]
pub(crate) struct Counts {
    pub(crate) connections: AtomicU64,
    pub(crate) requests: AtomicU64,
}

/// Answers every request with `reply`, with a thread for each connection, and closes a
/// connection after `per_connection` requests.
pub(crate) fn serve(reply: &'static [u8], per_connection: u64) -> (SocketAddr, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let counted = counts.clone();
    let address = on_threads(move |stream| {
        counted.connections.fetch_add(1, Ordering::Relaxed);
        answer(stream, reply, per_connection, &counted);
    });
    (address, counts)
}

fn answer(mut stream: TcpStream, reply: &[u8], per_connection: u64, counts: &Counts) {
    let mut buffer = [0; 4096];
    for _ in 0..per_connection {
        // One write of the generator is one request here, because they are small.
        match stream.read(&mut buffer) {
            Ok(1..) => {}
            _ => return,
        }
        counts.requests.fetch_add(1, Ordering::Relaxed);
        if stream.write_all(reply).is_err() {
            return;
        }
    }
}

pub(crate) fn access() -> HttpAccess {
    HttpAccess {
        head: b"GET / HTTP/1.1\r\nHost: test\r\n\r\n".as_slice().into(),
        body: None,
        head_only: false,
        expect: Vec::new(),
        tls: None,
        requests: None,
    }
}

pub(crate) fn drive(order: &DriveOrder) -> Vec<TrialRecord> {
    drive_until(order, &Stop::new().expect("a descriptor"))
}

pub(crate) fn drive_until(order: &DriveOrder, stop: &Stop) -> Vec<TrialRecord> {
    drive_reading(order, stop, Vec::new())
}

/// Drives one turn of an hour and stops it after 100 ms.
pub(crate) fn drive_stopped(lane: LaneOrder) -> Vec<TrialRecord> {
    const HOUR_NS: u64 = 3_600_000_000_000;
    let order = DriveOrder { round_ns: HOUR_NS, slice_ns: HOUR_NS, ..order(vec![lane]) };
    let stop = Stop::new().expect("a descriptor");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(100));
            stop.raise();
        });
        drive_until(&order, &stop)
    })
}

pub(crate) fn drive_reading(
    order: &DriveOrder,
    stop: &Stop,
    targets: Vec<TargetClock>,
) -> Vec<TrialRecord> {
    let access = access();
    let lanes =
        |contender| grouped(order, contender, |order| http_lanes(order, contender, &access));
    let lanes: Vec<Vec<MakeLane>> = (0..order.lanes.len()).map(lanes).collect();
    drive_lanes(order, lanes, targets, stop)
}
