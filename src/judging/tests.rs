use super::*;
use crate::journal::Writer;
use crate::plan::example;
use crate::scratch::Scratch;
use record::{
    Address, Arrivals, EndReason, Intensity, Interleave, LaneOrder, Reuse, Seen, Slice,
    TrialRecord, journal::SCHEMA, seen::Connections,
};

/// Contender 1 is twice as fast.
fn trial(round: u32, contender: u32) -> Event {
    const OPERATIONS: u64 = 1000;
    let slice = |index| Slice {
        index,
        took_ns: 250_000_000 / (u64::from(contender) + 1) + u64::from(round),
        sending_ns: 250_000_000,
        operations: OPERATIONS / 4,
        due: OPERATIONS / 4,
        ..Slice::default()
    };
    let mut seen = Seen {
        operations: OPERATIONS,
        sent: OPERATIONS,
        codes: [(200, OPERATIONS)].into(),
        connections: Connections { asked: 64, got: 64, opened: 64, reopened_at_rest: 0 },
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
        doing: record::LaneTask::Ask,
        reuse: Reuse::Always,
        timeout_ns: 1_000_000_000,
        burn_in_ns: 0,
        operations: None,
        groups: Vec::new(),
    };
    let phase = Phase::Round;
    Event::Trial(Box::new(TrialRecord {
        phase,
        round,
        contender,
        lane_order,
        seen,
        cut_short: false,
        agents: Vec::new(),
    }))
}

/// A judged run of ten rounds with these requirements.
fn judged(requirements: &[&str]) -> Judged {
    let mut plan = example::plan(|_| ());
    plan.requirements = requirements.iter().map(|text| (*text).to_owned()).collect();
    let header = Header {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        plan_hash: String::new(),
        plan,
        started: String::new(),
    };
    let pilot = PilotChoice {
        interleave: Interleave::Slices,
        slice_ns: 250_000_000,
        round_ns: 1_000_000_000,
        burn_in_ns: vec![0; 2],
        why: Vec::new(),
        saw: Vec::new(),
    };
    let scratch = Scratch::new();
    let mut writer = Writer::create(&scratch.path().join(journal::FILE)).expect("a journal");
    let rounds = (1..=10).flat_map(|round| [trial(round, 0), trial(round, 1)]);
    let end = Event::End(End { reason: EndReason::Complete, detail: String::new() });
    let first = [Event::Header(Box::new(header)), Event::Pilot(pilot)];
    for event in first.into_iter().chain(rounds).chain([end]) {
        writer.write(&event).expect("room");
    }
    read(scratch.path()).expect("a good journal")
}

#[test]
fn a_requirement_that_is_not_met_makes_a_sound_run_exit_with_1() {
    let table: [(&[&str], Exit, &[RequirementStatus]); 4] = [
        (&[], Exit::Sound, &[]),
        (&["b/a throughput >= 1.9"], Exit::Sound, &[RequirementStatus::Met]),
        (
            &["throughput >= 1.9", "throughput >= 2.1"],
            Exit::NotMet,
            &[RequirementStatus::Met, RequirementStatus::NotMet],
        ),
        (&["throughput at will"], Exit::NotMet, &[RequirementStatus::CannotBeSaid]),
    ];
    for (requirements, exit, expected) in table {
        let judged = judged(requirements);
        let seen: Vec<RequirementStatus> =
            judged.checked.iter().map(|checked| checked.standing).collect();
        assert_eq!(seen, expected, "{:?}", judged.checked);
        assert_eq!(judged.exit(), exit, "{:?}", judged.verdict().findings());
        assert_eq!(judged.report_input().checked.len(), requirements.len());
        assert_eq!(judged.failure(), None);
    }
}

#[test]
fn a_requirement_of_another_version_is_a_sentence() {
    let judged = judged(&["speed of light >= 1"]);
    let checked = &judged.report_input().checked[0];
    assert_eq!(checked.requirement, "speed of light >= 1");
    let begins = "this version of tiebreak cannot read it: --require `speed of light >= 1`: ";
    assert!(checked.why.starts_with(begins), "{}", checked.why);
    assert!(
        report::terminal(
            &judged.report_input(),
            report::Style { colour: false, width: 100 },
            report::Detail::Short
        )
        .contains("CANNOT BE SAID")
    );
}
