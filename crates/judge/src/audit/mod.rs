//! The audit: every way known to us in which a comparison can mislead, as a table of rules. Each
//! file contains one rule.
//!
//! `tiebreak explain`, docs/audit.md and the footnotes of a report are made from the same table.
//! Rules look at the size of effects, never at p-values: with a million replies every p-value is
//! zero.

mod agents_out_of_step;
mod announced_nodes;
mod autocorrelated_rounds;
mod burst_tail;
mod carry_over;
mod closed_connections;
mod control;
mod cpu_at_rest;
mod different_settings;
mod differing_durability;
mod differing_replies;
mod differing_stores;
mod empty_reply;
mod evictions;
mod fewer_connections;
mod first_round;
mod generator_bottleneck;
mod generator_saturated;
mod host_interference;
mod interrupted;
mod log_troubles;
mod long_drain;
mod lost_nodes;
mod misses;
mod non_success;
mod not_steady;
mod odd_agent;
mod one_launch;
mod our_faults;
mod outliers;
mod p99_support;
mod port_pressure;
mod program_output;
mod rate_not_reached;
mod remedies;
mod shared_core;
mod slice_too_short;
mod starved_connections;
mod statements;
mod too_short;
mod unasked_bytes;
mod watcher_lost;
mod withdrawn;
mod wrong_values;

pub use crate::evidence::Evidence;
use crate::evidence::Part;
use crate::verdict::{Bearing, Comparison, Finding, Weight};
pub use announced_nodes::{DIAL_THEM, addresses, not_dialled};
use record::Metric;
use std::cmp::Reverse;
use text::{lists, shown::short_case, units};

/// Maximum number of cases of a suite that a finding names.
const MOST_NAMED_CASES: usize = 5;

/// One rule: what it checks, why that matters, and what to do.
#[derive(Debug)]
pub struct Rule {
    /// Its name, as `tiebreak explain` takes it.
    pub name: &'static str,
    /// What a finding says in a few words: one line of the terminal's report.
    pub short: &'static str,
    /// What to do about it, in a few words.
    pub hint: &'static str,
    /// The most severe weight that it can give.
    pub weight: Weight,
    /// What it checks, and from which value on it reports a finding.
    pub threshold: &'static str,
    /// Why that matters.
    pub why: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// Looks at the evidence.
    pub check: fn(&Evidence) -> Vec<Finding>,
}

/// All rules: first those that can void a run, then those about the generator, the rounds and the
/// machine.
pub static RULES: &[Rule] = &[
    non_success::RULE,
    misses::RULE,
    evictions::RULE,
    wrong_values::RULE,
    empty_reply::RULE,
    unasked_bytes::RULE,
    differing_replies::RULE,
    program_output::RULE,
    differing_stores::RULE,
    differing_durability::RULE,
    lost_nodes::RULE,
    withdrawn::RULE,
    announced_nodes::RULE,
    rate_not_reached::RULE,
    generator_saturated::RULE,
    agents_out_of_step::RULE,
    our_faults::RULE,
    generator_bottleneck::RULE,
    odd_agent::RULE,
    shared_core::RULE,
    starved_connections::RULE,
    control::RULE,
    fewer_connections::RULE,
    closed_connections::RULE,
    port_pressure::RULE,
    too_short::RULE,
    p99_support::RULE,
    burst_tail::RULE,
    slice_too_short::RULE,
    long_drain::RULE,
    watcher_lost::RULE,
    cpu_at_rest::RULE,
    carry_over::RULE,
    not_steady::RULE,
    first_round::RULE,
    autocorrelated_rounds::RULE,
    outliers::RULE,
    host_interference::RULE,
    one_launch::RULE,
    different_settings::RULE,
    log_troubles::RULE,
    interrupted::RULE,
];

/// The rules that look at a suite. All others are about replies, rates, connections, stores or the load generator:
/// a suite has none of them, its programs measure themselves, and a run that fails makes its cases fail.
const OF_SUITES: [&str; 11] = [
    "control",
    "lost_nodes",
    "our_faults",
    "first_round",
    "autocorrelated_rounds",
    "outliers",
    "host_interference",
    "one_launch",
    "different_settings",
    "log_troubles",
    "interrupted",
];
/// The only rule that looks at suites alone.
const OF_SUITES_ALONE: &str = "control";

/// The rules that are checked in a suite, or in any other run.
pub(crate) fn rules(is_suite: bool) -> impl Iterator<Item = &'static Rule> {
    RULES.iter().filter(move |rule| {
        if is_suite { OF_SUITES.contains(&rule.name) } else { rule.name != OF_SUITES_ALONE }
    })
}

/// Returns the findings of all rules that are checked, the most severe first, and those of the same weight in the
/// order of the table.
pub(crate) fn findings(evidence: &Evidence) -> Vec<Finding> {
    let rules = rules(evidence.question.is_suite);
    let mut findings: Vec<Finding> = rules.flat_map(|rule| (rule.check)(evidence)).collect();
    findings.sort_by_key(|finding| Reverse(finding.weight));
    findings
}

impl Rule {
    /// A finding about the run.
    fn about_the_run(&self, weight: Weight, evidence: String) -> Finding {
        Finding {
            rule: self.name.to_owned(),
            weight,
            contender: None,
            evidence,
            remedy: self.remedy.to_owned(),
            short: self.short.to_owned(),
            figure: None,
            hint: self.hint.to_owned(),
            bearing: Bearing::default(),
        }
    }

    /// A finding about one workload of a contender.
    fn about_part(&self, part: &Part<'_>, weight: Weight, evidence: String) -> Finding {
        let (kind, name) = match (part.group, part.request) {
            (Some(group), _) => ("group", group),
            (None, Some(request)) => ("request", request),
            (None, None) => return self.about(part.name, weight, evidence),
        };
        self.about(part.name, weight, format!("{kind} {name}: {evidence}"))
            .with_figure(name.to_owned())
    }

