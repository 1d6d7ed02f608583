//! Big values go through; they are never gathered, and next to nothing of them
//! is held back.

use crate::common::Subject;
use crate::memcached::check::{A, Exchange};
use crate::streamed;
use wire::memcached::{Dialect, Op};
use wire::{Class, Reply, Tag};

#[test]
fn ten_megabytes() {
    let value = streamed::bytes(10 << 20);
    for (dialect, before, after) in [
        (Dialect::Text, format!("VALUE a 0 {}\r\n", value.len()), "\r\nEND\r\n"),
        (Dialect::Meta, format!("VA {}\r\n", value.len()), "\r\n"),
    ] {
        let stream = [before.as_bytes(), &value, after.as_bytes()].concat();
        let exchange = Exchange::new(dialect, &[Op::Get(A)]);
        for piece in [7, 1000, 16 * 1024, 1 << 20] {
            let mut codec = exchange.fresh();
            exchange.ask(&mut codec).unwrap();
            let body_len = value.len() as u64;
            let reply = Reply { tag: Tag(0), class: Class::Ok, code: 0, body_len, items: 1 };
            assert_eq!(streamed::receive(&mut codec, &stream, piece), (value.len(), vec![reply]));
        }
    }
}
