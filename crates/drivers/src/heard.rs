//! What is heard of one request while it is carried out.

use crate::serving::Serving;
use engine::{Memo, clock};
use record::Told;
use std::cell::RefCell;

/// What is heard of one request while it is carried out.
pub(crate) struct Heard<'a> {
    serving: &'a RefCell<Serving>,
    memo: &'a mut Memo,
    /// How long a statement took to be prepared, if one was.
    pub(crate) prepare_ns: Option<u64>,
    /// When it was sent; 0: it was not.
    pub(crate) asked: u64,
    /// When its reply began; 0: it did not.
    pub(crate) began: u64,
    pub(crate) rows: u32,
    pub(crate) bytes: u64,
    /// Bytes of replies that the library has read, as they were sent.
    read: u64,
    /// The outcome of user-defined statements. None if the operation has none.
    pub(crate) own: Option<Told>,
}

impl<'a> Heard<'a> {
    pub(crate) fn new(serving: &'a RefCell<Serving>, memo: &'a mut Memo) -> Heard<'a> {
        Heard {
            serving,
            memo,
            prepare_ns: None,
            asked: 0,
            began: 0,
            rows: 0,
            bytes: 0,
            read: 0,
            own: None,
        }
    }

    /// A statement was prepared for it, since `began`.
    pub(crate) fn prepared(&mut self, began: u64) {
        self.prepare_ns = Some(clock::now() - began);
    }

    /// The request is sent now.
    pub(crate) fn asks(&mut self) {
        self.asked = clock::now();
    }

    /// The reply begins, if it did not before.
    pub(crate) fn begins(&mut self) {
        if self.began == 0 {
            self.began = clock::now();
        }
    }

    /// The library has read so many bytes of the reply. Returns how many that are in all.
    pub(crate) fn read(&mut self, bytes: u64) -> u64 {
        self.read += bytes;
        self.read
    }

    /// The reply began at this time, of the engine's clock; 0: that is not known.
    pub(crate) fn began_at(&mut self, at: u64) {
        if self.began == 0 {
            self.began = at;
        }
    }

    /// A row of the workload's; its key where it names one.
    pub(crate) fn row(&mut self, key: Option<&[u8]>, value: &[u8]) {
        self.row_of(value.len());
        self.serving.borrow_mut().row(self.memo, key, value);
    }

    /// A row of the contender's one statement: so many bytes in all its columns, as
    /// text. How a protocol sends a number makes no difference between replies.
    pub(crate) fn row_of(&mut self, bytes: usize) {
        self.begins();
        self.rows += 1;
        self.bytes += bytes as u64;
    }
    /// Whether this, as text, is what the load wrote into a column (its table and its
    /// number there), in the row of the operation's key.
    pub(crate) fn is_loaded(&mut self, column: (u32, usize), text: &[u8]) -> bool {
        self.serving.borrow_mut().is_loaded(self.memo, column, text)
    }

    /// A user-defined statement was answered in full.
    pub(crate) fn statement_told(&mut self, told: Told) {
        self.own = Some(worse(self.own.unwrap_or(Told::Ok), told));
    }
}

/// The worse of two: what is wrong weighs more than what is missing.
pub(crate) fn worse(one: Told, other: Told) -> Told {
    match (one, other) {
        (Told::Wrong, _) | (_, Told::Wrong) => Told::Wrong,
        (Told::Miss, _) | (_, Told::Miss) => Told::Miss,
        _ => Told::Ok,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_weighs_more_than_what_is_missing() {
        assert_eq!(worse(worse(Told::Ok, Told::Wrong), Told::Miss), Told::Wrong);
        assert_eq!(worse(Told::Miss, Told::Ok), Told::Miss);
    }
}
