//! The workload on files: it sends operations and verifies values.

use super::lane::{Action, Answer, FileWork, Judged, Request, file_lanes};
use super::store::Store;
use engine::{
    Encoder, EngineError, MakeLane, Memo, NO_COMMANDS, NOT_WIDE, Numbers, Seat, Task, Verifier,
};
use record::{DriveOrder, Kind, LaneTask, Outcome, Workload};
use std::sync::Arc;

/// How to access a store of files.
#[derive(Clone, Debug)]
pub struct FilesAccess {
    /// The directory.
    pub store: Arc<Store>,
    /// The number of the next operation, kept from one call of the engine to the next.
    pub numbers: Numbers,
}

/// One worker's operations and what it knows about the values.
struct Serving {
    encoder: Encoder,
    verifier: Verifier,
}

impl FilesAccess {
    /// Returns the lanes of one contender of the order, one for each worker.
    ///
    /// # Panics
    /// Panics if the order has no such contender.
    pub fn lanes(&self, order: &DriveOrder, contender: usize) -> Vec<MakeLane> {
        let (doing, seed) = (order.lanes[contender].doing.clone(), order.seed);
        let numbers = match &doing {
            LaneTask::Drive(_) => self.numbers.clone(),
            // A load has numbers of its own, and readiness checks are not operations.
            LaneTask::Load(of) => Numbers::starting(of.from, order.cores.len()),
            LaneTask::Ask => Numbers::new(order.cores.len()),
        };
        file_lanes(order, contender, &self.store, &numbers, move |seat| {
            let state = serving(&doing, seed, seat)?;
            Ok(FileWork { state, ask, judge })
        })
    }
}

/// Returns None if only the readiness of the store is checked.
fn serving(doing: &LaneTask, seed: u64, seat: &Seat) -> Result<Option<Serving>, EngineError> {
    let (workload, task) = match doing {
        LaneTask::Ask => return Ok(None),
        LaneTask::Load(of) => (&of.workload, Task::Load),
        LaneTask::Drive(workload) => (workload, Task::Drive),
    };
    check(workload)?;
    let encoder = Encoder::new(workload, seed, seat.count(), task)?;
    let verifier = Verifier::new(workload.verify, workload, seat.index(), seat.count());
    Ok(Some(Serving { encoder, verifier }))
}

/// Checks that files support the whole workload.
fn check(workload: &Workload) -> Result<(), EngineError> {
    if let Some(share) = workload.mix.iter().find(|share| action(share.kind).is_none()) {
        let why = format!("files do not support the operation {:?}", share.kind);
        return Err(EngineError::Order(why));
    }
    match workload.value.least() {
        0 => Err(EngineError::order("values in files must be at least 1 byte long")),
        _ => Ok(()),
    }
}

/// Returns why files do not support operations of this kind, or None if they do.
pub fn lacks(kind: Kind) -> Option<&'static str> {
    match kind {
        _ if action(kind).is_some() => None,
        Kind::MultiGet(_) => Some("each file is read separately: no request reads several"),
        Kind::Scan(_) => Some("files are named by the hash of their key and have no order"),
        _ if kind.is_wide() => Some(NOT_WIDE),
        Kind::Command(_) | Kind::Custom(_) => Some(NO_COMMANDS),
        _ => Some("files can only be read, written, added and deleted"),
    }
}

fn action(kind: Kind) -> Option<Action> {
    match kind {
        Kind::Get => Some(Action::Get),
        Kind::Set | Kind::Insert => Some(Action::Set),
        Kind::Add => Some(Action::Add),
        Kind::Delete => Some(Action::Delete),
        _ => None,
    }
}

fn ask(serving: &mut Option<Serving>, number: u64, memo: &mut Memo, request: &mut Request) {
    request.key.clear();
    request.value.clear();
    let Some(Serving { encoder, verifier }) = serving else {
        request.action = Action::Get;
        return;
    };
    let drawn = encoder.drawn(number);
    verifier.sent(drawn, memo);
    let parts = encoder.parts(&drawn);
    request.share = drawn.share;
    request.action = action(drawn.kind).expect("checked when the lane was made");
    request.key.extend_from_slice(parts.key());
    request.value.extend_from_slice(parts.value);
}

fn judge(
    serving: &mut Option<Serving>,
    memo: &mut Memo,
    request: &Request,
    answer: Answer<'_>,
) -> Judged {
    let outcome = match (serving, answer) {
        (None, _) => Outcome::Ok,
        // Removing an absent key is a success.
        (_, Answer::Absent) if request.action == Action::Delete => Outcome::Ok,
        (_, Answer::Absent) => Outcome::Miss,
        (Some(serving), answer) => {
            if let Answer::Value(value) = answer {
                serving.verifier.piece(&serving.encoder, memo, 0, value);
            }
            serving.verifier.outcome(&serving.encoder, memo, 1)
        }
    };
    Judged { code: 0, outcome }
}
