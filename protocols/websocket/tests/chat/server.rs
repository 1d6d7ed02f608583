//! A server with rooms, based on tungstenite, with a thread for each connection. It counts, and
//! fails as its habit says.

use protocol::testing::serve;
use std::collections::HashMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};
use tungstenite::handshake::server::{Request, Response};
use tungstenite::protocol::frame::coding::CloseCode;
use tungstenite::{Message, WebSocket};

/// The behaviour of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Behaviour {
    /// Sends every message to all members of the sender's room.
    Rooms,
    /// Sends a ping before every copy, and every copy in two fragments.
    Fragments,
    /// One member gets no copy of every tenth broadcast.
    Loses,
    /// One member gets two copies of every tenth broadcast.
    Doubles,
    /// One member gets the broadcast before every tenth one again, ahead of its copy.
    Repeats,
    /// One copy of every tenth broadcast has a wrong byte.
    Spoils,
    /// One copy of every tenth broadcast is a byte longer.
    Lengthens,
    /// One copy of every tenth broadcast is text that is not valid UTF-8.
    NotUtf8,
    /// Every tenth broadcast is also sent to a member of another room.
    Leaks,
    /// One copy of every tenth broadcast is sent to a member of another room instead.
    Misroutes,
    /// Every tenth broadcast is delayed until the next one arrives from any room, and is sent to
    /// those who are in a room of this name at that time.
    Holds,
    /// Copies of every tenth broadcast are binary messages.
    OtherKind,
    /// A member gets a close with this code in place of its copy of every tenth broadcast.
    Closes(u16),
    /// The connection of a member ends in place of its copy of every tenth broadcast.
    Ends,
    /// A client that enters a room is sent a message.
    Greets,
    /// Never sends a message.
    Silent,
}

/// One broadcast in this many goes wrong.
pub(crate) const TENTH: u64 = 10;

/// What a server counted.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(crate) connections: u64,
    pub(crate) broadcasts: u64,
    pub(crate) copies: u64,
    /// Connections that ended with a close frame of the code 1000.
    pub(crate) goodbyes: u64,
    /// Names of rooms, and the most members that each had at once.
    pub(crate) rooms: HashMap<String, usize>,
    /// How many broadcasts each member sent, by its place among those that entered its room.
    pub(crate) senders: HashMap<usize, u64>,
}

#[derive(Default)]
struct Shared {
    counts: Counts,
    /// The members by room, each with its number among all connections.
    members: HashMap<String, Vec<(u64, TcpStream)>>,
    /// The last broadcast of each room.
    before: HashMap<String, Message>,
    /// What is sent with the next broadcast, and to which room.
    held: Option<(String, Message)>,
}

/// A server that ends with the test program.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    shared: Arc<Mutex<Shared>>,
}

impl Server {
    pub(crate) fn start(behaviour: Behaviour) -> Server {
        let shared = Arc::new(Mutex::new(Shared::default()));
        let theirs = shared.clone();
        // An error ends the connection.
        let address = serve(move |stream| drop(answer(stream, behaviour, &theirs)));
        Server { address, shared }
    }

    pub(crate) fn counts<T>(&self, read: impl Fn(&Counts) -> T) -> T {
        read(&self.shared.lock().expect("no thread panics").counts)
    }

    /// Ends all connections.
    pub(crate) fn end_all(&self) {
        let shared = self.shared.lock().expect("no thread panics");
        for (_, stream) in shared.members.values().flatten() {
            let _ = stream.shutdown(std::net::Shutdown::Both);
        }
    }
}

type Ended = Result<(), Box<dyn std::error::Error>>;

#[allow(clippy::result_large_err, reason = "tungstenite's callback returns such a result")]
fn answer(stream: TcpStream, behaviour: Behaviour, shared: &Mutex<Shared>) -> Ended {
    stream.set_nodelay(true)?;
    let writer = stream.try_clone()?;
    let mut room = String::new();
    let mut number = 0;
    // A client that has received the answer is a member already.
    #[allow(clippy::result_large_err, reason = "the library's callback has this error")]
    let enter = |request: &Request, response: Response| {
        let query = request.uri().query().unwrap_or_default();
        let named = query.split('&').find_map(|field| field.strip_prefix("room="));
        room = named.expect("a room").to_owned();
        number = shared.lock().expect("no thread panics").enter(&room, writer);
        Ok(response)
    };
    let mut socket = tungstenite::accept_hdr(stream, enter).map_err(|error| error.to_string())?;
    if behaviour == Behaviour::Greets {
        socket.send(Message::text("welcome"))?;
    }
    let ended = hear(&mut socket, &room, number, behaviour, shared);
    shared.lock().expect("no thread panics").leave(&room, number);
    ended
}

