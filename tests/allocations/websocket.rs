//! The WebSocket lane, with echoes and with rooms: ten times the operations make no more
//! allocations.

use crate::counting;
use ::websocket::{WebSocketAccess, websocket_lanes};
use engine::Numbers;
use protocol::testing::{drive_one, lane, serve as on_threads, until_done};
use record::{Arrivals, LaneOrder};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Mutex;
use wire::websocket::{Kind, Upgrade};

/// A message, its head and its mask.
const MESSAGE: usize = 64;
const FRAME: usize = 2 + 4 + MESSAGE;

/// Starts an echo server for messages of one length, which allocates when it accepts, and never
/// for a message.
fn serve() -> SocketAddr {
    on_threads(|stream| {
        let mut socket = tungstenite::accept(stream).expect("an upgrade");
        let mut frame = [0; FRAME];
        while socket.get_mut().read_exact(&mut frame).is_ok() {
            unmask(&mut frame);
            if socket.get_mut().write_all(&frame[4..]).is_err() {
                return;
            }
        }
    })
}

/// Starts a server with one room, to all members of which each message is sent.
fn serve_room() -> SocketAddr {
    let members = Mutex::new(Vec::<TcpStream>::with_capacity(MEMBERS as usize));
    on_threads(move |stream| {
        // A member that sends nothing delays its acknowledgements, and Nagle's algorithm
        // waits for them.
        stream.set_nodelay(true).expect("a socket");
        members.lock().expect("no thread panics").push(stream.try_clone().expect("a copy"));
        let mut socket = tungstenite::accept(stream).expect("an upgrade");
        let mut frame = [0; FRAME];
        while socket.get_mut().read_exact(&mut frame).is_ok() {
            unmask(&mut frame);
            for member in members.lock().expect("no thread panics").iter_mut() {
                // If one member is gone, all are gone.
                let _ = member.write_all(&frame[4..]);
            }
        }
    })
}

/// Members of the room.
const MEMBERS: u32 = 4;

/// Turns a message of the client into one of the server, which begins four bytes later.
fn unmask(frame: &mut [u8; FRAME]) {
    let (head, payload) = frame.split_at_mut(6);
    let [first, length, key @ ..] = head else { return };
    let keys = key.iter().cycle();
    payload.iter_mut().zip(keys).for_each(|(byte, key)| *byte ^= key);
    (head[4], head[5]) = (*first, *length & 0x7F);
}

/// Returns the allocations of a run of `operations` in one room.
fn allocations_in_a_room(arrivals: Arrivals, operations: u64) -> u64 {
    let mut lane_order = LaneOrder { operations: Some(operations), ..lane(serve_room()) };
    (lane_order.intensity.arrivals, lane_order.intensity.connections) = (arrivals, MEMBERS);
    let upgrade = Upgrade::to_room("/", "test", &[]).expect("nothing in it can be refused");
    allocations_of(lane_order, upgrade, Some(MEMBERS), operations)
}

/// Allocations of a run of `operations`.
fn allocations(arrivals: Arrivals, operations: u64) -> u64 {
    let mut lane_order = LaneOrder { operations: Some(operations), ..lane(serve()) };
    (lane_order.intensity.arrivals, lane_order.intensity.depth) = (arrivals, 4);
    let upgrade = Upgrade::new("/", "test", &[]).expect("nothing in it can be refused");
    allocations_of(lane_order, upgrade, None, operations)
}

fn allocations_of(
    lane_order: LaneOrder,
    upgrade: Upgrade,
    members: Option<u32>,
    operations: u64,
) -> u64 {
    let order = until_done(vec![lane_order]);
    let access = WebSocketAccess {
        upgrade,
        kind: Kind::Text,
        message_bytes: MESSAGE as u32,
        members,
        tls: None,
        numbers: Numbers::new(1),
    };
    let before = counting::allocations();
    let seen = drive_one(&order, websocket_lanes(&order, 0, &access));
    let after = counting::allocations();
    assert_eq!(seen.outcomes.ok, operations);
    after - before
}

pub(crate) fn ten_times_the_operations_make_no_allocation_more() {
    counting::no_more_for_ten_times_the_operations(allocations);
    counting::no_more_for_ten_times_the_operations(allocations_in_a_room);
}
