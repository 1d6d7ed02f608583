use super::simulation_tests::{History, search};
use super::*;
use crate::random::Random;

fn settings(commits: usize) -> Settings {
    Settings { commits, matters: MATTERS, seed: 7, spent: 0 }
}

/// The probe that a search asks for.
fn probe(search: &Search) -> Probe {
    match search.step() {
        Step::Measure(probe) => probe,
        Step::Done(answer) => panic!("{answer:?}"),
    }
}

/// Differences without noise that no computer rounds to ties: each place has this cost.
fn exact(probe: &Probe, cost: impl Fn(Place) -> f64) -> Vec<Vec<f64>> {
    let first = probe.places[0];
    let of = |place: &Place| {
        (0..probe.units).map(|unit| cost(*place) - cost(first) + 1e-6 * unit as f64).collect()
    };
    probe.places[1..].iter().map(of).collect()
}

/// Goes on to the answer.
fn finish(mut search: Search, cost: impl Fn(Place) -> f64) -> (Answer, Vec<Probe>) {
    let mut probes = Vec::new();
    loop {
        match search.step() {
            Step::Done(answer) => return (answer, probes),
            Step::Measure(probe) => {
                search.observe(&exact(&probe, &cost));
                probes.push(probe);
            }
        }
    }
}

fn step_at(at: Place, share: f64) -> impl Fn(Place) -> f64 {
    move |place| if place >= at { share.ln_1p() } else { 0.0 }
}

#[test]
fn each_commit_of_a_small_history_is_found() {
    for commits in 1..=9 {
        for at in 1..=commits {
            let (answer, probes) = finish(Search::new(settings(commits)), step_at(at, 0.05));
            let Answer::Named { commits: named, parts } = answer else { panic!("{answer:?}") };
            assert_eq!(named, at..at + 1);
            assert_eq!((parts.before.is_some(), parts.after.is_some()), (at > 1, at < commits));
            assert!((parts.commit.estimate - 0.05f64.ln_1p()).abs() < 1e-4, "{parts:?}");
            let last = probes.last().expect("a fresh comparison");
            assert_eq!(last.purpose, Purpose::Naming { parent: at - 1, commit: at, attempt: 1 });
            assert!(last.places.windows(2).all(|pair| pair[0] < pair[1]), "{last:?}");
        }
    }
}

#[test]
fn a_difference_that_does_not_matter_ends_at_the_first_look() {
    let (answer, probes) = finish(Search::new(settings(64)), step_at(3, 0.02));
    assert!(matches!(answer, Answer::NoRegression(of) if of.estimate > 0.019), "{answer:?}");
    assert_eq!(probes, [Probe { places: vec![0, 64], units: 8, purpose: Purpose::Whole }]);
    let (answer, _) = finish(Search::new(settings(64)), step_at(3, -0.05));
    assert!(matches!(answer, Answer::NoRegression(of) if of.high < -0.04), "{answer:?}");
}

#[test]
fn what_stays_unclear_is_undecided_after_the_last_look() {
    let mut search = Search::new(settings(4));
    let mut asked = Vec::new();
    while let Step::Measure(probe) = search.step() {
        asked.push(probe.units);
        let middle = (probe.units - 1) as f64 / 2.0;
        search.observe(&[(0..probe.units).map(|unit| 0.02 * (unit as f64 - middle)).collect()]);
    }
    assert_eq!(asked, [8, 8, 16]);
    assert!(matches!(search.step(), Step::Done(Answer::Undecided(_))));
}

#[test]
fn units_are_probed_with_good_or_bad_until_a_side_holds_enough() {
    let mut search = Search::new(settings(64));
    search.observe(&exact(&probe(&search), step_at(40, 0.05)));
    let mut with = [0, 0];
    let mut seen = Vec::new();
    while let Purpose::Side(commit) = probe(&search).purpose {
        let asked = probe(&search);
        assert_eq!(asked.units, 1);
        with[usize::from(asked.places[0] == 0)] += 1;
        seen.push(commit);
        search.observe(&exact(&asked, step_at(40, 0.05)));
    }
    assert_eq!(seen[0], 32, "the middle first: {seen:?}");
    assert!(seen.contains(&39) || seen.contains(&40), "{seen:?}");
    assert!(with[0] > 1 && with[1] > 1, "{with:?}");
}

#[test]
fn commits_that_cannot_be_measured_are_skipped_and_end_in_one_of_several() {
    let broken = [30, 31, 32, 33];
    for at in [10, 31, 34, 35] {
        let mut random = Random(at as u64);
        let history = History { commits: 64, planted: &[(at, 0.08)], broken: &broken };
        let searched = search(history, 0.01, &mut random);
        let wanted = if (30..=34).contains(&at) { 30..35 } else { at..at + 1 };
        assert_eq!(searched.named(), Some(wanted), "{at}: {:?}", searched.answer);
    }
}

