//! Random valid replies, cut at random places, are read as what they are.

use crate::http1::check::{SeenEvent, ask, end, feed};
use proptest::prelude::*;
use wire::http1::{Http1, Limits};
use wire::{Class, Codec, ConnectionState, Reply, Tag};

/// A reply as a server might mean it.
#[derive(Clone, Debug)]
struct ExpectedReply {
    informational: Vec<u16>,
    status: u16,
    headers: Vec<(String, String)>,
    framing: Framing,
    closes: bool,
    http10: bool,
    bare_lf: bool,
    body: Vec<u8>,
}

#[derive(Clone, Debug)]
enum Framing {
    Length,
    /// Sizes of the chunks (over and over), an extension, trailers.
    Chunked(Vec<usize>, String, Vec<(String, String)>),
    UntilClose,
}

fn header() -> impl Strategy<Value = (String, String)> {
    ("X-[a-zA-Z0-9!~-]{0,12}", "[ -~\u{e9}\t]{0,20}")
}

fn framing() -> impl Strategy<Value = Framing> {
    let sizes = prop::collection::vec(1usize..200, 1..5);
    let trailers = prop::collection::vec(header(), 0..3);
    prop_oneof![
        Just(Framing::Length),
        (sizes, "(;[ -~]{0,8})?", trailers).prop_map(|(s, e, t)| Framing::Chunked(s, e, t)),
        Just(Framing::UntilClose),
    ]
}

prop_compose! {
    fn expected_reply()(
        informational in prop::collection::vec(prop::sample::select(vec![100u16, 102, 103, 199]), 0..3),
        status in 200u16..1000,
        headers in prop::collection::vec(header(), 0..6),
        framing in framing(),
        closes in any::<bool>(),
        http10 in any::<bool>(),
        bare_lf in any::<bool>(),
        body in prop::collection::vec(any::<u8>(), 0..600),
    ) -> ExpectedReply {
        let chunked = matches!(framing, Framing::Chunked(..));
        let http10 = http10 && !chunked;
        ExpectedReply { informational, status, headers, framing, closes, http10, bare_lf, body }
    }
}

impl ExpectedReply {
    fn no_body(&self, head_only: bool) -> bool {
        head_only || matches!(self.status, 204 | 304)
    }

    fn stream(&self, head_only: bool) -> Vec<u8> {
        let mut head = String::new();
        for status in &self.informational {
            head += &format!("HTTP/1.1 {status} Wait\r\nContent-Length: 5\r\n\r\n");
        }
        let minor = u8::from(!self.http10);
        head += &format!("HTTP/1.{minor} {} Reason\r\n", self.status);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        match self.framing {
            Framing::Length => head += &format!("content-length: {}\r\n", self.body.len()),
            Framing::Chunked(..) => head += "Transfer-encoding: Chunked\r\n",
            Framing::UntilClose => {}
        }
        match (self.closes, self.http10) {
            (true, _) => head += "Connection: x, Close\r\n",
            (false, true) => head += "Connection: keep-alive\r\n",
            (false, false) => {}
        }
        head += "\r\n";
        if self.bare_lf {
            head = head.replace("\r\n", "\n");
        }
        let mut stream = head.into_bytes();
        if !self.no_body(head_only) {
            self.write_body(&mut stream);
        }
        stream
    }

    fn write_body(&self, stream: &mut Vec<u8>) {
        let Framing::Chunked(sizes, extension, trailers) = &self.framing else {
            stream.extend_from_slice(&self.body);
            return;
        };
        let mut rest = self.body.as_slice();
        for size in sizes.iter().cycle() {
            let (chunk, after) = rest.split_at(rest.len().min(*size));
            stream.extend_from_slice(format!("{:X}{extension}\r\n", chunk.len()).as_bytes());
            if chunk.is_empty() {
                break;
            }
            stream.extend_from_slice(chunk);
            stream.extend_from_slice(b"\r\n");
            rest = after;
        }
        for (name, value) in trailers {
            stream.extend_from_slice(format!("{name}:{value}\r\n").as_bytes());
        }
        stream.extend_from_slice(b"\r\n");
    }

    fn events(&self, head_only: bool) -> Vec<SeenEvent> {
        let body = if self.no_body(head_only) { &[][..] } else { &self.body };
        let class = if self.status < 300 { Class::Ok } else { Class::Error(self.status) };
        let (code, body_len) = (self.status, body.len() as u64);
        let mut events = vec![SeenEvent::Began(Tag(0))];
        if !body.is_empty() {
            events.push(SeenEvent::Body(Tag(0), 0, body.to_vec()));
        }
        events.push(SeenEvent::Done(Reply { tag: Tag(0), class, code, body_len, items: 1 }));
        events
    }

    fn state(&self, head_only: bool) -> ConnectionState {
        let until_close = matches!(self.framing, Framing::UntilClose) && !self.no_body(head_only);
        if self.closes || until_close { ConnectionState::Closing } else { ConnectionState::Ready }
    }
}

proptest! {
    #[test]
    fn valid_replies_round_trip(
        replies in prop::collection::vec((expected_reply(), any::<bool>()), 1..4),
        cuts in prop::collection::vec(1usize..400, 1..12),
    ) {
        let mut codec = Http1::new(Limits::default());
        for (expected_reply, head_only) in replies {
            ask(&mut codec, head_only).unwrap();
            let (mut seen_events, _) = feed(&mut codec, &expected_reply.stream(head_only), &cuts);
            prop_assert_eq!(seen_events.state, Ok(expected_reply.state(head_only)));
            if expected_reply.state(head_only) == ConnectionState::Closing {
                end(&mut codec, &mut seen_events);
                prop_assert_eq!(seen_events.ended, Some(Ok(())));
                codec.reset();
            }
            prop_assert_eq!(seen_events.events, expected_reply.events(head_only));
        }
    }
}
