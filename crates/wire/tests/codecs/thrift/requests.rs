//! Operations byte by byte, and as a server reads them.

use super::check::{Exchange, GET, INSERT, PARENT, SLICE, VERSION};
use crate::common::Subject;
use std::sync::Arc;
use wire::thrift::{Column, Columns, Consistency, Op, Parent};
use wire::{Codec, List, Out, Value};

/// The frame of one operation, without what is lent.
pub(super) fn written(op: &Op<'_>) -> Vec<u8> {
    let mut out = Out::default();
    Exchange::new(&[GET]).fresh().write(op, &mut out).expect("a fresh connection");
    assert!(out.lent.is_empty());
    let length = u32::from_be_bytes(out.bytes[..4].try_into().expect("four bytes"));
    assert_eq!(length as usize, out.bytes.len() - 4, "the frame's length");
    out.bytes.split_off(4)
}

/// What comes in front of the arguments: a call of this name with the number 0.
pub(super) fn call(name: &str) -> Vec<u8> {
    let length = (name.len() as u32).to_be_bytes();
    [b"\x80\x01\0\x01", &length[..], name.as_bytes(), &[0; 4]].concat()
}

#[test]
fn get() {
    let arguments = b"\x0b\0\x01\0\0\0\x01k\
        \x0c\0\x02\x0b\0\x03\0\0\0\x01F\x0b\0\x05\0\0\0\x01c\0\
        \x08\0\x03\0\0\0\x01\0";
    assert_eq!(written(&GET), [&call("get")[..], arguments].concat());
}

#[test]
fn get_slice() {
    let arguments = b"\x0b\0\x01\0\0\0\x01k\
        \x0c\0\x02\x0b\0\x03\0\0\0\x01F\0\
        \x0c\0\x03\x0c\0\x02\x0b\0\x01\0\0\0\0\x0b\0\x02\0\0\0\0\x02\0\x03\0\x08\0\x04\0\0\0\x14\0\0\
        \x08\0\x04\0\0\0\x01\0";
    assert_eq!(written(&SLICE), [&call("get_slice")[..], arguments].concat());
}

#[test]
fn multiget_slice_of_named_columns_in_a_super_column() {
    let op = Op::MultiSlice {
        keys: List::Slices(&[b"a", b"bc"]),
        parent: Parent { family: b"F", super_column: Some(b"s") },
        columns: Columns::Named(List::Slices(&[b"x"])),
        consistency: Consistency::Quorum,
    };
    let arguments = b"\x0f\0\x01\x0b\0\0\0\x02\0\0\0\x01a\0\0\0\x02bc\
        \x0c\0\x02\x0b\0\x03\0\0\0\x01F\x0b\0\x04\0\0\0\x01s\0\
        \x0c\0\x03\x0f\0\x01\x0b\0\0\0\x01\0\0\0\x01x\0\
        \x08\0\x04\0\0\0\x02\0";
    assert_eq!(written(&op), [&call("multiget_slice")[..], arguments].concat());
}

#[test]
fn insert() {
    let arguments = b"\x0b\0\x01\0\0\0\x01k\
        \x0c\0\x02\x0b\0\x03\0\0\0\x01F\0\
        \x0c\0\x03\x0b\0\x01\0\0\0\x01c\x0b\0\x02\0\0\0\x05hello\
        \x0a\0\x03\0\0\0\0\0\0\0\x07\0\
        \x08\0\x04\0\0\0\x01\0";
    assert_eq!(written(&INSERT), [&call("insert")[..], arguments].concat());
}

#[test]
fn deletions_by_batch_mutate() {
    let (key, column, timestamp, consistency) = (b"k", b"c", 5, Consistency::All);
    for (super_column, within) in [(None, &b""[..]), (Some(&b"s"[..]), b"\x0b\0\x02\0\0\0\x01s")] {
        let parent = Parent { family: b"F", super_column };
        let op = Op::Delete { key, parent, column, timestamp, consistency };
        let arguments = [
            &b"\x0d\0\x01\x0b\x0d\0\0\0\x01\0\0\0\x01k\x0b\x0f\0\0\0\x01\0\0\0\x01F\x0c\0\0\0\x01"
                [..],
            b"\x0c\0\x02\x0a\0\x01\0\0\0\0\0\0\0\x05",
            within,
            b"\x0c\0\x03\x0f\0\x01\x0b\0\0\0\x01\0\0\0\x01c\0\0\0",
            b"\x08\0\x02\0\0\0\x05\0",
        ]
        .concat();
        assert_eq!(written(&op), [call("batch_mutate"), arguments].concat());
    }
}

#[test]
fn describe_version() {
    assert_eq!(written(&VERSION), [&call("describe_version")[..], b"\0"].concat());
}

/// Long values are lent, and count in the frame's length.
#[test]
fn long_values_are_lent() {
    let tail: Arc<[u8]> = vec![1; 100_000].into();
    let value = Value { head: b"head", tail: Some(&tail) };
    let op = Op::Insert {
        key: b"k",
        parent: PARENT,
        column: Column { name: b"c", value, timestamp: 7, ttl: None },
        consistency: Consistency::One,
    };
    let mut out = Out::default();
    // Something is there already.
    out.bytes.extend_from_slice(b"before");
    Exchange::new(&[GET]).fresh().write(&op, &mut out).expect("a fresh connection");
    let [(at, lent)] = &out.lent[..] else { panic!("one value") };
    assert!(Arc::ptr_eq(lent, &tail));
    assert!(out.bytes[..*at].ends_with(b"\x0b\0\x02\0\x01\x86\xa4head"), "100004 bytes");
    let length = u32::from_be_bytes(out.bytes[6..10].try_into().expect("four bytes"));
    assert_eq!(length as usize, out.bytes.len() - 10 + tail.len());
}
