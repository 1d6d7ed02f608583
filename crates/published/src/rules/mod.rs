//! The rules, as a table: every way known to us in which printed output misleads. Each file
//! contains one rule.

mod bad_status;
mod broken_off;
mod closed_loop_rate;
mod connect_inside;
mod contenders_unnamed;
mod crossed_thresholds;
mod cut_short;
mod empty_reply;
mod failed_checks;
mod failed_requests;
mod few_per_connection;
mod few_samples;
mod filled_in;
mod hidden_stall;
mod littles_law;
mod misses;
mod no_repetition;
mod not_interleaved;
mod nothing_executed;
mod other_lengths;
mod percentile_support;
mod row_locks;
mod single_key;
mod sums_differ;
mod too_short;
mod unclear_figures;
mod unequal_load;
mod unequal_replies;
mod unseen;
mod unsent;

use crate::groups::RunGroup;
use crate::key::{At, Key};
use crate::run::PublishedRun;
use judge::verdict::Weight;
use text::units::{show_counted, whole};

/// A larger share of operations makes the output void, as in the audit of tiebreak's own runs.
const MOST_BAD: f64 = 0.001;

/// One rule: what it checks, why that matters, and what to do.
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub name: &'static str,
    /// The most severe objection that it can raise.
    pub weight: Weight,
    /// What it checks, and the threshold above which it objects.
    pub threshold: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// The check.
    pub check: Check,
}

/// What a rule checks.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// Each run by itself. `Err` names what the run does not show.
    Run(fn(&PublishedRun) -> Result<Vec<RunObjection>, &'static str>),
    /// All runs together.
    All(fn(&[PublishedRun], &[RunGroup]) -> Vec<GroupObjection>),
}

/// What a rule objects to in one run.
#[derive(Clone, Debug, PartialEq)]
pub struct RunObjection {
    /// How much it matters.
    pub weight: Weight,
    /// What was seen.
    pub evidence: String,
    /// The lines that show it.
    pub lines: Vec<u64>,
}

/// What a rule objects to in several runs.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupObjection {
    /// How much it matters.
    pub weight: Weight,
    /// What was seen.
    pub evidence: String,
    /// Indices of the runs.
    pub runs: Vec<usize>,
    /// The lines that show it, as (run, line).
    pub lines: Vec<(usize, u64)>,
}

/// All rules: about the operations, the consistency of the figures, their number, the load, and
/// what several runs can show.
pub static RULES: &[Rule] = &[
    bad_status::RULE,
    failed_requests::RULE,
    failed_checks::RULE,
    crossed_thresholds::RULE,
    broken_off::RULE,
    unsent::RULE,
    empty_reply::RULE,
    other_lengths::RULE,
    nothing_executed::RULE,
    misses::RULE,
    sums_differ::RULE,
    littles_law::RULE,
    few_per_connection::RULE,
    too_short::RULE,
    few_samples::RULE,
    percentile_support::RULE,
    hidden_stall::RULE,
    closed_loop_rate::RULE,
    filled_in::RULE,
    connect_inside::RULE,
    row_locks::RULE,
    single_key::RULE,
    unequal_load::RULE,
    unequal_replies::RULE,
    no_repetition::RULE,
    not_interleaved::RULE,
    contenders_unnamed::RULE,
    cut_short::RULE,
    unclear_figures::RULE,
    unseen::RULE,
];

type Checked = Result<Vec<RunObjection>, &'static str>;

fn found(
    weight: Weight,
    evidence: impl Into<String>,
    lines: impl IntoIterator<Item = u64>,
) -> Checked {
    let (evidence, lines) = (evidence.into(), lines.into_iter().collect());
    Ok(vec![RunObjection { weight, evidence, lines }])
}

/// No objection, or nothing to check.
fn fine() -> Checked {
    Ok(Vec::new())
}

/// A caution for some operations; void for more than 1 in 1000 of them, or if their total is
/// unknown.
fn weight_of(bad: f64, of: Option<At<f64>>) -> Weight {
    match of {
        Some(of) if bad <= MOST_BAD * of.value => Weight::Caution,
        _ => Weight::Void,
    }
}

/// Returns text such as `150 of 3000`, or `150` if the total is unknown.
fn part_of(bad: f64, of: Option<At<f64>>) -> String {
    match of {
        Some(of) => format!("{bad} of {}", of.value),
        None => bad.to_string(),
    }
}

/// The counts that are not zero, as a list of words, and their lines.
fn counts(run: &PublishedRun, keys: &[(Key, &str)]) -> (f64, Vec<String>, Vec<u64>) {
    let some = keys.iter().filter_map(|(key, word)| {
        run.figure(*key)
            .filter(|at| at.value > 0.0)
            .map(|at| (at, show_counted(whole(at.value), word)))
    });
    let (mut sum, mut words, mut lines) = (0.0, Vec::new(), Vec::new());
    for (at, word) in some {
        sum += at.value;
        words.push(word);
        if !lines.contains(&at.line) {
            lines.push(at.line);
        }
    }
    (sum, words, lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_texts_are_sentences() {
        let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), RULES.len());
        for rule in RULES {
            assert!(rule.name.chars().all(|c| c.is_ascii_lowercase() || c == '_'), "{}", rule.name);
            for text in [rule.threshold, rule.why, rule.remedy] {
                assert!(text.ends_with('.') && !text.contains("  "), "{}: {text}", rule.name);
            }
        }
    }
}
