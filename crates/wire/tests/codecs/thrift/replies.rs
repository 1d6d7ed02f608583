//! What replies mean: whole and in pieces, cut in two at every place, with bytes behind.

use super::build::*;
use super::check::{Exchange, GET, INSERT, MULTI, NAMED, SLICE, TWICE, VERSION};
use crate::common;
use wire::thrift::{Limits, Op, faults};

fn expect(name: &str, ops: &'static [Op<'static>], stream: &[u8], expected: &str) {
    let exchange = Exchange::new(ops);
    common::expect(&exchange, name, stream, expected);
    for behind in [reply("insert", 0, &[]), b"\0".to_vec(), b"\xff".to_vec()] {
        common::with_bytes_behind(&exchange, name, stream, &behind, faults::ANSWERS_NOTHING);
    }
}

fn columns(all: &[(&str, &str)]) -> Vec<Vec<u8>> {
    all.iter().map(|(name, value)| column(name.as_bytes(), value.as_bytes())).collect()
}

#[test]
fn a_column() {
    let found = |value: &[u8]| reply("get", 0, &[field(STRUCT, 0, &column(b"c", value))]);
    expect("found", &[GET], &found(b"hi"), "began | body hi | ok, 2 bytes | Ready | end");
    expect("empty", &[GET], &found(b""), "began | ok, 0 bytes | Ready | end");
    let missing = reply("get", 0, &[field(STRUCT, 2, &object(&[]))]);
    expect("not found", &[GET], &missing, "began | miss, 0 bytes, 0 items | Ready | end");
    // NotFoundException has no reason; one that is there nevertheless is not a body.
    let missing = reply("get", 0, &[exception(2, "no")]);
    expect("a reason", &[GET], &missing, "began | miss, 0 bytes, 0 items | Ready | end");
}

#[test]
fn columns_of_a_row() {
    let slice = |all: &[(&str, &str)]| {
        reply("get_slice", 0, &[field(LIST, 0, &list(STRUCT, &columns(all)))])
    };
    let two = slice(&[("a", "one"), ("b", "two")]);
    let expected = "began | body one | body[1] two | ok, 6 bytes, 2 items | Ready | end";
    expect("two", &[SLICE], &two, expected);
    let expected = "began | body aone | body[1] btwo | ok, 8 bytes, 2 items | Ready | end";
    expect("with names", &[NAMED], &two, expected);
    expect("none", &[SLICE], &slice(&[]), "began | miss, 0 bytes, 0 items | Ready | end");
}

#[test]
fn super_columns() {
    let all = [
        super_column(b"s", &[bare_column(b"a", b"one"), bare_column(b"b", b"two")]),
        super_column(b"t", &[bare_column(b"c", b"three")]),
    ];
    let stream = reply("get_slice", 0, &[field(LIST, 0, &list(STRUCT, &all))]);
    let expected =
        "began | body one | body[1] two | body[2] three | ok, 11 bytes, 3 items | Ready | end";
    expect("two super columns", &[SLICE], &stream, expected);
    let stream = reply("get", 0, &[field(STRUCT, 0, &all[1])]);
    expect("as a whole", &[GET], &stream, "began | body three | ok, 5 bytes | Ready | end");
}

