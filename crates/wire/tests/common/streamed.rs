//! Compares big bodies with what was sent, without keeping them.

use std::ops::Range;
use wire::{Codec, Events, Out, Reply, Tag};

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

/// A body of so many bytes.
pub(crate) fn bytes(length: usize) -> Vec<u8> {
    (0..length).map(byte).collect()
}

/// Feeds a stream that holds such a body, in pieces of one size. Returns how
/// many of its bytes were reported, and the replies.
pub(crate) fn receive(codec: &mut impl Codec, stream: &[u8], piece: usize) -> (usize, Vec<Reply>) {
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
