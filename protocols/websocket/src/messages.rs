//! Messages, each of which is a function of the seed and its operation's number.

use engine::random::Random;
use wire::websocket::{Kind, Op};

/// Minimum bytes of a message: its number.
pub const SHORTEST_MESSAGE: u32 = 16;
pub(super) const NUMBER: usize = SHORTEST_MESSAGE as usize;
/// The text after the number of a message begins at one of this many places in the pool.
const PLACES: u64 = 4096;
/// Characters of a text message.
const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
/// The random stream that the pool is drawn from.
const STREAM: u64 = 0x57_53;

/// Creates messages without allocating, and compares received messages with them.
pub(super) struct Messages {
    kind: Kind,
    /// The bytes from which every message takes what follows its number.
    pool: Box<[u8]>,
    /// Bytes that follow the number.
    rest: usize,
    number: [u8; NUMBER],
}

impl Messages {
    /// Creates messages of `bytes` bytes, at least [`SHORTEST_MESSAGE`].
    pub(super) fn new(kind: Kind, bytes: u32, seed: u64) -> Messages {
        let rest = (bytes as usize).saturating_sub(NUMBER);
        let mut random = Random::new(seed, STREAM);
        let byte = |bits: u64| match kind {
            Kind::Text => LETTERS[(bits % LETTERS.len() as u64) as usize],
            Kind::Binary => bits as u8,
        };
        let pool = (0..rest + PLACES as usize).map(|_| byte(random.next() >> 32)).collect();
        Messages { kind, pool, rest, number: [0; NUMBER] }
    }

    /// Returns the length of every message in bytes.
    pub(super) fn bytes(&self) -> usize {
        NUMBER + self.rest
    }

    /// Returns the message of this operation.
    #[inline]
    pub(super) fn say(&mut self, number: u64) -> Op<'_> {
        self.number = digits(number);
        Op { kind: self.kind, parts: [&self.number, self.behind(number)] }
    }

    /// Returns true if the message of this operation has these bytes at this place.
    #[inline]
    pub(super) fn has(&self, number: u64, from: usize, piece: &[u8]) -> bool {
        let (of_number, of_rest) = piece.split_at(piece.len().min(NUMBER.saturating_sub(from)));
        let number_is_right = digits(number).get(from..).is_none_or(|of| of.starts_with(of_number));
        let from = from.saturating_sub(NUMBER);
        number_is_right && (of_rest.is_empty() || self.has_behind(number, from, of_rest))
    }

    /// Returns true if these bytes are at this place after the number.
    #[inline]
    pub(super) fn has_behind(&self, number: u64, from: usize, piece: &[u8]) -> bool {
        self.behind(number).get(from..).is_some_and(|behind| behind.starts_with(piece))
    }

    /// Returns what follows the number.
    #[inline]
    fn behind(&self, number: u64) -> &[u8] {
        // Consecutive numbers begin far from each other (Fibonacci hashing).
        let offset = (number.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52) as usize;
        &self.pool[offset..offset + self.rest]
    }
}

/// Returns sixteen hexadecimal digits.
#[inline]
pub(super) fn digits(number: u64) -> [u8; NUMBER] {
    let mut digits = [0; NUMBER];
    for (at, digit) in digits.iter_mut().enumerate() {
        *digit = b"0123456789abcdef"[(number >> (60 - 4 * at)) as usize & 0xF];
    }
    digits
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(messages: &mut Messages, number: u64) -> Vec<u8> {
        let Op { parts, .. } = messages.say(number);
        parts.concat()
    }

    #[test]
    fn a_message_follows_from_seed_and_number() {
        let of = |seed, number| message(&mut Messages::new(Kind::Binary, 64, seed), number);
        assert_eq!(of(1, 7), of(1, 7));
        assert_ne!(of(1, 7), of(2, 7), "another seed");
        assert_ne!(of(1, 7)[16..], of(1, 8)[16..], "another number");
        assert_eq!(&of(1, 0xAF)[..16], b"00000000000000af");
    }

    #[test]
    fn texts_are_utf8_and_messages_have_their_length() {
        for bytes in [16, 17, 125, 126, 5000] {
            for number in [0, 1, u64::MAX] {
                let mut messages = Messages::new(Kind::Text, bytes, 3);
                let text = message(&mut messages, number);
                assert_eq!((text.len(), messages.bytes()), (bytes as usize, bytes as usize));
                assert!(text.is_ascii());
            }
        }
    }

    proptest! {
        /// However it is cut into pieces, only the message itself is right.
        #[test]
        fn an_echo_is_right_if_all_of_its_bytes_are(
            bytes in 16u32..80,
            number: u64,
            cuts in prop::collection::vec(1usize..30, 1..6),
            spoilt in prop::option::of((0usize..80, 1u8..)),
        ) {
            let mut messages = Messages::new(Kind::Binary, bytes, 9);
            let mut echo = message(&mut messages, number);
            if let Some((at, by)) = spoilt {
                let at = at % echo.len();
                echo[at] ^= by;
            }
            let (mut from, mut is_right) = (0, true);
            for size in cuts.iter().cycle() {
                let until = (from + size).min(echo.len());
                is_right &= messages.has(number, from, &echo[from..until]);
                from = until;
                if from == echo.len() {
                    break;
                }
            }
            prop_assert_eq!(is_right, spoilt.is_none());
            prop_assert!(!messages.has(number, from, b"x"), "longer than the message");
        }
    }
}
