//! Compares what a store answers with what was written into it.

use super::columns::Columns;
use super::encoder::{Encoder, keys_of};
use super::ledger::{Ledger, VersionBound};
use crate::workload::{Check, Checked, Column, Drawn, NEWEST_COLUMNS, Space};
use record::workload::COLUMNS_OF_ROW;
use record::{Kind, Outcome, Verify, Workload};

/// What is remembered of an operation until it is answered.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memo {
    drawn: Option<Drawn>,
    bearing: VersionBound,
    item: u32,
    check: Option<Check>,
    /// How many values were checked.
    checked: u32,
    columns: Columns,
    wrong: bool,
    stale: bool,
}

impl Memo {
    /// Returns the part of the operation that was sent last, or None before the first.
    pub fn drawn(&self) -> Option<Drawn> {
        self.drawn
    }
}

/// Returns how many different keys the first items of an operation have. Each of them has a
/// value, which was not checked if it was empty, since an empty value has no pieces. A reply can
/// hold the value of a key once although it was requested twice.
fn different_keys(encoder: &Encoder, drawn: &Drawn, items: u32) -> u32 {
    let key = |item| encoder.operations.key_of(drawn, item);
    let is_first = |item: &u32| !(0..*item).any(|before| key(before) == key(*item));
    (0..items).filter(is_first).count() as u32
}

/// Verifies the replies of one worker's operations.
pub struct Verifier {
    verify: Verify,
    /// The version that was written last is remembered.
    follows_versions: bool,
    ledger: Ledger,
    worker: u64,
    workers: u64,
}

impl Verifier {
    /// Creates a verifier that knows nothing yet of this worker's writes to the keys of the
    /// workload or to its wide rows.
    pub fn new(verify: Verify, of: &Workload, worker: usize, workers: usize) -> Verifier {
        let follows_versions = verify != Verify::Off && of.values_as.is_version();
        let ledger = Ledger::new(if follows_versions { of.rows() } else { 0 });
        let (worker, workers) = (worker as u64, workers as u64);
        Verifier { verify, follows_versions, ledger, worker, workers }
    }

    /// Notes that an operation, or half of one, is about to be sent.
    #[inline]
    pub fn sent(&mut self, drawn: Drawn, memo: &mut Memo) {
        memo.drawn = Some(drawn);
        if !self.follows_versions {
            return;
        }
        if overwrites(drawn.kind) {
            memo.bearing = self.ledger.write_sent(row(&drawn), drawn.version);
        } else if returns_latest(drawn.kind) {
            memo.bearing = self.ledger.read_sent(row(&drawn));
        }
    }

    /// Takes a piece of a value.
    #[inline]
    pub fn piece(&self, encoder: &Encoder, memo: &mut Memo, item: u32, piece: &[u8]) {
        let Some(drawn) = memo.drawn.filter(|drawn| drawn.kind.only_reads()) else { return };
        if self.verify == Verify::Off {
            return;
        }
        if item != memo.item {
            self.end_item(encoder, memo);
            memo.item = item;
        }
        let all = memo.check.is_none() && encoder.operations.checks_all_bytes(drawn.n);
        let check = memo.check.get_or_insert_with(|| Check::new(all));
        let value = if drawn.kind == Kind::Newest { memo.columns.name(piece) } else { piece };
        check.piece(&encoder.values, value);
    }

    /// Takes the next column of a wide row as a whole: its name, which is its time, and its
    /// value.
    pub fn column(&self, encoder: &Encoder, memo: &mut Memo, name: &[u8], value: &[u8]) {
        let item = memo.columns.complete;
        for piece in [name, value] {
            self.piece(encoder, memo, item, piece);
        }
        self.end_item(encoder, memo);
    }

    /// Takes a whole value with the key that the reply names: rows do not arrive in the order of
    /// their keys. `key` is None if it is not a key of the workload.
    pub fn value_of(&self, encoder: &Encoder, memo: &mut Memo, key: Option<u64>, value: &[u8]) {
        let Some(drawn) = memo.drawn.filter(|_| self.verify != Verify::Off) else { return };
        memo.checked += 1;
        let mut check = Check::new(encoder.operations.checks_all_bytes(drawn.n));
        check.piece(&encoder.values, value);
        let found = |key: u64| check.end(&encoder.values, key);
        let is_right =
            |key: u64| found(key).is_some_and(|found| self.is_right(encoder, key, &found));
        let is_right = key.is_some_and(is_right);
        memo.wrong |= !is_right;
    }

