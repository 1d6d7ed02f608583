//! Runs in which the launch is the replicate.

use super::*;
use crate::builder::ranked_run;
use crate::random::Random;

/// Launches of five rounds; b/a of each launch.
fn run(launches: &[f64]) -> SampleRun {
    let rounds: Vec<f64> = launches.iter().flat_map(|ratio| [*ratio; 5]).collect();
    SampleRun::with_ratios(&rounds).with_restarts(launches.len() as u32)
}

#[test]
fn a_launch_counts_once_however_many_rounds_it_has() {
    // Servers that settle 2 % apart at each start, in either direction.
    let launches = [1.02, 0.98, 1.021, 1.019, 0.981, 1.022, 0.982, 1.018, 1.02, 1.02];
    let by_launch = primary(&run(&launches));
    assert_eq!((by_launch.verdict, by_launch.replicates), (Word::Undecided, 10));
    assert_eq!(by_launch.rounds.len(), 50);
    let by_round = primary(&run(&launches).with_restarts(0));
    assert!(by_round.p < by_launch.p);
    let (about, _) = by_launch.fresh_rounds.expect("undecided");
    assert!((10..200).contains(&about), "{about} launches");
    let called = primary(&run(&[1.05; 10]));
    assert_eq!((called.verdict, called.replicates), (Word::Faster, 10));
}

#[test]
fn the_difference_of_a_launch_is_the_mean_of_its_rounds() {
    let ratios = [1.0, 1.1, 1.2, 1.3, 1.4];
    let comparison = primary(&SampleRun::with_ratios(&ratios.repeat(6)).with_restarts(6));
    let mean = ratios.iter().map(|ratio: &f64| ratio.ln()).sum::<f64>() / 5.0;
    let [low, high] = [comparison.low, comparison.high].map(|end| end.expect("6 launches").ln());
    assert!((low - mean).abs() < 1e-6 && (high - mean).abs() < 1e-6, "{low} {high} {mean}");
}

#[test]
fn only_whole_launches_count() {
    let all = run(&[1.05; 10]);
    let table = [
        (50, 10, None),
        (49, 9, Some("launch 10 was left out: not all of its 5 rounds are complete")),
        (35, 7, None),
    ];
    for (rounds, launches, why) in table {
        let comparison = primary(&all.after(rounds));
        assert_eq!((comparison.replicates, comparison.verdict), (launches, Word::Faster));
        assert_eq!(comparison.because.first().map(String::as_str), why);
        assert_eq!(comparison.rounds.len(), rounds as usize);
    }
    let mut holes = all.clone();
    holes.each_record("a", |record| record.cut_short = [3, 28].contains(&record.round));
    let comparison = primary(&holes);
    assert_eq!(comparison.replicates, 8);
    assert_eq!(
        comparison.because,
        ["launches 1 and 6 were left out: not all of their 5 rounds are complete"]
    );
}

#[test]
fn too_few_launches_are_named() {
    let all = run(&[1.05; 10]);
    let few = primary(&all.after(25));
    assert_eq!((few.low, few.verdict), (None, Word::Undecided));
    assert_eq!(
        few.because,
        ["5 launches cannot support 1 comparison at 5 %; at least 6 are needed"]
    );
    assert_eq!(primary(&all.after(30)).verdict, Word::Faster);
    let none = primary(&all.after(4));
    assert_eq!((none.ratio, none.replicates, none.rounds.len()), (None, 0, 4));
    assert_eq!(none.because, ["no launch has all of its 5 rounds complete"]);
}

#[test]
fn the_charged_ratio_is_of_launches_too() {
    let run = run(&[1.05; 10]).with_target_cpu(|of, driven| if of == driven { 0.5 } else { 0.0 });
    let comparison = primary(&run);
    let charged = comparison.charged.expect("both visible");
    assert_eq!(charged.interval, comparison.low.zip(comparison.high));
}

/// Ten launches of two rounds, in each of which b answers in 1 ms, except most of every second round.
fn two_paces() -> SampleRun {
    let mut run = SampleRun::compare(20).with_restarts(10);
    run.question.secondary = vec![Metric::ResponseP50];
    run.each_seen("b", |round, seen| {
        let slow = if round.is_multiple_of(2) { 700 } else { 0 };
        seen.response_time = Histogram::new();
        (0..800)
            .for_each(|n| seen.response_time.record(if n < slow { 3_000_000 } else { 1_000_000 }));
    });
    run
}

#[test]
fn a_quantile_of_a_launch_is_that_of_all_its_replies() {
    let p50 = |run: &SampleRun| run.verdict().comparisons()[1].ratio.expect("replicates");
    // Of 1600 replies of b 900 take 1 ms.
    assert!((p50(&two_paces().with_whole_launches()) - 1.0).abs() < 0.01);
    // Journals of earlier versions have the mean of the rounds.
    assert!((p50(&two_paces()) - 3f64.sqrt()).abs() < 0.01);
}

