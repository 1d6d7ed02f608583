//! Big messages go through; they are never gathered, and next to nothing of them is held back.

use crate::common::Subject;
use crate::streamed;
use crate::websocket::check::{BINARY, Exchange};
use wire::{Class, Reply, Tag};

const BYTES: usize = 10 << 20;

fn streams(stream: &[u8]) {
    for piece in [7, 1000, 16 * 1024, 1 << 20] {
        let exchange = Exchange::new(&[BINARY]);
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).unwrap();
        let body_len = BYTES as u64;
        let reply = Reply { tag: Tag(0), class: Class::Ok, code: 0, body_len, items: 1 };
        assert_eq!(streamed::receive(&mut codec, stream, piece), (BYTES, vec![reply]));
    }
}

#[test]
fn ten_megabytes_in_one_frame() {
    let head = [b"\x82\x7f".as_slice(), &(BYTES as u64).to_be_bytes()].concat();
    streams(&[&head, streamed::bytes(BYTES).as_slice()].concat());
}

#[test]
fn ten_megabytes_in_frames_of_many_sizes() {
    let (body, mut at, mut size) = (streamed::bytes(BYTES), 0, 1);
    let mut stream = Vec::new();
    while at < body.len() {
        let part = &body[at..body.len().min(at + size)];
        at += part.len();
        let fin = if at == body.len() { 0x80 } else { 0 };
        stream.push(fin | if at == part.len() { 2 } else { 0 });
        match part.len() {
            short @ ..=125 => stream.push(short as u8),
            length => {
                stream.push(126);
                stream.extend_from_slice(&(length as u16).to_be_bytes());
            }
        }
        stream.extend_from_slice(part);
        size = size * 7 % 60_013;
    }
    streams(&stream);
}
