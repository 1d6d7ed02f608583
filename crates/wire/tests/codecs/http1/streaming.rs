//! Big bodies go through; they are never gathered, and next to nothing of
//! them is held back.

use crate::http1::check::ask;
use crate::streamed;
use wire::http1::{Http1, Limits};
use wire::{Class, Reply, Tag};

const BODY_BYTES: usize = 10 << 20;

/// Chunks of 1 to 60 000 bytes.
fn chunked() -> Vec<u8> {
    let mut stream = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    let (body, mut at, mut size) = (streamed::bytes(BODY_BYTES), 0, 1);
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

fn streams(stream: &[u8]) {
    for piece in [7, 1000, 16 * 1024, 1 << 20] {
        let mut codec = Http1::new(Limits::default());
        ask(&mut codec, false).unwrap();
        let body_len = BODY_BYTES as u64;
        let reply = Reply { tag: Tag(0), class: Class::Ok, code: 200, body_len, items: 1 };
        assert_eq!(streamed::receive(&mut codec, stream, piece), (BODY_BYTES, vec![reply]));
    }
}

#[test]
fn ten_megabytes_in_chunks() {
    streams(&chunked());
}

#[test]
fn ten_megabytes_of_a_length() {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BODY_BYTES}\r\n\r\n");
    streams(&[head.as_bytes(), &streamed::bytes(BODY_BYTES)].concat());
}

#[test]
fn ten_megabytes_until_the_server_closes() {
    streams(&[b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &streamed::bytes(BODY_BYTES)].concat());
}
