//! Runs of suites.

use super::*;
use record::{CaseFigure, Cases};

const SECOND: u64 = 1_000_000_000;

/// The cases of both contenders.
#[derive(Clone, Copy)]
pub(super) struct SuiteScript {
    /// By contender.
    pub(super) cases: [&'static [&'static str]; 2],
    /// Whether each case is run alone.
    pub(super) alone: bool,
}

impl SuiteScript {
    /// A run of all cases, or one of each case alone: a second each, and ten for the case `slow`.
    pub(super) fn seen(&self, contender: usize, alone: &[String]) -> Seen {
        let took_ns = |case: &str| if case == "slow" { 10 * SECOND } else { SECOND };
        let of = |case: &&str| Slice { took_ns: took_ns(case), operations: 1, ..Slice::default() };
        let cases: Vec<&str> = match alone {
            [] => self.cases[contender].to_vec(),
            alone => alone.iter().map(String::as_str).collect(),
        };
        let mut seen = Seen { slices: cases.iter().map(of).collect(), ..Seen::default() };
        seen.outcomes.ok = seen.slices.len() as u64;
        let figure = |case: &&str| CaseFigure {
            case: (*case).to_owned(),
            value: 1.0,
            unit: "ns".to_owned(),
            larger_is_better: false,
        };
        seen.programs.figures = cases.iter().map(figure).collect();
        seen
    }
}

const THREE: [&[&str]; 2] = [&["slow", "a", "b", "old"], &["a", "b", "slow"]];

fn plan(change: impl FnOnce(&mut crate::plan::Spec)) -> Plan {
    example::plan(|spec| {
        spec.contenders = vec!["a=exec:true".to_owned(), "b=exec:true".to_owned()];
        spec.run.figures = Some("go".to_owned());
        change(spec);
    })
}

fn conducted(plan: &Plan, suite: SuiteScript) -> SessionOutcome {
    conduct(plan, Script { suite: Some(suite), ..Script::default() }, Disk::new(ROOMY))
}

fn cases(outcome: &SessionOutcome) -> Cases {
    let events = outcome.disk.events();
    let cases = events.into_iter().find_map(|event| match event {
        Event::Cases(cases) => Some(*cases),
        _ => None,
    });
    cases.expect("the cases are recorded")
}

fn why(outcome: &SessionOutcome) -> Vec<String> {
    let events = outcome.disk.events();
    let choice = events.into_iter().find_map(|event| match event {
        Event::Pilot(choice) => Some(choice),
        _ => None,
    });
    choice.expect("what was chosen is recorded").why
}

#[test]
fn one_run_of_each_lists_the_cases_and_the_rounds_follow() {
    let outcome = conducted(&plan(|_| {}), SuiteScript { cases: THREE, alone: false });
    assert_eq!(reason(&outcome), EndReason::Complete);
    let mut lines = journal_lines(&outcome.disk);
    lines[1..3].sort();
    assert_eq!(
        lines[..7],
        [
            "header",
            "Ready 0 of 0",
            "Ready 0 of 1",
            "3 cases",
            "pilot chose",
            "Round 1 of 0",
            "Round 1 of 1"
        ]
    );
    assert_eq!(lines[lines.len() - 3..], ["Round 10 of 0", "Round 10 of 1", "Complete"]);
    assert_eq!(lines.len(), 5 + 20 + 1);
    let [.., rounds] = outcome.orders.as_slice() else { panic!("no orders") };
    assert_eq!((outcome.orders.len(), rounds.rounds, rounds.warm_up.most_ns), (3, 10, 0));
    assert_eq!(rounds.slices_per_round(), 1);
    let cases = cases(&outcome);
    assert_eq!(
        (cases.only_in[0].contender, cases.only_in[0].cases.as_slice()),
        (0, &["old".to_owned()][..])
    );
    assert_eq!(why(&outcome)[0], "3 cases, 10 rounds of 2 programs: about 4 min 10 s");
}

