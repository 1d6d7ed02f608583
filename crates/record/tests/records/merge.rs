//! A recorder of the whole = the recorders of the parts, merged in any order and
//! any grouping.

use proptest::prelude::*;
use record::agents::{AgentPart, MergeError, merge};
use record::{
    Address, Arrivals, Failure, Intensity, Kind, LaneOrder, LaneTask, Moments, Outcome, Phase,
    ProgramRun, Recorder, Seen, SliceStart, TrialRecord, Workload, testing,
};

const SLICES: u64 = 3;
const SLICE_NS: u64 = 300_000_000;
const MOST_WORKERS: usize = 4;
const WORKERS_OF_AGENT: usize = 2;
const GROUPS: usize = 2;

/// What happened to one operation, and which worker had it.
#[derive(Clone, Debug)]
struct Operation {
    slice: u64,
    worker: usize,
    group: usize,
    due_ns: u64,
    lag_ns: u64,
    service_ns: u64,
    /// Of which share of the mix it is, and whether its first half was answered.
    kind: (u32, bool),
    end: Ending,
}

#[derive(Clone, Debug)]
enum Ending {
    Reply { code: u16, expected: bool, body: u64 },
    TimedOut { sent: bool },
    Failed { failure: Failure, sent: bool },
    Unfinished,
    Unsent,
    Program { failure: Option<Failure>, output: u64 },
    Cut,
}

fn ending() -> impl Strategy<Value = Ending> {
    let failure = prop::sample::select(Failure::ALL.to_vec());
    let program = (prop::option::of(failure.clone()), 0u64..40);
    prop_oneof![
        6 => (prop::sample::select(vec![200u16, 204, 404, 503]), any::<bool>(), 0u64..5000)
            .prop_map(|(code, expected, body)| Ending::Reply { code, expected, body }),
        1 => any::<bool>().prop_map(|sent| Ending::TimedOut { sent }),
        1 => (failure, any::<bool>()).prop_map(|(failure, sent)| Ending::Failed { failure, sent }),
        1 => Just(Ending::Unfinished),
        1 => Just(Ending::Unsent),
        2 => program.prop_map(|(failure, output)| Ending::Program { failure, output }),
        1 => Just(Ending::Cut),
    ]
}

fn operation() -> impl Strategy<Value = Operation> {
    let times = (0..SLICE_NS, 0u64..2_000_000, 1000u64..50_000_000);
    let kind = (0..KINDS.len() as u32, any::<bool>());
    (0..SLICES, (0..MOST_WORKERS, 0..GROUPS), times, kind, ending()).prop_map(
        |(slice, (worker, group), times, kind, end)| {
            let (due_ns, lag_ns, service_ns) = times;
            Operation { slice, worker, group, due_ns, lag_ns, service_ns, kind, end }
        },
    )
}

/// Not in the order that they are recorded in.
const KINDS: [Kind; 3] = [Kind::Set, Kind::ReadModifyWrite, Kind::Get];

fn doing(kinds: &[Kind]) -> LaneTask {
    let mix: Vec<(Kind, f64)> = kinds.iter().map(|kind| (*kind, 1.0)).collect();
    LaneTask::Drive(Workload::of(&mix))
}

/// Records these operations, slice by slice, as one worker (or as the only one)
/// with so many connections.
fn recorded(operations: &[&Operation], connections: u64) -> Seen {
    let mut recorder = Recorder::of(&doing(&KINDS));
    recorder.connections(connections, connections - 1);
    in_slices(&mut recorder, operations, |recorder, starts, operation| {
        record(recorder, starts, operation);
    })
}

fn order() -> LaneOrder {
    LaneOrder { doing: doing(&KINDS), ..LaneOrder::closed(Address::Program, 64) }
}

/// What the journal of an agent says of these operations: those of each of its workers are recorded
/// apart and merged, and the trial is written and read.
fn journal_of_agent(rank: u32, operations: &[&Operation], connections: u64) -> AgentPart {
    let mut seen = Seen::default();
    for worker in 0..WORKERS_OF_AGENT {
        let own =
            operations.iter().filter(|operation| operation.worker % WORKERS_OF_AGENT == worker);
        let own: Vec<&Operation> = own.copied().collect();
        seen.merge(&recorded(&own, connections / WORKERS_OF_AGENT as u64));
    }
    let trial = testing::trial(Phase::Round, 1, 0, order(), seen);
    let line = serde_json::to_string(&trial).expect("a line");
    AgentPart { rank, bound_ns: 1000, trial: serde_json::from_str(&line).expect("a trial") }
}

