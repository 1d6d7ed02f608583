//! Compares what a store answers with what was written into it.

use super::ledger::{Bearing, Ledger};
use super::said::{Said, keys_of};
use crate::workload::{Check, Checked, Drawn};
use record::{Kind, Told, Verify};

/// What is remembered of an operation until it is answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memo {
    drawn: Option<Drawn>,
    bearing: Bearing,
    item: u32,
    check: Option<Check>,
    wrong: bool,
    stale: bool,
}

impl Memo {
    /// What was sent last of the operation; none before.
    pub fn drawn(&self) -> Option<Drawn> {
        self.drawn
    }
}

/// Verifies the replies of one worker's operations.
pub struct Verifier {
    verify: Verify,
    ledger: Ledger,
    worker: u64,
    workers: u64,
}

impl Verifier {
    /// Knows nothing yet of this worker's writes to so many keys.
    pub fn new(verify: Verify, keys: u64, worker: usize, workers: usize) -> Verifier {
        let keys = if verify == Verify::Off { 0 } else { keys };
        let ledger = Ledger::new(keys);
        Verifier { verify, ledger, worker: worker as u64, workers: workers as u64 }
    }

    /// An operation, or a half of one, is about to be sent.
    #[inline]
    pub fn sent(&mut self, drawn: Drawn, memo: &mut Memo) {
        memo.drawn = Some(drawn);
        if self.verify == Verify::Off {
            return;
        }
        if overwrites(drawn.kind) {
            memo.bearing = self.ledger.write_sent(drawn.key, drawn.version);
        } else if drawn.kind == Kind::Get {
            memo.bearing = self.ledger.read_sent(drawn.key);
        }
    }

    /// A piece of a value.
    #[inline]
    pub fn piece(&self, said: &Said, memo: &mut Memo, item: u32, piece: &[u8]) {
        let Some(drawn) = memo.drawn.filter(|drawn| drawn.kind.only_reads()) else { return };
        if self.verify == Verify::Off {
            return;
        }
        if item != memo.item {
            self.end_item(said, memo);
            memo.item = item;
        }
        let all = memo.check.is_none() && said.operations.checks_all_bytes(drawn.n);
        memo.check.get_or_insert_with(|| Check::new(all)).piece(&said.values, piece);
    }

    /// The reply is complete and was no error: what it comes to. `items`: how
    /// many values it held; one that is missing makes a miss, verified or not.
    #[inline]
    pub fn told(&mut self, said: &Said, memo: &mut Memo, items: u32) -> Told {
        let Some(drawn) = memo.drawn else { return Told::Ok };
        if drawn.kind.only_reads() && items < keys_of(drawn.kind) {
            return Told::Miss;
        }
        if self.verify == Verify::Off {
            return Told::Ok;
        }
        if overwrites(drawn.kind) {
            self.ledger.written(drawn.key, drawn.version, memo.bearing);
            return Told::Ok;
        }
        if !drawn.kind.only_reads() {
            return Told::Ok;
        }
        self.end_item(said, memo);
        match (memo.wrong, memo.stale) {
            (true, _) => Told::Wrong,
            (_, true) => Told::Stale,
            _ => Told::Ok,
        }
    }

    /// The reply says that a write was not done: somebody else's came before, or
    /// there was nothing to replace.
    #[inline]
    pub fn refused(&mut self, memo: &Memo) {
        if let Some(drawn) = memo.drawn.filter(|drawn| overwrites(drawn.kind))
            && self.verify != Verify::Off
        {
            self.ledger.refused(drawn.key);
        }
    }

    /// The value of one item is complete.
    fn end_item(&self, said: &Said, memo: &mut Memo) {
        let (Some(check), Some(drawn)) = (memo.check.take(), memo.drawn) else { return };
        let key = said.operations.key_of(&drawn, memo.item);
        let right = check.end().filter(|found| self.is_right(said, key, found));
        match right {
            Some(found) => {
                let judged = found.version == 0 || self.is_own(found.version);
                memo.stale |= drawn.kind == Kind::Get
                    && judged
                    && self.ledger.is_stale(key, memo.bearing, found.version);
            }
            None => memo.wrong = true,
        }
    }

    /// A value that was written under this key, whole: loaded, or by an operation
    /// that writes there.
    fn is_right(&self, said: &Said, key: u64, found: &Checked) -> bool {
        let whole = found.key == key && found.length_right && found.bytes_right;
        whole && said.operations.gives(key, found.version)
    }

    /// Operation `version - 1` is one of this worker's.
    fn is_own(&self, version: u64) -> bool {
        (version - 1) % self.workers == self.worker
    }
}

/// The value that was there is gone once this is done. (Of `add` and `replace`
/// the lane does not tell whether they were.)
fn overwrites(kind: Kind) -> bool {
    matches!(kind, Kind::Set | Kind::Insert | Kind::Cas)
}
