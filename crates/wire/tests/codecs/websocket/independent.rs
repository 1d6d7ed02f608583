//! Held against tungstenite, another implementation of the standard: each understands what
//! the other says.

use crate::common::{SeenEvent, SeenEvents};
use crate::websocket::check::fresh;
use std::io::{self, Read, Write};
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};
use wire::websocket::{Kind, Limits, Op};
use wire::{Codec, ConnectionState, Out};

/// A connection in memory: what was sent there, and what is to be read.
#[derive(Default)]
struct Pipe {
    to_read: io::Cursor<Vec<u8>>,
    written: Vec<u8>,
}

impl Read for Pipe {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self.to_read.read(buffer)? {
            0 => Err(io::ErrorKind::WouldBlock.into()),
            read => Ok(read),
        }
    }
}

impl Write for Pipe {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.written.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
#[allow(clippy::result_large_err, reason = "the type of the closure is the library's")]
fn its_answer_to_our_upgrade_is_taken() {
    let headers = [("Sec-WebSocket-Protocol", "chat"), ("Origin", "http://a")];
    let mut codec = fresh(Limits::default(), 1, &headers);
    let mut out = Out::default();
    codec.open(&mut out);
    let pipe = Pipe { to_read: io::Cursor::new(out.bytes), written: Vec::new() };
    let choose = |request: &tungstenite::handshake::server::Request,
                  mut response: tungstenite::handshake::server::Response| {
        assert_eq!(request.uri(), "/chat?x=1");
        assert_eq!(request.headers()["origin"], "http://a");
        let chosen = request.headers()["sec-websocket-protocol"].clone();
        response.headers_mut().insert("sec-websocket-protocol", chosen);
        Ok(response)
    };
    let server = tungstenite::accept_hdr(pipe, choose).expect("a sound upgrade");
    let answer = &server.get_ref().written;
    let read = codec.read(answer, &mut Out::default(), &mut SeenEvents::default()).expect("sound");
    assert_eq!((read.consumed, read.state), (answer.len(), ConnectionState::Ready));
}

/// A codec that is open, and the server at its other end.
fn pair() -> (wire::websocket::WebSocket, WebSocket<Pipe>) {
    let mut codec = fresh(Limits::default(), 4, &[]);
    codec.open(&mut Out::default());
    let welcome = crate::websocket::check::welcome(&wire::websocket::accept(codec.key()));
    codec.read(&welcome, &mut Out::default(), &mut SeenEvents::default()).expect("sound");
    // Its own writes are sent at once, so that they can be looked at.
    let config = WebSocketConfig::default().write_buffer_size(0);
    (codec, WebSocket::from_raw_socket(Pipe::default(), Role::Server, Some(config)))
}

fn sends(server: &mut WebSocket<Pipe>, message: Message) -> Vec<u8> {
    server.send(message).expect("in memory");
    std::mem::take(&mut server.get_mut().written)
}

fn receives(server: &mut WebSocket<Pipe>, bytes: Vec<u8>) -> Message {
    server.get_mut().to_read = io::Cursor::new(bytes);
    server.read().expect("a sound frame")
}

#[test]
fn each_understands_the_messages_of_the_other() {
    let (mut codec, mut server) = pair();
    for length in [0, 1, 16, 125, 126, 1000, 65_535, 65_536, 200_000] {
        for kind in [Kind::Text, Kind::Binary] {
            let payload: Vec<u8> = (0..length).map(|at| b'a' + (at % 26) as u8).collect();
            let (first, rest) = payload.split_at(length.min(16));
            let mut out = Out::default();
            codec.write(&Op { kind, parts: [first, rest] }, &mut out).expect("open");
            let message = receives(&mut server, out.bytes);
            assert_eq!(
                (message.is_text(), message.is_binary()),
                (kind == Kind::Text, kind == Kind::Binary)
            );
            assert_eq!(message.clone().into_data().as_ref(), payload);
            let echo = sends(&mut server, message);
            let mut seen_events = SeenEvents::default();
            let read = codec.read(&echo, &mut Out::default(), &mut seen_events).expect("sound");
            assert_eq!(read.consumed, echo.len());
            let bodies = seen_events.events.iter().find_map(|event| match event {
                SeenEvent::Body(_, _, body) => Some(body.as_slice()),
                _ => None,
            });
            assert_eq!(bodies.unwrap_or_default(), payload);
            let done = format!("ok, {length} bytes | Ready");
            // Tags go round.
            let text =
                seen_events.to_string().replace("#1", "").replace("#2", "").replace("#3", "");
            assert!(text.ends_with(&done), "{done}");
        }
    }
}

#[test]
fn it_takes_our_pongs_and_our_close() {
    let (mut codec, mut server) = pair();
    let ping = sends(&mut server, Message::Ping(b"are you there".as_slice().into()));
    let mut out = Out::default();
    codec.read(&ping, &mut out, &mut SeenEvents::default()).expect("sound");
    let pong = receives(&mut server, out.bytes);
    assert_eq!(pong, Message::Pong(b"are you there".as_slice().into()));
    let close = receives(&mut server, codec.farewell().to_vec());
    let Message::Close(Some(frame)) = close else { panic!("{close}") };
    assert_eq!(u16::from(frame.code), 1000);
}

#[test]
fn its_close_is_understood() {
    use tungstenite::protocol::{CloseFrame, frame::coding::CloseCode};
    let (mut codec, mut server) = pair();
    codec.write(&Op { kind: Kind::Text, parts: [b"a", b""] }, &mut Out::default()).expect("open");
    let frame = CloseFrame { code: CloseCode::Policy, reason: "no".into() };
    server.close(Some(frame)).expect("in memory");
    let close = std::mem::take(&mut server.get_mut().written);
    let mut out = Out::default();
    assert!(codec.read(&close, &mut out, &mut SeenEvents::default()).is_err());
    assert_eq!(codec.refused(), Some(1008));
    let answer = receives(&mut server, out.bytes);
    assert!(matches!(answer, Message::Close(Some(frame)) if frame.code == CloseCode::Policy));
}
