//! Big bodies go through; they are never gathered, and next to nothing of
//! them is held back.

use crate::http1::check::Exchange;
use crate::streamed::{self, BYTES};
use wire::http1::Limits;

fn chunked() -> Vec<u8> {
    let mut stream = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for chunk in streamed::parts(&streamed::body()) {
        stream.extend_from_slice(format!("{:x};n={}\r\n", chunk.len(), chunk.len()).as_bytes());
        stream.extend_from_slice(chunk);
        stream.extend_from_slice(b"\r\n");
    }
    stream.extend_from_slice(b"0\r\nSum: none\r\n\r\n");
    stream
}

fn streams(stream: &[u8]) {
    let exchange = Exchange { limits: Limits::default(), head_only: false };
    streamed::check(&exchange, stream, 200, 1);
}

#[test]
fn ten_megabytes_in_chunks() {
    streams(&chunked());
}

#[test]
fn ten_megabytes_of_a_length() {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {BYTES}\r\n\r\n");
    streams(&[head.as_bytes(), &streamed::body()].concat());
}

#[test]
fn ten_megabytes_until_the_server_closes() {
    streams(&[b"HTTP/1.1 200 OK\r\n\r\n".as_slice(), &streamed::body()].concat());
}
