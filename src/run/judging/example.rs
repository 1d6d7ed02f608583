//! Journals of runs that were never driven, for tests.

use super::{Judged, read};
use crate::plan::example;
use crate::run::journal;
use crate::run::journal::Writer;
use crate::scratch::Scratch;
use record::{
    Address, Arrivals, End, EndReason, Event, Intensity, LaneOrder, Phase, Seen, Slice,
    TrialRecord, seen::Connections,
};

/// How long each of the four slices of a round takes, unless a test says otherwise.
pub(crate) const SLICE_NS: u64 = 250_000_000;

/// Both contenders are equally fast.
fn trial(round: u32, contender: u32) -> TrialRecord {
    const OPERATIONS: u64 = 1000;
    let slice = |index| Slice {
        index,
        took_ns: SLICE_NS + u64::from(round),
        sending_ns: SLICE_NS,
        operations: OPERATIONS / 4,
        due: OPERATIONS / 4,
        ..Slice::default()
    };
    let mut seen = Seen {
        operations: OPERATIONS,
        sent: OPERATIONS,
        codes: [(200, OPERATIONS)].into(),
        connections: Connections {
            requested: 64,
            established: 64,
            opened: 64,
            ..Connections::default()
        },
        slices: (0..4).map(slice).collect(),
        ..Seen::default()
    };
    seen.outcomes.ok = OPERATIONS;
    for _ in 0..OPERATIONS {
        seen.response_time.record(1_000_000);
        seen.service_time.record(1_000_000);
        seen.body_bytes.record(87);
    }
    let lane_order = LaneOrder {
        address: Address::Unix("/run/x.sock".to_owned()),
        intensity: Intensity { connections: 64, depth: 1, arrivals: Arrivals::Closed },
        timeout_ns: 1_000_000_000,
        ..example::lane_order()
    };
    TrialRecord { round, lane_order, ..example::trial(Phase::Round, contender, seen) }
}

/// Returns the run of a journal with ten rounds of 1 s and these requirements, whose trials were changed so.
pub(crate) fn judged(requirements: &[&str], change: impl Fn(&mut TrialRecord)) -> Judged {
    let mut plan = example::plan(|_| ());
    plan.requirements = requirements.iter().map(|text| (*text).to_owned()).collect();
    let header = record::testing::header(plan);
    let pilot = record::testing::pilot(2, SLICE_NS, 1_000_000_000);
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.path().join(journal::FILE)).expect("a journal");
    let rounds = (1..=10).flat_map(|round| [trial(round, 0), trial(round, 1)]).map(|mut trial| {
        change(&mut trial);
        Event::Trial(Box::new(trial))
    });
    let end = Event::End(End { reason: EndReason::Complete, detail: String::new() });
    let first = [Event::Header(Box::new(header)), Event::Pilot(pilot)];
    for event in first.into_iter().chain(rounds).chain([end]) {
        writer.write(&event).expect("room");
    }
    read(scratch.path()).expect("a good journal")
}