    /// A finding that `some` of `total` are bad, which is void if they are more than the share `most`. `seen` gets
    /// the share as a percentage. None if there are none.
    fn about_share(
        &self,
        part: &Part<'_>,
        (some, total): (u64, u64),
        most: f64,
        seen: impl FnOnce(&str) -> String,
    ) -> Option<Finding> {
        let share = some as f64 / total.max(1) as f64;
        let weight = if share > most { Weight::Void } else { Weight::Caution };
        let percent = units::show_percent(share);
        (some > 0).then(|| self.about_part(part, weight, seen(&percent)).with_figure(percent))
    }

    /// A finding about one contender.
    fn about(&self, contender: &str, weight: Weight, evidence: String) -> Finding {
        Finding { contender: Some(contender.to_owned()), ..self.about_the_run(weight, evidence) }
    }
}

/// The cases of these comparisons, the first ones by name: `2 of 70 cases: a 1.1x and b 0.9x`.
fn named_cases(of: &[&Comparison], all: usize) -> String {
    let named = of.iter().map(|of| {
        let case = short_case(of.case.as_deref().unwrap_or_default());
        format!("{case} {}", of.ratio.map_or(String::new(), units::show_ratio))
    });
    let others = |n| units::show_counted(n, "other");
    let named = lists::first_listed(&named.collect::<Vec<String>>(), MOST_NAMED_CASES, others);
    let cases = units::show_counted(all as u64, "case");
    format!("{} of {cases}: {named}", of.len())
}

/// What the ratio of a draft is called: its metric or, of a suite, the mean over its cases.
fn figure_name(comparison: &Comparison) -> &'static str {
    if comparison.metric == Metric::Cost {
        "mean cost of all cases"
    } else {
        comparison.metric.path()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::SampleRun;
    use crate::evidence::DriveSummary;
    use std::collections::BTreeSet;

    #[test]
    fn names_are_unique_and_texts_are_sentences() {
        let names: BTreeSet<&str> = RULES.iter().map(|rule| rule.name).collect();
        assert_eq!(names.len(), RULES.len());
        for rule in RULES {
            assert!(rule.name.chars().all(|c| c.is_ascii_lowercase() || "_0123456789".contains(c)));
            for text in [rule.threshold, rule.why, rule.remedy] {
                assert!(text.ends_with('.') && !text.contains("  "), "{}: {text}", rule.name);
            }
        }
    }

    #[test]
    fn short_forms_are_few_words_that_fit_on_a_line() {
        for rule in RULES {
            let [short, hint] = [rule.short, rule.hint].map(|text| text.chars().count());
            // Beside a label, a name and a figure, on 100 columns.
            assert!(short > 0 && hint > 0 && short + hint <= 75, "{}", rule.name);
            for text in [rule.short, rule.hint] {
                assert!(!text.ends_with('.') && text.trim() == text, "{}: {text}", rule.name);
            }
        }
    }

    #[test]
    fn a_group_is_named_before_its_figure() {
        let part = Part {
            contender: 0,
            name: "a",
            group: Some("w"),
            request: None,
            driven: &DriveSummary::default(),
        };
        let finding = non_success::RULE.about_part(&part, Weight::Caution, "x".to_owned());
        assert_eq!(finding.figure.as_deref(), Some("w"));
        assert_eq!(finding.with_figure("2 %".to_owned()).figure.as_deref(), Some("w 2 %"));
    }

    #[test]
    fn the_texts_name_the_limit_of_unsound_replies() {
        let one_in = format!("1 in {:.0}", 1.0 / non_success::MOST);
        for rule in
            [non_success::RULE, empty_reply::RULE, unasked_bytes::RULE, differing_replies::RULE]
        {
            assert!(rule.threshold.contains(&one_in), "{}", rule.name);
        }
    }

    #[test]
    fn only_these_can_void() {
        let void = RULES.iter().filter(|rule| rule.weight == Weight::Void);
        let names: Vec<&str> = void.map(|rule| rule.name).collect();
        let wanted = [
            "non_success",
            "misses",
            "wrong_values",
            "empty_reply",
            "unasked_bytes",
            "differing_replies",
            "program_output",
            "lost_nodes",
            "withdrawn",
            "rate_not_reached",
            "generator_saturated",
            "agents_out_of_step",
            "our_faults",
            "starved_connections",
            "control",
        ];
        assert_eq!(names, wanted);
    }

    #[test]
    fn a_sound_run_has_the_two_notes_of_every_run_in_slices() {
        let verdict = SampleRun::compare(10).with_operations(10_000).verdict();
        let found: Vec<_> =
            verdict.findings().iter().map(|f| (f.rule.as_str(), f.weight)).collect();
        assert_eq!(found, [("carry_over", Weight::Note), ("one_launch", Weight::Note)]);
        assert_eq!(verdict.rules_checked() as usize, RULES.len() - 1, "control is for suites");
    }

    #[test]
    fn a_sound_single_run_has_nothing() {
        assert_eq!(SampleRun::single().with_operations(10_000).verdict().findings(), []);
    }

    #[test]
    fn the_most_severe_come_first() {
        let mut run = SampleRun::compare(4).with_operations(1000);
        run.question.shares_core = true;
        run.each_seen("b", |_, seen| seen.empty = 1000);
        let verdict = run.verdict();
        let weights: Vec<Weight> = verdict.findings().iter().map(|f| f.weight).collect();
        assert_eq!(weights, [Weight::Void, Weight::Caution, Weight::Note, Weight::Note]);
    }
}
