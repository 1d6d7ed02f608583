//! Compares big bodies with what was sent, without keeping them.

use crate::common::Subject;
use std::ops::Range;
use wire::{Class, Codec, Events, Out, Reply, Tag};

/// The length of the body.
pub(crate) const BYTES: usize = 10 << 20;

struct Compared {
    /// Where the input lies: each piece must be borrowed from there.
    input: Range<*const u8>,
    bytes: usize,
    replies: Vec<Reply>,
}

/// The body's byte at a place; the period is prime, so that a piece that is
/// lost, doubled or swapped is noticed.
fn byte(at: usize) -> u8 {
    (at % 251) as u8
}

impl Events for Compared {
    fn began(&mut self, _: Tag) {}

    fn body(&mut self, _: Tag, _: u32, piece: &[u8]) {
        assert!(self.input.contains(&piece.as_ptr()), "a piece was copied");
        for (at, got) in piece.iter().enumerate() {
            assert_eq!(*got, byte(self.bytes + at), "byte {} of the body", self.bytes + at);
        }
        self.bytes += piece.len();
    }

    fn done(&mut self, reply: Reply) {
        self.replies.push(reply);
    }
}

/// The body.
pub(crate) fn body() -> Vec<u8> {
    (0..BYTES).map(byte).collect()
}

/// Its parts, of 1 to 60 000 bytes.
pub(crate) fn parts(body: &[u8]) -> impl Iterator<Item = &[u8]> {
    let (mut rest, mut size) = (body, 1);
    std::iter::from_fn(move || {
        let (part, left) = rest.split_at(rest.len().min(size));
        (rest, size) = (left, size * 7 % 60_013);
        (!part.is_empty()).then_some(part)
    })
}

/// Checks that a stream that holds the body is received as one reply with this code and so many items.
pub(crate) fn check(subject: &impl Subject, stream: &[u8], code: u16, items: u32) {
    for piece in [7, 1000, 16 * 1024, 1 << 20] {
        let mut codec = subject.fresh();
        subject.ask(&mut codec).expect("fresh");
        let body_len = BYTES as u64;
        let reply = Reply { tag: Tag(0), class: Class::Ok, code, body_len, items };
        assert_eq!(receive(&mut codec, stream, piece), (BYTES, vec![reply]));
    }
}

/// Feeds a stream that holds such a body, in pieces of one size. Returns how
/// many of its bytes were reported, and the replies.
fn receive(codec: &mut impl Codec, stream: &[u8], piece: usize) -> (usize, Vec<Reply>) {
    let mut seen = Compared { input: stream.as_ptr_range(), bytes: 0, replies: Vec::new() };
    let (mut consumed, mut shown) = (0, 0);
    while shown < stream.len() {
        shown = stream.len().min(shown + piece);
        let input = &stream[consumed..shown];
        seen.input = input.as_ptr_range();
        let progress = codec.read(input, &mut Out::default(), &mut seen).unwrap();
        consumed += progress.consumed;
        assert!(shown - consumed < 4096, "{} bytes held back", shown - consumed);
    }
    if seen.replies.is_empty() {
        // A reply that ends with the connection.
        codec.end(&mut seen).unwrap();
    }
    assert_eq!(consumed, stream.len());
    (seen.bytes, seen.replies)
}
