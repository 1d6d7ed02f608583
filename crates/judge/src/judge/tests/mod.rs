//! The verdict as a whole.

mod capacities;
mod costs;
mod groups;
mod launches;
mod lengths;
mod looks;
mod memory;
mod parts;
mod requests;
mod suites;

use super::*;
use crate::builder::{SampleRun, fill};
use crate::verdict::Comparison;
use record::{Arrivals, EndReason, Failure, Histogram, Metric, Pair};

fn primary(run: &SampleRun) -> Comparison {
    run.verdict().comparisons()[0].clone()
}

/// b's replies take this many microseconds, a's 1000.
fn with_p50(us: u64) -> SampleRun {
    let mut run = SampleRun::compare(8);
    run.question.primary = Metric::ResponseP50;
    run.each_seen("b", |_, seen| fill(&mut seen.response_time, us * 1000, 800));
    run
}

#[test]
fn the_ratio_is_b_to_a_and_the_word_speaks_of_b() {
    let table = [
        (SampleRun::with_ratios(&[1.1; 8]), 1.1, Word::Faster),
        (SampleRun::with_ratios(&[0.9; 8]), 0.9, Word::Slower),
        (SampleRun::with_ratios(&[1.0; 8]), 1.0, Word::Equivalent),
        (with_p50(1100), 1.1, Word::Slower),
        (with_p50(900), 0.9, Word::Faster),
        (with_p50(1005), 1.005, Word::Equivalent),
    ];
    for (run, ratio, word) in table {
        let comparison = primary(&run);
        assert_eq!((comparison.a.as_str(), comparison.b.as_str()), ("a", "b"));
        assert!(comparison.ratio.is_some_and(|got| (got / ratio - 1.0).abs() < 2e-3));
        assert_eq!(comparison.verdict, word, "{ratio} {:?}", comparison.metric);
        assert_eq!((comparison.replicates, comparison.rounds.len()), (8, 8));
    }
}

#[test]
fn each_family_shares_its_own_budget() {
    let mut run = SampleRun::of(&["a", "b", "c"], 8);
    run.question.secondary = vec![Metric::ResponseP50, Metric::ResponseP99];
    let verdict = run.verdict();
    let found: Vec<_> = verdict
        .comparisons()
        .iter()
        .map(|c| (c.b.as_str(), c.metric, c.primary, (c.confidence * 1e4).round() as u32))
        .collect();
    let of = |b| {
        [
            (b, Metric::Throughput, true, 9750),
            (b, Metric::ResponseP50, false, 9875),
            (b, Metric::ResponseP99, false, 9875),
        ]
    };
    assert_eq!(found, [of("b"), of("c")].concat());
}

#[test]
fn more_comparisons_need_more_rounds() {
    // 6 rounds decide one comparison, but not two.
    let mut run = SampleRun::of(&["a", "b", "c"], 6);
    let refused = primary(&run);
    assert_eq!((refused.low, refused.high, refused.verdict), (None, None, Word::Undecided));
    assert_eq!(
        refused.because,
        ["6 rounds cannot support 2 comparisons at 5 %; at least 7 are needed"]
    );
    assert!(refused.fresh_rounds.is_some_and(|(about, _)| about == 7));
    run.question.pairs.truncate(1);
    assert_eq!(primary(&run).verdict, Word::Equivalent);
}

#[test]
fn all_pairs_may_be_asked_for() {
    let mut run = SampleRun::of(&["a", "b", "c"], 8);
    run.question.pairs.push(Pair { a: 1, b: 2 });
    let verdict = run.verdict();
    let last = &verdict.comparisons()[2];
    assert_eq!((last.a.as_str(), last.b.as_str()), ("b", "c"));
}

#[test]
fn a_void_run_keeps_its_numbers_and_has_no_verdict() {
    let sound = SampleRun::with_ratios(&[1.1; 8]);
    let mut spoiled = sound.clone();
    spoiled.each_seen("a", |_, seen| {
        seen.outcomes.ok -= 1;
        seen.outcomes.failed.insert(Failure::NoPort, 1);
    });
    let (sound, spoiled) = (sound.verdict(), spoiled.verdict());
    assert!(spoiled.void() && !sound.void());
    let (kept, word) = (&spoiled.comparisons()[0], sound.comparisons()[0].clone());
    assert_eq!(kept.verdict, Word::Void);
    assert_eq!(kept.because, ["the audit refused: our_faults"]);
    let but_the_word = Comparison { verdict: word.verdict, because: Vec::new(), ..kept.clone() };
    assert_eq!(but_the_word, word);
}

