//! A verdict from one launch of each server.

use super::{Evidence, Rule};
use crate::draft::Draft;
use crate::evidence::DriveSummary;
use crate::stats::rounds;
use crate::verdict::{Comparison, Finding, Scope, Weight};
use text::{lists, units};

/// The hint about servers that tiebreak does not launch.
const RESTART_THEM: &str = "restart the servers and run again to generalise";

pub(super) const RULE: Rule = Rule {
    name: "one_launch",
    short: "one launch each",
    hint: "launch the servers several times (--launches 10)",
    weight: Weight::Caution,
    threshold: "Every difference that is called from one launch of each server is a caution, however \
                large it is. Other comparisons of one launch each have a note that their verdict is \
                about these launches, and so have two ways to reach one process, which has one launch. \
                There is no finding once two of several launches are complete, nor for programs \
                (exec:) without servers, which start anew in every turn.",
    why: "A server settles differently at each start: memory layout, hash seeds, which threads run \
          on which cores. Five launches of one program differed by 2 % (sd), and two identical \
          servers by 1 % for as long as they ran. More rounds of the same launches do not help.",
    remedy: "Let tiebreak launch the servers several times: --launches 10. If tiebreak does not \
             launch them, restart them yourself and run again, several times; a difference that \
             keeps its sign over five or more launches is a difference between the programs.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let of_launches = |draft: &&Draft| draft.comparison.scope == Scope::Launches;
    let drafts: Vec<&Draft> = evidence.drafts.iter().filter(of_launches).collect();
    if drafts.is_empty() || evidence.complete_rounds == 0 {
        return Vec::new();
    }
    let pairs = drafts.chunk_by(|one, next| one.pair == next.pair);
    let cautions: Vec<Option<Finding>> = pairs.map(|pair| caution(evidence, pair)).collect();
    let note = cautions.contains(&None).then(|| {
        let note = "the verdict is about these launches of the servers".to_owned();
        fitted(evidence, RULE.about_the_run(Weight::Note, note))
    });
    cautions.into_iter().flatten().chain(note).collect()
}

/// What is called different between two launches.
fn caution(evidence: &Evidence, of_pair: &[&Draft]) -> Option<Finding> {
    let called: Vec<&Comparison> =
        of_pair.iter().map(|draft| &draft.comparison).filter(|of| is_called(of)).collect();
    let first = called.first()?;
    let ratio = |of: &Comparison| of.ratio.map_or(String::new(), units::show_ratio);
    let seen: Vec<String> = called
        .iter()
        .map(|of| {
            let group = of.part().map_or(String::new(), |part| format!(" of {part}"));
            format!("{}{group} {}", of.metric.path(), ratio(of))
        })
        .collect();
    let seen =
        format!("from one launch of each: {} of {} to {}", lists::listed(&seen), first.b, first.a);
    let found = RULE.about(&first.b, Weight::Caution, seen).with_figure(ratio(first));
    Some(fitted(evidence, found))
}

fn is_called(comparison: &Comparison) -> bool {
    let is_about_launches = comparison.launch_of_a || comparison.launch_of_b;
    is_about_launches && comparison.verdict.is_difference()
}

