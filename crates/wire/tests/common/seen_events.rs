//! What a codec made of a stream.

use std::fmt;
use wire::{Class, ConnectionState, Events, Fault, Reply, Tag};

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SeenEvent {
    Began(Tag),
    /// Adjacent pieces of an item joined: where they were cut is not part of
    /// the meaning.
    Body(Tag, u32, Vec<u8>),
    /// Joined until the last piece.
    Pushed(Vec<u8>, bool),
    Done(Reply),
}

/// All events, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SeenEvents {
    pub(crate) events: Vec<SeenEvent>,
    /// The last read's.
    pub(crate) state: Result<ConnectionState, Fault>,
    /// The result of the end of the stream, or None before the end.
    pub(crate) ended: Option<Result<(), Fault>>,
}

impl Default for SeenEvents {
    fn default() -> Self {
        SeenEvents { events: Vec::new(), state: Ok(ConnectionState::Ready), ended: None }
    }
}

impl SeenEvents {
    /// The operation whose reply began and is not complete.
    fn open(&self) -> Option<Tag> {
        self.events.iter().rev().find_map(|events| match events {
            SeenEvent::Began(tag) => Some(Some(*tag)),
            SeenEvent::Done(_) => Some(None),
            _ => None,
        })?
    }

    /// Bytes of body since the reply began.
    fn body_len(&self) -> usize {
        let since =
            self.events.iter().rev().take_while(|events| !matches!(events, SeenEvent::Began(_)));
        let bytes = since
            .map(|events| if let SeenEvent::Body(_, _, body) = events { body.len() } else { 0 });
        bytes.sum()
    }
}

impl Events for SeenEvents {
    fn began(&mut self, tag: Tag) {
        assert_eq!(self.open(), None, "{tag:?} began before another was done");
        self.events.push(SeenEvent::Began(tag));
    }

    fn body(&mut self, tag: Tag, item: u32, piece: &[u8]) {
        assert_eq!(self.open(), Some(tag), "body before it began");
        assert!(!piece.is_empty(), "no empty pieces");
        match self.events.last_mut() {
            Some(SeenEvent::Body(_, before, body)) if *before == item => {
                body.extend_from_slice(piece)
            }
            _ => self.events.push(SeenEvent::Body(tag, item, piece.to_vec())),
        }
    }

    fn done(&mut self, reply: Reply) {
        assert_eq!(self.open(), Some(reply.tag), "done before it began");
        assert_eq!(reply.body_len, self.body_len() as u64, "length of the body");
        if let Class::Error(code) = reply.class {
            assert_eq!(code, reply.code);
        }
        self.events.push(SeenEvent::Done(reply));
    }

    fn pushed(&mut self, piece: &[u8], last: bool) {
        match self.events.last_mut() {
            Some(SeenEvent::Pushed(bytes, whole @ false)) => {
                bytes.extend_from_slice(piece);
                *whole = last;
            }
            _ => self.events.push(SeenEvent::Pushed(piece.to_vec(), last)),
        }
    }
}

/// Tags and items are only shown where they are not 0.
fn at(tag: Tag, item: u32) -> String {
    let tag = if tag.0 == 0 { String::new() } else { format!("#{}", tag.0) };
    if item == 0 { tag } else { format!("{tag}[{item}]") }
}

impl fmt::Display for SeenEvent {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SeenEvent::Began(tag) => write!(to, "began{}", at(*tag, 0)),
            SeenEvent::Body(tag, item, body) => {
                write!(to, "body{} {}", at(*tag, *item), body.escape_ascii())
            }
            SeenEvent::Pushed(bytes, whole) => {
                let cut = if *whole { "" } else { " (cut)" };
                write!(to, "pushed {}{cut}", bytes.escape_ascii())
            }
            SeenEvent::Done(Reply { tag, class, code, body_len, items }) => {
                let class = match class {
                    Class::Ok => "ok",
                    Class::Miss => "miss",
                    Class::Error(_) => "error",
                };
                write!(to, "{class}{}", at(*tag, 0))?;
                if *code != 0 {
                    write!(to, " {code}")?;
                }
                write!(to, ", {body_len} bytes")?;
                if *items == 1 { Ok(()) } else { write!(to, ", {items} items") }
            }
        }
    }
}

impl fmt::Display for SeenEvents {
    /// One line, such as `began | body hi | ok 200, 2 bytes | Ready | end`.
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        for events in &self.events {
            write!(to, "{events} | ")?;
        }
        match (self.state, self.ended) {
            (Err(fault), _) => write!(to, "fault: {}", fault.0),
            (Ok(state), None) => write!(to, "{state:?}"),
            (Ok(state), Some(Ok(()))) => write!(to, "{state:?} | end"),
            (Ok(state), Some(Err(fault))) => write!(to, "{state:?} | end: {}", fault.0),
        }
    }
}
