//! The peak memory of targets as the metric that decides.

use super::*;
use record::TargetDone;

fn done(contender: u32, launch: u32, peak_memory_bytes: Option<u64>) -> TargetDone {
    TargetDone {
        contender,
        launch,
        peak_memory_bytes,
        memory_source: "processes".to_owned(),
        ..TargetDone::default()
    }
}

/// Ten launches of two rounds, of which so many have ended; b needs `times` the memory of a in each.
fn of_launches(times: f64, ended: u32) -> SampleRun {
    let mut run = SampleRun::compare(20).with_restarts(10).with_whole_launches();
    run.question.primary = Metric::PeakMemory;
    for launch in 1..=ended {
        let of_a = 10_000_000 + 1000 * u64::from(launch);
        run.done.push(done(0, launch, Some(of_a)));
        run.done.push(done(1, launch, Some((of_a as f64 * times) as u64)));
    }
    run
}

fn near(got: Option<f64>, wanted: f64) -> bool {
    got.is_some_and(|got| (got / wanted - 1.0).abs() < 1e-4)
}

#[test]
fn the_launch_is_the_replicate_and_less_is_better() {
    for (times, word) in [(1.2, Word::Slower), (0.8, Word::Faster), (1.0, Word::Equivalent)] {
        let verdict = of_launches(times, 10).verdict();
        let comparison = &verdict.comparisons()[0];
        assert_eq!((comparison.verdict, comparison.replicates), (word, 10), "{comparison:?}");
        assert!(near(comparison.ratio, times), "{comparison:?}");
        let middle = comparison.middle.expect("figures");
        assert!(middle.of_launches && near(Some(middle.a), 10_005_500.0), "{middle:?}");
        let [a, b] = [0, 1].map(|at| verdict.contenders()[at].figure(Metric::PeakMemory));
        assert!(near(a, 10_005_500.0) && near(b, 10_005_500.0 * times), "{a:?} {b:?}");
    }
}

#[test]
fn a_launch_that_is_under_way_has_no_peak_yet() {
    let comparison = primary(&of_launches(1.2, 9));
    assert_eq!((comparison.verdict, comparison.replicates), (Word::Slower, 9));
}

#[test]
fn a_peak_that_cannot_be_read_leaves_no_ratio() {
    let mut run = of_launches(1.2, 10);
    run.done[7].peak_memory_bytes = None;
    let comparison = primary(&run);
    assert_eq!((comparison.verdict, comparison.ratio), (Word::Undecided, None));
    assert_eq!(comparison.because, ["b has no target_peak_memory in launch 4"]);
}

/// A search over commits learns from one launch at a time, and from several in a fresh comparison.
#[test]
fn each_launch_has_a_difference_of_peaks_also_if_it_is_the_only_one() {
    let differences = |run: &SampleRun| {
        let pair = Pair { a: 0, b: 1 };
        run.judge().differences(pair, Metric::PeakMemory, None)
    };
    let mut one = SampleRun::compare(2);
    assert_eq!(differences(&one), Ok(Vec::new()), "its launch has not ended");
    one.done = vec![done(0, 1, Some(10_000_000)), done(1, 1, Some(25_000_000))];
    let of_one = differences(&one).expect("a peak of each");
    assert!(of_one.len() == 1 && near(Some(of_one[0].exp()), 2.5), "{of_one:?}");
    let several = differences(&of_launches(2.5, 10)).expect("a peak of each");
    assert!(several.len() == 10 && several.iter().all(|of| near(Some(of.exp()), 2.5)));
    one.done[1].peak_memory_bytes = None;
    assert_eq!(differences(&one), Err("b has no target_peak_memory in launch 1".to_owned()));
}

#[test]
fn a_busy_generator_does_not_change_it() {
    let run = of_launches(1.2, 10).with_busy_generator("a", 1.0).with_busy_generator("b", 1.0);
    let comparison = primary(&run);
    assert_eq!((comparison.verdict, comparison.at_least), (Word::Slower, false));
}

#[test]
fn of_programs_each_round_has_a_peak() {
    let mut run = SampleRun::compare(10);
    run.question.primary = Metric::PeakMemory;
    for (name, bytes) in [("a", 1_000_000), ("b", 1_500_000)] {
        run.each_seen(name, |round, seen| {
            seen.programs.peak_memory_bytes = bytes + 4096 * u64::from(round);
        });
    }
    let verdict = run.verdict();
    let comparison = &verdict.comparisons()[0];
    assert_eq!((comparison.verdict, comparison.replicates), (Word::Slower, 10));
    assert!(comparison.ratio.is_some_and(|ratio| (1.48..1.5).contains(&ratio)), "{comparison:?}");
    assert!(near(verdict.contenders()[0].figure(Metric::PeakMemory), 1_022_528.0));
    run.each_seen("b", |round, seen| {
        if round == 3 {
            seen.programs.peak_memory_bytes = 0;
        }
    });
    assert_eq!(primary(&run).because, ["b has no target_peak_memory in round 3"]);
}
