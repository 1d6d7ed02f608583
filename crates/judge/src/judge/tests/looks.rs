//! Runs that end when they are decided.

use super::*;

/// A round with little information: 1.1, give or take up to a half.
fn noisy(round: u32) -> f64 {
    let scattered = (f64::from(round) * 0.618_034).fract() * 2.0 - 1.0;
    1.1 * (0.7 * scattered).exp()
}

/// Noisy for `n` rounds, then a certain difference of 1.1.
fn late(n: u32) -> SampleRun {
    let ratio = |round| if round <= n { noisy(round) } else { 1.1 };
    SampleRun::with_ratios(&(1..=60).map(ratio).collect::<Vec<_>>()).with_looks()
}

/// The number of rounds after which the run is decided, checked after each round.
fn decided_after(run: &SampleRun) -> Option<u32> {
    let mut judge = Judge::new(&run.question);
    let last = run.question.contenders.len() as u32 - 1;
    let mut decided = None;
    for record in &run.records {
        judge.add(record);
        if record.contender == last && judge.decided() && decided.is_none() {
            decided = Some(record.round);
        }
    }
    decided
}

#[test]
fn the_first_look_that_decides_stands() {
    let run = late(0);
    let first = primary(&run.after(10));
    assert_eq!((first.verdict, first.interim_looks, first.replicates), (Word::Faster, Some(1), 10));
    assert_eq!(first.confidence, 1.0 - 0.0125);
    // Later rounds are shown but not judged, whatever their result.
    let mut more = run.clone();
    more.each_seen("b", |round, seen| {
        if round > 10 {
            seen.slices.iter_mut().for_each(|slice| slice.took_ns *= 2);
        }
    });
    let still = primary(&more);
    assert_eq!(still.rounds.len(), 60);
    assert_eq!(Comparison { rounds: first.rounds.clone(), ..still }, first);
}

#[test]
fn a_run_is_decided_at_its_looks_and_at_no_other_round() {
    let table =
        [(0, Some(10)), (4, Some(16)), (8, Some(26)), (12, Some(40)), (20, Some(60)), (60, None)];
    for (n, wanted) in table {
        let run = late(n);
        let decided = decided_after(&run);
        assert_eq!(decided, wanted, "undecided for {n} rounds");
        let words = decided.map(|rounds| primary(&run.after(rounds)).verdict);
        assert_eq!(words, wanted.map(|_| Word::Faster));
    }
}

#[test]
fn between_looks_the_last_one_counts() {
    let run = late(60);
    let before = primary(&run.after(9));
    assert_eq!((before.interim_looks, before.replicates, before.ratio), (Some(0), 0, None));
    assert_eq!(before.because, ["9 rounds done; the first look is after round 10"]);
    let (at, behind) = (primary(&run.after(16)), primary(&run.after(25)));
    assert_eq!((behind.interim_looks, behind.replicates), (Some(2), 16));
    assert_eq!((at.low, at.high), (behind.low, behind.high));
    assert_eq!(behind.because, ["not decided at look 2 of 5 (16 rounds), the latest one"]);
    // The estimates for a fresh run are those of a run of a fixed length.
    assert!(behind.fresh_rounds.is_some());
    let last = primary(&run);
    assert_eq!((last.interim_looks, last.verdict), (Some(5), Word::Undecided));
    assert!(last.because[0].contains("a fresh run is needed"), "{:?}", last.because);
}

#[test]
fn all_primary_comparisons_must_be_decided_and_no_others() {
    let mut three = SampleRun::of(&["a", "b", "c"], 60).with_looks();
    three.question.secondary = vec![Metric::ResponseP50, Metric::ResponseP99];
    three.each_seen("c", |round, seen| {
        let ratio = if round <= 8 { noisy(round) } else { 1.1 };
        let slices = seen.slices.iter_mut();
        slices.for_each(|slice| slice.took_ns = (slice.took_ns as f64 / ratio) as u64);
    });
    assert_eq!(decided_after(&three), Some(26));
    let verdict = three.after(26).verdict();
    let found = verdict
        .comparisons()
        .iter()
        .map(|c| (c.interim_looks, (c.confidence * 1e6).round() as u32));
    // Levels of 5 % ÷ (4·2) and ÷ (4·4); p99 of 800 replies has no word.
    let (primary, second) = (993_750, 996_875);
    let wanted = [
        (Some(1), primary),
        (Some(1), second),
        (Some(1), second),
        (Some(3), primary),
        (Some(1), second),
        (Some(1), second),
    ];
    assert_eq!(found.collect::<Vec<_>>(), wanted);
}

#[test]
fn more_rounds_do_not_help_against_a_slow_generator() {
    let run = late(60).with_busy_generator("a", 0.96).with_busy_generator("b", 0.96);
    let held = run.with_target_cpu(|of, driven| if of == driven { 0.5 } else { 0.0 });
    assert_eq!(decided_after(&held), Some(10));
    let comparison = primary(&held.after(10));
    assert_eq!((comparison.verdict, comparison.interim_looks), (Word::Undecided, Some(1)));
    assert_eq!(comparison.because.len(), 1, "{:?}", comparison.because);
    let mut without = late(60);
    without.each_seen("b", |round, seen| {
        if round == 2 {
            seen.slices.iter_mut().for_each(|slice| slice.operations = 0);
        }
    });
    assert_eq!(decided_after(&without), Some(10));
}

#[test]
fn a_word_waits_for_the_charged_one() {
    // Equal throughputs; at first, variation hides what b uses at rest.
    let mut run = late(0).with_target_cpu(|of, driven| if of == driven { 0.5 } else { 0.02 });
    run.each_seen("a", |round, seen| {
        let share = if round <= 10 { 0.3 * f64::from(round % 2) } else { 0.0 };
        for slice in &mut seen.slices {
            slice.target_cpu_ns[1] = Some((slice.took_ns as f64 * share) as u64);
        }
    });
    let at_first = primary(&run.after(10));
    let charged = at_first.charged.expect("both visible");
    assert_eq!((at_first.verdict, charged.verdict), (Word::Undecided, Word::Undecided));
    assert_eq!(at_first.fresh_rounds, None);
    let decided = decided_after(&run).expect("the later rounds are clear");
    assert!(decided > 10, "{decided}");
    assert_eq!(primary(&run.after(decided)).verdict, Word::Faster);
}

#[test]
fn a_run_of_a_fixed_length_goes_on_to_its_end() {
    let mut fixed = late(0);
    fixed.question.interim_looks.clear();
    assert_eq!(decided_after(&fixed), None);
    assert_eq!(primary(&fixed).interim_looks, None);
}

#[test]
fn looks_of_another_kind_have_no_level() {
    for looks in [vec![10], vec![10, 16, 26, 40, 50, 60], vec![10, 10, 26, 40, 60]] {
        let mut run = late(0);
        run.question.interim_looks = looks;
        assert_eq!(decided_after(&run), None);
        let comparison = primary(&run);
        assert_eq!((comparison.verdict, comparison.low), (Word::Undecided, None));
        assert!(comparison.because[0].contains("does not declare 5 looks"));
    }
}

#[test]
fn asking_changes_nothing_and_an_open_round_does_not_count() {
    let run = late(0);
    let mut judge = Judge::new(&run.question);
    for record in &run.after(10).records {
        assert!(!judge.decided(), "round {} is open", record.round);
        judge.add(record);
    }
    assert!(judge.decided() && judge.decided());
    judge.pilot(run.pilot.as_ref().expect("a pilot"));
    judge.end(run.end.as_ref().expect("an end"));
    assert_eq!(judge.verdict(), run.after(10).verdict());
}