/// The same with the operations of each group in a recorder of its own.
fn recorded_in_groups(operations: &[&Operation], connections: u64) -> Seen {
    let group = Intensity { connections: 32, depth: 1, arrivals: Arrivals::Closed };
    let mut recorder = Recorder::of_lane(&LaneOrder { groups: vec![group; GROUPS], ..order() });
    for group in recorder.groups_mut() {
        let each = connections / GROUPS as u64;
        group.connections(each, each);
    }
    recorder.groups_mut()[0].connections(connections / 2, connections / 2 - 1);
    in_slices(&mut recorder, operations, |recorder, starts, operation| {
        let group = &mut recorder.groups_mut()[operation.group];
        record(group, starts, operation);
        // The lane says when the slice of all groups ended.
        let took_ns = group.slice_mut().took_ns;
        let slice = recorder.slice_mut();
        slice.took_ns = slice.took_ns.max(took_ns);
    })
}

fn in_slices(
    recorder: &mut Recorder,
    operations: &[&Operation],
    record: impl Fn(&mut Recorder, u64, &Operation),
) -> Seen {
    for index in 0..SLICES {
        let starts = 1_000_000_000 * (index + 1);
        recorder.begin_slice(&SliceStart {
            index,
            after: Some((index % 2) as u32),
            engine_started: 500_000_000,
            starts,
            sends_until: starts + SLICE_NS,
            burn_in_ns: 2_000_000,
        });
        let here = operations.iter().filter(|operation| operation.slice == index);
        here.for_each(|operation| record(recorder, starts, operation));
        recorder.end_slice();
    }
    recorder.take()
}

fn record(recorder: &mut Recorder, starts: u64, operation: &Operation) {
    let due = starts + operation.due_ns;
    let sent = due + operation.lag_ns;
    let done = sent + operation.service_ns;
    let at =
        Moments { due, could: due + operation.lag_ns / 2, sent, asked: sent, began: done, done };
    let (share, answered) = operation.kind;
    let halves = KINDS[share as usize].has_halves() && answered;
    let read = halves.then_some(sent + operation.service_ns / 2);
    if !matches!(operation.end, Ending::Program { .. } | Ending::Cut) {
        recorder.due();
    }
    match operation.end {
        Ending::Reply { code, expected, body } => {
            let outcome = if expected { Outcome::Ok } else { Outcome::Unexpected };
            recorder.replied(&at, code, outcome, body);
            recorder.digest(body % 40);
            recorder.replied_of_kind(share, &at, outcome, read);
        }
        Ending::TimedOut { sent } => {
            recorder.given_up(Failure::Timeout, &at, sent);
            recorder.lost_of_kind(share, Some(&at), read);
        }
        Ending::Failed { failure, sent } => {
            recorder.failed(failure, done, sent);
            recorder.lost_of_kind(share, None, read);
            recorder.opened(operation.lag_ns, sent.then_some(operation.service_ns));
        }
        Ending::Unfinished => recorder.unfinished(1),
        Ending::Unsent => recorder.unsent(1),
        Ending::Program { failure, output } => {
            recorder.program(&program(operation, failure, output));
        }
        Ending::Cut => recorder.program_cut(1),
    }
    recorder.looped(operation.lag_ns);
    // What a worker measures of itself: sums, and the longest.
    let slice = recorder.slice_mut();
    slice.took_ns = slice.took_ns.max(done - starts);
    slice.generator_cpu_ns += operation.lag_ns;
    slice.waited_ns = slice.waited_ns.max(operation.lag_ns / 3);
    slice.steal_ns = slice.steal_ns.max(operation.lag_ns / 7);
    slice.in_flight_at_end += u64::from(done > starts + SLICE_NS);
}

