//! Big values go through; they are never gathered, and next to nothing of them
//! is held back.

use crate::resp::check::{ANY, Exchange, GET};
use crate::streamed::{self, BYTES};
use wire::resp::Op;

fn streams(ops: &'static [Op<'static>], stream: &[u8], items: u32) {
    streamed::check(&Exchange::new(ops), stream, 0, items);
}

#[test]
fn ten_megabytes_in_one_string() {
    let before = format!("${BYTES}\r\n");
    streams(&[GET], &[before.as_bytes(), &streamed::body(), b"\r\n"].concat(), 1);
}

#[test]
fn ten_megabytes_in_a_verbatim_string() {
    let before = format!("={}\r\ntxt:", BYTES + 4);
    streams(&[ANY], &[before.as_bytes(), &streamed::body(), b"\r\n"].concat(), 1);
}

#[test]
fn ten_megabytes_in_an_array() {
    let (mut stream, mut parts) = (Vec::new(), 0);
    for part in streamed::parts(&streamed::body()) {
        stream.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        stream.extend_from_slice(part);
        stream.extend_from_slice(b"\r\n");
        parts += 1;
    }
    streams(&[ANY], &[format!("*{parts}\r\n").as_bytes(), &stream].concat(), parts);
}
