//! A minimal server on separate threads that counts.

#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

pub(crate) mod beside;
pub(crate) mod scratch;
pub(crate) mod stores;
pub(crate) mod thrift;
pub(crate) mod wide_rows;

use ::http::{HttpAccess, http_lanes};
use engine::{MakeLane, Stop, TargetClock, grouped, run};
use record::{
    Address, Arrivals, Custom, Distribution, DriveOrder, Intensity, Kind, LaneOrder, Reuse, Share,
    TrialRecord, ValueBytes, Verify, Workload,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::ops::ControlFlow;
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
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    let counts = Arc::new(Counts::default());
    let counted = counts.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            counted.connections.fetch_add(1, Ordering::Relaxed);
            let counted = counted.clone();
            std::thread::spawn(move || answer(stream, reply, per_connection, &counted));
        }
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

pub(crate) fn lane(address: SocketAddr) -> LaneOrder {
    lane_to(Address::Tcp(address))
}

/// Returns a lane whose files are given by its access, not by an address.
pub(crate) fn lane_of_files() -> LaneOrder {
    lane_to(Address::Unix(String::new()))
}

fn lane_to(address: Address) -> LaneOrder {
    LaneOrder {
        // A test of what is late sets its own: in the others a machine that stands still for a moment
        // makes no operation fail.
        timeout_ns: 60_000_000_000,
        ..LaneOrder::closed(address, 4)
    }
}

/// Returns a workload of these kinds, all values of which are verified.
pub(crate) fn verified(keys: u64, mix: &[(Kind, f64)]) -> Workload {
    Workload {
        prefix: "t:".to_owned(),
        keys,
        distribution: Distribution::Uniform,
        hot: 1.0,
        value: ValueBytes::Uniform(16, 300),
        compressible: false,
        keys_as: record::KeysAs::Number,
        values_as: record::ValuesAs::Version,
        mix: mix.iter().map(|&(kind, weight)| Share { kind, weight }).collect(),
        verify: Verify::All,
        commands: Vec::new(),
        custom: Custom::default(),
        groups: Vec::new(),
    }
}

/// Returns an order of one round with one turn of 200 ms.
pub(crate) fn order(lanes: Vec<LaneOrder>) -> DriveOrder {
    DriveOrder {
        seed: 7,
        first_round: 1,
        cores: Vec::new(),
        warm_up: record::WarmUp::default(),
        rounds: 1,
        round_ns: 200_000_000,
        slice_ns: 200_000_000,
        requests: 0,
        lanes,
    }
}

/// Returns an order of one turn that ends when the lanes' operations are done, however slow the
/// machine is.
pub(crate) fn until_done(lanes: Vec<LaneOrder>) -> DriveOrder {
    DriveOrder { round_ns: 120_000_000_000, slice_ns: 120_000_000_000, ..order(lanes) }
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

pub(crate) fn drive_lanes(
    order: &DriveOrder,
    lanes: Vec<Vec<MakeLane>>,
    targets: Vec<TargetClock>,
    stop: &Stop,
) -> Vec<TrialRecord> {
    let mut trials = Vec::new();
    run(order, lanes, targets, stop, &mut |trial| {
        trials.push(trial);
        ControlFlow::Continue(())
    })
    .expect("the engine holds");
    trials
}
