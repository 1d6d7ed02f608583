//! The seam to the workload: what operation *n* does, and what its answer is
//! worth.

use record::Outcome;

/// What an operation does with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Reads the value.
    #[default]
    Get,
    /// Writes the value.
    Set,
    /// Writes the value where there is none.
    Add,
    /// Removes the key.
    Delete,
}

/// One operation, in buffers that are used again: what is in them when `ask`
/// is called is that of the operation before.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What to do.
    pub action: Action,
    /// With which key.
    pub key: Vec<u8>,
    /// What to write.
    pub value: Vec<u8>,
    /// Which share of the mix it is of, for what is counted by kind.
    pub share: u32,
}

/// What the store said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// To a get: the value.
    Value(&'a [u8]),
    /// To a get or a delete: there is none.
    Absent,
    /// To an add: there is one already.
    Held,
    /// Written, or removed.
    Done,
}

/// What an answer is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// Counted under this code.
    pub code: u16,
    /// Counted as this.
    pub outcome: Outcome,
}

/// What a lane does: a state and two functions on it, called in turn for each
/// operation of one worker, from any of its threads but never from two at once.
/// `ask` is called in order of operations' numbers; `judge` for every answer,
/// in whichever order they come, and not for operations that fail.
///
/// `M` is what `ask` wants `judge` to remember of an operation.
#[derive(Clone, Debug)]
pub struct Work<S, M = ()> {
    /// Whatever the functions need.
    pub state: S,
    /// Writes operation `number` into the request.
    pub ask: fn(state: &mut S, number: u64, memo: &mut M, request: &mut Request),
    /// Judges the answer to it.
    pub judge: fn(state: &mut S, memo: &mut M, request: &Request, answer: Answer<'_>) -> Judged,
}
