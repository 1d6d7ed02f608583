//! Big messages go through; they are never gathered, and next to nothing of them is held back.

use crate::streamed::{self, BYTES};
use crate::websocket::check::{BINARY, Exchange};

fn streams(stream: &[u8]) {
    streamed::check(&Exchange::new(&[BINARY]), stream, 0, 1);
}

#[test]
fn ten_megabytes_in_one_frame() {
    let head = [b"\x82\x7f".as_slice(), &(BYTES as u64).to_be_bytes()].concat();
    streams(&[&head, streamed::body().as_slice()].concat());
}

#[test]
fn ten_megabytes_in_frames_of_many_sizes() {
    let (mut stream, mut at) = (Vec::new(), 0);
    for part in streamed::parts(&streamed::body()) {
        at += part.len();
        let fin = if at == BYTES { 0x80 } else { 0 };
        stream.push(fin | if at == part.len() { 2 } else { 0 });
        match part.len() {
            short @ ..=125 => stream.push(short as u8),
            length => {
                stream.push(126);
                stream.extend_from_slice(&(length as u16).to_be_bytes());
            }
        }
        stream.extend_from_slice(part);
    }
    streams(&stream);
}
