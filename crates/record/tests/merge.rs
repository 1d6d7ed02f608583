//! A recorder of the whole = the recorders of the parts, merged in any order and
//! any grouping.

use proptest::prelude::*;
use record::{Failure, Moments, ProgramRun, Recorder, Seen, SliceStart, Told};

const SLICES: u64 = 3;
const SLICE_NS: u64 = 300_000_000;
const MOST_WORKERS: usize = 4;

/// What happened to one operation, and which worker had it.
#[derive(Clone, Debug)]
struct Operation {
    slice: u64,
    worker: usize,
    due_ns: u64,
    lag_ns: u64,
    service_ns: u64,
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
    (0..SLICES, 0..MOST_WORKERS, times, ending()).prop_map(|(slice, worker, times, end)| {
        Operation { slice, worker, due_ns: times.0, lag_ns: times.1, service_ns: times.2, end }
    })
}

/// Records these operations, slice by slice, as one worker (or as the only one)
/// with so many connections.
fn recorded(operations: &[&Operation], connections: u64) -> Seen {
    let mut recorder = Recorder::new();
    recorder.connections(connections, connections - 1);
    for place in 0..SLICES {
        let starts = 1_000_000_000 * (place + 1);
        recorder.begin_slice(&SliceStart {
            place,
            after: Some((place % 2) as u32),
            engine_started: 500_000_000,
            starts,
            sends_until: starts + SLICE_NS,
            burn_in_ns: 2_000_000,
        });
        let here = operations.iter().filter(|operation| operation.slice == place);
        here.for_each(|operation| record(&mut recorder, starts, operation));
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
    if !matches!(operation.end, Ending::Program { .. } | Ending::Cut) {
        recorder.due();
    }
    match operation.end {
        Ending::Reply { code, expected, body } => {
            let told = if expected { Told::Ok } else { Told::Unexpected };
            recorder.replied(&at, code, told, body);
            recorder.digest(body % 40);
        }
        Ending::TimedOut { sent } => recorder.timed_out(&at, sent),
        Ending::Failed { failure, sent } => {
            recorder.failed(failure, done, sent);
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
        whole.connections.got = 64 - MOST_WORKERS as u64;
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

    #[test]
    fn every_operation_is_somewhere(operations in prop::collection::vec(operation(), 0..80)) {
        let all: Vec<&Operation> = operations.iter().collect();
        let seen = recorded(&all, 64);
        let accounted = seen.operations + seen.unfinished + seen.unsent;
        prop_assert_eq!(accounted, operations.len() as u64);
        prop_assert_eq!(seen.outcomes.total(), seen.operations);
        let latencies = seen.response_time.len() + seen.left_out + seen.without_latency;
        prop_assert_eq!(latencies, seen.operations);
        let in_slices: u64 = seen.slices.iter().map(|slice| slice.operations).sum();
        prop_assert_eq!(in_slices, seen.operations);
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
    expected.connections.asked = 64;
    expected.connections.got = 60;
    assert_eq!(second, expected);
}