#[test]
fn rounds_that_are_not_complete_are_not_judged() {
    let ratios = [1.1; 8];
    let whole = SampleRun::with_ratios(&ratios);
    let mut cut = SampleRun::with_ratios(&[&ratios[..], &[0.2, 0.3]].concat());
    cut.records.retain(|record| record.round != 9 || record.contender == 0);
    cut.each_record("b", |record| record.cut_short = record.round == 10);
    let (whole, cut) = (whole.verdict(), cut.verdict());
    assert_eq!(cut.complete_rounds(), 8);
    assert_eq!(cut.comparisons(), whole.comparisons());
    assert_eq!(cut.contenders()[0].operations, whole.contenders()[0].operations);
    // But the server's log counts all of them.
    assert_eq!(cut.contenders()[0].sent.operations, 10 * 800);
}

#[test]
fn without_a_complete_round_there_is_no_ratio() {
    let mut run = SampleRun::compare(3);
    run.each_record("b", |record| record.cut_short = true);
    let verdict = run.verdict();
    let comparison = &verdict.comparisons()[0];
    assert_eq!((verdict.complete_rounds(), comparison.replicates), (0, 0));
    assert_eq!((comparison.ratio, comparison.verdict), (None, Word::Undecided));
    assert_eq!(comparison.because, ["no round was complete"]);
    assert!(!verdict.void());
    assert_eq!(SampleRun::compare(0).verdict().complete_rounds(), 0);
}

#[test]
fn a_round_without_the_metric_leaves_no_ratio() {
    let mut run = SampleRun::compare(8);
    run.each_seen("b", |round, seen| {
        if round == 5 {
            seen.slices.iter_mut().for_each(|slice| slice.operations = 0);
        }
    });
    let comparison = primary(&run);
    assert_eq!((comparison.ratio, comparison.verdict), (None, Word::Undecided));
    assert_eq!(comparison.because, ["b has no throughput in round 5"]);
}

#[test]
fn a_single_run_counts_although_it_was_cut_short() {
    let mut run = SampleRun::single().with_arrivals(Arrivals::Constant(8000.0));
    run.each_record("a", |record| {
        record.cut_short = true;
        // Stopped after a tenth of the planned time.
        record.seen.slices[0].sending_ns = 1_000_000_000;
        record.seen.slices[0].took_ns = 100_000_000;
    });
    run.end = Some(End { reason: EndReason::Stopped, detail: String::new() });
    let verdict = run.verdict();
    assert_eq!((verdict.complete_rounds(), verdict.contenders()[0].operations), (0, 800));
    assert!(!verdict.void(), "{:?}", verdict.findings());
    assert_eq!(verdict.comparisons(), []);
}

#[test]
fn sent_adds_up_by_phase() {
    let mut run = SampleRun::compare(2);
    let mut before = run.records[0].clone();
    (before.round, before.seen.sent, before.seen.unfinished) = (0, 0, 3);
    before.seen.connections.opened = 64;
    fill(&mut before.seen.connect_time, 40_000, 64);
    for (phase, sent) in [(Phase::Ready, 1), (Phase::WarmUp, 20), (Phase::Pilot, 300)] {
        let mut record = before.clone();
        (record.phase, record.seen.sent) = (phase, sent);
        run.records.insert(0, record);
    }
    let verdict = run.verdict();
    let a = &verdict.contenders()[0];
    assert_eq!((a.sent.ready, a.sent.warm_up, a.sent.pilot), (1, 20, 300));
    assert_eq!((a.sent.operations, a.sent.unfinished), (1600, 9));
    // Connections persist: the rounds use those of the warm-up.
    assert_eq!(
        (a.connections.requested, a.connections.established, a.connections.opened),
        (64, 64, 192)
    );
    assert!(a.connect_time.p50.is_some_and(|time| (time - 40e-6).abs() < 1e-7));
    assert_eq!(a.operations, 1600);
}

