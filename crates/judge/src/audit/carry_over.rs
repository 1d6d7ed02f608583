//! Work that a contender leaves behind for the one that is driven after it.

use super::{Evidence, Rule};
use crate::{
    evidence::DriveSummary,
    verdict::{Finding, Weight},
};
use record::Metric;
use text::{lists, units};

/// Differences up to this share are ignored.
const LARGEST_SHARE: f64 = 0.02;
/// Differences of up to this many standard errors are ignored.
const STANDARD_ERRORS: f64 = 4.0;

pub(super) const RULE: Rule = Rule {
    name: "carry_over",
    short: "throughput depends on the contender before",
    hint: "use --interleave turns",
    weight: Weight::Caution,
    threshold: "In slices: compares a contender's throughput in slices after itself with its \
                throughput in slices after another contender, within rounds. A difference of more \
                than 2 % and of more than 4 standard errors is a caution. If the CPU time of a \
                target cannot be measured, a note says that carry-over could not be ruled out.",
    why: "Garbage collection, flushes and compaction can run while a contender is not driven: it \
          saves the time, and the other contender pays for it. This has hidden whole effects. The \
          test is weak (it detects only large leftovers); CPU time at rest would show them.",
    remedy: "Let contenders take whole turns, in which each pays for its own work: --interleave \
             turns.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    if !evidence.is_interleaved_in_slices() {
        return Vec::new();
    }
    let differ = evidence.each().filter_map(|(name, driven)| finding(name, driven));
    differ.chain(not_ruled_out(evidence)).collect()
}

fn finding(name: &str, driven: &DriveSummary) -> Option<Finding> {
    let difference = driven.carry_over.difference()?;
    let (size, error) = (difference.share.abs(), difference.standard_error);
    if size <= LARGEST_SHARE || size <= STANDARD_ERRORS * error {
        return None;
    }
    let direction = if difference.share > 0.0 { "higher" } else { "lower" };
    let seen = format!(
        "throughput is {} {direction} in slices after itself than after another contender \
         (standard error {})",
        units::show_percent(size),
        units::show_percent(error)
    );
    let found = RULE.about(name, Weight::Caution, seen).with_figure(units::show_percent(size));
    Some(found.shifting(Metric::Throughput, size.ln_1p()))
}

fn not_ruled_out(evidence: &Evidence) -> Option<Finding> {
    let numbers = 0..evidence.contenders.len();
    let unseen: Vec<usize> = numbers.filter(|number| !evidence.cpu_in_sight(*number)).collect();
    let names = evidence.names(&unseen);
    let why = |(number, name): (&usize, &String)| {
        Some(format!("{name}: {}", evidence.why_not_visible(*number)?))
    };
    let reasons: Vec<String> = unseen.iter().zip(&names).filter_map(why).collect();
    let reasons =
        if reasons.is_empty() { String::new() } else { format!(" ({})", reasons.join("; ")) };
    let seen = format!(
        "carry-over between slices could not be ruled out: the CPU time of {} is not \
         visible{reasons}",
        lists::listed(&names)
    );
    let judged = evidence.complete_rounds > 0;
    let short = "carry-over could not be ruled out";
    let note = || RULE.about_the_run(Weight::Note, seen).with_short(short, RULE.hint);
    (judged && !unseen.is_empty()).then(note)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::Interleave;

    /// b's slices after itself have `more` operations than those after a, of
    /// 10 000; every second slice has `noise` more.
    fn run(more: u64, noise: u64) -> SampleRun {
        let run = SampleRun::compare(8).with_operations(40_000);
        let mut run = run.with_target_cpu(|target, driven| f64::from(target == driven));
        run.each_seen("b", |round, seen| {
            for (i, slice) in seen.slices.iter_mut().enumerate() {
                let itself = (i / 2 + round as usize).is_multiple_of(2);
                slice.after = Some(u32::from(itself));
                let noise = if i % 2 == 0 { noise } else { 0 };
                slice.operations = 10_000 + noise + if itself { more } else { 0 };
            }
        });
        run
    }

    #[test]
    fn two_percent_and_four_standard_errors() {
        assert_eq!(weights(&run(190, 20), RULE.name), []);
        assert_eq!(weights(&run(220, 20), RULE.name), [Weight::Caution]);
        // The same 2.2 % in noise of ± 5 %.
        assert_eq!(weights(&run(220, 1000), RULE.name), []);
        assert_eq!(run(220, 20).findings(RULE.name)[0].contender.as_deref(), Some("b"));
        assert!(RULE.threshold.contains(&units::show_percent(LARGEST_SHARE)));
        assert!(RULE.threshold.contains(&format!("{STANDARD_ERRORS:.0} standard errors")));
    }

    #[test]
    fn invisible_cpu_gives_a_note_and_turns_give_nothing() {
        let mut unseen = run(0, 20);
        unseen.ask_each([true, false], |of, in_sight| of.cpu_in_sight = in_sight);
        let found = unseen.findings(RULE.name);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].weight, &found[0].contender), (Weight::Note, &None));
        assert!(found[0].evidence.ends_with("the CPU time of b is not visible"));
        assert!(found[0].remedy.contains("--interleave turns"));
        unseen.each_seen("a", |round, seen| {
            if round == 3 {
                seen.slices[2].target_cpu_ns[0] = None;
            }
        });
        assert!(unseen.findings(RULE.name)[0].evidence.ends_with(
            "the CPU time of a and b is not visible (a: it could not be read in every slice)"
        ));
        let mut turns = run(220, 20);
        turns.pilot.as_mut().expect("a pilot").interleave = Interleave::Turns;
        assert_eq!(weights(&turns, RULE.name), []);
    }
}