#[test]
fn a_round_without_replies_leaves_its_launch_a_quantile() {
    let mut run = two_paces().with_whole_launches();
    run.each_seen("b", |round, seen| {
        if round == 2 {
            seen.response_time = Histogram::new();
        }
    });
    let comparison = run.verdict().comparisons()[1].clone();
    assert_eq!((comparison.replicates, comparison.rounds.len()), (10, 19));
}

#[test]
fn what_rounds_can_judge_launches_of_two_halves_can_judge() {
    let judged = |run: SampleRun| {
        let mut run = run;
        run.question.secondary =
            vec![Metric::ResponseP50, Metric::ResponseP99, Metric::ResponseP999];
        let verdict = run.verdict();
        let of = |comparison: &Comparison| {
            (comparison.metric, comparison.verdict, comparison.replicates)
        };
        verdict.comparisons().iter().map(of).collect::<Vec<_>>()
    };
    // Replies of one second.
    for replies in [1000, 2000, 3000, 5000] {
        let rounds = judged(SampleRun::compare(10).with_operations(replies));
        let halves = SampleRun::compare(20).with_operations(replies / 2).with_restarts(10);
        assert_eq!(judged(halves.with_whole_launches()), rounds, "{replies}");
    }
}

#[test]
fn looks_count_launches() {
    let mut all = run(&[1.05; 16]);
    all.question.interim_looks = vec![10, 16, 26, 40, 60];
    (all.question.rounds, all.question.restarts) = (300, 60);
    let comparison = primary(&all);
    assert_eq!((comparison.interim_looks, comparison.replicates), (Some(1), 10));
    assert!(all.after(50).judge().decided());
    assert!(!all.after(49).judge().decided());
    assert_eq!(
        primary(&all.after(45)).because,
        ["9 launches done; the first look is after launch 10"]
    );
}

/// A ranking of five in twenty launches of two rounds. Each launch lacks another one of them, so a pair shares twelve.
fn in_blocks() -> SampleRun {
    let mut run =
        ranked_run(&["a", "b", "c", "d", "e"], 40).with_restarts(20).with_whole_launches();
    let others = |launch: u32| (0..5).filter(|at| *at != launch % 5).collect();
    run.question.blocks = (0..20).map(others).collect();
    let question = run.question.clone();
    run.records.retain(|record| question.holds(record.round, record.contender));
    run
}

#[test]
fn a_pair_is_compared_over_the_launches_that_hold_both() {
    let mut run = in_blocks();
    run.question.secondary = vec![Metric::ResponseP50];
    let slower = |name: &str| if name == "b" { 2.0 } else { 1.0 };
    for name in ["a", "b", "c", "d", "e"] {
        run.each_seen(name, |round, seen| {
            // The machine is slower in each launch than in the one before.
            let times = slower(name) * (1.0 + f64::from((round - 1) / 2) / 10.0);
            fill(&mut seen.response_time, (1_000_000.0 * times) as u64, 800);
            let slices = seen.slices.iter_mut();
            slices.for_each(|slice| slice.took_ns = (slice.took_ns as f64 * times) as u64);
        });
    }
    let verdict = run.verdict();
    assert_eq!((verdict.complete_rounds(), verdict.comparisons().len()), (40, 20));
    for of in verdict.comparisons() {
        let times = slower(&of.b) / slower(&of.a);
        let wanted = if of.metric == Metric::Throughput { 1.0 / times } else { times };
        let what = format!("{} of {} to {}", of.metric.path(), of.b, of.a);
        assert_eq!((of.replicates, of.rounds.len()), (12, 24), "{what}");
        let middle = of.middle.expect("figures");
        for ratio in [of.low, of.ratio, of.high, Some(middle.b / middle.a)] {
            assert!((ratio.expect("12 launches") / wanted - 1.0).abs() < 0.02, "{what}: {ratio:?}");
        }
    }
}

#[test]
fn the_peak_of_a_launch_whose_rounds_hold_others_does_not_count() {
    let mut run = in_blocks();
    run.question.primary = Metric::PeakMemory;
    let done = |contender: u32, launch: u32, bytes: u64| record::TargetDone {
        contender,
        launch,
        peak_memory_bytes: Some(bytes),
        ..record::TargetDone::default()
    };
    for launch in 1..=20 {
        let held = (0..5).filter(|at| *at != (launch - 1) % 5);
        run.done.extend(held.map(|at| done(at, launch, u64::from(launch * (at + 1)) << 20)));
    }
    // The pilot drove all.
    run.done.push(done(0, 1, 1 << 40));
    let verdict = run.verdict();
    for of in verdict.comparisons() {
        let number = |name: &str| f64::from(name.as_bytes()[0] - b'a' + 1);
        let wanted = number(&of.b) / number(&of.a);
        let middle = of.middle.expect("peaks");
        for ratio in [of.low, of.ratio, of.high, Some(middle.b / middle.a)] {
            assert!((ratio.expect("12 launches") / wanted - 1.0).abs() < 1e-9, "{} {}", of.a, of.b);
        }
    }
    let targets: Vec<(u32, Option<f64>)> = (verdict.contenders().iter())
        .map(|of| (of.target.launches, of.target.middle_peak_memory))
        .collect();
    // The launches of the first one are 2 to 5, 7 to 10, 12 to 15 and 17 to 20.
    assert_eq!(targets[0], (17, Some(11.0 * f64::from(1 << 20))));
    assert_eq!(targets[1].0, 16);
}

