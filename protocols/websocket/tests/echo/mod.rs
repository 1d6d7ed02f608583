//! The WebSocket lane against a server with another implementation, which counts and fails on
//! demand.

mod server;

use engine::{Numbers, Stop};
use protocol::testing::{drive_lanes, lane, order, until_done};
use record::{Arrivals, DriveOrder, Failure, LaneOrder, Reuse, Seen};
use server::{Behaviour, Counts, TENTH, serve};
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use websocket::{WebSocketAccess, websocket_lanes};
use wire::websocket::{Kind, Upgrade, codes};

fn access(kind: Kind, message_bytes: u32) -> WebSocketAccess {
    WebSocketAccess {
        upgrade: Upgrade::new("/", "test", &[]).expect("nothing in it can be refused"),
        kind,
        message_bytes,
        members: None,
        tls: None,
        numbers: Numbers::new(1),
    }
}

fn drive(order: &DriveOrder, access: &WebSocketAccess) -> Seen {
    let lanes = vec![websocket_lanes(order, 0, access)];
    let mut trials = drive_lanes(order, lanes, Vec::new(), &Stop::new().expect("a descriptor"));
    trials.remove(0).seen
}

fn count(counter: &AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

/// Returns a lane with this many operations on one connection, in closed loop.
fn on_one(address: SocketAddr, operations: u64) -> LaneOrder {
    let mut lane_order = LaneOrder { operations: Some(operations), ..lane(address) };
    lane_order.intensity.connections = 1;
    lane_order
}

/// Sends a hundred texts of 64 bytes on one connection after the other.
fn hundred(behaviour: Behaviour) -> (Seen, std::sync::Arc<Counts>) {
    let (address, counts) = serve(behaviour);
    // Only a server that falls silent lets an operation time out. The others have so much time
    // that a busy machine does not make them late.
    let timeout_ns = match behaviour {
        Behaviour::Loses | Behaviour::SaysAndStalls(_) => 300_000_000,
        _ => 20_000_000_000,
    };
    let lane_order = LaneOrder { timeout_ns, ..on_one(address, 100) };
    let seen = drive(&until_done(vec![lane_order]), &access(Kind::Text, 64));
    assert_eq!(seen.operations, 100, "{behaviour:?}");
    assert_eq!(seen.sent, count(&counts.messages), "{behaviour:?}: every message is counted twice");
    (seen, counts)
}

#[test]
fn every_message_comes_back_and_is_counted_on_both_sides() {
    for (kind, bytes) in
        [(Kind::Text, 64), (Kind::Binary, 16), (Kind::Text, 126), (Kind::Binary, 70_000)]
    {
        let (address, counts) = serve(Behaviour::Echo);
        let seen = drive(&order(vec![lane(address)]), &access(kind, bytes));
        assert!(seen.operations > 5, "{kind:?} {bytes}");
        assert_eq!(seen.outcomes.ok, seen.operations, "{kind:?} {bytes}: {:?}", seen.outcomes);
        assert_eq!(seen.sent, count(&counts.messages));
        assert_eq!(count(&counts.connections), 4);
        assert_eq!(seen.response_time.len(), seen.operations);
        assert_eq!((seen.phases.upgrade.len(), seen.connect_time.len()), (4, 4));
        let last = seen.body_bytes.max().expect("messages");
        assert!(last >= u64::from(bytes) && last <= u64::from(bytes) * 11 / 10, "{last}");
    }
}

#[test]
fn fresh_connections_are_one_each_and_are_closed_by_their_frame() {
    for (reuse, per_connection) in [(Reuse::Never, 1), (Reuse::Times(5), 5)] {
        let (address, counts) = serve(Behaviour::Echo);
        let lane_order = LaneOrder { reuse, ..on_one(address, 100) };
        let seen = drive(&until_done(vec![lane_order]), &access(Kind::Text, 64));
        assert_eq!(seen.outcomes.ok, 100, "{reuse:?}");
        let connections = 100 / per_connection;
        assert_eq!(
            (count(&counts.connections), seen.connections.opened),
            (connections, connections)
        );
        assert_eq!(seen.phases.upgrade.len(), connections);
        // The last of them may be read only after the run has ended.
        while count(&counts.goodbyes) < connections {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

#[test]
fn many_are_in_flight_and_come_back_in_their_order() {
    for arrivals in [Arrivals::Closed, Arrivals::Constant(50_000.0)] {
        let (address, counts) = serve(Behaviour::Echo);
        let mut lane_order = on_one(address, 2000);
        (lane_order.intensity.depth, lane_order.intensity.arrivals) = (16, arrivals);
        let seen = drive(&until_done(vec![lane_order]), &access(Kind::Text, 64));
        assert_eq!((seen.outcomes.ok, count(&counts.messages)), (2000, 2000));
    }
}

#[test]
fn fragments_and_pings_do_no_harm() {
    let (seen, counts) = hundred(Behaviour::Fragments);
    assert_eq!((seen.outcomes.ok, count(&counts.connections)), (100, 1));
    let (seen, counts) = hundred(Behaviour::Pings);
    assert_eq!((seen.outcomes.ok, count(&counts.connections)), (100, 1));
    // At most one for each read, however many pings it contained.
    let pongs = count(&counts.pongs);
    assert!((1..=5000).contains(&pongs), "{pongs}");
}

#[test]
fn an_echo_that_is_not_the_message_is_wrong() {
    for behaviour in [Behaviour::Spoils, Behaviour::Lengthens] {
        let (seen, _) = hundred(behaviour);
        assert_eq!((seen.outcomes.ok, seen.outcomes.wrong), (90, 10), "{behaviour:?}");
    }
    let (seen, _) = hundred(Behaviour::OtherKind);
    assert_eq!(seen.outcomes.unexpected, [(codes::OTHER_KIND, 100)].into());
}

#[test]
fn an_echo_that_comes_twice_is_an_error_of_the_next_operation() {
    let (seen, _) = hundred(Behaviour::Doubles);
    // Both may be read at once, or the second for the echo of the next message.
    let count = seen.outcomes.unexpected.get(&codes::UNREQUESTED).copied().unwrap_or(0);
    assert_eq!(seen.outcomes.ok + seen.outcomes.wrong + count, 100, "{:?}", seen.outcomes);
    assert!(seen.outcomes.ok < 5, "{:?}", seen.outcomes);
}

#[test]
fn an_echo_that_is_lost_is_a_timeout() {
    let (seen, counts) = hundred(Behaviour::Loses);
    let lost = seen.outcomes.failed[&Failure::Timeout];
    assert_eq!((seen.outcomes.ok, lost), (90, 10));
    // Each ends its connection, because a late echo must not be taken for that of another
    // message.
    assert_eq!(count(&counts.connections), 10 + 1 - u64::from(100 % TENTH == 0));
}

#[test]
fn half_a_frame_and_silence_is_a_timeout() {
    // Each takes one timeout.
    std::thread::scope(|scope| {
        for half in [b"\x81".as_slice(), b"\x81\x40he", b"\x01\x02he", b"\x81\x7f\0\0"] {
            scope.spawn(move || {
                let (seen, _) = hundred(Behaviour::SaysAndStalls(half));
                let timeouts = seen.outcomes.failed[&Failure::Timeout];
                assert_eq!((seen.outcomes.ok, timeouts), (90, 10), "{half:?}");
            });
        }
    });
}

#[test]
fn an_end_in_the_middle_of_a_message_is_a_closed_connection() {
    for half in [b"".as_slice(), b"\x81\x40he", b"\x01\x02he"] {
        let (seen, counts) = hundred(Behaviour::SaysAndEnds(half));
        let lost: u64 = [Failure::Closed, Failure::Reset]
            .iter()
            .filter_map(|of| seen.outcomes.failed.get(of))
            .sum();
        assert_eq!((seen.outcomes.ok, lost, count(&counts.connections)), (90, 10, 10));
    }
}

#[test]
fn frames_that_break_the_standard_are_counted_and_the_server_is_informed() {
    for frame in [
        b"\x81\x82\0\0\0\0hi".as_slice(),
        b"\xc1\x02hi",
        b"\x83\0",
        b"\x81\x01\xff",
        b"\x80\x01x",
        b"\x81\x7e\0\x01x",
        b"\x82\x7f\xff\xff\xff\xff\xff\xff\xff\xff",
    ] {
        let (seen, counts) = hundred(Behaviour::SaysAndStalls(frame));
        assert_eq!((seen.outcomes.ok, seen.outcomes.failed[&Failure::Protocol]), (90, 10));
        while count(&counts.complaints) < 10 {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
    }
}

#[test]
fn a_close_in_place_of_an_echo_is_an_error_with_its_code() {
    for code in [1000, 1001, 1008, 1011, 4001] {
        let (seen, counts) = hundred(Behaviour::Closes(code));
        assert_eq!(seen.outcomes.unexpected, [(code, 10)].into(), "{:?}", seen.outcomes);
        assert_eq!((seen.outcomes.ok, count(&counts.connections)), (90, 10));
    }
}

#[test]
fn an_upgrade_that_is_refused_is_reported_by_its_status() {
    const ACCEPT: &[u8] = b"HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
                            Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    for (reply, code) in [
        (b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".as_slice(), 200),
        (b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n", 401),
        (b"HTTP/1.1 426 Upgrade Required\r\nContent-Length: 0\r\n\r\n", 426),
        (ACCEPT, codes::ACCEPT),
    ] {
        let (address, counts) = serve(Behaviour::Refuses(reply));
        let seen = drive(&until_done(vec![on_one(address, 3)]), &access(Kind::Text, 64));
        assert_eq!(seen.outcomes.unexpected, [(code, 3)].into(), "{:?}", seen.outcomes);
        // Nothing was sent on a connection that was never open.
        assert_eq!((seen.sent, count(&counts.messages)), (0, 0));
        assert_eq!((seen.connections.opened, seen.phases.upgrade.len()), (0, 0));
    }
}
