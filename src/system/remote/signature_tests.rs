//! What a machine between two others can do to the frames after the handshake: end the connection.

use super::*;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::Duration;
use wire::remote::agents::{FromAgent, FromCoordinator};
use wire::remote::{FrameError, HEAD_BYTES, Purpose};

const TIMEOUT: Duration = Duration::from_secs(60);

/// What is forwarded of the frames after the handshake.
type Change = fn(Vec<Vec<u8>>) -> Vec<Vec<u8>>;

fn frame(from: &mut TcpStream) -> Vec<u8> {
    let mut frame = vec![0; HEAD_BYTES];
    from.read_exact(&mut frame).expect("a head");
    let length = u32::from_be_bytes([frame[4], frame[5], frame[6], frame[7]]);
    let mut body = vec![0; length as usize];
    from.read_exact(&mut body).expect("a body");
    frame.extend(body);
    frame
}

/// What an agent receives of these messages of its coordinator if three frames are changed like this.
fn received(change: Change) -> Vec<Result<FromCoordinator, RemoteError>> {
    let listen = || TcpListener::bind("127.0.0.1:0").expect("loopback");
    let (coordinator, middle) = (listen(), listen());
    let (at, agents_see) =
        (coordinator.local_addr().expect("bound"), middle.local_addr().expect("bound"));
    let token = Token::new().expect("random");
    thread::scope(|scope| {
        scope.spawn(|| {
            let (stream, peer) = coordinator.accept().expect("the middle");
            let mut connection = Connection::of(stream).expect("a connection");
            let place = Places::new(1, 1).take(&connection, peer);
            admit(&mut connection, Purpose::Agent, &token, &place, TIMEOUT).expect("admitted");
            for trials in 1..=3 {
                connection.send(&FromCoordinator::Send { trials }, TIMEOUT).expect("sent");
            }
        });
        scope.spawn(move || {
            let (mut agent, _) = middle.accept().expect("the agent");
            let mut coordinator = TcpStream::connect(at).expect("it listens");
            for _ in 0..2 {
                coordinator.write_all(&frame(&mut agent)).expect("a hello or proof");
                agent.write_all(&frame(&mut coordinator)).expect("a challenge or welcome");
            }
            let frames = (0..3).map(|_| frame(&mut coordinator)).collect();
            change(frames).iter().for_each(|frame| agent.write_all(frame).expect("sent"));
        });
        let connected = connect(agents_see, Purpose::Agent, &token, TIMEOUT);
        let mut connection = connected.expect("the handshake passes");
        (0..3).map(|_| connection.receive(TIMEOUT)).collect()
    })
}

#[test]
fn unchanged_frames_arrive() {
    let wanted = [1, 2, 3].map(|trials| Ok(FromCoordinator::Send { trials }));
    assert_eq!(received(|frames| frames), wanted);
}

#[test]
fn frames_that_are_changed_left_out_repeated_or_moved_end_the_connection() {
    let table: [(&str, Change); 5] = [
        ("changed", |mut frames| {
            frames[0][HEAD_BYTES + 7] ^= 1;
            frames
        }),
        ("of another kind", |mut frames| {
            frames[0][3] += 1;
            frames
        }),
        ("left out", |frames| frames[1..].to_vec()),
        ("moved", |mut frames| {
            frames.swap(0, 1);
            frames
        }),
        ("repeated", |frames| vec![frames[0].clone(), frames[0].clone()]),
    ];
    for (name, change) in table {
        let received = received(change);
        let first_bad = usize::from(name == "repeated");
        let forged = Err(RemoteError::Message(FrameError::Forged));
        assert_eq!(received[first_bad], forged, "{name}");
        assert!(received[..first_bad].iter().all(Result::is_ok), "{name}");
    }
}

/// The ends of a connection.
fn pair(token: &Token) -> [Connection; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").expect("loopback");
    let address = listener.local_addr().expect("bound");
    thread::scope(|scope| {
        let server = scope.spawn(move || {
            let (stream, peer) = listener.accept().expect("a client");
            let mut connection = Connection::of(stream).expect("a connection");
            let place = Places::new(1, 1).take(&connection, peer);
            admit(&mut connection, Purpose::Agent, token, &place, TIMEOUT).expect("admitted");
            connection
        });
        let client = connect(address, Purpose::Agent, token, TIMEOUT).expect("admitted");
        [client, server.join().expect("no panic")]
    })
}

/// Every connection has keys of its own, and each of its directions another one.
#[test]
fn frames_of_another_connection_or_of_the_other_direction_are_not_accepted() {
    let token = Token::new().expect("random");
    let [mut agent, coordinator] = pair(&token);
    agent.send(&FromAgent::Failed { lane: None, why: "why".to_owned() }, TIMEOUT).expect("sent");
    let recorded = frame(&mut coordinator.socket().try_clone().expect("a descriptor"));
    let [other_agent, other_coordinator] = pair(&token);
    for (from, mut to) in [(coordinator, agent), (other_agent, other_coordinator)] {
        (&**from.socket()).write_all(&recorded).expect("sent");
        let error = to.receive::<FromAgent>(TIMEOUT);
        assert_eq!(error, Err(RemoteError::Message(FrameError::Forged)));
    }
}
