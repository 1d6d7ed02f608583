//! The cost of targets, and its effect on a verdict.

use super::*;
use record::{Interleave, TargetDone, TargetReady};

/// a and b are equal except for b's CPU at rest; both use half a core while driven.
fn resting(ratio: f64, share: f64) -> SampleRun {
    SampleRun::with_ratios(&[ratio; 10]).with_target_cpu(move |target, driven| {
        match (target, driven) {
            (1, 0) => share,
            (0, 1) => 0.0,
            _ => 0.5,
        }
    })
}

fn near(got: Option<f64>, wanted: f64) -> bool {
    got.is_some_and(|got| (got / wanted - 1.0).abs() < 1e-5)
}

#[test]
fn the_summary_has_the_costs() {
    let verdict = resting(1.0, 0.1).verdict();
    let (a, b) = (&verdict.contenders()[0].target, &verdict.contenders()[1].target);
    // 1.004 s and 800 operations in each round.
    assert!(near(a.cpu_per_operation, 0.5 * 1.004 / 800.0));
    assert!(near(b.cpu_per_operation, 0.6 * 1.004 / 800.0));
    assert!(near(b.cpu_at_rest, 0.1) && a.cpu_at_rest == Some(0.0));
    assert!(near(a.busy, 0.5) && near(b.busy, 0.5));
    let mut two_cores = resting(1.0, 0.1);
    two_cores.ask_each([vec![0, 1], Vec::new()], |of, cores| of.target_cores = cores);
    let verdict = two_cores.verdict();
    assert!(near(verdict.contenders()[0].target.busy, 0.25));
    assert_eq!(verdict.contenders()[1].target.busy, None);
}

#[test]
fn a_shared_process_is_paid_while_driven() {
    let mut run = resting(1.0, 0.1);
    run.question.sharing = vec![vec![0, 1]];
    let verdict = run.verdict();
    let b = &verdict.contenders()[1].target;
    assert!(near(b.cpu_per_operation, 0.5 * 1.004 / 800.0));
    assert_eq!((b.cpu_at_rest, &b.shares_process_with), (None, &vec!["a".to_owned()]));
    assert_eq!(verdict.comparisons()[0].charged, None);
}

#[test]
fn what_was_reported_of_a_target_stays() {
    let run = resting(1.0, 0.0);
    let mut judge = run.judge();
    let ready = TargetReady {
        contender: 1,
        launch: 2,
        cpu_unavailable: Some("it runs on another machine".to_owned()),
        ..TargetReady::default()
    };
    judge.target(&ready);
    judge.target_done(&TargetDone {
        contender: 1,
        launch: 2,
        peak_memory_bytes: Some(7),
        memory_source: "cgroup".to_owned(),
        log_troubles: vec!["the log is a link".to_owned()],
        ..TargetDone::default()
    });
    let verdict = judge.verdict();
    let found = verdict.findings().iter().find(|finding| finding.rule == "log_troubles");
    let found = found.expect("a log that holds secrets is a finding");
    assert_eq!(found.weight, crate::verdict::Weight::Caution);
    assert_eq!(
        (found.contender.as_deref(), found.evidence.as_str()),
        (Some("b"), "the log is a link")
    );
    let b = &verdict.contenders()[1].target;
    assert_eq!((b.launches, b.peak_memory_bytes), (2, Some(7)));
    assert_eq!(b.cpu_unavailable, ready.cpu_unavailable);
}

#[test]
fn one_slice_without_a_reading_makes_it_not_visible() {
    let mut run = resting(1.1, 0.0);
    run.question.secondary = vec![Metric::TargetCpu];
    run.each_seen("a", |round, seen| {
        if round == 3 {
            seen.slices[2].target_cpu_ns[1] = None;
        }
    });
    let verdict = run.verdict();
    let b = &verdict.contenders()[1].target;
    assert_eq!((b.cpu_per_operation, b.cpu_at_rest, b.busy), (None, None, None));
    assert_eq!(b.cpu_unavailable.as_deref(), Some("it could not be read in every slice"));
    assert!(verdict.contenders()[0].target.cpu_per_operation.is_some());
    let [throughput, cpu] = verdict.comparisons() else { panic!("two metrics") };
    assert_eq!((throughput.verdict, throughput.charged), (Word::Faster, None));
    assert_eq!((cpu.verdict, cpu.ratio), (Word::Undecided, None));
    assert_eq!(
        cpu.because,
        ["the CPU time of b's target is not visible (it could not be read in every slice)"]
    );
}

