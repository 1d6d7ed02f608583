//! What a codec reports of one operation, stamped and counted.

use record::{Moments, Recorder};
use wire::{Events, Reply, Tag};

/// The body of one reply in this many is digested.
const DIGEST_EVERY: u64 = 100;
/// Offset basis and prime of FNV-1a, 64 bits.
const FNV: (u64, u64) = (0xCBF2_9CE4_8422_2325, 0x0000_0100_0000_01B3);

/// The operation that a connection is busy with.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Operation {
    pub(super) at: Moments,
    /// Its running number: the same operation for every contender.
    pub(super) number: u64,
    digest: u64,
}

impl Operation {
    pub(super) fn new(number: u64, due: u64, could: u64, sent: u64) -> Operation {
        Operation { at: Moments { due, could, sent, ..Moments::default() }, number, digest: FNV.0 }
    }

    /// Its request was handed to the system, or part of it.
    pub(super) fn was_asked(&self) -> bool {
        self.at.asked != 0
    }

    fn digested(&self) -> bool {
        self.number.is_multiple_of(DIGEST_EVERY)
    }
}

/// Listens to a codec for one read.
pub(super) struct Hearing<'a, E: Fn(&Reply) -> bool> {
    pub(super) operation: &'a mut Operation,
    pub(super) seen: &'a mut Recorder,
    /// Whether a reply counts as success.
    pub(super) expected: E,
    /// When the bytes were read.
    pub(super) now: u64,
    /// The reply is complete.
    pub(super) complete: bool,
}

impl<E: Fn(&Reply) -> bool> Events for Hearing<'_, E> {
    #[inline]
    fn began(&mut self, _tag: Tag) {
        self.operation.at.began = self.now;
    }

    #[inline]
    fn body(&mut self, _tag: Tag, _item: u32, piece: &[u8]) {
        if self.operation.digested() {
            // Byte by byte, so that it does not matter how the body was cut
            // into pieces; one reply in a hundred pays for it.
            self.operation.digest = piece.iter().fold(self.operation.digest, |digest, byte| {
                (digest ^ u64::from(*byte)).wrapping_mul(FNV.1)
            });
        }
    }

    #[inline]
    fn done(&mut self, reply: Reply) {
        let expected = (self.expected)(&reply);
        self.operation.at.done = self.now;
        self.seen.replied(&self.operation.at, reply.code, expected, reply.body_len);
        if expected && self.operation.digested() {
            self.seen.digest(self.operation.digest);
        }
        self.complete = true;
    }
}