/// A run of one operation, so that operations can be counted.
fn program(operation: &Operation, failure: Option<Failure>, output: u64) -> ProgramRun {
    ProgramRun {
        operations: 1,
        wall_ns: operation.service_ns,
        user_ns: operation.service_ns / 2,
        system_ns: operation.service_ns / 5,
        peak_memory_bytes: operation.due_ns,
        output_bytes: output,
        output_digest: output * 7,
        outlived: output % 3,
        failure,
        figures: Vec::new(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn parts_merged_in_any_order_and_grouping_are_the_whole(
        operations in prop::collection::vec(operation(), 0..120),
        picks in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), MOST_WORKERS),
    ) {
        let all: Vec<&Operation> = operations.iter().collect();
        let mut whole = recorded(&all, 64);
        whole.connections.established = 64 - MOST_WORKERS as u64;
        let of_worker = |worker: usize| {
            let own: Vec<&Operation> =
                operations.iter().filter(|operation| operation.worker == worker).collect();
            recorded(&own, 64 / MOST_WORKERS as u64)
        };
        let mut parts: Vec<Seen> = (0..MOST_WORKERS).map(of_worker).collect();
        for (into, from) in picks {
            if parts.len() > 1 {
                let taken = parts.swap_remove(from.index(parts.len()));
                let at = into.index(parts.len());
                parts[at].merge(&taken);
            }
        }
        prop_assert_eq!(parts.len(), 1);
        prop_assert_eq!(&parts[0], &whole);
    }

    /// Operation *n* belongs to agent *n* mod N.
    #[test]
    fn journals_of_agents_merged_in_any_order_are_the_record_of_one_process(
        operations in prop::collection::vec(operation(), 0..120),
        agents in prop::sample::select(vec![1usize, 2, 4]),
        first in 0usize..4,
    ) {
        let mut whole = recorded(&operations.iter().collect::<Vec<_>>(), 64);
        whole.connections.established = 64 - (agents * WORKERS_OF_AGENT) as u64;
        let mut parts: Vec<AgentPart> = (0..agents)
            .map(|agent| {
                let own: Vec<_> = operations.iter().skip(agent).step_by(agents).collect();
                journal_of_agent(agent as u32 + 1, &own, (64 / agents) as u64)
            })
            .collect();
        parts.rotate_left(first % agents);
        let merged = merge(&parts).expect("records of one trial");
        prop_assert_eq!(&merged.seen, &whole);
        let ranks: Vec<u32> = merged.agents.iter().map(|agent| agent.rank).collect();
        prop_assert_eq!(ranks, (1..=agents as u32).collect::<Vec<_>>());
        let of_agents: u64 = merged.agents.iter().map(|agent| agent.operations).sum();
        prop_assert_eq!(of_agents, whole.operations);
    }

    #[test]
    fn groups_together_are_the_whole_and_their_parts_are_the_groups(
        operations in prop::collection::vec(operation(), 0..80),
        turned: bool,
    ) {
        let whole = recorded(&operations.iter().collect::<Vec<_>>(), 64);
        let of_worker = |worker: usize| {
            let own: Vec<&Operation> =
                operations.iter().filter(|operation| operation.worker == worker).collect();
            recorded_in_groups(&own, 64 / MOST_WORKERS as u64)
        };
        let mut workers: Vec<usize> = (0..MOST_WORKERS).collect();
        if turned {
            workers.reverse();
        }
        let mut together = Seen::default();
        workers.into_iter().for_each(|worker| together.merge(&of_worker(worker)));
        let groups = std::mem::take(&mut together.groups);
        together.connections.established = whole.connections.established;
        prop_assert_eq!(&together, &whole);
        prop_assert_eq!(groups.len(), GROUPS);
        for (number, seen) in groups.iter().enumerate() {
            let own = operations.iter().filter(|operation| operation.group == number);
            let mut alone = recorded(&own.collect::<Vec<_>>(), 32);
            alone.connections.established = seen.connections.established;
            prop_assert_eq!(seen, &alone);
        }
    }

    #[test]
    fn every_operation_is_somewhere(operations in prop::collection::vec(operation(), 0..80)) {
        let all: Vec<&Operation> = operations.iter().collect();
        let seen = recorded(&all, 64);
        let accounted = seen.operations + seen.unfinished + seen.unsent;
        prop_assert_eq!(accounted, operations.len() as u64);
        prop_assert_eq!(seen.outcomes.total(), seen.operations);
        let latencies = seen.response_time.len() + seen.burn_in_excluded + seen.without_latency;
        prop_assert_eq!(latencies, seen.operations);
        let in_slices: u64 = seen.slices.iter().map(|slice| slice.operations).sum();
        prop_assert_eq!(in_slices, seen.operations);
    }
}

