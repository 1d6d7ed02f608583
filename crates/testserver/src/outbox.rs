//! What a connection has to send: replies as pieces of shared bytes. Some are truncated, and some
//! are sent in pieces.

use super::behaviour::{Action, SlowBody};
use super::reply::Reply;
use super::socket::Socket;
use std::collections::VecDeque;
use std::io::{self, IoSlice, Write};
use std::ops::Range;
use std::sync::Arc;
use text::units::nanoseconds;

/// Pieces that one system call sends.
const SLICES: usize = 8;

/// What is known when a reply has been sent.
#[derive(Clone, Copy)]
pub(super) struct ReplyEnd {
    /// Number of the request on this server.
    pub(super) number: u64,
    pub(super) action: Action,
    /// It closes the connection.
    pub(super) closes: bool,
}

struct ReplyPiece {
    bytes: Arc<[u8]>,
    /// The part that is still to be sent.
    left: Range<usize>,
    /// It is the last piece of a reply.
    end: Option<ReplyEnd>,
}

/// A body that is sent in pieces.
struct SlowlySent {
    body: Arc<[u8]>,
    pieces: u64,
    put: u64,
    started: u64,
    gap: u64,
    end: ReplyEnd,
}

/// What is to be sent, in order.
#[derive(Default)]
pub(super) struct Outbox {
    pieces: VecDeque<ReplyPiece>,
    slow: Option<SlowlySent>,
}

impl Outbox {
    /// Whether nothing can be sent now.
    pub(super) fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Whether pieces of a slow body are still to come: nothing else may then be queued.
    pub(super) fn is_amid_body(&self) -> bool {
        self.slow.is_some()
    }

    /// When the next piece of a slow body is due.
    pub(super) fn next_piece_at(&self) -> Option<u64> {
        self.slow.as_ref().map(SlowlySent::next_at)
    }

    fn push(&mut self, bytes: Arc<[u8]>, left: Range<usize>, end: Option<ReplyEnd>) {
        self.pieces.push_back(ReplyPiece { bytes, left, end });
    }

    fn push_all(&mut self, bytes: Arc<[u8]>, end: Option<ReplyEnd>) {
        let all = 0..bytes.len();
        self.push(bytes, all, end);
    }

    /// Adds the bytes of a complete answer. If there are none, adds only its end.
    pub(super) fn put(&mut self, bytes: Arc<[u8]>, end: ReplyEnd) {
        self.push_all(bytes, Some(end));
    }

    pub(super) fn put_whole(&mut self, reply: Reply, end: ReplyEnd) {
        self.push_all(reply.head, None);
        self.push_all(reply.body, Some(end));
    }

    /// Adds half of the body, or half of the head if there is no body.
    pub(super) fn put_cut(&mut self, reply: Reply, end: ReplyEnd) {
        if reply.body.is_empty() {
            let half = 0..reply.head.len() / 2;
            return self.push(reply.head, half, Some(end));
        }
        self.push_all(reply.head, None);
        let half = 0..reply.body.len() / 2;
        self.push(reply.body, half, Some(end));
    }

    /// Adds the head and the first piece of the body. [`Outbox::put_piece`] adds each later piece.
    pub(super) fn put_slow(&mut self, reply: Reply, slow: SlowBody, now: u64, end: ReplyEnd) {
        let pieces = slow.pieces.get().min(reply.body.len() as u64);
        if pieces < 2 {
            return self.put_whole(reply, end);
        }
        self.push_all(reply.head, None);
        let gap = nanoseconds(slow.gap);
        self.slow = Some(SlowlySent { body: reply.body, pieces, put: 0, started: now, gap, end });
        self.put_piece();
    }

    /// Adds the next piece of the slow body.
    pub(super) fn put_piece(&mut self) {
        let Some(slow) = &mut self.slow else { return };
        let range = slow.next_range();
        slow.put += 1;
        let end = (slow.put == slow.pieces).then_some(slow.end);
        let body = Arc::clone(&slow.body);
        if end.is_some() {
            self.slow = None;
        }
        self.push(body, range, end);
    }

    /// Removes sent bytes, up to the end of the next complete reply.
    pub(super) fn take_end(&mut self) -> Option<ReplyEnd> {
        while self.pieces.front()?.left.is_empty() {
            let end = self.pieces.pop_front().and_then(|piece| piece.end);
            if end.is_some() {
                return end;
            }
        }
        None
    }

    /// Sends once.
    pub(super) fn write(&mut self, to: &mut Socket) -> io::Result<()> {
        let mut slices = [IoSlice::new(&[]); SLICES];
        for (slice, piece) in slices.iter_mut().zip(&self.pieces) {
            *slice = IoSlice::new(&piece.bytes[piece.left.clone()]);
        }
        let mut sent = to.write_vectored(&slices[..self.pieces.len().min(SLICES)])?;
        for piece in &mut self.pieces {
            let here = sent.min(piece.left.len());
            piece.left.start += here;
            sent -= here;
        }
        Ok(())
    }
}

impl SlowlySent {
    fn next_range(&self) -> Range<usize> {
        // In u128: a body and a count near 2⁶⁴ would overflow otherwise.
        let length = self.body.len() as u128;
        let cut = |index: u64| (u128::from(index) * length / u128::from(self.pieces)) as usize;
        cut(self.put)..cut(self.put + 1)
    }

    /// When the next piece is due, counted from the first.
    fn next_at(&self) -> u64 {
        self.started.saturating_add(self.gap.saturating_mul(self.put))
    }
}
