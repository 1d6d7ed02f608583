//! Big values go through; they are never gathered, and next to nothing of them is held back.

use super::build::{LIST, STRUCT, bare_column, column, field, list, object, reply};
use super::check::{Exchange, GET, SLICE};
use crate::streamed;

#[test]
fn ten_megabytes_in_one_column() {
    let found = object(&[field(STRUCT, 1, &bare_column(b"c", &streamed::body()))]);
    let stream = reply("get", 0, &[field(STRUCT, 0, &found)]);
    streamed::check(&Exchange::new(&[GET]), &stream, 0, 1);
}

#[test]
fn ten_megabytes_in_many_columns() {
    let body = streamed::body();
    let columns: Vec<_> = streamed::parts(&body).map(|part| column(b"c", part)).collect();
    let stream = reply("get_slice", 0, &[field(LIST, 0, &list(STRUCT, &columns))]);
    streamed::check(&Exchange::new(&[SLICE]), &stream, 0, columns.len() as u32);
}
