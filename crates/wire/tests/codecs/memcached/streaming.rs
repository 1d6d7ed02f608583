//! Big values go through; they are never gathered, and next to nothing of them
//! is held back.

use crate::memcached::check::{A, Exchange};
use crate::streamed;
use wire::memcached::{Dialect, Op};

#[test]
fn ten_megabytes() {
    let value = streamed::body();
    for (dialect, before, after) in [
        (Dialect::Text, format!("VALUE a 0 {}\r\n", value.len()), "\r\nEND\r\n"),
        (Dialect::Meta, format!("VA {}\r\n", value.len()), "\r\n"),
    ] {
        let stream = [before.as_bytes(), &value, after.as_bytes()].concat();
        streamed::check(&Exchange::new(dialect, &[Op::Get(A)]), &stream, 0, 1);
    }
}
