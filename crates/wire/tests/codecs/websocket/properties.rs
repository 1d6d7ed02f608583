//! For any messages, in any fragments.

use crate::common::{SeenEvent, SeenEvents, Subject, check};
use crate::websocket::check::{BINARY, Exchange, TEXT};
use proptest::prelude::*;
use wire::{Codec, Out};

/// A message in fragments, with pings between them.
fn framed(opcode: u8, fragments: &[Vec<u8>]) -> Vec<u8> {
    let mut stream = Vec::new();
    for (at, fragment) in fragments.iter().enumerate() {
        let fin = if at + 1 == fragments.len() { 0x80 } else { 0 };
        stream.push(fin | if at == 0 { opcode } else { 0 });
        match fragment.len() {
            short @ ..=125 => stream.push(short as u8),
            length => {
                stream.push(126);
                stream.extend_from_slice(&(length as u16).to_be_bytes());
            }
        }
        stream.extend_from_slice(fragment);
        if fin == 0 && at % 2 == 0 {
            stream.extend_from_slice(b"\x89\x01p");
        }
    }
    stream
}

fn body(seen_events: &SeenEvents) -> Vec<u8> {
    let bodies = seen_events.events.iter().filter_map(|event| match event {
        SeenEvent::Body(_, _, body) => Some(body.as_slice()),
        _ => None,
    });
    bodies.collect::<Vec<_>>().concat()
}

fn fragments() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(prop::collection::vec(any::<u8>(), 0..200), 1..6)
}

proptest! {
    #[test]
    fn messages_come_as_they_were(fragments in fragments()) {
        let seen_events = check(&Exchange::new(&[BINARY]), &framed(2, &fragments));
        prop_assert_eq!(body(&seen_events), fragments.concat());
        prop_assert!(seen_events.to_string().ends_with("| Ready | end"), "{}", seen_events);
    }

    /// The standard library decides what is UTF-8.
    #[test]
    fn texts_are_taken_if_they_are_utf8(fragments in fragments()) {
        let whole = fragments.concat();
        let seen_events = check(&Exchange::new(&[TEXT]), &framed(1, &fragments));
        let is_taken = seen_events.state.is_ok();
        prop_assert_eq!(is_taken, std::str::from_utf8(&whole).is_ok(), "{}", seen_events);
    }

    #[test]
    fn texts_of_any_characters_are_taken(text in "\\PC{0,40}", cut in 0usize..100) {
        let cut = cut.min(text.len());
        let (first, second) = text.as_bytes().split_at(cut);
        let seen_events = check(&Exchange::new(&[TEXT]), &framed(1, &[first.to_vec(), second.to_vec()]));
        prop_assert_eq!(body(&seen_events), text.as_bytes());
        prop_assert!(seen_events.state.is_ok());
    }

    /// Short sequences around the limits of what UTF-8 is.
    #[test]
    fn few_bytes_are_taken_if_they_are_utf8(
        bytes in prop::collection::vec(prop::sample::select(EDGES), 0..6),
    ) {
        let seen_events = check(&Exchange::new(&[TEXT]), &framed(1, std::slice::from_ref(&bytes)));
        prop_assert_eq!(seen_events.state.is_ok(), std::str::from_utf8(&bytes).is_ok(), "{:x?}", bytes);
    }

    #[test]
    fn any_bytes_do_no_harm(stream in prop::collection::vec(any::<u8>(), 0..200)) {
        crate::websocket::check::check(&stream);
    }

    /// What is sent is unmasked again, whatever its length.
    #[test]
    fn payloads_are_masked(first in prop::collection::vec(any::<u8>(), 0..40), rest in 0usize..70_000) {
        let rest = vec![0x5a; rest];
        let mut codec = Exchange::new(&[BINARY]).fresh();
        let op = wire::websocket::Op { parts: [&first, &rest], ..BINARY };
        let mut out = Out::default();
        codec.write(&op, &mut out).expect("open");
        let length = first.len() + rest.len();
        let head = if length < 126 { 2 } else if length < 65536 { 4 } else { 10 };
        let (key, payload) = out.bytes[head..].split_first_chunk::<4>().expect("a key");
        let bytes = payload.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key);
        prop_assert!(bytes.eq(first.iter().chain(&rest).copied()));
    }
}

const EDGES: &[u8] = &[
    0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED,
    0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
];