    /// Returns the outcome of a complete reply without an error. `items` is how many values it
    /// held; a missing one is a miss, whether values are verified or not.
    #[inline]
    pub fn outcome(&mut self, encoder: &Encoder, memo: &mut Memo, items: u32) -> Outcome {
        let Some(drawn) = memo.drawn else { return Outcome::Ok };
        if drawn.kind.only_reads() && items < values_of(drawn.kind) {
            return Outcome::Miss;
        }
        if self.verify == Verify::Off {
            return Outcome::Ok;
        }
        if overwrites(drawn.kind) {
            if self.follows_versions {
                self.ledger.written(row(&drawn), drawn.version, memo.bearing);
            }
            return Outcome::Ok;
        }
        if !drawn.kind.only_reads() {
            return Outcome::Ok;
        }
        self.end_item(encoder, memo);
        memo.wrong |= drawn.kind != Kind::Newest
            && memo.checked < items
            && memo.checked < different_keys(encoder, &drawn, items);
        // More items than requested, or one without a name and a value.
        let counts = [items, memo.columns.complete];
        memo.wrong |= drawn.kind == Kind::Newest && counts != [NEWEST_COLUMNS; 2];
        match (memo.wrong, memo.columns.lacks_one, memo.stale) {
            (true, ..) => Outcome::Wrong,
            (_, true, _) => Outcome::Miss,
            (_, _, true) => Outcome::Stale,
            _ => Outcome::Ok,
        }
    }

    /// Notes that a write was not done because another one came before it, or because there was
    /// nothing to replace.
    #[inline]
    pub fn refused(&mut self, memo: &Memo) {
        if let Some(drawn) = memo.drawn.filter(|drawn| overwrites(drawn.kind))
            && self.follows_versions
        {
            self.ledger.refused(row(&drawn));
        }
    }

    /// Notes that the value of one item is complete.
    fn end_item(&self, encoder: &Encoder, memo: &mut Memo) {
        let (Some(check), Some(drawn)) = (memo.check.take(), memo.drawn) else { return };
        memo.checked += 1;
        let right = match drawn.space {
            Space::Columns => {
                let found = check.end(&encoder.values, drawn.key);
                self.is_right_column(encoder, memo, &drawn, found)
            }
            _ => {
                let key = encoder.operations.key_of(&drawn, memo.item);
                let found = check.end(&encoder.values, key);
                found.filter(|found| self.is_right(encoder, key, found))
            }
        };
        // The first of several columns is the newest.
        let is_latest = returns_latest(drawn.kind) && memo.columns.complete <= 1;
        match right {
            Some(found) => {
                let judged = found.version == 0 || self.is_own(found.version);
                memo.stale |= is_latest
                    && self.follows_versions
                    && judged
                    && self.ledger.is_stale(row(&drawn), memo.bearing, found.version);
            }
            None => memo.wrong = true,
        }
    }

    /// Returns what was found if it is what the column must contain.
    fn is_right_column(
        &self,
        encoder: &Encoder,
        memo: &mut Memo,
        drawn: &Drawn,
        found: Option<Checked>,
    ) -> Option<Checked> {
        let mut column = Column::of(drawn);
        if drawn.kind == Kind::Newest {
            column.time = memo.columns.end(COLUMNS_OF_ROW)?;
        }
        let of_column = |found: &Checked| found.version == column.version();
        found.filter(|found| of_column(found) && self.is_right(encoder, column.key(), found))
    }

    /// Returns true if it is a complete value that was written under this key: by the load, or
    /// by an operation that writes there. A value without a version is what every write there
    /// writes.
    fn is_right(&self, encoder: &Encoder, key: u64, found: &Checked) -> bool {
        let whole = found.key == key && found.length_right && found.bytes_right;
        whole && (!encoder.values.have_versions() || encoder.operations.gives(key, found.version))
    }

    /// Returns true if operation `version - 1` is one of this worker's.
    fn is_own(&self, version: u64) -> bool {
        (version - 1) % self.workers == self.worker
    }
}

/// Returns true if the operation replaces the previous value. (The lane does not tell whether
/// `add` and `replace` did.)
fn overwrites(kind: Kind) -> bool {
    matches!(kind, Kind::Set | Kind::Insert | Kind::Cas | Kind::InsertColumn)
}

/// Returns true if it reads what was written last.
fn returns_latest(kind: Kind) -> bool {
    matches!(kind, Kind::Get | Kind::Newest)
}

/// Returns the row whose writes are ordered: a key, or a wide row.
fn row(drawn: &Drawn) -> u64 {
    if drawn.space == Space::Columns { Column::of(drawn).row } else { drawn.key }
}

/// Returns the minimum number of values in a reply to it.
fn values_of(kind: Kind) -> u32 {
    if kind == Kind::Newest { NEWEST_COLUMNS } else { keys_of(kind) }
}

#[cfg(test)]
mod tests;