#[test]
fn if_nothing_between_can_be_measured_all_commits_are_named_together() {
    let history = History { commits: 4, planted: &[(2, 0.08)], broken: &[1, 2, 3] };
    let searched = search(history, 0.01, &mut Random(5));
    assert_eq!(searched.named(), Some(1..5), "{:?}", searched.answer);
}

#[test]
fn two_steps_are_spread_and_name_the_part_that_is_sure() {
    let cost = |place: Place| 0.05 * (usize::from(place >= 10) + usize::from(place >= 50)) as f64;
    let (answer, _) = finish(Search::new(settings(64)), cost);
    let Answer::Spread { commits, parts } = answer else { panic!("{answer:?}") };
    assert!(parts.others().any(|part| part.low > 0.04), "{commits:?} {parts:?}");
}

/// A search that meets a wrong commit three times names none.
#[test]
fn refuted_commits_are_not_named() {
    let mut search = Search::new(settings(8));
    let mut attempts = Vec::new();
    while let Step::Measure(probe) = search.step() {
        // While it searches, the units point at commit 4; the fresh comparison shows no difference anywhere.
        let cost = match probe.purpose {
            Purpose::Naming { attempt, .. } => {
                attempts.push(attempt);
                step_at(100, 0.05)
            }
            _ => step_at(4, 0.05),
        };
        search.observe(&exact(&probe, cost));
    }
    assert_eq!(attempts, [1, 2, 3]);
    assert!(matches!(search.step(), Step::Done(Answer::Between { .. })), "{:?}", search.step());
}

#[test]
fn units_that_say_nothing_end_the_search_between_two_commits() {
    let mut search = Search::new(settings(64));
    let noisy = |unit: usize| if unit.is_multiple_of(2) { 0.04 } else { 0.06 };
    search.observe(&[(0..8).map(noisy).collect()]);
    let half = search.whole().expect("plain").estimate / 2.0;
    let mut units = 0;
    while let Step::Measure(probe) = search.step() {
        search.observe(&[vec![half; probe.units]]);
        units += probe.units;
    }
    assert_eq!(units, 40 + 20 * 6);
    let Step::Done(Answer::Between { commits, weight, .. }) = search.step() else {
        panic!("{:?}", search.step())
    };
    assert!(commits.len() >= 60 && weight >= 0.95, "{commits:?} {weight}");
}

#[test]
fn the_same_differences_lead_to_the_same_steps() {
    let of = |seed| finish(Search::new(Settings { seed, ..settings(64) }), step_at(20, 0.05)).1;
    assert_eq!(of(1), of(1));
    assert_ne!(of(1), of(2), "the coins are drawn from the seed");
}

#[test]
fn a_search_inside_another_has_the_fresh_comparisons_that_are_left() {
    let outer = settings(8);
    let mut search = Search::new(Settings { spent: 2, ..outer });
    let mut attempts = Vec::new();
    while let Step::Measure(probe) = search.step() {
        if let Purpose::Naming { attempt, .. } = probe.purpose {
            attempts.push(attempt);
        }
        search.observe(&exact(&probe, step_at(4, 0.05)));
    }
    assert_eq!((attempts, search.spent(), search.can_name()), (vec![3], 3, false));
    let (answer, _) = finish(Search::new(Settings { spent: 3, ..outer }), step_at(4, 0.05));
    assert!(matches!(answer, Answer::Between { .. }), "none is left: {answer:?}");
}

/// A look is never taken twice: a fresh comparison whose commit or parent fails after a look is one of the three.
#[test]
fn a_fresh_comparison_that_breaks_off_after_a_look_counts() {
    for breaks_off in [false, true] {
        let mut search = Search::new(settings(64));
        let first = loop {
            let asked = probe(&search);
            if let Purpose::Naming { parent, commit, attempt } = asked.purpose {
                break (parent, commit, attempt);
            }
            search.observe(&exact(&asked, step_at(20, 0.05)));
        };
        assert_eq!(first, (19, 20, 1));
        if breaks_off {
            // So much noise that the first look decides nothing.
            let asked = probe(&search);
            let noisy = |place: &Place| {
                let sign = |unit: usize| if unit.is_multiple_of(2) { 0.1 } else { -0.1 };
                (0..asked.units).map(|unit| *place as f64 * sign(unit)).collect()
            };
            search.observe(&asked.places[1..].iter().map(noisy).collect::<Vec<_>>());
            assert_eq!((search.spent(), probe(&search).units), (0, 8), "the second look");
        }
        search.unusable(19);
        assert_eq!(search.spent(), usize::from(breaks_off));
        let next = probe(&search);
        let attempt = 1 + usize::from(breaks_off);
        assert_eq!(next.purpose, Purpose::Naming { parent: 18, commit: 20, attempt });
        assert_eq!(next.units, LOOKS[0]);
    }
}