fn hear(
    socket: &mut WebSocket<TcpStream>,
    room: &str,
    number: u64,
    behaviour: Behaviour,
    shared: &Mutex<Shared>,
) -> Ended {
    loop {
        match socket.read()? {
            message @ (Message::Text(_) | Message::Binary(_)) => {
                let mut whole = shared.lock().expect("no thread panics");
                whole.count(room, number);
                if let Some((room, held)) = whole.held.take() {
                    whole.broadcast(&room, &held, Behaviour::Rooms, false);
                }
                let is_tenth = whole.counts.broadcasts.is_multiple_of(TENTH);
                match behaviour {
                    Behaviour::Holds if is_tenth => whole.held = Some((room.to_owned(), message)),
                    _ => whole.broadcast(room, &message, behaviour, is_tenth),
                }
            }
            Message::Close(Some(frame)) if frame.code == CloseCode::Normal => {
                shared.lock().expect("no thread panics").counts.goodbyes += 1;
            }
            _ => {}
        }
    }
}

impl Shared {
    fn enter(&mut self, room: &str, writer: TcpStream) -> u64 {
        self.counts.connections += 1;
        let members = self.members.entry(room.to_owned()).or_default();
        members.push((self.counts.connections, writer));
        let most = self.counts.rooms.entry(room.to_owned()).or_default();
        *most = members.len().max(*most);
        self.counts.connections
    }

    fn leave(&mut self, room: &str, number: u64) {
        if let Some(members) = self.members.get_mut(room) {
            members.retain(|(other, _)| *other != number);
        }
    }

    fn count(&mut self, room: &str, number: u64) {
        self.counts.broadcasts += 1;
        let index = self.members.get(room).into_iter().flatten().position(|of| of.0 == number);
        *self.counts.senders.entry(index.expect("a member")).or_default() += 1;
    }

    fn broadcast(&mut self, room: &str, message: &Message, behaviour: Behaviour, is_tenth: bool) {
        let before = self.before.insert(room.to_owned(), message.clone());
        let copy = frame(message, 0x81);
        // The last member, so that the others already have their copies.
        let last = self.members.get(room).map_or(0, Vec::len).saturating_sub(1);
        for at in 0..=last {
            let is_meant = is_tenth && at == last;
            let sent: Vec<u8> = match behaviour {
                Behaviour::Silent => continue,
                Behaviour::Fragments => fragments(message),
                Behaviour::Loses | Behaviour::Misroutes if is_meant => continue,
                Behaviour::Doubles if is_meant => copy.repeat(2),
                Behaviour::Repeats if is_meant => {
                    let before = before.as_ref().expect("not the first one");
                    [frame(before, 0x81), copy.clone()].concat()
                }
                Behaviour::Spoils if is_meant => changed(&copy, 20, b'!'),
                Behaviour::NotUtf8 if is_meant => changed(&copy, 20, 0xff),
                Behaviour::Lengthens if is_meant => {
                    frame(&Message::text(format!("{message}.")), 0x81)
                }
                Behaviour::OtherKind if is_meant => frame(message, 0x82),
                Behaviour::Closes(code) if is_meant => {
                    [&[0x88, 2], code.to_be_bytes().as_slice()].concat()
                }
                Behaviour::Ends if is_meant => {
                    let (_, stream) = &self.members[room][at];
                    let _ = stream.shutdown(std::net::Shutdown::Write);
                    continue;
                }
                _ => copy.clone(),
            };
            self.send(room, at, &sent);
        }
        if is_tenth && matches!(behaviour, Behaviour::Leaks | Behaviour::Misroutes) {
            let mut others = self.members.iter().filter(|(of, all)| *of != room && !all.is_empty());
            if let Some(other) = others.next().map(|(other, _)| other.clone()) {
                self.send(&other, 0, &copy);
            }
        }
    }

    fn send(&mut self, room: &str, at: usize, frames: &[u8]) {
        let member = self.members.get_mut(room).and_then(|members| members.get_mut(at));
        if let Some((_, stream)) = member {
            self.counts.copies += u64::from(stream.write_all(frames).is_ok());
        }
    }
}

/// Returns a message framed as by a server, with this first byte.
fn frame(message: &Message, first: u8) -> Vec<u8> {
    let payload = message.clone().into_data();
    match payload.len() {
        short @ 0..126 => [&[first, short as u8], &payload[..]].concat(),
        long => [&[first, 126], &(long as u16).to_be_bytes()[..], &payload[..]].concat(),
    }
}

/// Returns two fragments, with a ping before and between them. The first one ends in the number.
fn fragments(message: &Message) -> Vec<u8> {
    let payload = message.clone().into_data();
    let (first, last) = payload.split_at(10);
    [b"\x89\x01p\x01\x0a", first, b"\x89\0\x80", &[last.len() as u8], last].concat()
}

fn changed(frame: &[u8], at: usize, byte: u8) -> Vec<u8> {
    let mut frame = frame.to_vec();
    frame[at] = byte;
    frame
}
