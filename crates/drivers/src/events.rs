//! The events of one request while it is carried out.

use crate::request_error::RequestError;
use crate::serving::Serving;
use engine::{Memo, clock};
use record::Outcome;
use std::cell::RefCell;

/// The events of one request while it is carried out.
pub struct Events<'a> {
    serving: &'a RefCell<Serving>,
    memo: &'a mut Memo,
    /// How long the preparation of a statement took, if one was prepared.
    pub prepare_ns: Option<u64>,
    /// When it was sent; 0 if it was not sent.
    pub asked: u64,
    /// When its reply began; 0 if it has not begun.
    pub began: u64,
    /// Rows of the reply so far.
    pub rows: u32,
    /// Bytes of these rows.
    pub bytes: u64,
    /// Bytes of replies that the library has read, in the form in which they were sent.
    read: u64,
    /// The outcome of user-defined statements. None if the operation has none.
    pub custom: Option<Outcome>,
    /// What the server said when it refused the request.
    pub said: Option<String>,
}

impl<'a> Events<'a> {
    pub(crate) fn new(serving: &'a RefCell<Serving>, memo: &'a mut Memo) -> Events<'a> {
        Events {
            serving,
            memo,
            prepare_ns: None,
            asked: 0,
            began: 0,
            rows: 0,
            bytes: 0,
            read: 0,
            custom: None,
            said: None,
        }
    }

    /// Records that a statement was prepared for it, from `began` until now.
    pub fn prepared(&mut self, began: u64) {
        self.prepare_ns = Some(clock::now() - began);
    }

    /// Records that the request is sent now.
    pub fn request_sent(&mut self) {
        self.asked = clock::now();
    }

    /// Records that the reply begins, unless it has begun already.
    pub fn begins(&mut self) {
        if self.began == 0 {
            self.began = clock::now();
        }
    }

    /// Records that the library has read this many bytes of the reply. Returns their total.
    pub fn read(&mut self, bytes: u64) -> u64 {
        self.read += bytes;
        self.read
    }

    /// Records that the reply began at this time on the engine's clock; 0 if that is not known.
    pub fn began_at(&mut self, at: u64) {
        if self.began == 0 {
            self.began = at;
        }
    }

    /// Records a row of the workload, with its key if it has one.
    pub fn row(&mut self, key: Option<&[u8]>, value: &[u8]) {
        self.row_of(value.len());
        self.serving.borrow_mut().row(self.memo, key, value);
    }

    /// Records a row of the contender's one statement, with the length of all its columns as text,
    /// so that it does not depend on how a protocol encodes numbers.
    pub fn row_of(&mut self, bytes: usize) {
        self.begins();
        self.rows += 1;
        self.bytes += bytes as u64;
    }
    /// Whether this text is what the load wrote into a column (given by its table and its number
    /// there), in the row of the operation's key.
    pub fn is_loaded(&mut self, column: (u32, usize), text: &[u8]) -> bool {
        self.serving.borrow_mut().is_loaded(self.memo, column, text)
    }

    /// Records the server's words if it refused the request. Returns the same error.
    pub fn explained(
        &mut self,
        error: RequestError,
        words: impl FnOnce() -> String,
    ) -> RequestError {
        if matches!(error, RequestError::ServerError { .. }) {
            self.said = Some(words());
        }
        error
    }

    /// Records the outcome of a user-defined statement.
    pub fn statement_ended(&mut self, outcome: Outcome) {
        self.custom = Some(worse(self.custom.unwrap_or(Outcome::Ok), outcome));
    }
}

/// The worse of two outcomes: wrong is worse than missing.
pub fn worse(one: Outcome, other: Outcome) -> Outcome {
    match (one, other) {
        (Outcome::Wrong, _) | (_, Outcome::Wrong) => Outcome::Wrong,
        (Outcome::Miss, _) | (_, Outcome::Miss) => Outcome::Miss,
        _ => Outcome::Ok,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_weighs_more_than_what_is_missing() {
        assert_eq!(worse(worse(Outcome::Ok, Outcome::Wrong), Outcome::Miss), Outcome::Wrong);
        assert_eq!(worse(Outcome::Miss, Outcome::Ok), Outcome::Miss);
    }
}
