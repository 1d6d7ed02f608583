//! The data behind a verdict: rounds, launches, or the rounds of a look.

use super::capacity;
use crate::View;
use judge::verdict::{Comparison, Word};
use record::{LengthRule, Question};
use text::units;

/// The number of replicates behind a comparison: `10 rounds`, `10 launches × 5 rounds`, `decided
/// at look 2 of 5, after 16 rounds`.
pub(crate) fn rests_on(view: &View, comparison: &Comparison) -> String {
    let question = &view.plan().question;
    let replicates = replicates(question, comparison.replicates);
    let Some(looks) = comparison.interim_looks.filter(|looks| *looks > 0) else {
        return replicates;
    };
    let planned = question.interim_looks.len();
    match comparison.verdict {
        Word::Void => format!("look {looks} of {planned}, after {replicates}"),
        Word::Undecided if looks as usize >= planned => {
            format!("undecided after all {}, {replicates}", units::counted(looks.into(), "look"))
        }
        Word::Undecided => format!("undecided after {looks} of {planned} looks, {replicates}"),
        _ => format!("decided at look {looks} of {planned}, after {replicates}"),
    }
}

/// How many rounds are planned, in words.
pub(crate) fn planned(question: &Question) -> String {
    let replicates = replicates(question, question.replicates());
    match question.length {
        LengthRule::See(see) => {
            let see = units::show_percent(see);
            return format!("{replicates}, by a first stage, to see {see}");
        }
        LengthRule::WithinNs(ns) if !question.is_suite => {
            return format!("{replicates}, as many as fit into {}", units::show_ns(ns));
        }
        // Of a suite, cases are left out for want of time, and never rounds.
        _ => {}
    }
    if question.interim_looks.is_empty() {
        return replicates;
    }
    let looks: Vec<String> = question.interim_looks.iter().map(u32::to_string).collect();
    format!("up to {replicates}, looks after {}", looks.join(", "))
}

/// Which rounds are missing, or were driven after the last look. Returns None if all rounds
/// are complete and judged.
pub(crate) fn unfinished(view: &View) -> Option<String> {
    let question = &view.plan().question;
    let (complete, planned) = (view.complete_rounds, view.plan().rounds);
    let rounds = |n: u32| units::counted(n.into(), "round");
    let nothing_to_drive = capacity::need_no_rounds(view) || capacity::are_all_flat(view);
    if complete >= planned || question.is_at_a_look(complete) || nothing_to_drive {
        return None;
    }
    if question.interim_looks.is_empty() {
        return Some(format!("{complete} of {} complete", rounds(planned)));
    }
    let each = question.rounds_of_a_launch().unwrap_or(1);
    let ends = question.interim_looks.iter().map(|look| look.saturating_mul(each));
    let judged = ends.rev().find(|end| *end < complete);
    Some(match judged {
        Some(judged) => format!(
            "{} complete; only the first {judged}, up to the last look, are judged",
            rounds(complete)
        ),
        None => format!("{} complete, before the first look", rounds(complete)),
    })
}

/// `10 rounds`, or `10 launches × 5 rounds`.
fn replicates(question: &Question, n: u32) -> String {
    match question.rounds_of_a_launch() {
        None => units::counted(n.into(), "round"),
        Some(each) => format!(
            "{} × {}",
            units::counted(n.into(), "launch"),
            units::counted(each.into(), "round")
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn a_run_that_decided_early_misses_nothing() {
        let mut input = samples::looks();
        input.header.plan.rounds = 60;
        let table = [
            (60, None),
            (16, None),
            (9, Some("9 rounds complete, before the first look")),
            (20, Some("20 rounds complete; only the first 16, up to the last look, are judged")),
        ];
        for (complete, expected) in table {
            input.complete_rounds = complete;
            let described =
                unfinished(&input.view()).map(|described| described.replace(units::JOINT, " "));
            assert_eq!(described.as_deref(), expected, "{complete}");
        }
    }

    #[test]
    fn planned_rounds_in_words() {
        let described =
            |input: samples::Parts| planned(&input.header.plan.question).replace(units::JOINT, " ");
        assert_eq!(described(samples::faster()), "10 rounds");
        assert_eq!(described(samples::restarts()), "10 launches × 5 rounds");
        assert_eq!(described(samples::looks()), "up to 60 rounds, looks after 10, 16, 26, 40, 60");
    }
}