#[test]
fn cpu_per_operation_is_compared() {
    let table = [(1.3, Word::Slower), (0.8, Word::Faster), (1.0, Word::Equivalent)];
    for (times, word) in table {
        let own = |target| 0.5 * if target == 1 { times } else { 1.0 };
        let mut run = SampleRun::compare(10)
            .with_target_cpu(|target, driven| if target == driven { own(target) } else { 0.0 });
        run.question.primary = Metric::TargetCpu;
        let comparison = primary(&run);
        assert!(near(comparison.ratio, times));
        assert_eq!((comparison.verdict, comparison.charged), (word, None));
    }
    // Time at rest is included: 0.5 against 0.4 + 0.1.
    let mut run = SampleRun::compare(10).with_target_cpu(|target, driven| match (target, driven) {
        (1, 0) => 0.1,
        (1, 1) => 0.4,
        (_, driven) => f64::from(driven == 0) * 0.5,
    });
    run.question.primary = Metric::TargetCpu;
    assert_eq!(primary(&run).verdict, Word::Equivalent);
}

#[test]
fn no_cpu_time_makes_no_ratio() {
    let mut run = resting(1.0, 0.0);
    run.question.primary = Metric::TargetCpu;
    for name in ["a", "b"] {
        run.each_seen(name, |round, seen| {
            if round == 4 {
                seen.slices.iter_mut().for_each(|slice| slice.target_cpu_ns[1] = Some(0));
            }
        });
    }
    let comparison = primary(&run);
    assert_eq!((comparison.ratio, comparison.verdict), (None, Word::Undecided));
    assert_eq!(comparison.because, ["no CPU time of b's target was measured in round 4"]);
}

#[test]
fn work_that_is_put_off_is_found_although_throughputs_are_equal() {
    // The example of `Cost::charged_ns`: a does 0.3 × each request later.
    let run = SampleRun::with_ratios(&[1.0; 10]).with_target_cpu(|target, driven| {
        match (target, driven) {
            (0, 0) => 1.0,
            (0, 1) => 0.13,
            (1, 1) => 0.87,
            _ => 0.0,
        }
    });
    let comparison = primary(&run);
    let charged = comparison.charged.expect("both visible");
    assert!((charged.ratio.ln() - 0.2615).abs() < 1e-3, "{charged:?}");
    assert_eq!((charged.verdict, comparison.verdict), (Word::Faster, Word::Undecided));
    assert_eq!(
        comparison.because,
        ["the interval says equivalent, but a used 13 % of a core while at rest: with this time \
          charged to its owner the ratio is 1.299x (1.299x to 1.299x)"]
    );
    assert_eq!(comparison.fresh_rounds, None);
    assert!(comparison.low.is_some());
}

#[test]
fn above_one_percent_a_word_must_be_that_of_the_charged_ratio() {
    let table = [
        // Charged, 1 % at rest is a difference of 1.5 %.
        (1.0, 0.0099, Word::Equivalent, Word::Slower),
        (1.0, 0.0101, Word::Undecided, Word::Slower),
        (1.1, 0.0101, Word::Faster, Word::Faster),
        (1.1, 0.06, Word::Undecided, Word::Equivalent),
        (0.9, 0.2, Word::Slower, Word::Slower),
    ];
    for (ratio, share, expected, charged) in table {
        let mut run = resting(ratio, share);
        run.question.matters = 0.0105;
        let comparison = primary(&run);
        let words = (comparison.verdict, comparison.charged.map(|charged| charged.verdict));
        assert_eq!(words, (expected, Some(charged)), "{ratio} {share}: {comparison:?}");
        assert_eq!(comparison.because.is_empty(), expected != Word::Undecided);
        // Turns do not help if a target works for itself while the next one is driven.
        let mut turns = run.clone();
        turns.pilot.as_mut().expect("a pilot").interleave = Interleave::Turns;
        assert_eq!(primary(&turns).verdict, expected);
    }
}

