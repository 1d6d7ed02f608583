//! Writing an operation.

use super::{Op, Set, When, faults};
use crate::bytes::push_decimal;
use crate::{Fault, List, Out};
use alloc::vec::Vec;

/// Checks that an operation can be encoded and its reply decoded.
///
/// # Errors
/// If it cannot.
pub(super) fn check(op: &Op<'_>) -> Result<(), Fault> {
    match op {
        Op::MGet(list) | Op::Del(list) | Op::Command(list) if list.is_empty() => {
            Err(faults::NO_ARGUMENTS)
        }
        Op::Command(list) => command(list),
        Op::Get(_) | Op::Set(_) | Op::MGet(_) | Op::Incr(_) | Op::Del(_) => Ok(()),
    }
}

/// Commands after which there is not one reply per request, or not in the protocol of the opening.
/// They are grouped by length, so that most names cost nothing.
fn command(list: &List<'_>) -> Result<(), Fault> {
    let name = list.get(0).unwrap_or_default();
    let refused: &[&[u8]] = match name.len() {
        0 => return Err(faults::NO_ARGUMENTS),
        4 => &[b"AUTH", b"QUIT", b"SYNC"],
        5 => &[b"HELLO", b"PSYNC", b"RESET"],
        6 => match list.get(1) {
            Some(second) if second.eq_ignore_ascii_case(b"REPLY") => &[b"CLIENT", b"SELECT"],
            _ => &[b"SELECT"],
        },
        7 => &[b"MONITOR"],
        9 => &[b"SUBSCRIBE"],
        10 => &[b"PSUBSCRIBE", b"SSUBSCRIBE"],
        11 => &[b"UNSUBSCRIBE"],
        12 => &[b"PUNSUBSCRIBE", b"SUNSUBSCRIBE"],
        _ => &[],
    };
    if refused.iter().any(|refused| name.eq_ignore_ascii_case(refused)) {
        Err(faults::COMMAND)
    } else {
        Ok(())
    }
}

/// Appends an operation that was checked.
pub(super) fn write(op: &Op<'_>, out: &mut Out) {
    let to = &mut out.bytes;
    match op {
        Op::Get(key) => {
            to.extend_from_slice(b"*2\r\n$3\r\nGET\r\n");
            argument(to, key);
        }
        Op::Incr(key) => {
            to.extend_from_slice(b"*2\r\n$4\r\nINCR\r\n");
            argument(to, key);
        }
        Op::MGet(keys) => {
            count(to, 1 + keys.len());
            to.extend_from_slice(b"$4\r\nMGET\r\n");
            keys.iter().for_each(|key| argument(to, key));
        }
        Op::Del(keys) => {
            count(to, 1 + keys.len());
            to.extend_from_slice(b"$3\r\nDEL\r\n");
            keys.iter().for_each(|key| argument(to, key));
        }
        Op::Command(list) => {
            count(to, list.len());
            list.iter().for_each(|text| argument(to, text));
        }
        Op::Set(set) => write_set(set, out),
    }
}

fn write_set(set: &Set<'_>, out: &mut Out) {
    count(&mut out.bytes, 3 + usize::from(set.when != When::Always));
    out.bytes.extend_from_slice(b"$3\r\nSET\r\n");
    argument(&mut out.bytes, set.key);
    length(&mut out.bytes, b'$', set.value.len());
    set.value.write(out);
    let to = &mut out.bytes;
    to.extend_from_slice(b"\r\n");
    match set.when {
        When::Always => {}
        When::Absent => argument(to, b"NX"),
        When::Present => argument(to, b"XX"),
    }
}

/// The line before a command's arguments.
pub(super) fn count(to: &mut Vec<u8>, arguments: usize) {
    length(to, b'*', arguments);
}

/// One argument.
pub(super) fn argument(to: &mut Vec<u8>, text: &[u8]) {
    length(to, b'$', text.len());
    to.extend_from_slice(text);
    to.extend_from_slice(b"\r\n");
}

fn length(to: &mut Vec<u8>, sign: u8, length: usize) {
    to.push(sign);
    push_decimal(to, length as u64);
    to.extend_from_slice(b"\r\n");
}