#[test]
fn kinds_add_up_to_all_and_halves_to_the_whole() {
    let operation = |share, answered, end| Operation {
        slice: 0,
        worker: 0,
        group: 0,
        due_ns: 5_000_000,
        lag_ns: 10_000,
        service_ns: 90_000,
        kind: (share, answered),
        end,
    };
    let reply = || Ending::Reply { code: 0, expected: true, body: 1 };
    let operations = [
        operation(0, false, reply()),
        operation(1, true, reply()),
        operation(1, false, reply()),
        operation(1, true, Ending::TimedOut { sent: true }),
        operation(2, false, Ending::Failed { failure: Failure::Reset, sent: true }),
    ];
    let seen = recorded(&operations.iter().collect::<Vec<_>>(), 1);
    let of = |at: usize| &seen.kinds[at];
    assert_eq!([0, 1, 2].map(|at| of(at).kind), [Kind::Get, Kind::Set, Kind::ReadModifyWrite]);
    assert_eq!([0, 1, 2].map(|at| of(at).operations), [1, 1, 3]);
    assert_eq!([0, 1, 2].map(|at| of(at).ok), [0, 1, 2]);
    assert_eq!([0, 1, 2].map(|at| of(at).response_time.len()), [0, 1, 3]);
    assert_eq!((of(2).read_time.len(), of(2).update_time.len()), (3, 2));
    // 10 µs of lag and 45 to the read's reply; 45 more to the write's.
    let near = |value: Option<u64>, wanted: u64| value.is_some_and(|v| v.abs_diff(wanted) < 100);
    assert!(near(of(2).read_time.min(), 55_000) && near(of(2).update_time.min(), 45_000));
    assert!(of(1).read_time.is_empty(), "a set has no halves");
}

#[test]
fn one_kind_alone_is_not_kept_apart_unless_it_has_halves() {
    let at = Moments { done: 5, ..Moments::default() };
    for (kinds, kept) in
        [(&[Kind::Get][..], 0), (&[Kind::Cas], 1), (&[Kind::Get, Kind::Set], 1), (&[], 0)]
    {
        let mut recorder = Recorder::of(&doing(kinds));
        recorder.replied_of_kind(0, &at, Outcome::Ok, None);
        assert_eq!(recorder.take().kinds.len(), kept, "{kinds:?}");
        assert!(recorder.take().kinds.is_empty(), "taken");
    }
}

#[test]
fn a_trial_taken_leaves_an_empty_one_with_its_connections() {
    let mut recorder = Recorder::new();
    recorder.connections(64, 60);
    recorder.opened(1000, None);
    recorder.unsent(2);
    let first = recorder.take();
    assert_eq!((first.unsent, first.connections.opened), (2, 1));
    let second = recorder.take();
    let mut expected = Seen::default();
    expected.connections.requested = 64;
    expected.connections.established = 60;
    assert_eq!(second, expected);
}

#[test]
fn records_of_different_trials_or_slices_are_refused() {
    let of = |rank| journal_of_agent(rank, &[], 32);
    let changed = |change: fn(&mut TrialRecord)| {
        let mut part = of(3);
        change(&mut part.trial);
        merge(&[of(1), part]).map(drop)
    };
    assert_eq!(merge(&[]), Err(MergeError::NoRecord));
    let trials = Err(MergeError::DifferentTrials { one: 1, other: 3 });
    assert_eq!(changed(|trial| trial.round = 2), trials);
    assert_eq!(changed(|trial| trial.lane_order.timeout_ns = 2), trials);
    let slices = Err(MergeError::DifferentSlices { one: 1, other: 3 });
    assert_eq!(changed(|trial| drop(trial.seen.slices.pop())), slices);
    assert_eq!(changed(|trial| trial.seen.slices[0].after = None), slices);
    // One that was cut short may have fewer.
    let cut = |trial: &mut TrialRecord| {
        trial.cut_short = true;
        trial.seen.slices.pop();
    };
    assert_eq!(changed(cut), Ok(()));
    assert_eq!(
        MergeError::DifferentSlices { one: 1, other: 3 }.to_string(),
        "agents 1 and 3 recorded different slices of one trial"
    );
}