#[test]
fn what_cannot_be_charged_does_not_stand() {
    let mut run = resting(1.1, 0.02);
    run.question.contenders[0].cpu_in_sight = false;
    let comparison = primary(&run);
    assert_eq!(comparison.verdict, Word::Undecided);
    assert!(comparison.because[0].contains("cannot be charged"), "{:?}", comparison.because);
}

#[test]
fn times_cannot_be_charged_but_turns_keep_them_apart() {
    let word = |share: f64, interleave: Interleave| {
        let mut run = resting(1.1, share);
        run.question.secondary = vec![Metric::ResponseP50, Metric::TargetCpu];
        run.pilot.as_mut().expect("a pilot").interleave = interleave;
        let verdict = run.verdict();
        let [_, p50, cpu] = verdict.comparisons() else { panic!("three metrics") };
        assert_ne!(cpu.verdict, Word::Undecided);
        (p50.verdict, p50.because.first().is_some_and(|why| why.contains("--interleave turns")))
    };
    assert_eq!(word(0.0099, Interleave::Slices), (Word::Equivalent, false));
    assert_eq!(word(0.0101, Interleave::Slices), (Word::Undecided, true));
    assert_eq!(word(0.0101, Interleave::Turns), (Word::Equivalent, false));
}

/// Ratio b/a; how busy the generator and the target are, for a and for b.
fn bottleneck(ratio: f64, generator: [f64; 2], target: [f64; 2]) -> SampleRun {
    let run = SampleRun::with_ratios(&[ratio; 10])
        .with_busy_generator("a", generator[0])
        .with_busy_generator("b", generator[1]);
    run.with_target_cpu(|of, driven| if of == driven { target[of as usize] } else { 0.0 })
}

#[test]
fn where_the_generator_was_slower_than_both_there_is_no_word() {
    for ratio in [1.0, 1.3, 0.7] {
        let mut run = bottleneck(ratio, [0.96, 0.96], [0.5, 0.65]);
        run.question.secondary = vec![Metric::ResponseP50, Metric::TargetCpu];
        let verdict = run.verdict();
        let [throughput, p50, cpu] = verdict.comparisons() else { panic!("three metrics") };
        for held in [throughput, p50] {
            assert_eq!((held.verdict, held.fresh_rounds), (Word::Undecided, None));
            assert!(held.because[0].contains("due to the generator") || ratio != 1.0);
            assert!(held.because[0].contains("a --rate that both can reach"), "{held:?}");
        }
        assert!(throughput.low.is_some() && !throughput.at_least);
        // 0.65 of a core against 0.5, for as many operations.
        assert!(near(cpu.ratio, 1.3 / ratio) && cpu.verdict != Word::Undecided);
    }
}

#[test]
fn where_it_was_slower_than_one_a_difference_stands() {
    let table = [
        (1.3, [0.96, 0.96], [0.96, 0.6], Word::Faster, true),
        // Slower, and held back: its higher cost to the generator explains it.
        (1.3, [0.96, 0.96], [0.6, 0.96], Word::Undecided, false),
        (0.8, [0.96, 0.96], [0.6, 0.96], Word::Slower, true),
        (1.0, [0.96, 0.96], [0.96, 0.6], Word::Undecided, false),
        // Both targets were at their limit, or the generator was idle.
        (1.0, [0.96, 0.96], [0.96, 0.96], Word::Equivalent, false),
        (1.0, [0.94, 0.94], [0.6, 0.6], Word::Equivalent, false),
    ];
    for (ratio, generator, target, word, at_least) in table {
        let comparison = primary(&bottleneck(ratio, generator, target));
        assert_eq!((comparison.verdict, comparison.at_least), (word, at_least), "{target:?}");
    }
    let held = primary(&bottleneck(1.3, [0.5, 0.96], [0.5, 0.6]));
    assert_eq!(held.because, ["at least: the generator held back b, which is ahead"]);
    let equal = primary(&bottleneck(1.0, [0.5, 0.96], [0.5, 0.6]));
    assert!(equal.because[0].contains("equal figures may be due to the generator"));
}

