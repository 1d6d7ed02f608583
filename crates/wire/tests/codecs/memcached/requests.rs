//! Requests: what is written, what is refused.

use crate::memcached::check::A;
use std::sync::Arc;
use wire::memcached::{Dialect, Limits, MOST_KEY_BYTES, Memcached, Mode, Op, Store, faults, stat};
use wire::{COPIED_BODY_BYTES, Codec, Fault, List, Out, Tag, Value};

fn written(dialect: Dialect, op: &Op<'_>) -> Result<String, Fault> {
    let mut out = Out::default();
    let tag = Memcached::new(dialect, Limits::default(), 1).write(op, &mut out);
    match tag {
        Ok(tag) => assert_eq!(tag, Tag(0)),
        Err(fault) => {
            assert!(out.is_empty(), "nothing is appended");
            return Err(fault);
        }
    }
    assert!(out.lent.is_empty());
    Ok(out.bytes.escape_ascii().to_string())
}

fn store(mode: Mode) -> Op<'static> {
    let value = Value { head: b"v\r\n", tail: None };
    Op::Store(Store { mode, key: b"key", value })
}

/// memcached 1.6.18 answered each of these, with other flags and another expiry.
#[test]
fn what_is_written() {
    let keys = List::Slices(&[b"a", b"bb"]);
    let packed = List::Packed { bytes: b"abb", ends: &[1, 3] };
    for (op, text, meta) in [
        (Op::Get(b"key"), "get key", "mg key v"),
        (Op::Gets(b"key"), "gets key", "mg key v c"),
        (Op::MultiGet(keys), "get a bb", "mg a v q O0\r\nmg bb v q O1\r\nmn"),
        (Op::MultiGet(packed), "get a bb", "mg a v q O0\r\nmg bb v q O1\r\nmn"),
        (Op::Delete(b"key"), "delete key", "md key"),
        (Op::Incr { key: b"key", by: 10 }, "incr key 10", "ma key v D10"),
        (
            Op::Decr { key: b"key", by: u64::MAX },
            "decr key 18446744073709551615",
            "ma key v MD D18446744073709551615",
        ),
        (Op::Touch { key: b"key", expires: 0 }, "touch key 0", "mg key T0"),
        (Op::Version, "version", "version"),
        (Op::Stats, "stats", "stats"),
        (store(Mode::Set), "set key 0 0 3\r\nv\r\n", "ms key 3\r\nv\r\n"),
        (store(Mode::Add), "add key 0 0 3\r\nv\r\n", "ms key 3 ME\r\nv\r\n"),
        (store(Mode::Replace), "replace key 0 0 3\r\nv\r\n", "ms key 3 MR\r\nv\r\n"),
        (store(Mode::Append), "append key 0 0 3\r\nv\r\n", "ms key 3 MA\r\nv\r\n"),
        (store(Mode::Cas(9)), "cas key 0 0 3 9\r\nv\r\n", "ms key 3 C9\r\nv\r\n"),
    ] {
        for (dialect, expected) in [(Dialect::Text, text), (Dialect::Meta, meta)] {
            let expected = format!("{expected}\r\n");
            assert_eq!(written(dialect, &op), Ok(expected.as_bytes().escape_ascii().to_string()));
        }
    }
}

#[test]
fn keys_that_are_refused() {
    let longest = [b'k'; MOST_KEY_BYTES];
    let too_long = [b'k'; MOST_KEY_BYTES + 1];
    for dialect in [Dialect::Text, Dialect::Meta] {
        assert!(written(dialect, &Op::Get(&longest)).is_ok());
        for key in [b"".as_slice(), &too_long] {
            for op in [
                Op::Get(key),
                Op::Gets(key),
                Op::MultiGet(List::Slices(&[A, key])),
                Op::Delete(key),
                Op::Incr { key, by: 1 },
                Op::Decr { key, by: 1 },
                Op::Touch { key, expires: 1 },
                Op::Store(Store { mode: Mode::Set, key, value: A.into() }),
            ] {
                assert_eq!(written(dialect, &op), Err(faults::KEY));
            }
        }
        for byte in 0..=255 {
            let allowed = byte > b' ' && byte != 0x7f;
            let key = [b'a', byte, b'b'];
            assert_eq!(written(dialect, &Op::Get(&key)).is_ok(), allowed, "byte {byte}");
        }
        assert_eq!(written(dialect, &Op::MultiGet(List::Slices(&[]))), Err(faults::NO_KEYS));
        let torn = List::Packed { bytes: b"ab", ends: &[1, 9] };
        assert_eq!(written(dialect, &Op::MultiGet(torn)), Err(faults::KEY));
    }
}

#[test]
fn a_value_that_is_too_long_is_refused() {
    let mut codec = Memcached::new(Dialect::Text, Limits { value_bytes: 3 }, 1);
    let mut out = Out::default();
    let tail: Arc<[u8]> = b"cd".as_slice().into();
    for (head, accepted) in [(b"ab".as_slice(), false), (b"a", true)] {
        let value = Value { head, tail: Some(&tail) };
        let op = Op::Store(Store { mode: Mode::Set, key: A, value });
        assert_eq!(codec.write(&op, &mut out).is_ok(), accepted);
        assert_eq!(out.is_empty(), !accepted);
    }
    assert_eq!(out.bytes, b"set a 0 0 3\r\nacd\r\n");
}

#[test]
fn small_values_are_copied_and_big_ones_are_lent() {
    for (length, copied) in [(COPIED_BODY_BYTES, true), (COPIED_BODY_BYTES + 1, false)] {
        let tail: Arc<[u8]> = vec![b'v'; length].into();
        let value = Value { head: b"head", tail: Some(&tail) };
        let op = Op::Store(Store { mode: Mode::Set, key: A, value });
        for (dialect, line) in [
            (Dialect::Text, format!("set a 0 0 {}\r\nhead", length + 4)),
            (Dialect::Meta, format!("ms a {}\r\nhead", length + 4)),
        ] {
            let mut out = Out::default();
            Memcached::new(dialect, Limits::default(), 1).write(&op, &mut out).unwrap();
            if copied {
                assert_eq!(out.bytes, [line.as_bytes(), &*tail, b"\r\n"].concat());
                assert!(out.lent.is_empty());
            } else {
                assert_eq!(out.bytes, [line.as_bytes(), b"\r\n"].concat());
                let [(at, lent)] = out.lent.as_slice() else { panic!("{:?}", out.lent.len()) };
                assert_eq!(*at, line.len());
                assert!(Arc::ptr_eq(lent, &tail), "lent, not copied");
            }
        }
    }
}

#[test]
fn one_counter_is_found() {
    assert_eq!(stat(b"evictions 12", "evictions"), Some(12));
    for other in [b"evictions".as_slice(), b"evictions_x 1", b"x 1", b"evictions -1", b"evictions "]
    {
        assert_eq!(stat(other, "evictions"), None);
    }
}
