//! The copies of broadcasts that the members of rooms get, compared with what was sent.

use super::messages::{Messages, NUMBER, digits};
use crate::event_loop::{Broadcast, Push};
use record::Told;
use wire::websocket::codes;

/// What the members of all rooms of a lane have of their broadcasts.
pub(super) struct Copies {
    members: u32,
    rooms: Box<[Room]>,
    /// By the number of the connection.
    under_way: Box<[Copy]>,
}

/// The broadcast of a room.
#[derive(Clone, Copy, Default)]
struct Room {
    number: u64,
    /// The number as the message begins with it.
    digits: [u8; NUMBER],
    /// It was sent, and not all copies have come.
    is_awaited: bool,
    /// The first copy has begun to come.
    has_begun: bool,
    /// How many members have their copies, and the bytes of these.
    came: u32,
    bytes: u64,
    /// What went wrong since the last broadcast ended: the first of it.
    wrong: Option<Told>,
    code: u16,
}

/// The message that a member gets.
#[derive(Clone, Copy, Default)]
struct Copy {
    /// As far as it has come.
    number: u64,
    bytes: usize,
    is_wrong: bool,
    /// The member has its copy of the broadcast with the number before this one. 0: it has
    /// none yet.
    had: u64,
}

impl Copies {
    /// Of so many rooms.
    pub(super) fn new(rooms: usize, members: u32) -> Copies {
        let connections = rooms * members as usize;
        Copies {
            members,
            rooms: vec![Room::default(); rooms].into(),
            under_way: vec![Copy::default(); connections].into(),
        }
    }

    /// The member connects anew: what it got a part of is gone.
    pub(super) fn forget(&mut self, connection: u32) {
        let copy = &mut self.under_way[connection as usize];
        *copy = Copy { had: copy.had, ..Copy::default() };
    }

    /// The message of this number is about to be sent to the room.
    pub(super) fn begin(&mut self, room: u32, number: u64) {
        let of = &mut self.rooms[room as usize];
        let Room { wrong, code, .. } = *of;
        let digits = digits(number);
        *of = Room { number, digits, is_awaited: true, wrong, code, ..Room::default() };
    }

    /// A piece of a message that this connection got.
    #[inline]
    pub(super) fn take(
        &mut self,
        connection: u32,
        piece: &[u8],
        last: bool,
        messages: &Messages,
    ) -> Push {
        let room = &mut self.rooms[(connection / self.members) as usize];
        let copy = &mut self.under_way[connection as usize];
        copy.take(piece, room, messages);
        if last {
            let is_whole = !copy.is_wrong && copy.bytes == messages.bytes();
            room.judge(copy, is_whole);
            *copy = Copy { had: copy.had, ..Copy::default() };
            if room.is_awaited && room.came == self.members {
                room.is_awaited = false;
                return Push::Last;
            }
        }
        if room.is_awaited && !std::mem::replace(&mut room.has_begun, true) {
            return Push::First;
        }
        Push::More
    }

    /// How the broadcast of this room ended.
    pub(super) fn outcome(&mut self, room: u32) -> Broadcast {
        let of = &mut self.rooms[room as usize];
        let (told, code) = (of.wrong.take().unwrap_or(Told::Ok), std::mem::take(&mut of.code));
        Broadcast { code, told, bytes: of.bytes }
    }
}

impl Room {
    /// What a message says that is complete.
    #[inline]
    fn judge(&mut self, copy: &mut Copy, is_whole: bool) {
        let has_one = copy.had == self.number.wrapping_add(1);
        let is_this = copy.number == self.number;
        let counts = self.is_awaited && !has_one;
        match (is_whole, is_this) {
            (true, true) if counts => {}
            (true, true) if has_one => return self.note(Told::Unexpected, codes::COPY_TWICE),
            (true, _) => return self.note(Told::Unexpected, codes::OTHER_COPY),
            // In place of its copy: no other one is waited for.
            (false, _) => self.note(Told::Wrong, 0),
        }
        if counts {
            copy.had = self.number.wrapping_add(1);
            self.came += 1;
            self.bytes += copy.bytes as u64;
        }
    }

    #[cold]
    fn note(&mut self, told: Told, code: u16) {
        if self.wrong.is_none() {
            (self.wrong, self.code) = (Some(told), code);
        }
    }
}

impl Copy {
    #[inline]
    fn take(&mut self, piece: &[u8], room: &Room, messages: &Messages) {
        let known = piece.strip_prefix(&room.digits).filter(|_| self.bytes == 0);
        let right = match known {
            Some(rest) => {
                self.number = room.number;
                messages.has_behind(room.number, 0, rest)
            }
            None => self.take_other(piece, messages),
        };
        self.is_wrong |= !right;
        self.bytes += piece.len();
    }

    /// The same where the message is another one, or its number is in pieces.
    fn take_other(&mut self, piece: &[u8], messages: &Messages) -> bool {
        let (digits, rest) = piece.split_at(piece.len().min(NUMBER.saturating_sub(self.bytes)));
        for digit in digits {
            let value = match digit {
                b'0'..=b'9' => digit - b'0',
                b'a'..=b'f' => digit - b'a' + 10,
                _ => return false,
            };
            self.number = self.number << 4 | u64::from(value);
        }
        let from = self.bytes.saturating_sub(NUMBER);
        rest.is_empty() || messages.has_behind(self.number, from, rest)
    }
}
