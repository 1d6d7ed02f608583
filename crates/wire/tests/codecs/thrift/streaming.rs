//! Big values go through; they are never gathered, and next to nothing of them is held back.

use super::build::{LIST, STRUCT, bare_column, column, field, list, object, reply};
use super::check::{Exchange, GET, SLICE};
use crate::common::Subject;
use crate::streamed;
use wire::thrift::Op;
use wire::{Class, Reply, Tag};

const BYTES: usize = 10 << 20;

fn streams(ops: &'static [Op<'static>], stream: &[u8], items: u32) {
    for piece in [7, 1000, 16 * 1024, 1 << 20] {
        let exchange = Exchange::new(ops);
        let mut codec = exchange.fresh();
        exchange.ask(&mut codec).expect("fresh");
        let body_len = BYTES as u64;
        let reply = Reply { tag: Tag(0), class: Class::Ok, code: 0, body_len, items };
        assert_eq!(streamed::receive(&mut codec, stream, piece), (BYTES, vec![reply]));
    }
}

#[test]
fn ten_megabytes_in_one_column() {
    let found = object(&[field(STRUCT, 1, &bare_column(b"c", &streamed::bytes(BYTES)))]);
    streams(&[GET], &reply("get", 0, &[field(STRUCT, 0, &found)]), 1);
}

/// Columns of 1 to 60 000 bytes.
#[test]
fn ten_megabytes_in_many_columns() {
    let body = streamed::bytes(BYTES);
    let (mut columns, mut at, mut size) = (Vec::new(), 0, 1);
    while at < body.len() {
        let part = &body[at..body.len().min(at + size)];
        columns.push(column(b"c", part));
        at += part.len();
        size = size * 7 % 60_013;
    }
    let stream = reply("get_slice", 0, &[field(LIST, 0, &list(STRUCT, &columns))]);
    streams(&[SLICE], &stream, columns.len() as u32);
}
