//! A toy protocol with stream ids, as HTTP/2 and CQL have them. Replies arrive in any order,
//! interleaved in pieces, and unsolicited messages arrive between them.
//!
//! A request is the id of its stream (2 bytes) and the number of its operation (8 bytes). The
//! server sends frames: the type (1 byte), the id of the stream (2 bytes), a length (1 byte) and
//! that many bytes. The body of a reply is the number that was sent.

use wire::{Class, Codec, ConnectionState, Events, Fault, Out, Progress, Reply, Tag};

/// A piece of a reply, and the last piece of one.
pub(crate) const PIECE: u8 = b'd';
pub(crate) const LAST_PIECE: u8 = b'e';
/// A piece of a push, and the last piece of one.
pub(crate) const PUSH: u8 = b'p';
pub(crate) const LAST_PUSH: u8 = b'q';
/// How many streams may be open from now on: one byte. The first window opens the connection.
pub(crate) const WINDOW: u8 = b'w';
/// The server answers only what is already in flight.
pub(crate) const GO_AWAY: u8 = b'g';

/// Bytes of the head of a frame.
pub(crate) const FRAME_HEAD: usize = 4;
/// Bytes of a request.
pub(crate) const REQUEST: usize = 10;

const UNREQUESTED: Fault = Fault("a reply on a stream that is not open");
const UNKNOWN: Fault = Fault("a frame of an unknown kind");
const CUT: Fault = Fault("the connection ended before all replies");
const NOT_NOW: Fault = Fault("no request may be written now");

#[derive(Clone, Copy, PartialEq)]
enum Stream {
    Free,
    DriveOrder,
    Answered {
        body_len: u64,
    },
    /// The reply is not waited for but may still arrive: the id is not free.
    GivenUp,
}

/// The toy protocol on one connection.
pub(crate) struct Toy {
    streams: Box<[Stream]>,
    /// The id that was freed last is used next, so ids are in no order.
    free: Vec<u16>,
    window: u32,
    given_up: u32,
    state: ConnectionState,
}

impl Toy {
    /// Creates a codec with more ids than operations, so that a stream that was given up does
    /// not reduce their number.
    pub(crate) fn new(depth: u32) -> Toy {
        let ids = 2 * depth as usize;
        let mut toy = Toy {
            streams: vec![Stream::Free; ids].into(),
            free: Vec::with_capacity(ids),
            window: depth,
            given_up: 0,
            state: ConnectionState::Opening,
        };
        toy.reset();
        toy
    }

    fn frame(
        &mut self,
        (what, id): (u8, u16),
        bytes: &[u8],
        seen: &mut impl Events,
    ) -> Result<(), Fault> {
        match what {
            PIECE => self.piece(id, bytes, seen),
            LAST_PIECE => {
                self.piece(id, bytes, seen)?;
                self.last(id, seen)
            }
            PUSH | LAST_PUSH => {
                seen.pushed(bytes, what == LAST_PUSH);
                Ok(())
            }
            WINDOW => {
                self.window = u32::from(bytes[0]);
                if self.state == ConnectionState::Opening {
                    self.state = ConnectionState::Ready;
                }
                Ok(())
            }
            GO_AWAY => {
                self.state = ConnectionState::Closing;
                Ok(())
            }
            _ => Err(UNKNOWN),
        }
    }

    fn piece(&mut self, id: u16, bytes: &[u8], seen: &mut impl Events) -> Result<(), Fault> {
        let tag = Tag(u32::from(id));
        let stream = self.streams.get_mut(usize::from(id)).ok_or(UNREQUESTED)?;
        if *stream == Stream::DriveOrder {
            seen.began(tag);
            *stream = Stream::Answered { body_len: 0 };
        }
        match stream {
            Stream::Answered { body_len } => {
                *body_len += bytes.len() as u64;
                seen.body(tag, 0, bytes);
                Ok(())
            }
            Stream::GivenUp => Ok(()),
            Stream::Free | Stream::DriveOrder => Err(UNREQUESTED),
        }
    }

    fn last(&mut self, id: u16, seen: &mut impl Events) -> Result<(), Fault> {
        self.free.push(id);
        match std::mem::replace(&mut self.streams[usize::from(id)], Stream::Free) {
            Stream::Answered { body_len } => {
                let tag = Tag(u32::from(id));
                seen.done(Reply { tag, class: Class::Ok, code: 0, body_len, items: 1 });
            }
            Stream::GivenUp => self.given_up -= 1,
            Stream::Free | Stream::DriveOrder => return Err(UNREQUESTED),
        }
        Ok(())
    }
}

impl Codec for Toy {
    /// The number of the operation.
    type Op<'a> = u64;

    fn reset(&mut self) {
        self.streams.fill(Stream::Free);
        self.free.clear();
        self.free.extend(0..self.streams.len() as u16);
        let depth = self.streams.len() as u32 / 2;
        (self.window, self.given_up, self.state) = (depth, 0, ConnectionState::Opening);
    }

    fn open(&mut self, _out: &mut Out) -> ConnectionState {
        self.state
    }

    fn write(&mut self, number: &u64, out: &mut Out) -> Result<Tag, Fault> {
        let in_flight = self.streams.len() - self.free.len();
        if self.state != ConnectionState::Ready || in_flight as u32 >= self.window {
            return Err(NOT_NOW);
        }
        let id = self.free.pop().ok_or(NOT_NOW)?;
        self.streams[usize::from(id)] = Stream::DriveOrder;
        out.bytes.extend_from_slice(&id.to_be_bytes());
        out.bytes.extend_from_slice(&number.to_be_bytes());
        Ok(Tag(u32::from(id)))
    }

    fn read(
        &mut self,
        input: &[u8],
        _out: &mut Out,
        seen: &mut impl Events,
    ) -> Result<Progress, Fault> {
        let mut left = input;
        while let [what, high, low, length, rest @ ..] = left
            && let Some((bytes, behind)) = rest.split_at_checked(usize::from(*length))
        {
            self.frame((*what, u16::from_be_bytes([*high, *low])), bytes, seen)?;
            left = behind;
        }
        Ok(Progress { consumed: input.len() - left.len(), state: self.state })
    }

    fn end(&mut self, _seen: &mut impl Events) -> Result<(), Fault> {
        if self.free.len() == self.streams.len() { Ok(()) } else { Err(CUT) }
    }

    fn window(&self) -> u32 {
        self.window.saturating_sub(self.given_up)
    }

    fn tags(&self) -> u32 {
        self.streams.len() as u32
    }

    fn give_up(&mut self, tag: Tag, _out: &mut Out) -> bool {
        self.streams[tag.0 as usize] = Stream::GivenUp;
        self.given_up += 1;
        true
    }
}