/// In another order than they were requested, and one without columns.
#[test]
fn columns_of_several_keys() {
    let rows = |all: &[(&str, &[(&str, &str)])]| {
        let pairs: Vec<_> = all
            .iter()
            .map(|(key, all)| (text(key.as_bytes()), list(STRUCT, &columns(all))))
            .collect();
        reply("multiget_slice", 0, &[field(MAP, 0, &map(STRING, LIST, &pairs))])
    };
    let two = rows(&[("e", &[("c", "third")]), ("zz", &[]), ("a", &[("c", "first")])]);
    let expected = "began | body[2] third | body first | ok, 10 bytes, 2 items | Ready | end";
    expect("two of three", &[MULTI], &two, expected);
    let none = rows(&[("a", &[]), ("zz", &[]), ("e", &[])]);
    expect("none", &[MULTI], &none, "began | miss, 0 bytes, 0 items | Ready | end");
    expect("not one key", &[MULTI], &rows(&[]), "began | miss, 0 bytes, 0 items | Ready | end");
    for other in [rows(&[("b", &[])]), rows(&[("a", &[]), ("a", &[])]), rows(&[("", &[])])] {
        let expected = "began | fault: a reply with a key that was not requested";
        expect("another key", &[MULTI], &other, expected);
    }
    let twice = rows(&[("zz", &[("c", "second")]), ("a", &[("c", "both")])]);
    let expected = "began | body[1] second | body both | ok, 10 bytes, 3 items | Ready | end";
    expect("a key that was requested twice", &[TWICE], &twice, expected);
    // Keys of another type are not keys.
    let pairs = [(1i32.to_be_bytes().to_vec(), list(STRUCT, &columns(&[("c", "v")])))];
    let numbers = reply("multiget_slice", 0, &[field(MAP, 0, &map(I32, LIST, &pairs))]);
    let expected = "began | fault: a reply with a key that was not requested";
    expect("numbers as keys", &[MULTI], &numbers, expected);
}

#[test]
fn writes_and_the_version() {
    let done = "began | ok, 0 bytes, 0 items | Ready | end";
    expect("insert", &[INSERT], &reply("insert", 0, &[]), done);
    let version = reply("describe_version", 0, &[field(STRING, 0, &text(b"19.36.0"))]);
    let expected = "began | body 19.36.0 | ok, 7 bytes, 0 items | Ready | end";
    expect("version", &[VERSION], &version, expected);
}

#[test]
fn exceptions_have_classes_and_reasons() {
    let cases: [(&str, &'static [Op<'static>], i16, u16); 7] = [
        ("get", &[GET], 1, 3001),
        ("get", &[GET], 3, 3002),
        ("get", &[GET], 4, 3003),
        ("get_slice", &[SLICE], 2, 3002),
        ("multiget_slice", &[MULTI], 3, 3003),
        ("insert", &[INSERT], 1, 3001),
        ("insert", &[INSERT], 3, 3003),
    ];
    for (name, ops, id, code) in cases {
        let expected = format!("began | body why | error {code}, 3 bytes, 0 items | Ready | end");
        expect(name, ops, &reply(name, 0, &[exception(id, "why")]), &expected);
    }
    let fields = [field(STRING, 1, &text(b"Invalid method")), field(I32, 2, &1i32.to_be_bytes())];
    let expected = "began | body Invalid method | error 3000, 14 bytes, 0 items | Ready | end";
    expect("the call is not known", &[INSERT], &message(3, "insert", 0, &fields), expected);
}

#[test]
fn replies_come_in_the_order_of_the_calls() {
    let found = field(STRUCT, 0, &column(b"c", b"v"));
    let stream = [reply("insert", 0, &[]), reply("get", 1, std::slice::from_ref(&found))].concat();
    let expected =
        "began | ok, 0 bytes, 0 items | began#1 | body#1 v | ok#1, 1 bytes | Ready | end";
    expect("two", &[INSERT, GET], &stream, expected);
    for (name, number) in [("get", 1), ("insert", 1), ("insert", u32::MAX)] {
        let stream = reply(name, number, &[]);
        expect(name, &[INSERT, GET], &stream, "began | fault: a reply to another call");
    }
}

