//! Rooms of the WebSocket lane against a server with another implementation, which counts and
//! fails on demand.

mod server;

use engine::{Numbers, Stop};
use protocol::testing::{drive_lanes, lane, order, until_done};
use record::{Arrivals, DriveOrder, Failure, LaneOrder, Outcomes, Reuse, Seen};
use server::{Behaviour, Server, TENTH};
use std::time::Duration;
use websocket::{WebSocketAccess, websocket_lanes};
use wire::websocket::{Kind, Upgrade, codes};

const MEMBERS: u32 = 4;
/// The time limit where the server keeps a message to itself. Its other broadcasts must not reach it
/// on a busy machine.
const SILENT_TIMEOUT_NS: u64 = 500_000_000;
const TIMEOUT_NS: u64 = 20_000_000_000;

fn access(message_bytes: u32) -> WebSocketAccess {
    WebSocketAccess {
        upgrade: Upgrade::to_room("/chat?token=x", "test", &[]).expect("nothing is refused"),
        kind: Kind::Text,
        message_bytes,
        members: Some(MEMBERS),
        tls: None,
        numbers: Numbers::new(4),
    }
}

fn drive_until(order: &DriveOrder, stop: &Stop) -> Seen {
    let lanes = vec![websocket_lanes(order, 0, &access(64))];
    drive_lanes(order, lanes, Vec::new(), stop).remove(0).seen
}

fn drive(order: &DriveOrder) -> Seen {
    drive_until(order, &Stop::new().expect("a descriptor"))
}

/// Returns a lane with this many operations in this many rooms, in closed loop.
fn in_rooms(server: &Server, rooms: u32, operations: u64) -> LaneOrder {
    let mut lane_order =
        LaneOrder { operations: Some(operations), timeout_ns: TIMEOUT_NS, ..lane(server.address) };
    lane_order.intensity.connections = rooms * MEMBERS;
    lane_order
}

/// Sends a hundred broadcasts in one room.
fn hundred(behaviour: Behaviour) -> (Seen, Server) {
    let server = Server::start(behaviour);
    let timeout_ns = match behaviour {
        Behaviour::Loses | Behaviour::Holds => SILENT_TIMEOUT_NS,
        _ => TIMEOUT_NS,
    };
    let lane_order = LaneOrder { timeout_ns, ..in_rooms(&server, 1, 100) };
    let seen = drive(&until_done(vec![lane_order]));
    assert_eq!(seen.operations, 100, "{behaviour:?}");
    assert_eq!(seen.sent, server.counts(|of| of.broadcasts), "{behaviour:?}: counted twice");
    (seen, server)
}

/// Returns how many operations failed in these ways.
fn failed(outcomes: &Outcomes, of: &[Failure]) -> u64 {
    of.iter().filter_map(|failure| outcomes.failed.get(failure)).sum()
}

#[test]
fn every_member_gets_every_message_and_every_member_sends() {
    for (message_bytes, behaviour) in [
        (64, Behaviour::Rooms),
        (16, Behaviour::Rooms),
        (5000, Behaviour::Rooms),
        (100, Behaviour::Fragments),
    ] {
        let server = Server::start(behaviour);
        let order = until_done(vec![in_rooms(&server, 3, 300)]);
        let lanes = vec![websocket_lanes(&order, 0, &access(message_bytes))];
        let stop = Stop::new().expect("a descriptor");
        let seen = drive_lanes(&order, lanes, Vec::new(), &stop).remove(0).seen;
        assert_eq!((seen.operations, seen.outcomes.ok), (300, 300), "{:?}", seen.outcomes);
        server.counts(|of| {
            assert_eq!((of.broadcasts, of.connections), (300, 3 * u64::from(MEMBERS)));
            assert_eq!(of.copies, 300 * u64::from(MEMBERS));
            assert_eq!(of.rooms.values().collect::<Vec<_>>(), [&4; 3]);
            assert!(of.senders.len() == 4 && of.senders.values().all(|sent| *sent > 30));
        });
        assert_eq!(seen.connections.opened, 12);
        // An operation's bytes are the bytes of all copies.
        let bytes = u64::from(MEMBERS * message_bytes);
        let most = seen.body_bytes.max().expect("there are some");
        assert!((bytes..=bytes + bytes / 100).contains(&most), "{most} for {bytes}");
        assert!(seen.first_byte_time.max() <= seen.response_time.max());
        assert_eq!(seen.first_byte_time.len(), 300);
    }
}

