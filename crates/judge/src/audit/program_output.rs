//! Programs that print different amounts of output.

use super::{Evidence, Rule};
use crate::verdict::{Finding, Weight};
use record::Pair;

/// A larger difference of the output of one run is reported.
const MOST_DIFFERS: f64 = 0.1;

pub(super) const RULE: Rule = Rule {
    name: "program_output",
    short: "output differs in length",
    hint: "use --expect-different if intended",
    weight: Weight::Void,
    threshold: "Compares how many bytes one run of each program prints on its standard output, \
                without the line that states its operations, as the mean over all runs of the \
                rounds. More than 10 % apart: void; with --expect-different a note.",
    why: "A program that ends early, or skips part of its work, is fast and prints less. The \
          output of a program is the only evidence of what it did.",
    remedy: "Let both programs print what they found, such as the number of rows and a sum. If \
             they are meant to print different amounts, use --expect-different.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    evidence.question.pairs.iter().filter_map(|pair| about_pair(evidence, pair)).collect()
}

fn about_pair(evidence: &Evidence, pair: &Pair) -> Option<Finding> {
    let (of_a, of_b) = (bytes_a_run(evidence, pair.a)?, bytes_a_run(evidence, pair.b)?);
    if of_a.max(of_b) <= of_a.min(of_b) * (1.0 + MOST_DIFFERS) {
        return None;
    }
    let weight = if evidence.question.expect_different { Weight::Note } else { Weight::Void };
    let (name_a, name_b) = (evidence.name(pair.a), evidence.name(pair.b));
    let seen = format!("a run of {name_a} prints {of_a:.0} bytes, one of {name_b} {of_b:.0}");
    let figure = format!("{of_b:.0} against {of_a:.0} bytes");
    let found = RULE.about(name_b, weight, seen).with_figure(figure);
    Some(if evidence.question.expect_different { found.expected() } else { found })
}

/// The mean output of one run. Returns None if the contender is not a program, or if a run failed,
/// because it may have printed anything.
fn bytes_a_run(evidence: &Evidence, contender: u32) -> Option<f64> {
    let programs = &evidence.contenders.get(contender as usize)?.judged.programs;
    let known = programs.runs > 0 && programs.failed == 0;
    known.then(|| programs.output_bytes as f64 / programs.runs as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};

    /// Each run of `a` prints 1000 bytes, and each of `b` prints `bytes`.
    fn printing(bytes: u64) -> SampleRun {
        let mut run = SampleRun::compare(4);
        for (name, bytes) in [("a", 1000), ("b", bytes)] {
            run.each_seen(name, |_, seen| {
                seen.programs.runs = 3;
                seen.programs.output_bytes = 3 * bytes;
            });
        }
        run
    }

    #[test]
    fn a_tenth_is_the_limit() {
        for (bytes, found) in
            [(1100, &[][..]), (1101, &[Weight::Void]), (910, &[]), (909, &[Weight::Void])]
        {
            assert_eq!(weights(&printing(bytes), RULE.name), found, "{bytes}");
        }
        let seen = &printing(0).findings(RULE.name)[0];
        assert_eq!(seen.evidence, "a run of a prints 1000 bytes, one of b 0");
    }

    #[test]
    fn it_is_silent_if_nothing_can_be_compared() {
        assert_eq!(weights(&SampleRun::compare(4), RULE.name), []);
        let mut failed = printing(5);
        failed.each_seen("b", |round, seen| seen.programs.failed = u64::from(round == 2));
        assert_eq!(weights(&failed, RULE.name), []);
        let mut meant = printing(5);
        meant.question.expect_different = true;
        assert_eq!(weights(&meant, RULE.name), [Weight::Note]);
    }

    #[test]
    fn what_was_announced_is_not_proposed() {
        let mut meant = printing(5);
        meant.question.expect_different = true;
        let found = &meant.findings(RULE.name)[0];
        assert_eq!(found.hint, "see that it is the difference that you expect");
        assert!(found.remedy.starts_with("The contenders were expected"), "{}", found.remedy);
    }
}
