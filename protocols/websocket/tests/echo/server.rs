//! A WebSocket server based on tungstenite, with a thread for each connection. It counts, and
//! fails as its habit says.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::protocol::{CloseFrame, Role};
use tungstenite::{Message, WebSocket};

/// The behaviour of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Sends every message back.
    Echo,
    /// Sends many pings before every echo.
    Pings,
    /// Sends each echo in fragments, with a ping between them.
    Fragments,
    /// Sends each echo twice.
    Doubles,
    /// Sends no echo of every tenth message.
    Loses,
    /// Every tenth echo has a wrong byte.
    Spoils,
    /// Every tenth echo is a byte longer.
    Lengthens,
    /// Sends texts back as binary messages.
    OtherKind,
    /// Sends a close with this code in place of every tenth echo.
    Closes(u16),
    /// Sends these bytes in place of every tenth echo, and then nothing.
    SaysAndStalls(&'static [u8]),
    /// Sends these bytes in place of every tenth echo, and then closes.
    SaysAndEnds(&'static [u8]),
    /// Sends this answer in place of the upgrade.
    Refuses(&'static [u8]),
}

/// One echo in this many goes wrong on a connection.
pub(crate) const TENTH: u64 = 10;
const PINGS: usize = 50;

/// What a server counted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) connections: AtomicU64,
    pub(crate) messages: AtomicU64,
    pub(crate) pongs: AtomicU64,
    /// Connections that the client ended by a close frame with the code 1000.
    pub(crate) goodbyes: AtomicU64,
    /// Close frames with other codes.
    pub(crate) complaints: AtomicU64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Starts a server that ends with the test program.
pub(crate) fn serve(behaviour: Behaviour) -> (SocketAddr, Arc<Counts>) {
    let counts = Arc::new(Counts::default());
    let counted = counts.clone();
    let address = protocol::testing::serve(move |stream| {
        add(&counted.connections);
        // An error ends the connection.
        drop(answer(stream, behaviour, &counted));
    });
    (address, counts)
}

type Ended = Result<(), Box<dyn std::error::Error>>;

fn answer(mut stream: TcpStream, behaviour: Behaviour, counts: &Counts) -> Ended {
    stream.set_nodelay(true)?;
    if let Behaviour::Refuses(reply) = behaviour {
        let _ = stream.read(&mut [0; 4096])?;
        return Ok(stream.write_all(reply)?);
    }
    let mut socket = tungstenite::accept(stream).map_err(|error| error.to_string())?;
    for number in 1.. {
        let message = hear(&mut socket, counts)?;
        add(&counts.messages);
        let is_tenth = number % TENTH == 0;
        match behaviour {
            Behaviour::Pings => {
                let pings = [b"\x89\x01p".as_slice(); PINGS].concat();
                socket.get_mut().write_all(&pings)?;
                socket.send(message)?;
            }
            Behaviour::Fragments => {
                let bytes = message.into_data();
                let (first, last) = bytes.split_at(10);
                let frames: [&[u8]; 5] =
                    [b"\x01\x0a", first, b"\x89\0\x80", &[last.len() as u8], last];
                socket.get_mut().write_all(&frames.concat())?;
            }
            Behaviour::Doubles => {
                let both = [frame(&message), frame(&message)].concat();
                socket.get_mut().write_all(&both)?;
            }
            Behaviour::Loses if is_tenth => {}
            Behaviour::Spoils if is_tenth => {
                let mut bytes = message.into_data().to_vec();
                bytes[20] ^= 1;
                socket.send(Message::text(String::from_utf8(bytes)?))?;
            }
            Behaviour::Lengthens if is_tenth => {
                socket.send(Message::text(format!("{}.", message.into_text()?)))?;
            }
            Behaviour::OtherKind => socket.send(Message::binary(message.into_data()))?,
            Behaviour::Closes(code) if is_tenth => {
                let code = CloseCode::from(code);
                socket.close(Some(CloseFrame { code, reason: "a test".into() }))?;
            }
            Behaviour::SaysAndStalls(bytes) if is_tenth => socket.get_mut().write_all(bytes)?,
            Behaviour::SaysAndEnds(bytes) if is_tenth => {
                return Ok(socket.get_mut().write_all(bytes)?);
            }
            _ => socket.send(message)?,
        }
    }
    Ok(())
}

/// Returns the next message. Counts what arrives before it, and how the connection ends.
fn hear(
    socket: &mut WebSocket<TcpStream>,
    counts: &Counts,
) -> Result<Message, Box<dyn std::error::Error>> {
    loop {
        match socket.read()? {
            Message::Pong(_) => add(&counts.pongs),
            Message::Close(Some(frame)) if frame.code == CloseCode::Normal => add(&counts.goodbyes),
            Message::Close(_) => add(&counts.complaints),
            message @ (Message::Text(_) | Message::Binary(_)) => return Ok(message),
            Message::Ping(_) | Message::Frame(_) => {}
        }
    }
}

/// Returns a message framed as by a server.
fn frame(message: &Message) -> Vec<u8> {
    let mut server =
        WebSocket::from_raw_socket(std::io::Cursor::new(Vec::new()), Role::Server, None);
    server.send(message.clone()).expect("in memory");
    server.get_ref().get_ref().clone()
}
