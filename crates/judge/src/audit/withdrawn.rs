//! A contender that left a ranking or a sweep.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use record::Withdrawn;

pub(super) const RULE: Rule = Rule {
    name: "withdrawn",
    short: "it left before the end",
    hint: "see its log, and run again",
    weight: Weight::Void,
    threshold: "In a ranking or a sweep: names each contender that failed before the last round, and why: its target \
                ended, was not ready, stopped answering, or its program failed. It is not ranked, or its load point is \
                void, and nothing else is said of it; the others go on without it, and the number of comparisons for \
                which all intervals allow stays that of the plan. If a target ends, all of its load points leave. If \
                fewer than two others remain, the run is void.",
    why: "One target that fails says nothing about the others, and its own figures describe the rounds before it \
          failed, which may be the ones in which it was fastest.",
    remedy: "Look at the log of the target, correct the cause, and run again. To rank only the others, leave it out.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let finding = |of: &Withdrawn| {
        let when = match (of.round, of.launch) {
            (0, 0..=1) => "before the first round".to_owned(),
            (0, launch) => format!("in launch {launch}"),
            (round, _) => format!("in round {round}"),
        };
        let seen = format!("it left {when}: {}", of.why);
        RULE.about(evidence.name(of.contender), Weight::Void, seen).with_figure(when)
    };
    evidence.withdrawn.iter().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, ranked_run};
    use crate::verdict::{Verdict, Word};
    use record::Pair;

    /// A ranking of so many equal contenders, some of which left in these rounds.
    fn ranking(names: &[&str], left: &[(u32, u32)]) -> Verdict {
        let mut run = ranked_run(names, 12);
        run.records.retain(|record| {
            !left.iter().any(|(who, round)| record.contender == *who && record.round > *round)
        });
        for (contender, round) in left {
            // No operation of the last round got a reply.
            let name = names[*contender as usize];
            run.each_seen(name, |at, seen| {
                if at == *round {
                    seen.slices.iter_mut().for_each(|slice| slice.operations = 0);
                    (seen.outcomes.ok, seen.codes) = (0, Default::default());
                    seen.outcomes.failed.insert(record::Failure::Refused, 800);
                }
            });
        }
        judged(&run, left)
    }

    fn judged(run: &SampleRun, left: &[(u32, u32)]) -> Verdict {
        let mut judge = run.judge_after(|judge, record| {
            for (contender, round) in left {
                if (record.contender, record.round) == (*contender, *round) {
                    let why = "connection refused".to_owned();
                    judge.withdrawn(&Withdrawn {
                        contender: *contender,
                        launch: 0,
                        round: *round,
                        why,
                    });
                }
            }
        });
        for (contender, round) in left {
            let why = "it was killed by signal 9".to_owned();
            judge.withdrawn(&Withdrawn {
                contender: *contender,
                launch: 0,
                round: *round + 1,
                why,
            });
        }
        judge.verdict()
    }

    #[test]
    fn the_others_are_ranked_by_all_of_their_rounds() {
        let names = ["a", "b", "c", "d"];
        let verdict = ranking(&names, &[(1, 5)]);
        assert!(!verdict.void(), "{:?}", verdict.findings());
        assert_eq!(verdict.complete_rounds(), 12);
        let of: Vec<(&str, &str, Word, u32)> = (verdict.comparisons().iter())
            .map(|of| (of.a.as_str(), of.b.as_str(), of.verdict, of.replicates))
            .collect();
        for (a, b, word, rounds) in of {
            let wanted =
                if a == "b" || b == "b" { (Word::Void, 0) } else { (Word::Equivalent, 12) };
            assert_eq!((word, rounds), wanted, "{a} {b}");
        }
        let ranking = verdict.ranking().expect("it was asked for");
        assert_eq!(ranking.ranked.len(), 3);
        let out = &ranking.not_ranked[0];
        assert_eq!((out.name.as_str(), out.rule.as_str()), ("b", "withdrawn"));
        assert_eq!(out.why, "it left in round 5: it was killed by signal 9");
        // What failed before it left is not told again.
        let about_it = verdict.findings().iter().filter(|of| of.contender.as_deref() == Some("b"));
        assert_eq!(about_it.count(), 1);
        // All intervals allow for the six comparisons of the plan.
        let whole = ranking_of_all(&names);
        let bounds = |of: &Verdict| (of.comparisons()[1].low, of.comparisons()[1].high);
        assert_eq!(bounds(&verdict), bounds(&whole));
        assert_eq!(verdict.comparisons()[1].confidence, whole.comparisons()[1].confidence);
    }

    fn ranking_of_all(names: &[&str]) -> Verdict {
        ranking(names, &[])
    }

    #[test]
    fn in_a_sweep_its_load_point_alone_is_void() {
        let mut run = SampleRun::of(&["a@1", "b@1", "a@4", "b@4"], 12);
        run.question.load_points = vec!["connections-1".to_owned(), "connections-4".to_owned()];
        run.question.pairs = vec![Pair { a: 0, b: 1 }, Pair { a: 2, b: 3 }];
        run.records.retain(|record| record.contender != 3 || record.round <= 5);
        let verdict = judged(&run, &[(3, 5)]);
        assert!(verdict.void_in_part() && !verdict.void(), "{:?}", verdict.findings());
        assert_eq!(verdict.complete_rounds(), 12);
        let void: Vec<bool> = verdict.load_points().iter().map(|point| point.void()).collect();
        assert_eq!(void, [false, true]);
        let words: Vec<(Word, u32)> =
            verdict.comparisons().iter().map(|of| (of.verdict, of.replicates)).collect();
        assert_eq!(words, [(Word::Equivalent, 12), (Word::Void, 0)]);
    }

    #[test]
    fn with_fewer_than_two_others_the_run_is_void() {
        assert!(!ranking(&["a", "b", "c"], &[(2, 3)]).void());
        let verdict = ranking(&["a", "b", "c"], &[(2, 3), (0, 6)]);
        assert!(verdict.void());
        assert_eq!(verdict.ranking().expect("asked for").not_ranked, []);
    }

    #[test]
    fn one_that_was_never_ready_has_no_figures_and_no_rank() {
        let mut run = ranked_run(&["a", "b", "c"], 12);
        run.records.retain(|record| record.contender != 0);
        let mut judge = crate::Judge::new(&run.question);
        let why = "it is not ready".to_owned();
        judge.withdrawn(&Withdrawn { contender: 0, launch: 1, round: 0, why });
        run.records.iter().for_each(|record| judge.add(record));
        let verdict = judge.verdict();
        assert_eq!(verdict.complete_rounds(), 12);
        let ranking = verdict.ranking().expect("asked for");
        let names: Vec<&str> = ranking.ranked.iter().map(|of| of.name.as_str()).collect();
        assert_eq!(names, ["b", "c"]);
        assert_eq!(ranking.not_ranked[0].why, "it left before the first round: it is not ready");
    }
}
