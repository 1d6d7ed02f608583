//! A connection to a room: every message is a push, and none answers another.

use crate::common::SeenEvents;
use crate::websocket::check::welcome;
use crate::websocket::closing::unmasked;
use wire::websocket::{Kind, Limits, Op, ROOM_BYTES, Upgrade, WebSocket, accept, codes, faults};
use wire::{Codec, ConnectionState, Fault, Out, Tag};

const TEXT: Op<'_> = Op { kind: Kind::Text, parts: [b"hel", b"lo"] };

fn to_room(path: &str) -> Result<Upgrade, Fault> {
    Upgrade::to_room(path, "h", &[])
}

fn opened() -> WebSocket {
    let upgrade = to_room("/").expect("nothing is refused");
    let mut codec = WebSocket::member(upgrade, Limits::default(), Kind::Text, 1);
    codec.open(&mut Out::default());
    let welcome = welcome(&accept(codec.key()));
    codec.read(&welcome, &mut Out::default(), &mut SeenEvents::default()).expect("welcome");
    codec
}

/// The events of this stream, and what the codec answers, unmasked.
fn seen_events(codec: &mut WebSocket, stream: &[u8]) -> (String, Vec<u8>) {
    let (mut seen_events, mut out) = (SeenEvents::default(), Out::default());
    seen_events.state =
        codec.read(stream, &mut out, &mut seen_events).map(|progress| progress.state);
    (seen_events.to_string(), unmasked(&out.bytes))
}

#[test]
fn the_query_ends_with_the_room_that_is_entered() {
    for (path, target) in [
        ("/", "/?room="),
        ("/chat?", "/chat?room="),
        ("/chat?token=a&b", "/chat?token=a&b&room="),
        ("/a?groom=1", "/a?groom=1&room="),
    ] {
        let upgrade = to_room(path).expect("nothing is refused");
        let mut codec = WebSocket::member(upgrade, Limits::default(), Kind::Text, 1);
        for room in [[b'a'; ROOM_BYTES], [b'7'; ROOM_BYTES]] {
            codec.enter(room);
            codec.reset();
            let mut out = Out::default();
            assert_eq!(codec.open(&mut out), ConnectionState::Opening);
            let head = String::from_utf8(out.bytes).expect("a request");
            let name = std::str::from_utf8(&room).expect("digits");
            assert!(head.starts_with(&format!("GET {target}{name} HTTP/1.1\r\n")), "{head}");
            let key = std::str::from_utf8(codec.key()).expect("base64");
            assert!(head.contains(&format!("\r\nSec-WebSocket-Key: {key}\r\n")), "{head}");
        }
    }
    for path in ["/?room=1", "/?a=b&room="] {
        assert_eq!(to_room(path).err(), Some(faults::OWN_ROOM), "{path}");
    }
}

#[test]
fn every_message_is_a_push_also_while_one_is_in_flight() {
    let mut codec = opened();
    assert_eq!((codec.window(), codec.tags()), (1, 1));
    let pushed = "pushed hi | Ready";
    assert_eq!(seen_events(&mut codec, b"\x81\x02hi").0, pushed, "before its own message");
    assert_eq!(codec.write(&TEXT, &mut Out::default()), Ok(Tag(0)));
    for cut in 1..4 {
        let (first, last) = b"\x81\x02hi".split_at(cut);
        let mut all = SeenEvents::default();
        let held = codec.read(first, &mut Out::default(), &mut all).expect("sound").consumed;
        let rest = [&first[held..], last].concat();
        let read = codec.read(&rest, &mut Out::default(), &mut all).expect("sound");
        all.state = Ok(read.state);
        assert_eq!(all.to_string(), pushed, "cut at {cut}");
    }
    assert_eq!(codec.write(&TEXT, &mut Out::default()), Ok(Tag(0)), "no reply ends the first");
}

#[test]
fn a_close_is_an_error_with_its_code_also_where_nothing_was_sent() {
    let mut codec = opened();
    let expected =
        ("fault: the server sent a close frame".to_owned(), b"\x88\x02\x03\xe9".to_vec());
    assert_eq!(seen_events(&mut codec, b"\x88\x02\x03\xe9"), expected);
    assert_eq!(codec.refused(), Some(1001));
}

#[test]
fn a_message_of_another_kind_or_no_utf8_ends_the_connection() {
    let mut codec = opened();
    let (text, answer) = seen_events(&mut codec, b"\x82\x02hi");
    assert_eq!(text, "fault: text for binary, or binary for text");
    assert_eq!((answer, codec.refused()), (b"\x88\x02\x03\xeb".to_vec(), Some(codes::OTHER_KIND)));
    let mut codec = opened();
    let (text, answer) = seen_events(&mut codec, b"\x81\x01\xff");
    assert_eq!(text, "fault: a text message that is not UTF-8");
    assert_eq!((answer, codec.refused()), (b"\x88\x02\x03\xef".to_vec(), None));
}
