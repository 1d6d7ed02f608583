//! Random operations are read back by a small server that was written apart
//! from the codec; its random replies, cut at random places, are read as what
//! it meant.

use crate::common::{SeenEvent, SeenEvents};
use proptest::prelude::*;
use std::collections::VecDeque;
use wire::memcached::{Dialect, Limits, Memcached, Mode, Op, Store};
use wire::{Codec, List, Out, Value};

/// An operation that owns its bytes.
#[derive(Clone, Debug, PartialEq)]
enum Owned {
    Get(Vec<u8>),
    Gets(Vec<u8>),
    MultiGet(Vec<Vec<u8>>),
    Store { mode: u8, unique: u64, key: Vec<u8>, value: Vec<u8> },
    Delete(Vec<u8>),
    Incr(Vec<u8>, u64),
    Decr(Vec<u8>, u64),
    Touch(Vec<u8>, u32),
    Version,
}

fn key() -> impl Strategy<Value = Vec<u8>> {
    let byte = any::<u8>().prop_filter("allowed", |byte| *byte > b' ' && *byte != 0x7f);
    prop::collection::vec(byte, 1..20)
}

fn owned() -> impl Strategy<Value = Owned> {
    let value = prop::collection::vec(any::<u8>(), 0..200);
    prop_oneof![
        key().prop_map(Owned::Get),
        key().prop_map(Owned::Gets),
        prop::collection::vec(key(), 1..9).prop_map(Owned::MultiGet),
        (0u8..5, any::<u64>(), key(), value).prop_map(|(mode, unique, key, value)| {
            let unique = if mode == 4 { unique } else { 0 };
            Owned::Store { mode, unique, key, value }
        }),
        key().prop_map(Owned::Delete),
        (key(), any::<u64>()).prop_map(|(key, by)| Owned::Incr(key, by)),
        (key(), any::<u64>()).prop_map(|(key, by)| Owned::Decr(key, by)),
        (key(), any::<u32>()).prop_map(|(key, expires)| Owned::Touch(key, expires)),
        Just(Owned::Version),
    ]
}

fn write(codec: &mut Memcached, op: &Owned, out: &mut Out) {
    let slices: Vec<&[u8]>;
    let op = match op {
        Owned::Get(key) => Op::Get(key),
        Owned::Gets(key) => Op::Gets(key),
        Owned::MultiGet(keys) => {
            slices = keys.iter().map(Vec::as_slice).collect();
            Op::MultiGet(List::Slices(&slices))
        }
        Owned::Store { mode, unique, key, value } => {
            let modes = [Mode::Set, Mode::Add, Mode::Replace, Mode::Append];
            let mode = modes.get(*mode as usize).copied().unwrap_or(Mode::Cas(*unique));
            let value = Value::from(value.as_slice());
            Op::Store(Store { mode, key, value })
        }
        Owned::Delete(key) => Op::Delete(key),
        Owned::Incr(key, by) => Op::Incr { key, by: *by },
        Owned::Decr(key, by) => Op::Decr { key, by: *by },
        Owned::Touch(key, expires) => Op::Touch { key, expires: *expires },
        Owned::Version => Op::Version,
    };
    codec.write(&op, out).unwrap();
}

/// A server's reading of what was sent.
struct Server<'a>(&'a [u8]);

