//! Groups that were driven at the same time: each is judged by itself.

use super::*;
use crate::builder::weights;
use crate::verdict::Word;
use record::{GroupQuestion, Intensity, Seen, TrialRecord};

const NAMES: [&str; 2] = ["readers", "writers"];

/// Readers in closed loop with 10 000 replies per round, beside writers at a rate that makes
/// `writes` of them due. `change` modifies the record of a group of b.
fn run(writes: u64, change: impl Fn(usize, &mut Seen)) -> SampleRun {
    let mut run = SampleRun::compare(10).with_operations(10_000 + writes);
    let metrics = vec![Metric::Throughput, Metric::ResponseP50];
    run.question.groups = NAMES
        .map(|name| GroupQuestion { name: name.to_owned(), metrics: metrics.clone() })
        .to_vec();
    for (name, is_b) in [("a", false), ("b", true)] {
        run.each_record(name, |record| {
            let sending: u64 = record.seen.slices.iter().map(|slice| slice.sending_ns).sum();
            let rate = Arrivals::Constant(writes as f64 * 1e9 / sending as f64);
            let group = |arrivals| Intensity { connections: 32, depth: 1, arrivals };
            record.lane_order.groups = vec![group(Arrivals::Closed), group(rate)];
            record.seen.groups = vec![part(record, 10_000), part(record, writes)];
            let groups = record.seen.groups.iter_mut().enumerate();
            groups.filter(|_| is_b).for_each(|(at, seen)| change(at, seen));
        });
    }
    run
}

fn part(record: &TrialRecord, operations: u64) -> Seen {
    let mut seen = record.seen.clone();
    (seen.operations, seen.sent, seen.outcomes.ok) = (operations, operations, operations);
    seen.codes = [(200, operations)].into();
    for histogram in [&mut seen.response_time, &mut seen.service_time] {
        fill(histogram, 1_000_000, operations);
    }
    fill(&mut seen.body_bytes, 87, operations);
    seen.connections.requested = 32;
    seen.connections.established = 32;
    let slices = seen.slices.len() as u64;
    for (i, slice) in (0..).zip(&mut seen.slices) {
        slice.operations = operations * (i + 1) / slices - operations * i / slices;
        slice.due = slice.operations;
    }
    seen
}

fn words(run: &SampleRun) -> Vec<(Option<String>, Metric, Word)> {
    let verdict = run.verdict();
    let all = verdict.comparisons().iter();
    all.map(|of| (of.group.clone(), of.metric, of.verdict)).collect()
}

#[test]
fn a_difference_in_one_group_is_found_there_and_not_in_the_other() {
    for (slow, fast) in [(0, 1), (1, 0)] {
        let run = run(5000, |at, seen| {
            if at == slow {
                let n = seen.operations;
                fill(&mut seen.response_time, 1_100_000, n);
                seen.slices.iter_mut().for_each(|slice| slice.took_ns += slice.took_ns / 10);
            }
        });
        let words = words(&run);
        assert_eq!(words[0], (None, Metric::Throughput, Word::Equivalent));
        let of = |at: usize| {
            let group = Some(NAMES[at].to_owned());
            words.iter().filter(|word| word.0 == group).map(|word| word.2).collect::<Vec<_>>()
        };
        assert_eq!(of(slow), [Word::Slower; 2], "{words:?}");
        assert_eq!(of(fast), [Word::Equivalent; 2], "{words:?}");
    }
}

#[test]
fn figures_of_groups_share_the_error_budget_of_the_second_family() {
    let verdict = run(5000, |_, _| {}).verdict();
    let levels: Vec<f64> = verdict.comparisons().iter().map(|of| of.confidence).collect();
    assert!((levels[0] - 0.95).abs() < 1e-9, "{levels:?}");
    assert!(levels[1..].iter().all(|level| (level - (1.0 - 0.05 / 4.0)).abs() < 1e-9));
}

#[test]
fn a_group_that_fails_is_not_lost_among_the_others() {
    // One operation in 2000 of the run, and one in ten of its group.
    let run = run(50, |at, seen| {
        if at == 1 {
            (seen.outcomes.ok, seen.outcomes.wrong) = (45, 5);
        }
    });
    let findings = run.findings("wrong_values");
    let of: Vec<_> = findings.iter().map(|of| (of.contender.as_deref(), of.weight)).collect();
    assert_eq!(of, [(Some("b"), Weight::Void)]);
    assert!(findings[0].evidence.starts_with("group writers: of 500 operations 50 returned"));
}

#[test]
fn the_rate_of_a_group_is_looked_at_by_itself() {
    let kept = run(5000, |_, _| {});
    assert_eq!(kept.findings("rate_not_reached"), []);
    let short = run(5000, |at, seen| {
        if at == 1 {
            seen.operations -= 500;
        }
    });
    let found = short.findings("rate_not_reached");
    assert_eq!(weights(&short, "rate_not_reached"), [Weight::Void]);
    assert!(found[0].evidence.starts_with("group writers: the generator scheduled"), "{found:?}");
}

#[test]
fn a_group_with_fewer_connections_is_named() {
    let run = run(5000, |at, seen| {
        if at == 1 {
            seen.connections.established = 31;
        }
    });
    let found = run.findings("fewer_connections");
    assert_eq!(found[0].evidence, "group writers: 31 of 32 connections could be opened");
}

#[test]
fn the_summary_has_each_group_by_its_name() {
    let verdict = run(5000, |_, _| {}).verdict();
    let contender = &verdict.contenders()[1];
    let of: Vec<_> = contender.groups.iter().map(|of| (of.name.as_str(), of.operations)).collect();
    assert_eq!(of, [("readers", 100_000), ("writers", 50_000)]);
    assert_eq!(contender.groups[0].rounds.len(), 10);
}
