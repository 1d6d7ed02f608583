//! What must hold for any bytes that a server sends, however they are cut.
//! The tests and the fuzz target (`fuzz/`) share this file.

use std::fmt;
use wire::http1::{Http1, Limits, Op};
use wire::{Class, Codec, Events, Fault, Out, Reply, State, Tag};

/// Sizes of the pieces that a stream is cut into, over and over: whole, byte
/// by byte, in 7-byte and in 16 KiB pieces, and unevenly.
pub(crate) const CUTS: [&[usize]; 5] = [&[usize::MAX], &[1], &[7], &[16 * 1024], &[2, 1, 11, 3]];

/// Limits that small streams can reach.
pub(crate) const TIGHT: Limits = Limits { head_bytes: 64, headers: 2, informational: 1 };

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Said {
    Began,
    /// Adjacent pieces joined: where they were cut is not part of the meaning.
    Body(Vec<u8>),
    Done(Reply),
}

/// What a codec made of a stream.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard {
    pub(crate) said: Vec<Said>,
    /// The last read's.
    pub(crate) state: Result<State, Fault>,
    /// What the end of the stream meant; none where it was not told.
    pub(crate) ended: Option<Result<(), Fault>>,
}

/// The most bytes that a codec left unconsumed, and so held back.
pub(crate) type Held = usize;

/// Writes a request, feeds the stream in pieces and tells its end.
pub(crate) fn listen(
    limits: Limits,
    head_only: bool,
    stream: &[u8],
    cuts: &[usize],
) -> (Heard, Held) {
    let mut codec = Http1::new(limits);
    ask(&mut codec, head_only).expect("a fresh connection takes a request");
    let (mut heard, held) = feed(&mut codec, stream, cuts);
    end(&mut codec, &mut heard);
    (heard, held)
}

pub(crate) fn ask(codec: &mut Http1, head_only: bool) -> Result<Tag, Fault> {
    codec.write(&Op { head: b"GET / HTTP/1.1\r\n\r\n", body: None, head_only }, &mut Out::default())
}

/// Feeds the stream as the engine would: what is not consumed is shown again,
/// with more behind it.
pub(crate) fn feed(codec: &mut Http1, stream: &[u8], cuts: &[usize]) -> (Heard, Held) {
    let mut heard = Heard { said: Vec::new(), state: Ok(State::Ready), ended: None };
    let (mut consumed, mut shown, mut held) = (0, 0usize, 0);
    let mut out = Out::default();
    for size in cuts.iter().cycle() {
        shown = shown.saturating_add(*size).min(stream.len());
        let input = &stream[consumed..shown];
        match codec.read(input, &mut out, &mut heard) {
            Ok(progress) => {
                assert!(progress.consumed <= input.len(), "consumed more than there was");
                consumed += progress.consumed;
                held = held.max(shown - consumed);
                heard.state = Ok(progress.state);
            }
            Err(fault) => {
                heard.state = Err(fault);
                break;
            }
        }
        if shown == stream.len() {
            break;
        }
    }
    assert!(out.is_empty(), "HTTP/1 never answers by itself");
    if let Err(fault) = heard.state {
        assert_silent(codec, fault);
    }
    (heard, held)
}

/// The peer closes.
pub(crate) fn end(codec: &mut Http1, heard: &mut Heard) {
    let ended = codec.end(heard);
    heard.ended = Some(ended);
    if let Err(fault) = ended {
        assert_silent(codec, fault);
    }
}

/// After a fault there are no more events, and it stays the same.
fn assert_silent(codec: &mut Http1, fault: Fault) {
    let mut after = Heard { said: Vec::new(), state: Err(fault), ended: None };
    let reply = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
    let read = codec.read(reply, &mut Out::default(), &mut after);
    assert_eq!(read.map(|progress| progress.state), Err(fault), "a fault is for good");
    let nothing = codec.read(b"", &mut Out::default(), &mut after);
    assert_ne!(nothing.map(|progress| progress.state), Ok(State::Ready), "not ready after a fault");
    assert_eq!(codec.end(&mut after), Err(fault), "a fault is for good");
    assert_eq!(ask(codec, false), Err(fault), "no request after a fault");
    assert_eq!(after.said, [], "no event after a fault");
}