impl<'a> Server<'a> {
    fn line(&mut self) -> Vec<&'a [u8]> {
        let at = self.0.windows(2).position(|two| two == b"\r\n").expect("a line");
        let (line, rest) = self.0.split_at(at);
        self.0 = &rest[2..];
        line.split(|byte| *byte == b' ').collect()
    }

    fn value(&mut self, length: &[u8]) -> Vec<u8> {
        let length: usize = number(length);
        let value = self.0[..length].to_vec();
        assert_eq!(&self.0[length..length + 2], b"\r\n");
        self.0 = &self.0[length + 2..];
        value
    }

    fn text(&mut self) -> Owned {
        let words = self.line();
        let key = words.get(1).map(|key| key.to_vec()).unwrap_or_default();
        let modes: [&[u8]; 5] = [b"set", b"add", b"replace", b"append", b"cas"];
        if let Some(mode) = modes.iter().position(|mode| *mode == words[0]) {
            assert_eq!(words.len(), if mode == 4 { 6 } else { 5 });
            let unique = words.get(5).map_or(0, |unique| number(unique));
            assert_eq!(words[2..4], [b"0", b"0"], "flags and expiry");
            let value = self.value(words[4]);
            return Owned::Store { mode: mode as u8, unique, key, value };
        }
        match (words[0], words.len()) {
            (b"get", 2) => Owned::Get(key),
            (b"gets", 2) => Owned::Gets(key),
            (b"get", _) => Owned::MultiGet(words[1..].iter().map(|key| key.to_vec()).collect()),
            (b"delete", 2) => Owned::Delete(key),
            (b"incr", 3) => Owned::Incr(key, number(words[2])),
            (b"decr", 3) => Owned::Decr(key, number(words[2])),
            (b"touch", 3) => Owned::Touch(key, number(words[2])),
            (b"version", 1) => Owned::Version,
            _ => panic!("{words:?}"),
        }
    }

    fn meta(&mut self) -> Owned {
        let words = self.line();
        let key = words.get(1).map(|key| key.to_vec()).unwrap_or_default();
        let flag =
            |name: u8| words.iter().skip(2).find(|word| word[0] == name).map(|word| &word[1..]);
        match words[0] {
            b"mg" if flag(b'q').is_some() => {
                let mut keys = vec![key];
                while !self.0.starts_with(b"mn\r\n") {
                    let words = self.line();
                    assert_eq!(words[2..4], [b"v".as_slice(), b"q"]);
                    assert_eq!(number::<usize>(&words[4][1..]), keys.len());
                    keys.push(words[1].to_vec());
                }
                self.line();
                Owned::MultiGet(keys)
            }
            b"mg" if flag(b'T').is_some() => Owned::Touch(key, number(flag(b'T').unwrap())),
            b"mg" if flag(b'c').is_some() => Owned::Gets(key),
            b"mg" => Owned::Get(key),
            b"md" => Owned::Delete(key),
            b"ma" if flag(b'M') == Some(b"D") => Owned::Decr(key, number(flag(b'D').unwrap())),
            b"ma" => Owned::Incr(key, number(flag(b'D').unwrap())),
            b"version" => Owned::Version,
            b"ms" => {
                let flag = |name: u8| words[3..].iter().find(|word| word[0] == name);
                let mode = match (flag(b'M'), flag(b'C')) {
                    (Some(mode), None) => {
                        1 + b"ERA".iter().position(|it| *it == mode[1]).unwrap() as u8
                    }
                    (None, Some(_)) => 4,
                    _ => 0,
                };
                let of = |name: u8| flag(name).map(|word| &word[1..]);
                let unique = of(b'C').map_or(0, number);
                Owned::Store { mode, unique, key, value: self.value(words[2]) }
            }
            _ => panic!("{words:?}"),
        }
    }
}

fn number<T: std::str::FromStr<Err: std::fmt::Debug>>(digits: &[u8]) -> T {
    std::str::from_utf8(digits).unwrap().parse().unwrap()
}

/// A reply to an operation, and the expected events: the numbers of its
/// items, and its class. `found` decides about each key.
fn reply(
    dialect: Dialect,
    op: &Owned,
    found: &[bool],
    value: &[u8],
) -> (Vec<u8>, Vec<u32>, &'static str) {
    let text = dialect == Dialect::Text;
    match (op, found[0]) {
        (Owned::Get(key) | Owned::Gets(key), here) => {
            let (mut bytes, items) = values(dialect, std::slice::from_ref(key), &[here], value);
            bytes.extend_from_slice(match (text, here) {
                (true, _) => b"END\r\n",
                (false, true) => b"",
                (false, false) => b"EN\r\n",
            });
            (bytes, items, if here { "ok" } else { "miss" })
        }
        (Owned::MultiGet(keys), _) => {
            let (mut bytes, items) = values(dialect, keys, found, value);
            bytes.extend_from_slice(if text { b"END\r\n" } else { b"MN\r\n" });
            let class = if items.is_empty() { "miss" } else { "ok" };
            (bytes, items, class)
        }
        (Owned::Version, _) => (b"VERSION 1.6\r\n".to_vec(), vec![0], "ok"),
        (Owned::Incr(..) | Owned::Decr(..), true) => {
            let line: &[u8] = if text { b"42\r\n" } else { b"VA 2\r\n42\r\n" };
            (line.to_vec(), vec![0], "ok")
        }
        _ => {
            let (line, class) = word(text, op, found[0]);
            (format!("{line}\r\n").into_bytes(), vec![], class)
        }
    }
}

