//! Targets that their watcher could not read until the end.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use record::Metric;

pub(super) const RULE: Rule = Rule {
    name: "watcher_lost",
    short: "CPU time was not visible to the end",
    hint: "see tiebreak watch, and run again",
    weight: Weight::Caution,
    threshold: "Checks whether the watcher of a target (tiebreak watch) answered in every slice of \
                every judged round. If it did not answer once, the target's CPU time is missing \
                from that round on, which is a caution.",
    why: "CPU time at rest shows work that a target leaves for the others' time, and CPU time while \
          driven shows whether the target or the generator was the slower part. Without them, the \
          later rounds are only as trustworthy as those of a target that nothing reads. Figures of CPU \
          time are those of the rounds before.",
    remedy: "Keep `tiebreak watch` and the watched process running until the run has ended, and \
             check the network between the two machines.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().enumerate();
    let lost = each.filter_map(|(number, (name, _))| {
        let round = evidence.sight_lost(number)?;
        let why = evidence.why_not_visible(number)?;
        let seen = format!("CPU time not visible {why}");
        let found = RULE.about(name, Weight::Caution, seen).about(vec![Metric::TargetCpu]);
        Some(found.with_figure(format!("from round {round} on")))
    });
    lost.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::SampleRun;
    use record::{TargetDone, TargetReady, WatcherReport};

    /// The CPU time of b is not visible from this slice of this round on.
    fn lost(from: u32) -> Vec<Finding> {
        let mut run =
            SampleRun::compare(8).with_target_cpu(|target, driven| f64::from(target == driven));
        for name in ["a", "b"] {
            run.each_seen(name, |round, seen| {
                if round >= from {
                    seen.slices.iter_mut().for_each(|slice| slice.target_cpu_ns[1] = None);
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
        judge.target_done(&TargetDone {
            contender: 1,
            watched: Some(WatcherReport {
                lost: Some("the connection to the watcher was closed".to_owned()),
                ..WatcherReport::default()
            }),
            ..TargetDone::default()
        });
        let verdict = judge.verdict();
        verdict.findings().iter().filter(|finding| finding.rule == RULE.name).cloned().collect()
    }

    #[test]
    fn the_first_round_that_is_not_visible_is_named() {
        assert_eq!(lost(9), []);
        let found = lost(7);
        assert_eq!((found.len(), found[0].weight), (1, Weight::Caution));
        assert_eq!(found[0].contender.as_deref(), Some("b"));
        assert_eq!(
            found[0].evidence,
            "CPU time not visible from round 7 on: the connection to the watcher was closed"
        );
        assert_eq!(lost(1)[0].figure.as_deref(), Some("from round 1 on"));
    }
}
