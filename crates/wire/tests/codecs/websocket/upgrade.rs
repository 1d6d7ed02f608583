//! The upgrade: what is sent, and which answers are taken.

use crate::common::{self, SeenEvents};
use crate::websocket::check::{Exchange, SMALL, fresh, welcome};
use wire::websocket::{Limits, Upgrade, accept, faults};
use wire::{Codec, ConnectionState, Fault, Out};

#[test]
fn the_key_of_the_standard_is_accepted_by_its_answer() {
    assert_eq!(&accept(b"dGhlIHNhbXBsZSBub25jZQ=="), b"s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

#[test]
fn the_request_asks_for_an_upgrade_with_a_key_of_its_own() {
    let mut codec = fresh(Limits::default(), 1, &[("Origin", "http://a"), ("User-Agent", "u")]);
    let mut keys = Vec::new();
    for _ in 0..3 {
        let mut out = Out::default();
        assert_eq!(codec.open(&mut out), ConnectionState::Opening);
        let key = String::from_utf8(codec.key().to_vec()).expect("base64");
        assert!(key.len() == 24 && key.ends_with("=="), "16 bytes: {key}");
        let head = format!(
            "GET /chat?x=1 HTTP/1.1\r\nHost: h:81\r\nOrigin: http://a\r\nUser-Agent: u\r\n\
             Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
             Sec-WebSocket-Key: {key}\r\n\r\n"
        );
        assert_eq!(String::from_utf8_lossy(&out.bytes), head);
        keys.push(key);
        codec.reset();
    }
    keys.dedup();
    assert_eq!(keys.len(), 3, "every connection has another");
}

#[test]
fn headers_that_the_codec_writes_are_refused() {
    let upgrade = |name: &str| Upgrade::new("/", "h", &[(name.to_owned(), b"x".to_vec())]).err();
    for name in ["upgrade", "Connection", "Sec-WebSocket-Key", "sec-websocket-version"] {
        assert_eq!(upgrade(name), Some(faults::OWN_HEADER), "{name}");
    }
    assert_eq!(upgrade("Sec-WebSocket-Extensions"), Some(faults::ASKED_EXTENSION));
    assert_eq!(upgrade("Sec-WebSocket-Protocol"), None);
    assert!(upgrade("a b").is_some());
}

/// What a stream that answers the upgrade comes to, and by which number it is counted.
fn answered(
    headers: &[(&str, &str)],
    answer: &str,
) -> (Result<ConnectionState, Fault>, Option<u16>) {
    let mut codec = fresh(Limits::default(), 1, headers);
    codec.open(&mut Out::default());
    let right = String::from_utf8(accept(codec.key()).to_vec()).expect("base64");
    let stream = answer.replace("ACCEPT", &right).replace('\n', "\r\n");
    if headers.is_empty() {
        common::same_however_cut(
            &Exchange { upgrades: true, ..Exchange::new(&[]) },
            stream.as_bytes(),
        );
    }
    let (mut out, mut seen_events) = (Out::default(), SeenEvents::default());
    let read = codec.read(stream.as_bytes(), &mut out, &mut seen_events);
    assert!(out.is_empty() && seen_events.events.is_empty());
    (read.map(|progress| progress.state), codec.refused())
}

#[test]
fn sound_answers() {
    for answer in [
        "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Accept: ACCEPT\n\n",
        "HTTP/1.1 101 x\nconnection: keep-alive, upgrade\nupgrade: WebSocket\nsec-websocket-accept:   ACCEPT  \n\n",
        "HTTP/1.1 103 Early Hints\nLink: x\n\nHTTP/1.1 101 x\nUpgrade: websocket\nConnection: Upgrade\nSec-WebSocket-Accept: ACCEPT\nSec-WebSocket-Extensions:\n\n",
    ] {
        assert_eq!(answered(&[], answer), (Ok(ConnectionState::Ready), None), "{answer}");
    }
}

/// A 101 with these headers behind it.
fn with(more: &str) -> String {
    let head = "HTTP/1.1 101 x\nUpgrade: websocket\nConnection: Upgrade\n";
    format!("{head}{more}\n")
}

#[test]
fn answers_that_are_no_upgrade() {
    const PLAIN: &str = "Connection: close\nContent-Length: 0\n\n";
    for status in [200u16, 301, 400, 401, 403, 404, 426, 500, 503] {
        let answer = format!("HTTP/1.1 {status} x\n{PLAIN}");
        assert_eq!(answered(&[], &answer), (Err(faults::NOT_UPGRADED), Some(status)));
    }
    let wrong = [
        (
            "HTTP/1.1 101 x\nConnection: Upgrade\nSec-WebSocket-Accept: ACCEPT\n\n".to_owned(),
            faults::OTHER_UPGRADE,
            3,
        ),
        (
            "HTTP/1.1 101 x\nUpgrade: h2c\nConnection: Upgrade\nSec-WebSocket-Accept: ACCEPT\n\n"
                .to_owned(),
            faults::OTHER_UPGRADE,
            3,
        ),
        (
            "HTTP/1.1 101 x\nUpgrade: websocket\nSec-WebSocket-Accept: ACCEPT\n\n".to_owned(),
            faults::OTHER_UPGRADE,
            3,
        ),
        (with(""), faults::ACCEPT, 4),
        (with("Sec-WebSocket-Accept: \n"), faults::ACCEPT, 4),
        (with("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\n"), faults::ACCEPT, 4),
        (with("Sec-WebSocket-Accept: ACCEPT, ACCEPT\n"), faults::ACCEPT, 4),
        (with("Sec-WebSocket-Accept: ACCEPT\nSec-WebSocket-Accept: ACCEPT\n"), faults::ACCEPT, 4),
        (
            with(
                "Sec-WebSocket-Accept: ACCEPT\nSec-WebSocket-Extensions: permessage-deflate; x=1\n",
            ),
            faults::DEFLATE,
            5,
        ),
        (
            with("Sec-WebSocket-Accept: ACCEPT\nSec-WebSocket-Extensions: foo\n"),
            faults::EXTENSION,
            6,
        ),
        (
            with("Sec-WebSocket-Accept: ACCEPT\nSec-WebSocket-Protocol: chat\n"),
            faults::SUBPROTOCOL,
            7,
        ),
    ];
    for (answer, fault, code) in wrong {
        assert_eq!(answered(&[], &answer), (Err(fault), Some(code)), "{answer}");
    }
    for (answer, fault) in [
        ("hello", "not an HTTP/1.0 or HTTP/1.1 reply"),
        ("HTTP/2 101", "not an HTTP/1.0 or HTTP/1.1 reply"),
        ("HTTP/1.1 101 x\na b\n\n", "malformed header"),
        ("HTTP/1.1 1x1 x\n\n", "malformed status line"),
    ] {
        assert_eq!(answered(&[], answer), (Err(Fault(fault)), None), "{answer}");
    }
}

#[test]
fn subprotocols_are_those_that_were_offered() {
    let offered = [("Sec-WebSocket-Protocol", "chat, superchat"), ("sec-websocket-protocol", "x")];
    let answer = |chosen: &str| {
        answered(&offered, &with(&format!("Sec-WebSocket-Accept: ACCEPT\n{chosen}")))
    };
    for name in ["chat", "superchat", "x"] {
        let expected = answer(&format!("Sec-WebSocket-Protocol: {name}\n"));
        assert_eq!(expected, (Ok(ConnectionState::Ready), None), "{name}");
    }
    for chosen in ["", "Sec-WebSocket-Protocol: Chat\n", "Sec-WebSocket-Protocol: chat, x\n"] {
        assert_eq!(answer(chosen), (Err(faults::SUBPROTOCOL), Some(7)), "{chosen}");
    }
}

#[test]
fn an_answer_is_bounded() {
    let exchange = Exchange { limits: SMALL, upgrades: true, ops: &[] };
    let long = [b"HTTP/1.1 101 x\r\nA: ".as_slice(), &[b'x'; 400]].concat();
    let seen_events = common::same_however_cut(&exchange, &long);
    assert_eq!(seen_events.to_string(), "fault: the head of the reply is longer than the limit");
    let many = "HTTP/1.1 102 x\r\n\r\n".repeat(3);
    let seen_events = common::same_however_cut(&exchange, many.as_bytes());
    assert_eq!(seen_events.to_string(), "fault: more 1xx replies than the limit");
    let cut = &welcome(b"x")[..20];
    let seen_events = common::same_however_cut(&exchange, cut);
    assert_eq!(seen_events.to_string(), "Opening | end: closed before the upgrade was complete");
}
