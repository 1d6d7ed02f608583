//! Big values go through; they are never gathered, and next to nothing of them
//! is held back.

use crate::common::Subject;
use crate::resp::check::{ANY, Exchange, GET};
use crate::streamed;
use wire::resp::Op;
use wire::{Class, Reply, Tag};

const BYTES: usize = 10 << 20;

fn streams(ops: &'static [Op<'static>], stream: &[u8], items: u32) {
    for piece in [7, 1000, 16 * 1024, 1 << 20] {
        let exchange = Exchange::new(ops);
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).unwrap();
        let body_len = BYTES as u64;
        let reply = Reply { tag: Tag(0), class: Class::Ok, code: 0, body_len, items };
        assert_eq!(streamed::receive(&mut codec, stream, piece), (BYTES, vec![reply]));
    }
}

#[test]
fn ten_megabytes_in_one_string() {
    let before = format!("${BYTES}\r\n");
    streams(&[GET], &[before.as_bytes(), &streamed::bytes(BYTES), b"\r\n"].concat(), 1);
}

#[test]
fn ten_megabytes_in_a_verbatim_string() {
    let before = format!("={}\r\ntxt:", BYTES + 4);
    streams(&[ANY], &[before.as_bytes(), &streamed::bytes(BYTES), b"\r\n"].concat(), 1);
}

/// Strings of 1 to 60 000 bytes. Returns how many there are.
fn in_parts() -> (Vec<u8>, u32) {
    let (body, mut at, mut size) = (streamed::bytes(BYTES), 0, 1);
    let (mut stream, mut parts) = (Vec::new(), 0);
    while at < body.len() {
        let part = &body[at..body.len().min(at + size)];
        stream.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        stream.extend_from_slice(part);
        stream.extend_from_slice(b"\r\n");
        at += part.len();
        size = size * 7 % 60_013;
        parts += 1;
    }
    (stream, parts)
}

#[test]
fn ten_megabytes_in_an_array() {
    let (stream, parts) = in_parts();
    streams(&[ANY], &[format!("*{parts}\r\n").as_bytes(), &stream].concat(), parts);
}
