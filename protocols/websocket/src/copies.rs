//! Compares the copies of broadcasts that members of rooms receive with what was sent.

use crate::messages::{Messages, NUMBER, digits};
use engine::codec_lane::{Broadcast, Push};
use record::Outcome;
use wire::websocket::codes;

/// What the members of all rooms of a lane have received of their broadcasts.
pub(super) struct Copies {
    members: u32,
    rooms: Box<[Room]>,
    /// The copies being received, by number of the connection.
    under_way: Box<[Copy]>,
}

/// The broadcast of a room.
#[derive(Clone, Copy, Default)]
struct Room {
    number: u64,
    /// The number in the form in which the message begins with it.
    digits: [u8; NUMBER],
    /// It was sent, and not all copies have been received.
    is_awaited: bool,
    /// The first copy has begun to arrive.
    has_begun: bool,
    /// How many members have their copies, and the bytes of these copies.
    received: u32,
    bytes: u64,
    /// The first fault since the last broadcast ended.
    wrong: Option<Outcome>,
    code: u16,
}

/// The message that a member is receiving.
#[derive(Clone, Copy, Default)]
struct Copy {
    /// The number, as far as it has been received.
    number: u64,
    bytes: usize,
    is_wrong: bool,
    /// The number of the last broadcast of which the member has its copy, plus 1, or 0 if it has
    /// none yet.
    had: u64,
}

impl Copies {
    /// Creates the state of `rooms` rooms.
    pub(super) fn new(rooms: usize, members: u32) -> Copies {
        let connections = rooms * members as usize;
        Copies {
            members,
            rooms: vec![Room::default(); rooms].into(),
            under_way: vec![Copy::default(); connections].into(),
        }
    }

    /// Forgets a partly received message, because the member reconnects.
    pub(super) fn forget(&mut self, connection: u32) {
        let copy = &mut self.under_way[connection as usize];
        *copy = Copy { had: copy.had, ..Copy::default() };
    }

    /// Notes that the message with this number is about to be sent to the room.
    pub(super) fn begin(&mut self, room: u32, number: u64) {
        let of = &mut self.rooms[room as usize];
        let Room { wrong, code, .. } = *of;
        let digits = digits(number);
        *of = Room { number, digits, is_awaited: true, wrong, code, ..Room::default() };
    }

    /// Takes a piece of a message that this connection received.
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
            if room.is_awaited && room.received == self.members {
                room.is_awaited = false;
                return Push::Last;
            }
        }
        if room.is_awaited && !std::mem::replace(&mut room.has_begun, true) {
            return Push::First;
        }
        Push::More
    }

    /// Returns how the broadcast of this room ended.
    pub(super) fn outcome(&mut self, room: u32) -> Broadcast {
        let of = &mut self.rooms[room as usize];
        let (outcome, code) =
            (of.wrong.take().unwrap_or(Outcome::Ok), std::mem::take(&mut of.code));
        Broadcast { code, outcome, bytes: of.bytes }
    }
}

impl Room {
    /// Evaluates a complete message.
    #[inline]
    fn judge(&mut self, copy: &mut Copy, is_whole: bool) {
        let has_one = copy.had == self.number.wrapping_add(1);
        let is_this = copy.number == self.number;
        let counts = self.is_awaited && !has_one;
        match (is_whole, is_this) {
            (true, true) if counts => {}
            (true, true) if has_one => return self.note(Outcome::Unexpected, codes::COPY_TWICE),
            (true, _) => return self.note(Outcome::Unexpected, codes::OTHER_COPY),
            // This message counts in place of the copy: no other one is waited for.
            (false, _) => self.note(Outcome::Wrong, 0),
        }
        if counts {
            copy.had = self.number.wrapping_add(1);
            self.received += 1;
            self.bytes += copy.bytes as u64;
        }
    }