impl Events for Heard {
    fn began(&mut self, tag: Tag) {
        assert_eq!(tag, Tag(0));
        assert_eq!(self.said, [], "began once, and before all else");
        self.said.push(Said::Began);
    }

    fn body(&mut self, tag: Tag, item: u32, piece: &[u8]) {
        assert_eq!((tag, item), (Tag(0), 0));
        assert!(!piece.is_empty(), "no empty pieces");
        match self.said.last_mut() {
            Some(Said::Body(body)) => body.extend_from_slice(piece),
            Some(Said::Began) => self.said.push(Said::Body(piece.to_vec())),
            before => panic!("body after {before:?}"),
        }
    }

    fn done(&mut self, reply: Reply) {
        let body_len = match self.said.as_slice() {
            [Said::Began] => 0,
            [Said::Began, Said::Body(body)] => body.len() as u64,
            before => panic!("done after {before:?}"),
        };
        let class = match reply.code {
            200..300 => Class::Ok,
            code => Class::Error(code),
        };
        assert!((200..1000).contains(&reply.code), "status {}", reply.code);
        assert_eq!(reply, Reply { tag: Tag(0), class, code: reply.code, body_len, items: 1 });
        self.said.push(Said::Done(reply));
    }
}

/// All that must hold for any stream.
pub(crate) fn check(stream: &[u8]) {
    for limits in [Limits::default(), TIGHT] {
        for head_only in [false, true] {
            let whole = same_however_cut(limits, head_only, stream);
            if whole.state == Ok(State::Ready) && matches!(whole.said.last(), Some(Said::Done(_))) {
                same_when_asked_again(limits, head_only, stream);
            }
        }
    }
}

/// Asserts that the cuts do not matter, and returns what was heard.
pub(crate) fn same_however_cut(limits: Limits, head_only: bool, stream: &[u8]) -> Heard {
    let (whole, _) = listen(limits, head_only, stream, CUTS[0]);
    for cuts in CUTS {
        let (heard, held) = listen(limits, head_only, stream, cuts);
        assert_eq!(heard, whole, "cut into {cuts:?}, HEAD: {head_only}");
        assert!(held < limits.head_bytes, "{held} bytes were held back, cut into {cuts:?}");
    }
    whole
}

/// A connection that is ready hears the same again; so does one that was reset.
fn same_when_asked_again(limits: Limits, head_only: bool, stream: &[u8]) {
    let mut codec = Http1::new(limits);
    ask(&mut codec, head_only).expect("fresh");
    let (first, _) = feed(&mut codec, stream, CUTS[0]);
    ask(&mut codec, head_only).expect("ready");
    assert_eq!(feed(&mut codec, stream, CUTS[2]).0, first, "asked again");
    ask(&mut codec, head_only).expect("ready");
    codec.reset();
    ask(&mut codec, head_only).expect("reset");
    assert_eq!(feed(&mut codec, stream, CUTS[1]).0, first, "reset");
}

impl fmt::Display for Heard {
    /// One line, such as `began | body hi | ok 200, 2 bytes | Ready | end`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for said in &self.said {
            match said {
                Said::Began => write!(to, "began | ")?,
                Said::Body(body) => write!(to, "body {} | ", body.escape_ascii())?,
                Said::Done(Reply { class, code, body_len, .. }) => {
                    let class = if *class == Class::Ok { "ok" } else { "error" };
                    write!(to, "{class} {code}, {body_len} bytes | ")?;
                }
            }
        }
        match (self.state, self.ended) {
            (Err(fault), _) => write!(to, "fault: {}", fault.0),
            (Ok(state), None) => write!(to, "{state:?}"),
            (Ok(state), Some(Ok(()))) => write!(to, "{state:?} | end"),
            (Ok(state), Some(Err(fault))) => write!(to, "{state:?} | end: {}", fault.0),
        }
    }
}