#[test]
fn the_generator_comes_before_cpu_at_rest() {
    let run = bottleneck(1.1, [0.96, 0.96], [0.5, 0.5]);
    let both = run.with_target_cpu(|of, driven| if of == driven { 0.5 } else { 0.2 });
    let comparison = primary(&both);
    assert_eq!((comparison.verdict, comparison.because.len()), (Word::Undecided, 1));
    assert!(comparison.because[0].contains("the generator was busy"));
    assert!(comparison.charged.is_some());
}

/// The ratio b/a of throughput, how busy the generator was with a, and the cost of an operation of
/// b relative to one of a. Targets have cores to spare.
fn with_generator_costs(ratio: f64, busy: f64, cost: f64) -> SampleRun {
    // The generator's share of time with b follows from both.
    let run = bottleneck(ratio, [busy, busy * ratio * cost], [0.5, 0.5]);
    assert!(busy * ratio * cost <= 1.0, "nobody has more time than there is");
    run
}

#[test]
fn of_different_targets_only_what_lies_beyond_the_generators_cost_counts() {
    let table = [
        // Twice the header, 1.2 × the cost: nothing remains.
        (1.0 / 1.2, 0.98, 1.2, Word::Undecided, None),
        // b is faster and costs less: 1.111x of 1.25x is explained.
        (1.25, 0.85, 0.9, Word::Faster, Some(1.125)),
        // The same, but the generator had time to spare with a: its target was at its limit.
        (1.25, 0.79, 0.9, Word::Faster, None),
        // b is slower although it costs the generator less.
        (0.8, 0.9, 0.9, Word::Slower, None),
        // More is explained than was measured.
        (0.97, 0.98, 1.05, Word::Undecided, None),
    ];
    for (ratio, busy, cost, word, beyond) in table {
        let mut run = with_generator_costs(ratio, busy, cost);
        // If b is slower, it is the one that must have been busy.
        if ratio < 1.0 && word == Word::Undecided {
            run = run.with_busy_generator("b", 0.98);
            run = run.with_busy_generator("a", 0.98 / (ratio * cost));
        }
        let comparison = primary(&run);
        assert_eq!(comparison.verdict, word, "{ratio} {busy} {cost}: {comparison:?}");
        let found = comparison.beyond_generator.map(|beyond| beyond.ratio);
        assert_eq!(found.is_some(), beyond.is_some(), "{ratio} {busy} {cost}: {comparison:?}");
        assert!(found.is_none() || near(found, beyond.unwrap_or(0.0)), "{found:?}");
        assert_eq!(comparison.at_least, beyond.is_some(), "{comparison:?}");
        // The measured figures are not changed.
        assert!(near(comparison.ratio, ratio));
    }
}

#[test]
fn the_clients_cost_is_compared_where_every_application_pays_it() {
    // b opens a connection for each operation, which costs the client twice as much.
    let mut run = bottleneck(0.5, [0.98, 0.98], [0.6, 0.5]);
    assert_eq!(primary(&run).verdict, Word::Undecided);
    let libraries = |of: [bool; 2]| {
        let mut run = run.clone();
        run.ask_each(of, |of, library| of.by_library = library);
        primary(&run).verdict
    };
    assert_eq!(libraries([true, true]), Word::Slower);
    assert_eq!(libraries([false, true]), Word::Undecided, "our own codec's cost is nobody's");
    run.question.one_target = vec![vec![0, 1]];
    let comparison = primary(&run);
    assert_eq!((comparison.verdict, comparison.at_least), (Word::Slower, false));
    // 800 operations in 1.004 s, and in twice that.
    assert_eq!(
        comparison.because,
        ["an operation of b takes 1.26 ms longer; 1.23 ms are spent in the client"]
    );
    let share = comparison.client_share.expect("both are known");
    assert!((share.client / share.difference - 0.98).abs() < 1e-6, "{share:?}");
    // Equal figures may be due to the client, regardless of who pays for it.
    let mut equal = bottleneck(1.0, [0.98, 0.98], [0.6, 0.5]);
    equal.question.one_target = vec![vec![0, 1]];
    assert_eq!(primary(&equal).verdict, Word::Undecided);
}

