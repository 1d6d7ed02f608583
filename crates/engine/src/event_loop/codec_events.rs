//! Operations that a codec reports, with timestamps and counts.

use super::dialogue::{Dialogue, Push};
use super::in_flight::{InFlight, Operation};
use record::Recorder;
use wire::http1;
use wire::{Events, Reply, Tag};

/// When the copies of a broadcast arrived, as far as one event on a connection shows. 0 means that
/// they did not arrive during this event.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Copies {
    /// The beginning of the first one.
    pub(super) began: u64,
    /// The end of the last one.
    pub(super) done: u64,
}

/// Receives a codec's events during one read.
pub(super) struct CodecEvents<'a, S: Dialogue> {
    pub(super) in_flight: &'a mut InFlight<S::Memo>,
    pub(super) dialogue: &'a mut S,
    pub(super) seen: &'a mut Recorder,
    /// The connection's number among those of the lane.
    pub(super) connection: u32,
    /// When the bytes were read.
    pub(super) now: u64,
    /// When copies of the broadcast of the connection's room arrived, as far as this event shows.
    pub(super) copies: &'a mut Copies,
    /// Operations that ended with a reply.
    pub(super) complete: u32,
}

impl<S: Dialogue> Events for CodecEvents<'_, S> {
    #[inline]
    fn began(&mut self, tag: Tag) {
        if let Some(operation) = self.in_flight.tagged(tag) {
            operation.at.began = self.now;
        }
    }

    #[inline]
    fn body(&mut self, tag: Tag, item: u32, piece: &[u8]) {
        if let Some(operation) = self.in_flight.tagged(tag) {
            self.dialogue.piece(operation.number, &mut operation.memo, item, piece);
        }
    }

    #[inline]
    fn done(&mut self, reply: Reply) {
        let Some(operation) = self.in_flight.tagged(reply.tag) else { return };
        operation.at.done = self.now;
        let Operation { at, number, memo } = operation;
        match self.dialogue.outcome(*number, at, memo, &reply, self.seen) {
            Some(outcome) => {
                self.seen.replied(at, reply.code, outcome, reply.body_len);
                self.in_flight.end(reply.tag);
                self.complete += 1;
            }
            None => self.in_flight.go_on(reply.tag),
        }
    }

    fn timed(&mut self, tag: Tag, part: &[u8], took_ns: u64) {
        if let Some(operation) = self.in_flight.tagged(tag) {
            self.seen.server_took(operation.at.due, part, took_ns);
        }
    }

    #[cold]
    fn said(&mut self, words: &[u8]) {
        self.seen.said(words);
    }

    #[cold]
    fn error_page(&mut self, code: u16, piece: &[u8]) {
        if self.dialogue.is_failure(code)
            && let Some(words) = http1::first_words(piece)
        {
            self.seen.said(words.as_bytes());
        }
    }

    #[inline]
    fn pushed(&mut self, piece: &[u8], last: bool) {
        if last {
            self.seen.pushed();
        }
        let push = self.dialogue.pushed(self.connection, piece, last);
        if S::ROOMS {
            match push {
                Push::More => {}
                Push::First => self.copies.began = self.now,
                Push::Last => self.copies.done = self.now,
            }
        }
    }
}
