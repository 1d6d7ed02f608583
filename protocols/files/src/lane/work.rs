//! The interface to the workload: what operation *n* does, and how its answer is judged.

use record::Outcome;

/// What an operation does with a key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Action {
    /// Reads the value.
    #[default]
    Get,
    /// Writes the value.
    Set,
    /// Writes the value if there is none.
    Add,
    /// Removes the key.
    Delete,
}

/// One operation, in reused buffers: when `ask` is called they hold the previous operation.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// What to do.
    pub action: Action,
    /// The key.
    pub key: Vec<u8>,
    /// The value to write.
    pub value: Vec<u8>,
    /// The share of the mix that it belongs to, for counts by kind.
    pub share: u32,
}

/// The answer of the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The answer to a get: the value.
    Value(&'a [u8]),
    /// The answer to a get or a delete: there is no value.
    Absent,
    /// The answer to an add: there is a value already.
    Held,
    /// The value was written or removed.
    Done,
}

/// The judgement of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// The code under which it is counted.
    pub code: u16,
    /// The outcome as which it is counted.
    pub outcome: Outcome,
}

/// What a lane does: a state and two functions on it, called in turn for each operation of one
/// worker, from any of its threads but never from two at once. `ask` is called in the order of
/// the operations' numbers; `judge` for every answer, in whichever order they arrive, and not
/// for operations that fail.
///
/// `M` is what `judge` needs to know of an operation from `ask`.
#[derive(Clone, Debug)]
pub struct FileWork<S, M = ()> {
    /// The state of the functions.
    pub state: S,
    /// Writes operation `number` into the request.
    pub ask: fn(state: &mut S, number: u64, memo: &mut M, request: &mut Request),
    /// Judges the answer to it.
    pub judge: fn(state: &mut S, memo: &mut M, request: &Request, answer: Answer<'_>) -> Judged,
}
