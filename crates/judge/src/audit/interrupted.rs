//! A run that did not complete.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use record::EndReason;
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "interrupted",
    short: "the run did not complete",
    hint: "run it again to the end",
    weight: Weight::Caution,
    threshold: "Checks whether the journal ends with the end of the run, and whether that was the \
                planned end. If not, that is a caution. The rounds that were recorded are judged.",
    why: "Fewer rounds were driven than planned. If a run is stopped because its result pleases or \
          displeases, the verdict is wrong more often than its level says.",
    remedy: "Run it again to the end. Do not add its rounds to those of another run.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let why = match evidence.end.as_ref().map(|end| end.reason) {
        Some(EndReason::Complete) => return Vec::new(),
        None => "the journal has no end record: tiebreak was killed, or the machine went down",
        Some(EndReason::Stopped) => "the run was stopped before its end",
        Some(EndReason::TargetFailed) => "a target failed",
        Some(EndReason::Failed) => "tiebreak failed",
    };
    let detail = evidence.end.as_ref().map_or("", |end| end.detail.as_str());
    let detail = if detail.is_empty() { String::new() } else { format!(" ({detail})") };
    let planned = u64::from(evidence.question.rounds);
    let seen = format!(
        "{why}{detail}; {} of {} complete",
        evidence.complete_rounds,
        units::show_counted(planned, "round")
    );
    let figure = format!("{} of {planned} rounds", evidence.complete_rounds);
    let found = RULE.about_the_run(Weight::Caution, seen).with_figure(figure);
    let target_failed =
        evidence.end.as_ref().is_some_and(|end| end.reason == EndReason::TargetFailed);
    vec![if target_failed { found.with_hint("see the target's log, and run again") } else { found }]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::End;

    #[test]
    fn any_end_except_the_planned_one_is_found() {
        let with = |end: Option<EndReason>| {
            let mut run = SampleRun::compare(4);
            run.end = end.map(|reason| End { reason, detail: String::new() });
            run
        };
        assert_eq!(weights(&with(Some(EndReason::Complete)), RULE.name), []);
        for end in [None, Some(EndReason::Stopped), Some(EndReason::TargetFailed)] {
            assert_eq!(weights(&with(end), RULE.name), [Weight::Caution], "{end:?}");
        }
    }

    #[test]
    fn the_evidence_says_how_far_it_went() {
        let mut run = SampleRun::compare(4);
        run.question.rounds = 10;
        run.end = Some(End { reason: EndReason::Failed, detail: "disk full".to_owned() });
        assert_eq!(
            run.findings(RULE.name)[0].evidence,
            "tiebreak failed (disk full); 4 of 10 rounds complete"
        );
    }

    #[test]
    fn what_stopped_a_run_is_said_and_not_guessed() {
        let mut run = SampleRun::compare(4);
        for detail in ["stopped by a signal", "--within 1s: no case fits"] {
            run.end = Some(End { reason: EndReason::Stopped, detail: detail.to_owned() });
            let found = &run.findings(RULE.name)[0].evidence;
            assert!(
                found.starts_with(&format!("the run was stopped before its end ({detail})")),
                "{found}"
            );
        }
    }

    #[test]
    fn the_log_of_a_target_that_failed_is_named() {
        let mut run = SampleRun::compare(4);
        run.end = Some(End { reason: EndReason::TargetFailed, detail: String::new() });
        assert_eq!(run.findings(RULE.name)[0].hint, "see the target's log, and run again");
    }
}
