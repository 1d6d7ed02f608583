//! The dialogue of the toy protocol: each operation sends its number, and every fifth one sends
//! it twice, the second time when the first reply is complete.

use super::codec::Toy;
use engine::codec_lane::{Dialogue, Push};
use record::{Moments, Outcome, Recorder};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use wire::Reply;

/// Maximum operations of a test, so that a note allocates nothing.
const MOST: usize = 1 << 15;

/// Operations whose number is divisible by this are two requests.
pub(crate) const TWICE: u64 = 5;

/// An operation that has ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) number: u64,
    pub(crate) at: Moments,
    /// The outcome of the reply. None if the operation was given up or lost.
    pub(crate) outcome: Option<Outcome>,
}

/// What a lane received.
#[derive(Debug)]
pub(crate) struct Notes {
    pub(crate) ended: Vec<Ended>,
    /// Complete messages that answered no operation, by connection.
    pub(crate) pushes: BTreeMap<u32, Vec<String>>,
    /// Messages that are not complete yet.
    parts: BTreeMap<u32, Vec<u8>>,
}

impl Notes {
    pub(crate) fn new() -> Arc<Mutex<Notes>> {
        let (pushes, parts) = (BTreeMap::new(), BTreeMap::new());
        Arc::new(Mutex::new(Notes { ended: Vec::with_capacity(MOST), pushes, parts }))
    }

    /// Returns how many pushes were complete.
    pub(crate) fn pushed(&self) -> u64 {
        self.pushes.values().map(|pushes| pushes.len() as u64).sum()
    }
}

/// Sends numbers and checks whether they come back.
pub(crate) struct Echo {
    pub(crate) depth: u32,
    pub(crate) notes: Arc<Mutex<Notes>>,
    /// Pushes are recorded, which allocates.
    pub(crate) keeps_pushes: bool,
}

/// The body of the reply so far.
#[derive(Clone, Copy, Default)]
pub(crate) struct Body {
    bytes: u64,
    length: usize,
    is_second: bool,
}

impl Echo {
    fn note(&self, number: u64, at: Moments, outcome: Option<Outcome>) {
        let mut notes = self.notes.lock().expect("no test failed");
        notes.ended.push(Ended { number, at, outcome });
    }
}

impl Dialogue for Echo {
    type Codec = Toy;
    type Memo = Body;

    fn codec(&self, depth: u32) -> Toy {
        assert_eq!(depth, self.depth, "the depth of the order");
        Toy::new(depth)
    }

    fn operation(&mut self, _codec: &Toy, number: u64, body: &mut Body) -> u64 {
        (body.bytes, body.length) = (0, 0);
        number
    }

    fn piece(&self, _number: u64, body: &mut Body, item: u32, piece: &[u8]) {
        assert_eq!(item, 0);
        body.length += piece.len();
        body.bytes = piece.iter().fold(body.bytes, |bytes, byte| bytes << 8 | u64::from(*byte));
    }

    fn pushed(&mut self, connection: u32, piece: &[u8], last: bool) -> Push {
        if !self.keeps_pushes {
            return Push::More;
        }
        let mut notes = self.notes.lock().expect("no test failed");
        notes.parts.entry(connection).or_default().extend_from_slice(piece);
        if last {
            let push = notes.parts.remove(&connection).expect("just there");
            let push = String::from_utf8(push).expect("text");
            notes.pushes.entry(connection).or_default().push(push);
        }
        Push::More
    }

    fn outcome(
        &mut self,
        number: u64,
        at: &Moments,
        body: &mut Body,
        reply: &Reply,
        _seen: &mut Recorder,
    ) -> Option<Outcome> {
        let is_own = body.bytes == number && body.length == 8 && reply.body_len == 8;
        if is_own && number.is_multiple_of(TWICE) && !body.is_second {
            body.is_second = true;
            return None;
        }
        let outcome = if is_own { Outcome::Ok } else { Outcome::Wrong };
        self.note(number, *at, Some(outcome));
        Some(outcome)
    }

    fn lost(&self, number: u64, _body: &Body, at: Option<&Moments>, _seen: &mut Recorder) {
        self.note(number, at.copied().unwrap_or_default(), None);
    }
}