/// --launches is neither for servers that are running already nor for programs.
fn fitted(evidence: &Evidence, finding: Finding) -> Finding {
    let by_hand = |of: &DriveSummary| of.target.launches == 0 || of.judged.programs.runs > 0;
    let remaining = (0..).zip(&evidence.contenders).filter(|(at, _)| !evidence.has_left(*at));
    let question = &evidence.question;
    if remaining.map(|(_, driven)| driven).any(by_hand) {
        return finding.with_hint(RESTART_THEM);
    }
    let launches = match question.dear {
        Some(dear) => dear.launches,
        None => rounds::default_rounds(question.compared(), question.alpha),
    };
    finding.with_option("--launches 10", &format!("--launches {launches}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::{DearLaunches, Metric, TargetReady};

    fn with(ratio: f64) -> SampleRun {
        SampleRun::with_ratios(&[ratio; 8])
    }

    #[test]
    fn every_called_difference_is_a_caution_once_for_each_pair() {
        for ratio in [1.029, 1.0 / 1.029, 1.5, 0.2] {
            assert_eq!(weights(&with(ratio), RULE.name), [Weight::Caution], "{ratio}");
        }
        let mut three = SampleRun::of(&["a", "b", "c"], 8);
        three.question.secondary = vec![Metric::ResponseP50];
        three.each_seen("c", |_, seen| {
            crate::builder::fill(&mut seen.response_time, 1_200_000, 800);
            seen.slices.iter_mut().for_each(|slice| slice.took_ns *= 2);
        });
        let found = three.findings(RULE.name);
        let about: Vec<_> = found.iter().map(|of| (of.weight, of.contender.as_deref())).collect();
        assert_eq!(about, [(Weight::Caution, Some("c")), (Weight::Note, None)]);
        let seen =
            "from one launch of each: throughput 0.500x and response_time.p50 1.200x of c to a";
        assert_eq!(found[0].evidence, seen);
        assert_eq!(found[0].figure.as_deref(), Some("0.500x"));
    }

    #[test]
    fn other_verdicts_have_only_the_note() {
        assert_eq!(weights(&with(1.0), RULE.name), [Weight::Note]);
        assert_eq!(weights(&SampleRun::with_ratios(&[1.02; 4]), RULE.name), [Weight::Note]);
        assert_eq!(weights(&SampleRun::single(), RULE.name), []);
    }

    #[test]
    fn one_process_has_only_the_note() {
        let mut run = with(1.5);
        run.question.sharing = vec![vec![0, 1]];
        assert_eq!(weights(&run, RULE.name), [Weight::Note]);
    }

    #[test]
    fn a_program_is_launched_in_every_turn() {
        let mut programs = with(1.029);
        programs.each_seen("a", |_, seen| seen.programs.runs = 1);
        assert_eq!(weights(&programs, RULE.name), [Weight::Caution], "b is none");
        programs.each_seen("b", |_, seen| seen.programs.runs = 1);
        assert_eq!(weights(&programs, RULE.name), []);
    }

    #[test]
    fn two_launches_give_no_finding() {
        let run = |launches: u32| {
            SampleRun::with_ratios(&[1.02; 40]).with_restarts(8).after(launches * 5)
        };
        assert_eq!(weights(&run(8), RULE.name), []);
        assert_eq!(weights(&run(2), RULE.name), []);
        assert_eq!(weights(&run(1), RULE.name), [Weight::Note]);
    }

    #[test]
    fn the_hint_is_one_that_can_be_followed() {
        let followed = |run: &SampleRun, launched: bool| {
            let mut judge = run.judge();
            for contender in 0..2 {
                judge.target(&TargetReady {
                    contender,
                    launch: launched.into(),
                    ..TargetReady::default()
                });
            }
            let verdict = judge.verdict();
            let found = verdict.findings().iter().find(|of| of.rule == RULE.name);
            found.map(|found| (found.hint.clone(), found.remedy.clone())).expect("a finding")
        };
        let hint = |run: &SampleRun, launched: bool| followed(run, launched).0;
        let mut run = with(1.1);
        assert_eq!(hint(&run, false), RESTART_THEM);
        assert_eq!(hint(&run, true), RULE.hint);
        run.question.blocks = vec![vec![0, 1]; 8];
        assert_eq!(hint(&run, true), RULE.hint, "rounds of some contenders");
        run.question.load_points = vec!["value-1".to_owned()];
        assert_eq!(hint(&run, true), RULE.hint, "load points that share no rounds");
        run.question.dear =
            Some(DearLaunches { launches: 8, rounds_of_one: 8, round_of_one_ns: 1 });
        let (hint, remedy) = followed(&run, true);
        assert!(hint.ends_with("(--launches 8)") && remedy.contains("--launches 8."), "{remedy}");
    }
}
