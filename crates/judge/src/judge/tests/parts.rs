//! Trials that come in parts: one for each worker.

use super::*;
use proptest::prelude::*;

/// The records in parts of which no two are alike: workers differ in their response times and in
/// how long their slices take, and each has seen all replies.
fn dealt(run: &SampleRun, workers: u64) -> Vec<TrialRecord> {
    let wholes = run.records.iter().flat_map(|record| (0..workers).map(move |at| (record, at)));
    let mut parts = split(run, workers, 0);
    for ((whole, worker), TrialRecord { seen, .. }) in wholes.zip(&mut parts) {
        fill(&mut seen.response_time, 1_000_000 + 100_000 * worker, seen.operations);
        seen.digests = whole.seen.digests.clone();
        seen.slices.iter_mut().for_each(|slice| slice.took_ns += 1000 * worker);
    }
    parts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]
    #[test]
    fn the_order_of_worker_parts_does_not_matter(
        workers in 1u64..4,
        keys in prop::collection::vec(0u32..1000, 3 * 2 * 6),
    ) {
        let run = SampleRun::compare(6)
            .with_target_cpu(|target, driven| if target == driven { 0.7 } else { 0.02 });
        let in_order = SampleRun { records: dealt(&run, workers), ..run.clone() };
        let mut keyed: Vec<_> = in_order.records.iter().cloned().zip(keys).collect();
        // Rounds come in order; within a round parts come in any order.
        keyed.sort_by_key(|(record, key)| (record.round, *key));
        let shuffled = keyed.into_iter().map(|(record, _)| record).collect();
        let shuffled = SampleRun { records: shuffled, ..run };
        let verdict = in_order.verdict();
        prop_assert_eq!(&verdict, &shuffled.verdict());
        prop_assert_eq!(&verdict, &in_order.verdict());
        prop_assert_eq!(verdict.complete_rounds(), 6);
        prop_assert_eq!(verdict.contenders()[0].connections.established, 64);
    }

    #[test]
    fn a_trial_in_parts_is_judged_like_the_whole(
        workers in 1u64..5,
        reader in 0u64..5,
        ratios in prop::collection::vec(0.9f64..1.1, 6),
        rest in 0.0f64..0.05,
    ) {
        let mut whole = SampleRun::with_ratios(&ratios).with_target_cpu(|target, driven| {
            if target == driven { 0.7 } else { rest }
        });
        whole.question.secondary = vec![Metric::ResponseP50, Metric::TargetCpu];
        let parts = SampleRun { records: split(&whole, workers, reader % workers), ..whole.clone() };
        prop_assert_eq!(parts.verdict(), whole.verdict());
    }
}

/// The records in parts that add up to them; one worker reads the targets.
fn split(run: &SampleRun, workers: u64, reader: u64) -> Vec<TrialRecord> {
    let part = |record: &TrialRecord, worker: u64| {
        let mut part = record.clone();
        let share = |n: u64| n * (worker + 1) / workers - n * worker / workers;
        let seen = &mut part.seen;
        let n = share(seen.operations);
        (seen.operations, seen.sent, seen.outcomes.ok) = (n, n, n);
        seen.codes = [(200, n)].into();
        for histogram in [&mut seen.response_time, &mut seen.service_time] {
            fill(histogram, 1_000_000, n);
        }
        fill(&mut seen.body_bytes, 87, n);
        seen.connections.requested = share(seen.connections.requested);
        seen.connections.established = share(seen.connections.established);
        if worker != reader {
            seen.digests = record::Digests::default();
        }
        for slice in &mut seen.slices {
            (slice.operations, slice.due) = (share(slice.operations), share(slice.due));
            slice.generator_cpu_ns = share(slice.generator_cpu_ns);
            if worker != reader {
                slice.target_cpu_ns.clear();
            }
        }
        part
    };
    let parts = run.records.iter();
    parts.flat_map(|record| (0..workers).map(move |worker| part(record, worker))).collect()
}