#[test]
fn rooms_are_divided_among_workers_and_never_shared() {
    let server = Server::start(Behaviour::Rooms);
    let lane_order = in_rooms(&server, 3, 600);
    let order = DriveOrder { cores: vec![0, 0], ..until_done(vec![lane_order]) };
    let seen = drive(&order);
    assert_eq!((seen.operations, seen.outcomes.ok), (600, 600), "{:?}", seen.outcomes);
    server.counts(|of| {
        assert_eq!(of.broadcasts, 600);
        assert_eq!(of.rooms.values().collect::<Vec<_>>(), [&4; 3]);
        assert!(of.senders.len() == 4, "{:?}", of.senders);
    });
}

#[test]
fn in_open_loop_every_operation_that_was_due_is_broadcast() {
    let server = Server::start(Behaviour::Rooms);
    let mut lane_order = in_rooms(&server, 2, 500);
    lane_order.intensity.arrivals = Arrivals::Poisson(2000.0);
    let seen = drive(&until_done(vec![lane_order]));
    assert_eq!((seen.outcomes.ok, server.counts(|of| of.broadcasts)), (500, 500));
}

#[test]
fn the_connections_of_a_room_are_used_as_often_as_asked() {
    for (reuse, rooms) in [(Reuse::Always, 1), (Reuse::Times(10), 10), (Reuse::Never, 100)] {
        let server = Server::start(Behaviour::Rooms);
        let lane_order = LaneOrder { reuse, ..in_rooms(&server, 1, 100) };
        let seen = drive(&until_done(vec![lane_order]));
        let connections = rooms * u64::from(MEMBERS);
        assert_eq!(seen.outcomes.ok, 100, "{reuse:?}: {:?}", seen.outcomes);
        assert_eq!(
            (seen.connections.opened, seen.phases.upgrade.len()),
            (connections, connections)
        );
        server.counts(|of| {
            assert_eq!((of.connections, of.copies), (connections, 400));
            // Each opening has a unique name, so that no other connection is in the room.
            assert_eq!(of.rooms.len() as u64, rooms, "{reuse:?}");
            assert!(of.rooms.values().all(|members| *members == 4), "{reuse:?}");
        });
        // The last of them may be read only after the run has ended.
        while server.counts(|of| of.goodbyes) < connections {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

#[test]
fn a_copy_that_is_wrong_is_wrong_content() {
    for behaviour in [Behaviour::Spoils, Behaviour::Lengthens] {
        let (seen, server) = hundred(behaviour);
        assert_eq!((seen.outcomes.ok, seen.outcomes.wrong), (90, 10), "{behaviour:?}");
        assert_eq!(server.counts(|of| of.connections), 4, "{behaviour:?}: the room goes on");
    }
}

#[test]
fn copies_that_should_not_come_have_classes_of_their_own() {
    for (behaviour, code) in
        [(Behaviour::Doubles, codes::COPY_TWICE), (Behaviour::Repeats, codes::OTHER_COPY)]
    {
        let (seen, server) = hundred(behaviour);
        assert_eq!(seen.outcomes.unexpected, [(code, 10)].into(), "{behaviour:?}");
        assert_eq!(
            (seen.outcomes.ok, server.counts(|of| of.connections)),
            (90, 4),
            "{behaviour:?}"
        );
    }
}

#[test]
fn a_message_that_nobody_sent_is_wrong_and_no_copy() {
    let (seen, _) = hundred(Behaviour::Greets);
    // It may be read before or after the first broadcast, and once for each member. Read during a
    // broadcast it counts in place of the member's copy, which then belongs to no broadcast.
    let wrong = seen.outcomes.wrong;
    let late = seen.outcomes.unexpected.get(&codes::OTHER_COPY).copied().unwrap_or(0);
    assert!((1..=4).contains(&wrong) && late <= 4, "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.ok + wrong + late, 100, "{:?}", seen.outcomes);
}

/// A message that a member receives while the others are still connecting must not release the
/// broadcast that waits for them.
#[test]
fn nothing_is_broadcast_before_all_members_have_entered() {
    let server = Server::start(Behaviour::Greets);
    let lane_order = LaneOrder { reuse: Reuse::Never, ..in_rooms(&server, 1, 100) };
    let seen = drive(&until_done(vec![lane_order]));
    assert!(seen.outcomes.failed.is_empty(), "{:?}", seen.outcomes);
    server.counts(|of| assert_eq!((of.broadcasts, of.copies), (100, 400)));
}

#[test]
fn a_copy_to_a_member_of_another_room_is_an_error_there() {
    let server = Server::start(Behaviour::Leaks);
    let seen = drive(&until_done(vec![in_rooms(&server, 2, 200)]));
    let outcome = seen.outcomes.unexpected.get(&codes::OTHER_COPY).copied().unwrap_or(0);
    // Two can arrive during one broadcast, and the last may arrive after the run has ended.
    assert!((1..=20).contains(&outcome), "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.ok + outcome, 200, "{:?}", seen.outcomes);
}

#[test]
fn a_copy_that_goes_to_another_room_is_lost_in_its_own() {
    let server = Server::start(Behaviour::Misroutes);
    let lane_order = LaneOrder { timeout_ns: SILENT_TIMEOUT_NS, ..in_rooms(&server, 2, 100) };
    let seen = drive(&until_done(vec![lane_order]));
    let outcome = seen.outcomes.unexpected.get(&codes::OTHER_COPY).copied().unwrap_or(0);
    let lost = failed(&seen.outcomes, &[Failure::Timeout]);
    assert_eq!((lost, seen.outcomes.ok + outcome), (10, 90), "{:?}", seen.outcomes);
    assert!(outcome > 0, "{:?}", seen.outcomes);
}

#[test]
fn a_copy_that_is_lost_is_a_timeout_and_the_room_is_opened_anew() {
    let (seen, server) = hundred(Behaviour::Loses);
    assert_eq!(failed(&seen.outcomes, &[Failure::Timeout]), 10);
    assert_eq!(seen.outcomes.ok, 90, "{:?}", seen.outcomes);
    let rooms = 10 + 1 - u64::from(100 % TENTH == 0);
    assert_eq!(server.counts(|of| (of.connections, of.rooms.len() as u64)), (4 * rooms, rooms));
}

#[test]
fn what_comes_after_a_timeout_reaches_none_of_the_new_connections() {
    let (seen, server) = hundred(Behaviour::Holds);
    assert_eq!(failed(&seen.outcomes, &[Failure::Timeout]), 10);
    assert_eq!(seen.outcomes.ok, 90, "{:?}", seen.outcomes);
    assert!(server.counts(|of| of.rooms.values().all(|members| *members == 4)));
}

#[test]
fn a_member_that_is_closed_ends_its_room() {
    for code in [1000, 1001, 1008, 1011, 4001] {
        let (seen, server) = hundred(Behaviour::Closes(code));
        assert_eq!(seen.outcomes.unexpected, [(code, 10)].into(), "{:?}", seen.outcomes);
        assert_eq!((seen.outcomes.ok, server.counts(|of| of.connections)), (90, 40));
    }
    let (seen, server) = hundred(Behaviour::Ends);
    assert_eq!(failed(&seen.outcomes, &[Failure::Closed, Failure::Reset]), 10);
    assert_eq!((seen.outcomes.ok, server.counts(|of| of.connections)), (90, 40));
}

#[test]
fn copies_that_are_no_text_or_of_another_kind_end_the_room_under_their_names() {
    let (seen, _) = hundred(Behaviour::NotUtf8);
    assert_eq!((seen.outcomes.ok, failed(&seen.outcomes, &[Failure::Protocol])), (90, 10));
    let (seen, _) = hundred(Behaviour::OtherKind);
    assert_eq!(seen.outcomes.unexpected, [(codes::OTHER_KIND, 10)].into(), "{:?}", seen.outcomes);
    assert_eq!(seen.outcomes.ok, 90);
}

/// In the middle of a run all connections end at once, in all rooms.
#[test]
fn a_server_that_ends_all_connections_is_counted_and_driven_on() {
    let server = Server::start(Behaviour::Rooms);
    let order = until_done(vec![in_rooms(&server, 5, 20_000)]);
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            while server.counts(|of| of.broadcasts) < 5000 {
                std::thread::sleep(Duration::from_millis(1));
            }
            server.end_all();
        });
        drive(&order)
    });
    let lost = failed(&seen.outcomes, &[Failure::Closed, Failure::Reset]);
    assert_eq!(seen.outcomes.ok + lost, 20_000, "{:?}", seen.outcomes);
    // At most one operation is in flight in a room.
    assert!((1..=5).contains(&lost), "{:?}", seen.outcomes);
    assert_eq!(server.counts(|of| of.connections), 40);
}

#[test]
fn rooms_that_cannot_be_reached_fail_their_operations_one_by_one() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = closed.local_addr().expect("an address");
    drop(closed);
    let mut lane_order = LaneOrder { operations: Some(10), ..lane(address) };
    lane_order.intensity.connections = 2 * MEMBERS;
    let seen = drive(&until_done(vec![lane_order]));
    assert_eq!((seen.operations, failed(&seen.outcomes, &[Failure::Refused])), (10, 10));
    assert_eq!(seen.sent, 0);
}