#[test]
fn the_reason_names_the_remedy_that_fits() {
    let reason = |cores: (&[u32], &[u32], &[u32])| {
        let mut run = bottleneck(1.0, [0.98, 0.98], [0.6, 0.5]);
        run.question.generator_cores = cores.0.to_vec();
        run.ask_each([cores.1; 2], |of, cores| of.target_cores = cores.to_vec());
        run.question.allowed_cores = cores.2.to_vec();
        primary(&run).because.remove(0)
    };
    let unpinned = reason((&[3], &[0, 1, 2, 3], &[0, 1, 2, 3]));
    assert!(unpinned.ends_with("away from the generator's cores (taskset -c 0,1,2)"), "{unpinned}");
    let more = reason((&[3], &[0], &[0, 1, 2, 3]));
    assert!(more.ends_with("give the generator more cores (--cores 2)"), "{more}");
    let none_left = reason((&[1], &[0], &[0, 1]));
    assert!(none_left.contains("at a --rate that both can reach"), "{none_left}");
}

#[test]
fn to_wait_for_a_core_is_not_the_generators_work() {
    // It waited for half of its time, because of another program or the target.
    let mut run = with_generator_costs(1.0 / 1.2, 0.4, 1.2);
    for name in ["a", "b"] {
        run.each_seen(name, |_, seen| {
            seen.slices.iter_mut().for_each(|slice| slice.waited_ns = slice.took_ns / 2);
        });
    }
    let comparison = primary(&run);
    assert_eq!((comparison.verdict, comparison.at_least), (Word::Slower, false));
}

#[test]
fn a_lost_watcher_leaves_the_figures_of_the_rounds_before() {
    let mut run = resting(1.0, 0.1);
    run.question.secondary = vec![Metric::TargetCpu];
    for name in ["a", "b"] {
        run.each_seen(name, |round, seen| {
            let lost = |slice: &mut record::Slice| slice.target_cpu_ns[1] = None;
            if round >= 8 {
                seen.slices.iter_mut().for_each(lost);
            }
        });
    }
    let mut judge = run.judge();
    judge.target(&TargetReady {
        contender: 1,
        cpu_source: Some("process_clocks".to_owned()),
        watched: Some("process 4711".to_owned()),
        ..TargetReady::default()
    });
    let verdict = judge.verdict();
    let b = &verdict.contenders()[1].target;
    assert!(near(b.cpu_per_operation, 0.6 * 1.004 / 800.0), "{:?}", b.cpu_per_operation);
    assert!(near(b.cpu_at_rest, 0.1));
    assert_eq!(b.busy, None, "a statement about all rounds");
    assert_eq!(b.cpu_unavailable.as_deref(), Some("from round 8 on"));
    assert_eq!(b.watch.as_ref().and_then(|watch| watch.lost_from), Some(8));
    let [throughput, cpu] = verdict.comparisons() else { panic!("two metrics") };
    assert_eq!((throughput.rounds.len(), throughput.charged), (10, None));
    assert_eq!(cpu.rounds.iter().map(|round| round.0).collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
    assert!(near(cpu.ratio, 1.2), "{:?}", cpu.ratio);
    assert!(cpu.because[0].starts_with("rests on the rounds before round 8"), "{:?}", cpu.because);
}

#[test]
fn time_stolen_from_the_targets_machine_is_what_its_watcher_read() {
    let stolen = |machine: u32| {
        let mut run = resting(1.0, 0.0);
        run.ask_each([0, machine], |of, machine| of.machine = machine);
        run.each_seen("b", |_, seen| {
            for slice in &mut seen.slices {
                slice.steal_ns = slice.took_ns / 4;
                let watched = record::WatchedSlice {
                    from_ns: 1,
                    until_ns: 2,
                    asked_ns: [3, 4],
                    steal_ns: Some(slice.took_ns / 2),
                };
                slice.watched = vec![None, Some(watched)];
            }
        });
        let mut judge = run.judge();
        judge.close_round();
        judge.evidence.stolen_from_target(1)
    };
    assert!(near(stolen(0), 0.25), "{:?}", stolen(0));
    assert!(near(stolen(1), 0.5), "{:?}", stolen(1));
}