fn values(dialect: Dialect, keys: &[Vec<u8>], found: &[bool], value: &[u8]) -> (Vec<u8>, Vec<u32>) {
    let (mut bytes, mut items, length) = (Vec::new(), Vec::new(), value.len());
    for (at, key) in keys.iter().enumerate().filter(|(at, _)| found[at % found.len()]) {
        items.push(at as u32);
        match dialect {
            Dialect::Text => {
                bytes.extend([b"VALUE ", key.as_slice(), b" 0 "].concat());
                bytes.extend(length.to_string().bytes());
            }
            Dialect::Meta => bytes.extend(format!("VA {length} O{at}").bytes()),
        }
        bytes.extend([b"\r\n", value, b"\r\n"].concat());
    }
    (bytes, items)
}

fn word(text: bool, op: &Owned, here: bool) -> (&'static str, &'static str) {
    match (op, text, here) {
        (Owned::Store { .. }, true, true) => ("STORED", "ok"),
        (Owned::Store { .. }, true, false) => ("NOT_STORED", "error"),
        (Owned::Store { .. }, false, false) => ("NS", "error"),
        (Owned::Delete(_), true, true) => ("DELETED", "ok"),
        (Owned::Touch(..), true, true) => ("TOUCHED", "ok"),
        (_, false, true) => ("HD", "ok"),
        (Owned::Touch(..), false, false) => ("EN", "miss"),
        (_, true, _) => ("NOT_FOUND", "miss"),
        (_, false, false) => ("NF", "miss"),
    }
}

/// Class and items of each reply.
fn replies(seen_events: &SeenEvents) -> Vec<(String, u32)> {
    let done = seen_events.events.iter().filter_map(|event| match event {
        SeenEvent::Done(reply) => Some((event.to_string(), reply.items)),
        _ => None,
    });
    done.map(|(word, items)| (word.split([',', '#', ' ']).next().unwrap().to_owned(), items))
        .collect()
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(ops in prop::collection::vec(owned(), 1..6)) {
        for dialect in [Dialect::Text, Dialect::Meta] {
            let mut codec = Memcached::new(dialect, Limits::default(), ops.len() as u32);
            let mut out = Out::default();
            ops.iter().for_each(|op| write(&mut codec, op, &mut out));
            let mut server = Server(&out.bytes);
            for op in &ops {
                let read = if dialect == Dialect::Text { server.text() } else { server.meta() };
                match (op, dialect) {
                    // One key of several is sent as one key.
                    (Owned::MultiGet(keys), Dialect::Text) if keys.len() == 1 => {
                        prop_assert_eq!(read, Owned::Get(keys[0].clone()));
                    }
                    _ => prop_assert_eq!(&read, op),
                }
            }
            prop_assert!(server.0.is_empty());
        }
    }

    #[test]
    fn replies_are_read_as_intended(
        ops in prop::collection::vec(
            (owned(), prop::collection::vec(any::<bool>(), 1..4), prop::collection::vec(any::<u8>(), 1..60)),
            1..9,
        ),
        cuts in prop::collection::vec(1usize..50, 1..9),
        depth in 1u32..5,
    ) {
        for dialect in [Dialect::Text, Dialect::Meta] {
            let mut codec = Memcached::new(dialect, Limits::default(), depth);
            let (mut seen_events, mut out) = (SeenEvents::default(), Out::default());
            let (mut stream, mut expected, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
            let mut waiting: VecDeque<_> = ops.iter().collect();
            // As many as the window allows, again and again.
            while !waiting.is_empty() {
                for (op, found, value) in waiting.drain(..waiting.len().min(depth as usize)) {
                    write(&mut codec, op, &mut out);
                    let (bytes, items, class) = reply(dialect, op, found, value);
                    stream.extend(bytes);
                    expected.push((class.to_owned(), items.len() as u32));
                    let read = matches!(op, Owned::Get(_) | Owned::Gets(_) | Owned::MultiGet(_));
                    if read {
                        bodies.extend(items.into_iter().map(|item| (item, value.clone())));
                    }
                }
                let (mut consumed, mut shown) = (0, 0);
                for size in cuts.iter().cycle() {
                    shown = stream.len().min(shown + size);
                    consumed += codec.read(&stream[consumed..shown], &mut out, &mut seen_events).unwrap().consumed;
                    if shown == stream.len() {
                        break;
                    }
                }
                prop_assert_eq!(consumed, stream.len());
                stream.clear();
            }
            prop_assert_eq!(replies(&seen_events), expected);
            let seen_bodies: Vec<_> = seen_events.events.iter().filter_map(|event| match event {
                SeenEvent::Body(_, item, body) => Some((*item, body.clone())),
                _ => None,
            }).filter(|(_, body)| body != b"42" && body != b"1.6").collect();
            bodies.retain(|(_, body)| body != b"42" && body != b"1.6");
            prop_assert_eq!(seen_bodies, bodies);
        }
    }
}
