//! What a codec reports of operations, stamped and counted.

use super::Speech;
use super::in_flight::InFlight;
use record::{Moments, Recorder};
use wire::{Events, Reply, Tag};

/// One operation of a connection.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operation<M> {
    pub(super) at: Moments,
    /// Its running number: the same operation for every contender.
    pub(super) number: u64,
    /// What the protocol's side remembers of it.
    pub(super) memo: M,
}

impl<M: Default> Operation<M> {
    pub(super) fn new(number: u64, due: u64, could: u64, sent: u64) -> Operation<M> {
        let at = Moments { due, could, sent, ..Moments::default() };
        Operation { at, number, memo: M::default() }
    }

    /// Its request was handed to the system, or part of it.
    pub(super) fn was_asked(&self) -> bool {
        self.at.asked != 0
    }
}

/// Listens to a codec for one read.
pub(super) struct Hearing<'a, S: Speech> {
    pub(super) in_flight: &'a mut InFlight<S::Memo>,
    pub(super) speech: &'a mut S,
    pub(super) seen: &'a mut Recorder,
    /// When the bytes were read.
    pub(super) now: u64,
    /// Operations that ended with a reply.
    pub(super) complete: u32,
}

impl<S: Speech> Events for Hearing<'_, S> {
    #[inline]
    fn began(&mut self, tag: Tag) {
        if let Some(operation) = self.in_flight.tagged(tag) {
            operation.at.began = self.now;
        }
    }

    #[inline]
    fn body(&mut self, tag: Tag, item: u32, piece: &[u8]) {
        if let Some(operation) = self.in_flight.tagged(tag) {
            self.speech.piece(operation.number, &mut operation.memo, item, piece);
        }
    }

    #[inline]
    fn unique(&mut self, tag: Tag, _item: u32, unique: u64) {
        if let Some(operation) = self.in_flight.tagged(tag) {
            self.speech.unique(&mut operation.memo, unique);
        }
    }

    #[inline]
    fn done(&mut self, reply: Reply) {
        let Some(operation) = self.in_flight.tagged(reply.tag) else { return };
        operation.at.done = self.now;
        let Operation { at, number, memo } = operation;
        match self.speech.told(*number, at, memo, &reply, self.seen) {
            Some(told) => {
                self.seen.replied(at, reply.code, told, reply.body_len);
                self.in_flight.answered();
                self.complete += 1;
            }
            None => self.in_flight.go_on(),
        }
    }
}
