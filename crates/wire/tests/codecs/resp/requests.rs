//! Requests: what is written, what is refused.

use std::sync::Arc;
use wire::resp::{Limits, Login, Op, Opening, Resp, Set, When, faults};
use wire::{COPIED_BODY_BYTES, Codec, Fault, List, Out, Tag, Value};

fn codec() -> Resp {
    Resp::new(Opening::new(&Login::default()).unwrap(), Limits::default(), 1)
}

fn written(op: &Op<'_>) -> Result<String, Fault> {
    let mut out = Out::default();
    match codec().write(op, &mut out) {
        Ok(tag) => assert_eq!(tag, Tag(0)),
        Err(fault) => {
            assert!(out.is_empty(), "nothing is appended");
            return Err(fault);
        }
    }
    assert!(out.lent.is_empty());
    Ok(out.bytes.escape_ascii().to_string().replace("\\r\\n", " "))
}

fn set(when: When) -> Op<'static> {
    Op::Set(Set { key: b"key", value: b"val".as_slice().into(), when })
}

#[test]
fn what_is_written() {
    let keys = List::Slices(&[b"a", b"", b"\xff"]);
    let packed = List::Packed { bytes: b"abb", ends: &[1, 3] };
    for (op, expected) in [
        (Op::Get(b"key"), "*2 $3 GET $3 key "),
        (Op::Incr(b"key"), "*2 $4 INCR $3 key "),
        (Op::MGet(keys), "*4 $4 MGET $1 a $0  $1 \\xff "),
        (Op::MGet(packed), "*3 $4 MGET $1 a $2 bb "),
        (Op::Del(packed), "*3 $3 DEL $1 a $2 bb "),
        (Op::Command(List::Slices(&[b"HGET", b"h", b"f"])), "*3 $4 HGET $1 h $1 f "),
        (Op::Command(List::Slices(&[b"PING"])), "*1 $4 PING "),
        (set(When::Always), "*3 $3 SET $3 key $3 val "),
        (set(When::Absent), "*4 $3 SET $3 key $3 val $2 NX "),
        (set(When::Present), "*4 $3 SET $3 key $3 val $2 XX "),
    ] {
        assert_eq!(written(&op), Ok(expected.into()));
    }
}

#[test]
fn commands_that_are_refused() {
    for command in [
        "SUBSCRIBE c",
        "psubscribe c",
        "SSUBSCRIBE c",
        "UNSUBSCRIBE",
        "PUNSUBSCRIBE",
        "sUnsubscribe",
        "MONITOR",
        "SYNC",
        "PSYNC ? -1",
        "QUIT",
        "RESET",
        "HELLO 2",
        "AUTH p",
        "SELECT 1",
        "CLIENT REPLY OFF",
        "client reply skip",
    ] {
        let arguments: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
        let op = Op::Command(List::Slices(&arguments));
        assert_eq!(written(&op), Err(faults::COMMAND), "{command}");
    }
    for command in ["CLIENT ID", "REPLY", "SELECTED", "CLIENTS REPLY", "GET REPLY", "PUBLISH c m"] {
        let arguments: Vec<&[u8]> = command.split(' ').map(str::as_bytes).collect();
        assert!(written(&Op::Command(List::Slices(&arguments))).is_ok(), "{command}");
    }
    for nothing in [List::Slices(&[]), List::Packed { bytes: b"", ends: &[] }] {
        for op in [Op::MGet(nothing), Op::Del(nothing), Op::Command(nothing)] {
            assert_eq!(written(&op), Err(faults::NO_ARGUMENTS));
        }
    }
    assert_eq!(written(&Op::Command(List::Slices(&[b""]))), Err(faults::NO_ARGUMENTS));
}

#[test]
fn small_values_are_copied_and_big_ones_are_lent() {
    for (length, copied) in [(COPIED_BODY_BYTES, true), (COPIED_BODY_BYTES + 1, false)] {
        let tail: Arc<[u8]> = vec![b'v'; length].into();
        let value = Value { head: b"head", tail: Some(&tail) };
        let op = Op::Set(Set { key: b"k", value, when: When::Absent });
        let mut out = Out::default();
        codec().write(&op, &mut out).unwrap();
        let before = format!("*4\r\n$3\r\nSET\r\n$1\r\nk\r\n${}\r\nhead", length + 4);
        let after = b"\r\n$2\r\nNX\r\n";
        if copied {
            assert_eq!(out.bytes, [before.as_bytes(), &*tail, after].concat());
            assert!(out.lent.is_empty());
        } else {
            assert_eq!(out.bytes, [before.as_bytes(), after].concat());
            let [(at, lent)] = out.lent.as_slice() else { panic!("{:?}", out.lent.len()) };
            assert_eq!(*at, before.len());
            assert!(Arc::ptr_eq(lent, &tail), "lent, not copied");
        }
    }
}
