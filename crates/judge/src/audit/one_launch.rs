//! A verdict from one launch of each server.

use super::{Evidence, Rule};
use crate::evidence::DriveSummary;
use crate::verdict::{Comparison, Finding, Weight, Word};
use text::units;

/// A smaller difference may be one between two launches of the same program.
const SMALL: f64 = 0.03;

/// The hint about servers that tiebreak does not launch.
const RESTART_THEM: &str = "restart the servers and run again to generalise";

pub(super) const RULE: Rule = Rule {
    name: "one_launch",
    short: "one launch each",
    hint: "launch the servers several times (--launches 10)",
    weight: Weight::Caution,
    threshold: "Every comparison has a note that its verdict is about these launches of the \
                servers. A contender that is faster or slower by less than 3 % is a caution. There \
                is no finding once two of several launches are complete, nor for programs \
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
    let compared = !evidence.single() && !evidence.drafts.is_empty();
    let is_program = |driven: &DriveSummary| driven.judged.programs.runs > 0;
    let starts_anew = |driven: &DriveSummary| is_program(driven) && driven.target.launches == 0;
    let programs = || evidence.contenders.iter().all(starts_anew);
    if !compared || evidence.complete_rounds == 0 || several_launches(evidence) || programs() {
        return Vec::new();
    }
    let comparisons = evidence.drafts.iter().map(|draft| &draft.comparison);
    let small = comparisons.filter(|comparison| is_small(comparison)).map(caution);
    let note = "the verdict is about these launches of the servers".to_owned();
    let found = small.chain([RULE.about_the_run(Weight::Note, note)]);
    // --launches is not for programs.
    let by_hand = |driven: &DriveSummary| driven.target.launches == 0 || is_program(driven);
    let by_hand = evidence.contenders.iter().any(by_hand);
    let hint = if by_hand { RESTART_THEM } else { RULE.hint };
    found.map(|finding| finding.with_hint(hint)).collect()
}

/// Whether the launch is the replicate, and there are several of them.
fn several_launches(evidence: &Evidence) -> bool {
    let mut drafts = evidence.drafts.iter();
    evidence.rounds_of_a_launch().is_some() && drafts.any(|draft| draft.comparison.replicates > 1)
}

fn is_small(comparison: &Comparison) -> bool {
    let called = matches!(comparison.verdict, Word::Faster | Word::Slower);
    called && comparison.ratio.is_some_and(|ratio| ratio.ln().abs() < SMALL.ln_1p())
}

fn caution(comparison: &Comparison) -> Finding {
    let seen = format!(
        "{} of {} to {} is {}: less than {} from one launch of each",
        comparison.metric.path(),
        comparison.b,
        comparison.a,
        comparison.ratio.map_or(String::new(), units::show_ratio),
        units::show_percent(SMALL)
    );
    let ratio = comparison.ratio.map_or(String::new(), units::show_ratio);
    RULE.about(&comparison.b, Weight::Caution, seen).with_figure(ratio)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    fn with(ratio: f64) -> SampleRun {
        SampleRun::with_ratios(&[ratio; 8])
    }

    #[test]
    fn less_than_three_percent_is_a_caution() {
        assert_eq!(weights(&with(1.029), RULE.name), [Weight::Caution, Weight::Note]);
        assert_eq!(weights(&with(1.0 / 1.029), RULE.name), [Weight::Caution, Weight::Note]);
        assert_eq!(weights(&with(1.031), RULE.name), [Weight::Note]);
        assert!(RULE.threshold.contains(&units::show_percent(SMALL)));
    }

    #[test]
    fn other_verdicts_have_only_the_note() {
        assert_eq!(weights(&with(1.0), RULE.name), [Weight::Note]);
        assert_eq!(weights(&SampleRun::with_ratios(&[1.02; 4]), RULE.name), [Weight::Note]);
        assert_eq!(weights(&SampleRun::single(), RULE.name), []);
    }

    #[test]
    fn a_program_is_launched_in_every_turn() {
        let mut programs = with(1.029);
        programs.each_seen("a", |_, seen| seen.programs.runs = 1);
        assert_eq!(weights(&programs, RULE.name).len(), 2, "b is none");
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
        assert!(RULE.remedy.contains("--launches 10"));
    }
}