#[test]
fn launches_in_blocks_keep_their_level() {
    const RANKINGS: u32 = 200;
    let (mut base, mut random) = (in_blocks(), Random(31));
    // Throughput alone is judged.
    base.each(|record| {
        let seen = &mut record.seen;
        let times = [&mut seen.response_time, &mut seen.service_time, &mut seen.body_bytes];
        times.into_iter().for_each(|of| *of = Histogram::new());
    });
    let (mut wrong, mut found) = (0, 0);
    for _ in 0..RANKINGS {
        let mut run = base.clone();
        // The machine is another one in each launch, and each server settles differently.
        let machine: Vec<f64> = (0..20).map(|_| 0.3 * random.normal()).collect();
        let settled: Vec<f64> = (0..100).map(|_| 0.02 * random.normal()).collect();
        for record in &mut run.records {
            let (launch, at) = ((record.round - 1) as usize / 2, record.contender as usize);
            let slower = if at == 4 { 1.1f64.ln() } else { 0.0 };
            let round = 0.01 * random.normal();
            let times = (machine[launch] + settled[launch * 5 + at] + slower + round).exp();
            let slices = record.seen.slices.iter_mut();
            slices.for_each(|slice| slice.took_ns = (slice.took_ns as f64 * times) as u64);
        }
        let comparisons = run.judge().comparisons_so_far().into_iter();
        let called = comparisons.filter(|of| of.verdict.is_difference());
        let (of_e, of_equal): (Vec<Comparison>, Vec<Comparison>) =
            called.partition(|of| of.b == "e");
        found += of_e.iter().filter(|of| of.verdict == Word::Slower).count() as u32;
        wrong += u32::from(!of_equal.is_empty());
    }
    assert!(wrong <= RANKINGS / 20, "{wrong} of {RANKINGS} separate equal servers");
    assert!(found * 20 >= RANKINGS * 4 * 19, "{found} of {} pairs differ", RANKINGS * 4);
}

/// Ten launches of two rounds at each of two load points, which are driven one after the other. Odd launches begin with
/// the second one, at which b is 5 % faster.
fn load_points_in_turn() -> SampleRun {
    let mut run = SampleRun::of(&["a-1", "b-1", "a-8", "b-8"], 40);
    run.question.load_points = ["connections-1", "connections-8"].map(str::to_owned).into();
    run.question.pairs = [(0, 1), (2, 3)].map(|(a, b)| Pair { a, b }).into();
    run.question.secondary = vec![Metric::ResponseP50];
    run.question.rounds = 20;
    let mut run = run.with_restarts(10).with_whole_launches();
    let pilot = run.pilot.as_mut().expect("a pilot");
    pilot.load_points_apart = true;
    pilot.load_point_orders = [vec![1, 0], vec![0, 1]].into_iter().cycle().take(10).collect();
    let planned = run.question.clone().with_choice(pilot);
    run.records.retain(|record| planned.holds(record.round, record.contender));
    run.each_seen("b-8", |_, seen| {
        seen.slices.iter_mut().for_each(|slice| slice.took_ns = slice.took_ns * 100 / 105);
    });
    run
}

#[test]
fn load_points_that_share_launches_but_no_rounds_are_judged_by_launches() {
    let run = load_points_in_turn();
    let verdict = run.verdict();
    assert_eq!((verdict.complete_rounds(), verdict.scope()), (40, crate::verdict::Scope::Programs));
    let of = |comparison: &Comparison| {
        (comparison.metric, comparison.verdict, comparison.replicates, comparison.rounds.len())
    };
    let found: Vec<_> = verdict.comparisons().iter().map(of).collect();
    assert_eq!(
        found,
        [
            (Metric::Throughput, Word::Equivalent, 10, 20),
            (Metric::ResponseP50, Word::Equivalent, 10, 20),
            (Metric::Throughput, Word::Faster, 10, 20),
            (Metric::ResponseP50, Word::Equivalent, 10, 20),
        ]
    );
    // The third launch begins with the second load point, in rounds 9 and 10.
    let mut hole = run.clone();
    hole.each_record("a-8", |record| record.cut_short = record.round == 9);
    let verdict = hole.verdict();
    let counts = verdict.comparisons().iter().map(|of| of.replicates);
    assert_eq!(counts.collect::<Vec<_>>(), [10, 10, 9, 9]);
    assert_eq!(
        verdict.comparisons()[2].because,
        ["launch 3 was left out: not all of its 2 rounds are complete"]
    );
}
