//! The measurements of one kind of operation.

use super::figures::{Times, times};
use crate::{View, words::kinds};
use judge::verdict::{ContenderSummary, KindSummary};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct KindData {
    operation: String,
    operations: u64,
    ok: u64,
    miss: u64,
    wrong: u64,
    response_time: Times,
    read: Option<HalfData>,
    update: Option<HalfData>,
}

#[derive(Serialize)]
struct HalfData {
    count: u64,
    time: Times,
}

/// Kinds of this contender, or of one of its groups.
pub(super) fn of(view: &View, contender: &ContenderSummary, seen: &[KindSummary]) -> Vec<KindData> {
    seen.iter()
        .map(|of| KindData {
            operation: kinds::operation(view, contender, of),
            operations: of.operations,
            ok: of.ok,
            miss: of.miss,
            wrong: of.wrong,
            response_time: times(of.response_time),
            read: of.read.map(|(count, time)| HalfData { count, time: times(time) }),
            update: of.update.map(|(count, time)| HalfData { count, time: times(time) }),
        })
        .collect()
}
