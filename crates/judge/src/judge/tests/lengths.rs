//! Runs of short rounds, which end early if their answer is plain, and runs whose length follows from a first stage.

use super::*;
use crate::stats::short_rounds;
use record::LengthRule;

/// Short rounds with these ratios of b to a, and p50 and p99 beside throughput.
fn short(ratio: impl Fn(u32) -> f64) -> SampleRun {
    let mut run = SampleRun::with_ratios(&(1..=32).map(ratio).collect::<Vec<_>>());
    run.question.secondary = vec![Metric::ResponseP50, Metric::ResponseP99];
    let looks = short_rounds::looks(0.05, 2).expect("looks");
    run.question.length = LengthRule::ShortRounds { round_ns: 300_000_000, looks: looks.clone() };
    run.pilot.as_mut().expect("a pilot").looks = looks;
    run
}

/// Scatters by half a percent.
fn around(ratio: f64) -> impl Fn(u32) -> f64 {
    move |round| ratio * (0.01 * ((f64::from(round) * 0.618_034).fract() - 0.5)).exp()
}

/// The number of rounds after which the run may end, checked after each round.
fn ends_after(run: &SampleRun) -> Option<u32> {
    let mut judge = Judge::new(&run.question);
    judge.pilot(run.pilot.as_ref().expect("a pilot"));
    let of_b = |record: &record::TrialRecord| record.contender == 1;
    run.records.iter().find_map(|record| {
        judge.add(record);
        (of_b(record) && judge.decided()).then_some(record.round)
    })
}

#[test]
fn only_a_plain_answer_ends_a_run_of_short_rounds_early() {
    assert_eq!(ends_after(&short(around(1.2))), Some(9));
    assert_eq!(ends_after(&short(around(1.0))), Some(9), "it lies within 1 %");
    // It is sure at every look, and not plain at any but the last.
    let sure = short(around(1.03));
    assert_eq!(primary(&sure.after(9)).verdict, Word::Faster);
    assert_eq!(ends_after(&sure), Some(32));
    // Plain from the tenth round on.
    let late = short(|round| if round < 5 { 0.9 } else { 1.2 });
    assert_eq!(ends_after(&late), Some(32));
    // The pilot of this one found that rounds must be longer.
    let mut long = short(around(1.2));
    long.pilot.as_mut().expect("a pilot").looks = Vec::new();
    assert_eq!(ends_after(&long), None);
    assert_eq!(primary(&long).confidence, 0.95);
}

#[test]
fn everything_is_judged_at_the_last_look_at_the_level_of_its_family() {
    let run = short(around(1.2)).with_operations(2000);
    for (rounds, look, judged, level) in
        [(9, 1, 9, 0.01), (15, 1, 9, 0.01), (16, 2, 16, 0.015), (32, 3, 32, 0.035)]
    {
        let verdict = run.after(rounds).verdict();
        let [throughput, p50, p99] = verdict.comparisons() else { panic!("three") };
        for (of, family) in [(throughput, 1.0), (p50, 2.0), (p99, 2.0)] {
            let confidence = 1.0 - level / family;
            assert_eq!((of.interim_looks, of.replicates), (Some(look), judged), "{rounds}");
            assert!((of.confidence - confidence).abs() < 1e-12, "{rounds}: {}", of.confidence);
            assert!(of.low.is_some(), "{rounds}: {:?}", of.because);
        }
    }
    let before = primary(&run.after(8));
    assert_eq!((before.interim_looks, before.verdict), (Some(0), Word::Undecided));
    assert_eq!(before.because, ["8 rounds done; the first look is after round 9"]);
}

/// Rounds that scatter so that ten of them ask for more.
fn staged(see: f64) -> SampleRun {
    let mut run = SampleRun::with_ratios(&(1..=40).map(around(1.0)).collect::<Vec<_>>());
    run.question.rounds = 10;
    run.question.length = LengthRule::See(see);
    run
}

fn stage(run: &SampleRun) -> Option<record::SecondStage> {
    let mut judge = Judge::new(&run.question);
    run.after(10).records.iter().for_each(|record| judge.add(record));
    judge.stage()
}

#[test]
fn a_first_stage_says_how_many_rounds_there_are() {
    let shown = stage(&staged(0.002)).expect("differences");
    // By hand: ((2.2622 + 0.84) · s ÷ ln 1.002)², s = 0.0029 or so.
    let wanted = ((2.2622 + 0.84) * shown.deviation / 0.002f64.ln_1p()).powi(2).ceil();
    assert!((0.002..0.004).contains(&shown.deviation), "{shown:?}");
    assert_eq!(f64::from(shown.replicates), wanted);
    assert!(shown.sees <= 0.002 && shown.replicates > 10, "{shown:?}");
    assert_eq!(stage(&staged(0.1)).map(|shown| shown.replicates), Some(10));
    assert_eq!(stage(&staged(0.0001)).map(|shown| shown.replicates), Some(200));
    assert!(stage(&staged(0.0001)).is_some_and(|shown| shown.sees > 0.0001));
    // A contender without a figure in a round has no differences.
    let mut silent = staged(0.1);
    silent.each_seen("b", |_, seen| seen.slices.clear());
    assert_eq!(stage(&silent), None);
}

#[test]
fn a_run_of_two_stages_is_judged_at_88_percent_of_its_error() {
    let run = staged(0.002);
    let fixed = SampleRun { question: record::testing::question(&["a", "b"], 40), ..run.clone() };
    let (staged, fixed) = (primary(&run), primary(&fixed));
    assert!((staged.confidence - 0.956).abs() < 1e-12 && fixed.confidence == 0.95);
    assert!(staged.low < fixed.low && staged.high > fixed.high);
    assert!(staged.sees.is_some_and(|sees| sees > 0.0) && fixed.sees.is_none());
}