#[test]
fn results_that_a_call_does_not_have() {
    let unexpected = "fault: a result of a type that this call never returns";
    let found = || field(STRUCT, 0, &column(b"c", b"v"));
    let cases: [(&str, &'static [Op<'static>], Vec<u8>); 7] = [
        ("nothing", &[GET], reply("get", 0, &[])),
        ("no column", &[GET], reply("get", 0, &[field(STRUCT, 0, &object(&[]))])),
        ("a number", &[GET], reply("get", 0, &[field(I32, 0, &[0; 4])])),
        ("no list", &[SLICE], reply("get_slice", 0, &[])),
        ("an unknown exception", &[INSERT], reply("insert", 0, &[exception(4, "x")])),
        ("something for a write", &[INSERT], reply("insert", 0, &[found()])),
        ("no version", &[VERSION], reply("describe_version", 0, &[])),
    ];
    for (name, ops, stream) in cases {
        expect(name, ops, &stream, &format!("began | {unexpected}"));
    }
    let both = reply("get", 0, &[found(), exception(1, "x")]);
    expect("both", &[GET], &both, &format!("began | body v | {unexpected}"));
}

/// Fields that later versions have are read and left out.
#[test]
fn what_is_not_known_is_skipped() {
    let strange =
        field(MAP, 99, &map(STRING, LIST, &[(text(b"x"), list(BOOL, &[vec![1], vec![0]]))]));
    let inside = object(&[field(STRUCT, 1, &bare_column(b"c", b"v")), strange.clone()]);
    let empty = field(LIST, -1, &list(0, &[]));
    let stream = reply("get", 0, &[empty, field(STRUCT, 0, &inside), strange]);
    expect("strange fields", &[GET], &stream, "began | body v | ok, 1 bytes | Ready | end");
}

#[test]
fn malformed_frames() {
    let sound = reply("insert", 0, &[]);
    let with = |at: usize, bytes: &[u8]| {
        let mut stream = sound.clone();
        stream[at..at + bytes.len()].copy_from_slice(bytes);
        stream
    };
    let cut = "a message does not fill its frame";
    let cases = [
        ("a negative length", with(0, b"\xff"), "a frame is longer than the limit, or not Thrift"),
        ("HTTP", b"HTTP/1.1 400".to_vec(), "a frame is longer than the limit, or not Thrift"),
        ("no length", with(0, &[0; 4]), cut),
        ("a short frame", with(3, &[18]), cut),
        ("a short head", with(3, &[9]), cut),
        ("a long frame", [with(3, &[20]), vec![0]].concat(), cut),
        ("no version", with(4, b"\x81"), "not a message of Thrift's binary protocol"),
        ("a call", with(7, b"\x01"), "a reply to another call"),
        ("another name", with(12, b"I"), "a reply to another call"),
    ];
    for (name, stream, fault) in cases {
        expect(name, &[INSERT], &stream, &format!("began | fault: {fault}"));
    }
    let result = |fields: &[Vec<u8>]| reply("insert", 0, fields);
    let cases = [
        ("a type", result(&[field(5, 9, b"")]), "a value of an unknown type"),
        (
            "a type in a list",
            result(&[field(LIST, 9, &list(7, &[vec![]]))]),
            "a value of an unknown type",
        ),
        ("a length", result(&[field(STRING, 9, b"\xff\xff\xff\xff")]), "malformed length"),
        ("a count", result(&[field(LIST, 9, b"\x0b\x80\0\0\0")]), "malformed length"),
        ("a text beyond the frame", result(&[field(STRING, 9, b"\0\0\0\x09x")]), cut),
    ];
    for (name, stream, fault) in cases {
        expect(name, &[INSERT], &stream, &format!("began | fault: {fault}"));
    }
    let deep = (0..20).fold(object(&[]), |inner, _| object(&[field(STRUCT, 1, &inner)]));
    let expected = "began | fault: values are nested deeper than the limit";
    expect("deep", &[INSERT], &result(&[field(STRUCT, 9, &deep)]), expected);
}

#[test]
fn a_frame_above_the_limit_is_not_waited_for() {
    let limits = Limits { frame_bytes: 18 };
    let exchange = Exchange { limits, ..Exchange::new(&[INSERT]) };
    let expected = "began | fault: a frame is longer than the limit, or not Thrift";
    common::expect(&exchange, "19 bytes", &reply("insert", 0, &[]), expected);
}