    #[cold]
    fn note(&mut self, outcome: Outcome, code: u16) {
        if self.wrong.is_none() {
            (self.wrong, self.code) = (Some(outcome), code);
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

    /// Takes a piece of a message that is not the expected one, or whose number is cut into
    /// pieces.
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wire::websocket::Kind;

    const MEMBERS: u32 = 3;
    const BYTES: u32 = 40;

    struct Rooms {
        copies: Copies,
        messages: Messages,
    }

    impl Rooms {
        fn new() -> Rooms {
            Rooms { copies: Copies::new(2, MEMBERS), messages: Messages::new(Kind::Text, BYTES, 5) }
        }

        fn message(&mut self, number: u64) -> Vec<u8> {
            self.messages.say(number).parts.concat()
        }

        /// The connection receives this message in one piece.
        fn get(&mut self, connection: u32, message: &[u8]) -> [Push; 2] {
            let take = &mut self.copies;
            let first = take.take(connection, message, false, &self.messages);
            [first, take.take(connection, b"", true, &self.messages)]
        }

        /// The members from this one on receive their copies of a broadcast.
        fn rest(&mut self, from: u32, number: u64) -> Broadcast {
            let message = self.message(number);
            let last = (from..MEMBERS).map(|member| self.get(member, &message)).last();
            assert_eq!(last, Some([Push::More, Push::Last]));
            self.copies.outcome(0)
        }
    }

    fn unexpected(code: u16) -> Broadcast {
        Broadcast { code, outcome: Outcome::Unexpected, bytes: u64::from(MEMBERS * BYTES) }
    }

    const RIGHT: Broadcast =
        Broadcast { code: 0, outcome: Outcome::Ok, bytes: (MEMBERS * BYTES) as u64 };

    #[test]
    fn a_broadcast_is_complete_when_every_member_has_its_copy() {
        let mut rooms = Rooms::new();
        for number in [0, 1, u64::MAX] {
            rooms.copies.begin(0, number);
            let message = rooms.message(number);
            assert_eq!(rooms.get(2, &message), [Push::First, Push::More]);
            assert_eq!(rooms.get(0, &message), [Push::More, Push::More]);
            assert_eq!(rooms.get(1, &message), [Push::More, Push::Last]);
            assert_eq!(rooms.copies.outcome(0), RIGHT, "{number}");
        }
    }

    #[test]
    fn a_copy_that_came_twice_stands_for_no_other() {
        let mut rooms = Rooms::new();
        rooms.copies.begin(0, 7);
        let message = rooms.message(7);
        rooms.get(0, &message);
        assert_eq!(rooms.get(0, &message), [Push::More; 2]);
        assert_eq!(rooms.rest(1, 7), unexpected(codes::COPY_TWICE));
        // A message that arrives when all members have their copies is counted for the next
        // broadcast.
        rooms.get(1, &message);
        rooms.copies.begin(0, 8);
        assert_eq!(rooms.rest(0, 8), unexpected(codes::COPY_TWICE));
        rooms.copies.begin(0, 9);
        assert_eq!(rooms.rest(0, 9), RIGHT);
    }

    #[test]
    fn copies_of_other_broadcasts_are_distinguished_from_wrong_content() {
        for (other, wanted) in
            [(6, unexpected(codes::OTHER_COPY)), (8, unexpected(codes::OTHER_COPY))]
        {
            let mut rooms = Rooms::new();
            rooms.copies.begin(1, 6);
            rooms.copies.begin(0, 7);
            let message = rooms.message(other);
            rooms.get(0, &message);
            assert_eq!(rooms.rest(0, 7), wanted, "{other}");
        }
        for spoil in [0, 15, 16, 39] {
            let mut rooms = Rooms::new();
            rooms.copies.begin(0, 7);
            let mut message = rooms.message(7);
            message[spoil] = b'?';
            rooms.get(0, &message);
            let outcome = rooms.rest(1, 7);
            assert_eq!((outcome.outcome, outcome.code), (Outcome::Wrong, 0), "{spoil}");
        }
    }

    #[test]
    fn what_came_of_a_message_is_forgotten_with_its_connection() {
        let mut rooms = Rooms::new();
        rooms.copies.begin(0, 7);
        let message = rooms.message(7);
        rooms.copies.take(0, &message[..20], false, &rooms.messages);
        rooms.copies.forget(0);
        rooms.copies.begin(0, 8);
        assert_eq!(rooms.rest(0, 8), RIGHT);
    }

    proptest! {
        /// However it is cut into pieces, a copy is right if all of its bytes are.
        #[test]
        fn a_copy_in_pieces_is_the_same(
            number: u64,
            cuts in prop::collection::vec(1usize..30, 1..6),
            spoilt in prop::option::of((0usize..BYTES as usize, 1u8..)),
        ) {
            let mut rooms = Rooms::new();
            rooms.copies.begin(0, number);
            let mut message = rooms.message(number);
            if let Some((at, by)) = spoilt {
                message[at] ^= by;
            }
            let mut left = &message[..];
            for size in cuts.iter().cycle() {
                let (piece, rest) = left.split_at((*size).min(left.len()));
                rooms.copies.take(0, piece, rest.is_empty(), &rooms.messages);
                left = rest;
                if left.is_empty() {
                    break;
                }
            }
            let outcome = rooms.rest(1, number);
            prop_assert_eq!(outcome.outcome == Outcome::Ok, spoilt.is_none());
            prop_assert_eq!(outcome.bytes, RIGHT.bytes);
        }
    }
}