#[test]
fn equal_figures_of_a_busy_generator_are_not_called_equivalent() {
    let busy = |ratio: f64, names: &[&str]| {
        let mut run = SampleRun::with_ratios(&[ratio; 8]);
        for name in names {
            run.each_seen(name, |_, seen| {
                seen.slices.iter_mut().for_each(|slice| slice.generator_cpu_ns = slice.took_ns);
            });
        }
        primary(&run)
    };
    let equal = busy(1.0, &["b"]);
    assert_eq!((equal.verdict, equal.fresh_rounds), (Word::Undecided, None));
    assert!(equal.because[0].contains("equal figures may be due to the generator"));
    assert!(equal.low.is_some());
    // "At least" applies only if the faster one alone was held back. The slower one costs the
    // generator more in these runs, which explains everything.
    let table = [
        (1.1, vec!["b"], Word::Faster, true),
        (1.1, vec!["a"], Word::Undecided, false),
        (1.1, vec!["a", "b"], Word::Undecided, false),
        (0.9, vec!["a"], Word::Slower, true),
        (0.9, vec![], Word::Slower, false),
    ];
    for (ratio, names, word, at_least) in table {
        let comparison = busy(ratio, &names);
        assert_eq!((comparison.verdict, comparison.at_least), (word, at_least), "{names:?}");
    }
}

#[test]
fn only_the_undecided_learn_how_many_rounds_a_fresh_run_needs() {
    let noisy = [1.05, 0.97, 1.03, 0.96, 1.04, 0.98, 1.06, 0.95];
    let undecided = primary(&SampleRun::with_ratios(&noisy));
    assert_eq!(undecided.verdict, Word::Undecided);
    assert!(undecided.fresh_rounds.is_some_and(|(about, up_to)| about > 8 && up_to > about));
    assert_eq!(primary(&SampleRun::with_ratios(&[1.1; 8])).fresh_rounds, None);
    // The order of the rounds does not affect how many would decide.
    let mut sorted = noisy;
    sorted.sort_by(f64::total_cmp);
    let correlated = primary(&SampleRun::with_ratios(&sorted)).fresh_rounds;
    assert_eq!(correlated, undecided.fresh_rounds);
}

#[test]
fn the_summary_has_the_figures() {
    let verdict = SampleRun::compare(8).verdict();
    let a = &verdict.contenders()[0];
    // 4 slices of 251 ms and 800 operations in each of 8 rounds.
    assert!(a.throughput.is_some_and(|rate| (rate - 800.0 / 1.004).abs() < 1e-6));
    assert!(a.generator_idle.is_some_and(|idle| (idle - (1.0 - 125.0 / 251.0)).abs() < 1e-9));
    let cpu = a.generator_cpu_per_operation;
    assert!(cpu.is_some_and(|cpu| (cpu - 0.5 / 800.0).abs() < 1e-9));
    assert_eq!((a.rounds.len(), a.slices.len(), a.histogram.len()), (8, 32, 6400));
    assert_eq!(a.codes, [(200, 6400)].into());
    assert!(a.response_time.p99.is_some_and(|p99| (p99 - 1e-3).abs() < 1e-6));
    assert_eq!(a.tls_time.p50, None);
}

#[test]
fn a_contender_without_a_name_is_left_out() {
    let mut run = SampleRun::compare(4);
    let sound = run.verdict();
    let mut stranger = run.records[0].clone();
    stranger.contender = 7;
    run.records.push(stranger);
    assert_eq!(run.verdict(), sound);
}

/// Slices of 250 ms that last 249 ms, of two contenders in turn: after each slice of the first
/// there is a pause of 1 ms.
#[test]
fn pauses_between_slices_are_known_if_several_machines_drove() {
    let mut run = SampleRun::compare(4);
    run.each(|record| record.seen.slices.iter_mut().for_each(|slice| slice.took_ns = 249_000_000));
    assert_eq!(run.verdict().gate(), None);
    run.each(|record| record.agents = vec![record::AgentSeen::default()]);
    let verdict = run.verdict();
    let gate = verdict.gate().expect("agents drove");
    assert_eq!((gate.pauses, gate.pause, gate.longest), (16, 0.001, 0.001));
    assert_eq!(gate.share, 16.0 / (16.0 + 32.0 * 249.0));
}
