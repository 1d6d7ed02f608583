//! Writing an operation.

use super::{Dialect, Limits, MOST_KEY_BYTES, Mode, Op, Store, faults};
use crate::bytes::push_decimal;
use crate::{Fault, Out};
use alloc::vec::Vec;

/// Checks that an operation can be encoded.
///
/// # Errors
/// If the server would not read it back as it is meant.
pub(super) fn check(op: &Op<'_>, limits: Limits) -> Result<(), Fault> {
    match op {
        Op::MultiGet(keys) if keys.is_empty() => Err(faults::NO_KEYS),
        Op::MultiGet(keys) => keys.iter().try_for_each(check_key),
        Op::Store(store) if store.value.len() as u64 > limits.value_bytes => {
            Err(faults::ASKED_VALUE)
        }
        Op::Store(Store { key, .. })
        | Op::Get(key)
        | Op::Gets(key)
        | Op::Delete(key)
        | Op::Incr { key, .. }
        | Op::Decr { key, .. }
        | Op::Touch { key, .. } => check_key(key),
        Op::Version | Op::Stats => Ok(()),
    }
}

fn check_key(key: &[u8]) -> Result<(), Fault> {
    let fits = (1..=MOST_KEY_BYTES).contains(&key.len());
    if fits && key.iter().all(|byte| *byte > b' ' && *byte != 0x7f) {
        Ok(())
    } else {
        Err(faults::KEY)
    }
}

/// Appends an operation that was checked.
pub(super) fn write(op: &Op<'_>, dialect: Dialect, out: &mut Out) {
    match (op, dialect) {
        (Op::Version, _) => out.bytes.extend_from_slice(b"version\r\n"),
        (Op::Stats, _) => out.bytes.extend_from_slice(b"stats\r\n"),
        (Op::Store(store), Dialect::Text) => text_store(store, out),
        (Op::Store(store), Dialect::Meta) => meta_store(store, out),
        (_, Dialect::Text) => text(op, &mut out.bytes),
        (_, Dialect::Meta) => meta(op, &mut out.bytes),
    }
}

fn text(op: &Op<'_>, to: &mut Vec<u8>) {
    match op {
        Op::Get(key) => words(to, &[b"get ", key]),
        Op::Gets(key) => words(to, &[b"gets ", key]),
        Op::MultiGet(keys) => {
            to.extend_from_slice(b"get");
            keys.iter().for_each(|key| words(to, &[b" ", key]));
        }
        Op::Delete(key) => words(to, &[b"delete ", key]),
        Op::Incr { key, by } => number(to, &[b"incr ", key, b" "], *by),
        Op::Decr { key, by } => number(to, &[b"decr ", key, b" "], *by),
        Op::Touch { key, expires } => number(to, &[b"touch ", key, b" "], (*expires).into()),
        Op::Store(_) | Op::Version | Op::Stats => {}
    }
    to.extend_from_slice(b"\r\n");
}

fn meta(op: &Op<'_>, to: &mut Vec<u8>) {
    match op {
        Op::Get(key) => words(to, &[b"mg ", key, b" v"]),
        Op::Gets(key) => words(to, &[b"mg ", key, b" v c"]),
        Op::MultiGet(keys) => {
            // Quiet: only found keys are answered, with their number.
            for (at, key) in keys.iter().enumerate() {
                number(to, &[b"mg ", key, b" v q O"], at as u64);
                to.extend_from_slice(b"\r\n");
            }
            to.extend_from_slice(b"mn");
        }
        Op::Delete(key) => words(to, &[b"md ", key]),
        Op::Incr { key, by } => number(to, &[b"ma ", key, b" v D"], *by),
        Op::Decr { key, by } => number(to, &[b"ma ", key, b" v MD D"], *by),
        Op::Touch { key, expires } => number(to, &[b"mg ", key, b" T"], (*expires).into()),
        Op::Store(_) | Op::Version | Op::Stats => {}
    }
    to.extend_from_slice(b"\r\n");
}

fn text_store(store: &Store<'_>, out: &mut Out) {
    let (command, unique): (&[u8], _) = match store.mode {
        Mode::Set => (b"set ", None),
        Mode::Add => (b"add ", None),
        Mode::Replace => (b"replace ", None),
        Mode::Append => (b"append ", None),
        Mode::Cas(unique) => (b"cas ", Some(unique)),
    };
    number(&mut out.bytes, &[command, store.key, b" 0 0 "], store.value.len() as u64);
    if let Some(unique) = unique {
        number(&mut out.bytes, &[b" "], unique);
    }
    value(store, out);
}

fn meta_store(store: &Store<'_>, out: &mut Out) {
    let to = &mut out.bytes;
    number(to, &[b"ms ", store.key, b" "], store.value.len() as u64);
    match store.mode {
        Mode::Set => {}
        Mode::Add => to.extend_from_slice(b" ME"),
        Mode::Replace => to.extend_from_slice(b" MR"),
        Mode::Append => to.extend_from_slice(b" MA"),
        Mode::Cas(unique) => number(to, &[b" C"], unique),
    }
    value(store, out);
}

fn value(store: &Store<'_>, out: &mut Out) {
    out.bytes.extend_from_slice(b"\r\n");
    store.value.write(out);
    out.bytes.extend_from_slice(b"\r\n");
}

fn words(to: &mut Vec<u8>, words: &[&[u8]]) {
    words.iter().for_each(|word| to.extend_from_slice(word));
}

fn number(to: &mut Vec<u8>, before: &[&[u8]], number: u64) {
    words(to, before);
    push_decimal(to, number);
}