#[test]
fn cases_that_are_run_alone_have_a_slice_each() {
    let outcome = conducted(&plan(|_| {}), SuiteScript { cases: THREE, alone: true });
    assert_eq!(reason(&outcome), EndReason::Complete);
    let rounds = outcome.orders.last().expect("rounds");
    assert_eq!((rounds.rounds, rounds.slices_per_round()), (10, 3));
    assert_eq!(outcome.cases, [["a", "b", "slow"]]);
    // The start of a program for each case was not timed.
    assert_eq!(why(&outcome)[0], "3 cases, 10 rounds of 2 programs: at least 4 min 10 s");
}

#[test]
fn runs_that_fail_do_not_end_a_suite() {
    for (alone, dies_in) in [(false, 1), (false, 4), (true, 4)] {
        let suite = Some(SuiteScript { cases: THREE, alone });
        let script = Script { suite, dies_in: Some(dies_in), ..Script::default() };
        let outcome = conduct(&plan(|_| {}), script, Disk::new(ROOMY));
        assert_eq!(reason(&outcome), EndReason::Complete, "{alone} {dies_in}");
        let lines = journal_lines(&outcome.disk);
        let rounds = lines.iter().filter(|line| line.starts_with("Round ")).count();
        assert_eq!(rounds, 20, "{lines:?}");
    }
}

#[test]
fn a_time_leaves_out_the_dearest_case() {
    let within = |seconds| plan(|spec| spec.run.within = Some(Duration::from_secs(seconds)));
    let alone = SuiteScript { cases: THREE, alone: true };
    let outcome = conducted(&within(60), alone);
    assert_eq!(reason(&outcome), EndReason::Complete);
    // Each case was timed first.
    assert_eq!(outcome.cases, [vec!["a", "b", "slow"], vec!["a", "b"]]);
    assert_eq!(
        (cases(&outcome).left_out, cases(&outcome).replicates),
        (vec!["slow".to_owned()], 10)
    );
    let said = why(&outcome);
    assert_eq!(said[0], "2 cases, 10 rounds of 2 programs: about 40 s");
    assert!(said.contains(&"left out for want of time: slow".to_owned()), "{said:?}");
    let whole = conducted(&within(300), alone);
    assert!(cases(&whole).left_out.is_empty());
    let short = conducted(&within(10), alone);
    let error = short.end.expect_err("no case fits");
    assert_eq!(error.exit, Exit::Usage);
    let message = "--within 10 s: the time does not suffice for 10 rounds of the cheapest case, which take 20 s";
    assert_eq!(error.text, message);
    let together = conducted(&within(60), SuiteScript { alone: false, ..alone });
    let error = together.end.expect_err("nothing can be left out");
    assert!(
        error.text.contains("no case can be left out, because each run is of all cases"),
        "{}",
        error.text
    );
    assert_eq!(together.orders.len(), 2, "nothing is driven after the listing");
}

#[test]
fn what_the_listing_shows_may_end_the_run() {
    let none = SuiteScript { cases: [&["a"], &["b"]], alone: false };
    let outcome = conducted(&plan(|_| {}), none);
    assert_eq!(reason(&outcome), EndReason::TargetFailed);
    assert_eq!(outcome.orders.len(), 2);
    let nothing = SuiteScript { cases: [&["a"], &[]], alone: false };
    let outcome = conducted(&plan(|_| {}), nothing);
    let end = outcome.end.expect("an end");
    assert_eq!(
        (end.reason, end.detail.as_str()),
        (EndReason::TargetFailed, "`b` (exec:true) is not ready: it gave no figures")
    );
    let few = conducted(
        &plan(|spec| spec.run.rounds = Some(6)),
        SuiteScript { cases: THREE, alone: false },
    );
    assert_eq!(journal_lines(&few.disk).last().map(String::as_str), Some("Stopped"));
    let error = few.end.expect_err("too few rounds");
    assert_eq!(error.exit, Exit::Usage);
    assert!(
        error
            .text
            .starts_with("6 rounds cannot support 3 comparisons at 5 %; at least 7 are needed"),
        "{}",
        error.text
    );
}