#[test]
fn a_stop_leaves_the_broadcasts_in_flight_unfinished() {
    const HOUR_NS: u64 = 3_600_000_000_000;
    let server = Server::start(Behaviour::Silent);
    let lane_order = LaneOrder { operations: None, timeout_ns: HOUR_NS, ..in_rooms(&server, 3, 1) };
    let order = DriveOrder { round_ns: HOUR_NS, slice_ns: HOUR_NS, ..order(vec![lane_order]) };
    let stop = Stop::new().expect("a descriptor");
    let seen = std::thread::scope(|scope| {
        scope.spawn(|| {
            while server.counts(|of| of.broadcasts) < 3 {
                std::thread::sleep(Duration::from_millis(1));
            }
            stop.raise();
        });
        drive_until(&order, &stop)
    });
    assert_eq!((seen.unfinished, seen.operations), (3, 0));
}

/// Between two slices nothing is in flight, and a new round reopens the rooms.
#[test]
fn rounds_and_slices_follow_one_another_in_the_same_rooms_or_new_ones() {
    let server = Server::start(Behaviour::Rooms);
    let mut lane_order = lane(server.address);
    lane_order.intensity.connections = 2 * MEMBERS;
    let order = DriveOrder { rounds: 2, slice_ns: 20_000_000, ..order(vec![lane_order]) };
    let lanes = vec![websocket_lanes(&order, 0, &access(64))];
    let stop = Stop::new().expect("a descriptor");
    let trials = drive_lanes(&order, lanes, Vec::new(), &stop);
    let (mut sent, mut unfinished) = (0, 0);
    for seen in trials.iter().map(|trial| &trial.seen) {
        assert!(seen.operations > 0 && seen.outcomes.ok == seen.operations, "{:?}", seen.outcomes);
        (sent, unfinished) = (sent + seen.sent, unfinished + seen.unfinished);
    }
    server.counts(|of| {
        assert_eq!(of.broadcasts, sent + unfinished);
        assert!(of.rooms.values().all(|members| *members == 4), "{:?}", of.rooms);
    });
}

#[test]
fn what_makes_no_rooms_is_refused() {
    let run = |lane_order: LaneOrder| {
        let order = order(vec![lane_order]);
        let lanes = vec![websocket_lanes(&order, 0, &access(64))];
        let stop = Stop::new().expect("a descriptor");
        let each = &mut |_| std::ops::ControlFlow::Continue(());
        engine::run(&order, lanes, Vec::new(), &stop, each)
            .expect_err("it makes no rooms")
            .to_string()
    };
    let server = Server::start(Behaviour::Rooms);
    let mut lane_order = in_rooms(&server, 1, 1);
    lane_order.intensity.connections = 6;
    assert_eq!(run(lane_order), "6 connections cannot be divided into rooms of 4 members");
    let mut lane_order = in_rooms(&server, 1, 1);
    lane_order.intensity.depth = 2;
    assert_eq!(run(lane_order), "a room can have only one message in flight; leave out depth");
}
