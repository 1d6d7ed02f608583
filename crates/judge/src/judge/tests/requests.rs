//! Requests in slices of their own: each is a comparison of the third family.

use super::*;
use crate::verdict::Word;
use record::Seen;

/// A run in which a mix of two requests and each of them alone is driven. `change` modifies what was recorded
/// of a request of b.
fn run(change: impl Fn(usize, &mut Seen)) -> SampleRun {
    let mut run = SampleRun::compare(10);
    run.question.requests = vec!["page".to_owned(), "search".to_owned()];
    for (name, is_b) in [("a", false), ("b", true)] {
        run.each_record(name, |record| {
            let alone = record.seen.clone();
            record.seen.requests = vec![alone.clone(), alone];
            let requests = record.seen.requests.iter_mut().enumerate();
            requests.filter(|_| is_b).for_each(|(at, seen)| change(at, seen));
        });
    }
    run
}

fn slower(seen: &mut Seen) {
    seen.slices.iter_mut().for_each(|slice| slice.took_ns += slice.took_ns / 20);
}

#[test]
fn a_slow_request_is_called_and_the_other_is_not() {
    let verdict = run(|at, seen| {
        if at == 1 {
            slower(seen);
        }
    })
    .verdict();
    let words: Vec<_> =
        verdict.comparisons().iter().map(|of| (of.request.as_deref(), of.verdict)).collect();
    assert_eq!(words[0], (None, Word::Equivalent));
    assert_eq!(
        words[words.len() - 2..],
        [(Some("page"), Word::Equivalent), (Some("search"), Word::Slower)]
    );
    let search = verdict.comparisons().last().expect("a comparison");
    assert!(!search.primary && search.metric == Metric::Throughput);
    assert!((search.confidence - (1.0 - 0.05 / 2.0)).abs() < 1e-9, "its own error budget");
}

#[test]
fn slices_of_single_requests_count_for_the_server_and_not_for_the_mix() {
    let (alone, verdict) = (SampleRun::compare(10).verdict(), run(|_, _| {}).verdict());
    let [alone, with] = [&alone, &verdict].map(|of| &of.contenders()[1]);
    assert_eq!(with.sent.operations, 3 * alone.sent.operations);
    assert_eq!((with.operations, with.throughput), (alone.operations, alone.throughput));
}

#[test]
fn a_request_that_fails_alone_is_found() {
    let run = run(|at, seen| {
        if at == 0 {
            let ok = std::mem::take(&mut seen.outcomes.ok);
            seen.outcomes.unexpected.insert(503, ok);
        }
    });
    let found = run.findings("non_success");
    assert_eq!(found[0].contender.as_deref(), Some("b"));
    assert!(found[0].evidence.starts_with("request page: "), "{found:?}");
    assert_eq!(found[0].weight, Weight::Void);
}
