//! Big bodies go through; they are never gathered, and next to nothing of
//! them is held back.

use crate::check::ask;
use std::ops::Range;
use wire::http1::{Http1, Limits};
use wire::{Class, Codec, Events, Out, Reply, State, Tag};

const BODY_BYTES: usize = 10 << 20;

/// Compares a body with what was sent, without keeping it.
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

fn body() -> Vec<u8> {
    (0..BODY_BYTES).map(byte).collect()
}

/// Chunks of 1 to 60 000 bytes.
fn chunked() -> Vec<u8> {
    let mut stream = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let (body, mut at, mut size) = (body(), 0, 1);
    while at < body.len() {
        let chunk = &body[at..body.len().min(at + size)];
        stream.extend_from_slice(format!("{:x};n={size}\r\n", chunk.len()).as_bytes());
        stream.extend_from_slice(chunk);
        stream.extend_from_slice(b"\r\n");
        at += chunk.len();
        size = size * 7 % 60_013;
    }
    stream.extend_from_slice(b"0\r\nSum: none\r\n\r\n");
    stream
}

fn streamed(stream: &[u8], ends: bool) {
    for piece in [7, 1000, 16 * 1024, 1 << 20] {
        let mut codec = Http1::new(Limits::default());
        ask(&mut codec, false).unwrap();
        let mut seen = Compared { input: stream.as_ptr_range(), bytes: 0, replies: Vec::new() };
        let (mut consumed, mut shown, mut state) = (0, 0, State::Ready);
        while shown < stream.len() {
            shown = stream.len().min(shown + piece);
            let input = &stream[consumed..shown];
            seen.input = input.as_ptr_range();
            let progress = codec.read(input, &mut Out::default(), &mut seen).unwrap();
            consumed += progress.consumed;
            state = progress.state;
            assert!(shown - consumed < 4096, "{} bytes held back", shown - consumed);
        }
        if ends {
            assert_eq!((state, seen.replies.len()), (State::Closing, 0));
            codec.end(&mut seen).unwrap();
        }
        let body_len = BODY_BYTES as u64;
        let reply = Reply { tag: Tag(0), class: Class::Ok, code: 200, body_len, items: 1 };
        assert_eq!(seen.replies, [reply]);
        assert_eq!((seen.bytes, consumed), (BODY_BYTES, stream.len()));
    }
}

#[test]
fn ten_megabytes_in_chunks() {
    streamed(&chunked(), false);
}

#[test]
fn ten_megabytes_of_a_length() {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
    streamed(&[head.as_bytes(), &body()].concat(), false);
}

#[test]
fn ten_megabytes_until_the_server_closes() {
    streamed(&[b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &body()].concat(), true);
}
