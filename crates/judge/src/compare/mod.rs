//! The comparisons: every pair, in the primary metric and in the secondary ones.

mod at_rest;
mod bottleneck;
mod capacity;
mod cases;
mod draft;
mod replicates;
mod scope;
mod support;

pub(crate) use at_rest::{CAUTION_ABOVE, NOTE_ABOVE};
#[cfg(test)]
pub(crate) use bottleneck::LITTLE_ROOM_FROM;
pub(crate) use bottleneck::{AT_ITS_LIMIT_FROM, at_its_limit, generator_limited};
pub(crate) use scope::of_run as scope_of_run;
pub(crate) use support::Support;

pub(crate) use crate::cost::GENERATOR_LIMITED_BELOW;
use crate::draft::Draft;
use crate::evidence::{Evidence, Operations};
use crate::stats::{rounds, stein::Variation};
use draft::Compared;
use record::{Metric, Pair, SecondStage};
use replicates::{NoReplicates, Of, Replicates, Round};
use text::glob;

/// All comparisons before the audit. For each pair, the primary metric comes first.
///
/// There are three families, each with its own error budget: the primary comparisons, those of single requests,
/// and all others together.
pub(crate) fn drafts(evidence: &Evidence) -> Vec<Draft> {
    let question = &evidence.question;
    if question.seeks_capacity() {
        let mut drafts: Vec<Draft> =
            question.pairs.iter().map(|pair| capacity::draft(evidence, *pair)).collect();
        scope::set(evidence, &mut drafts);
        return drafts;
    }
    if question.is_suite {
        return of_cases(evidence, &question.pairs);
    }
    let pairs = question.pairs.len();
    let of_groups: usize = question.groups.iter().map(|group| group.metrics.len()).sum();
    let others = pairs * (question.secondary.len() + of_groups);
    let second = |pair, metric, operations| Compared {
        pair,
        metric,
        operations,
        primary: false,
        family: others,
    };
    let mut drafts = Vec::with_capacity(pairs + others + pairs * question.requests.len());
    for &pair in &question.pairs {
        drafts.push(Compared::primary(evidence, pair).draft(evidence));
        for &metric in &question.secondary {
            drafts.push(second(pair, metric, Operations::All).draft(evidence));
        }
        for (group, asks) in question.groups.iter().enumerate() {
            for &metric in &asks.metrics {
                drafts.push(second(pair, metric, Operations::Group(group)).draft(evidence));
            }
        }
        for request in 0..question.requests.len() {
            let (metric, operations) = (Metric::Throughput, Operations::Request(request));
            let family = pairs * question.requests.len();
            let compared = Compared { pair, metric, operations, primary: false, family };
            drafts.push(compared.draft(evidence));
        }
    }
    scope::set(evidence, &mut drafts);
    drafts
}

/// ln(b/a) of a pair's metric, or of what a case costs, in each replicate, in order.
///
/// # Errors
/// If a replicate lacks a figure, or there is none; the message says why.
pub(crate) fn differences(
    evidence: &Evidence,
    pair: Pair,
    metric: Metric,
    case: Option<&str>,
) -> Result<Vec<f64>, String> {
    let operations = match case {
        None => Operations::All,
        Some(name) => {
            let mut names = evidence.cases.compared().iter().map(|case| case.name.as_str());
            let fitting = glob::fitting(&glob::of_name(name), names.clone());
            let at = names.position(|case| fitting == [case]);
            Operations::Case(at.ok_or_else(|| format!("the case `{name}` was not compared"))?)
        }
    };
    let of = Of { pair, metric, operations };
    // The peak of a server is one figure of its launch, also in a run of one launch, whose replicates are rounds.
    let has_one_peak = metric == Metric::PeakMemory
        && evidence.rounds_of_a_launch().is_none()
        && !evidence.starts_anew(pair.a);
    let differences = if has_one_peak {
        replicates::peaks_of_launches(evidence, of, std::iter::once(1))
    } else {
        let replicates = |rounds: Vec<Round>| Replicates::new(evidence, of, &rounds);
        rounds_of(evidence, of).and_then(replicates).map(|replicates| replicates.differences)
    };
    differences.map_err(|why| why.to_string())
}

/// b/a of what is compared, in every round.
fn rounds_of(evidence: &Evidence, of: Of) -> Result<Vec<Round>, NoReplicates> {
    match of.operations {
        Operations::Case(case) => cases::rounds(evidence, of.pair, case),
        _ => replicates::rounds(evidence, of),
    }
}

/// The comparisons of all cases of these pairs.
fn of_cases(evidence: &Evidence, pairs: &[Pair]) -> Vec<Draft> {
    let compared = pairs.iter().flat_map(|pair| cases::of_pair(evidence, *pair));
    let mut drafts: Vec<Draft> = compared.map(|compared| compared.draft(evidence)).collect();
    scope::set(evidence, &mut drafts);
    drafts
}

/// The comparisons of a suite's control, at the level of all others. Empty if there is none.
pub(crate) fn control(evidence: &Evidence) -> Vec<Draft> {
    of_cases(evidence, evidence.question.control.as_slice())
}

/// A comparison of each pair of a suite by the mean over its cases, for rules about rounds. Empty for all other runs.
pub(crate) fn means(evidence: &Evidence) -> Vec<Draft> {
    if evidence.question.is_suite { cases::means(evidence, &evidence.drafts) } else { Vec::new() }
}

/// The comparisons that verdicts rest on: one of each pair or, of a suite, one of each case.
fn primaries(evidence: &Evidence) -> Vec<Compared> {
    let pairs = evidence.question.pairs.iter();
    if evidence.question.is_suite {
        return pairs.flat_map(|pair| cases::of_pair(evidence, *pair)).collect();
    }
    pairs.map(|pair| Compared::primary(evidence, *pair)).collect()
}

/// What the first stage of a run of two stages shows, or what the planned replicates of any other run see.
/// Returns None if no pair has differences yet.
pub(crate) fn second_stage(evidence: &Evidence) -> Option<SecondStage> {
    let question = &evidence.question;
    let primaries = primaries(evidence);
    let weighed = primaries.iter().filter_map(|compared| {
        let draft = compared.draft(evidence);
        Some((draft.weighed?.deviation?, draft.comparison.replicates))
    });
    let (deviation, replicates) = weighed.max_by(|one, other| one.0.total_cmp(&other.0))?;
    let level = rounds::level(question.alpha, primaries.len());
    let variation = Variation { deviation, replicates, level };
    let replicates = match question.length.see() {
        Some(see) => variation.replicates_that_see(see),
        None => question.replicates(),
    };
    Some(SecondStage { replicates, deviation, sees: variation.seen_by(replicates) })
}

/// Whether a run with looks may end: every primary comparison is settled at one of the looks made
/// so far.
pub(crate) fn decided(evidence: &Evidence) -> bool {
    let question = &evidence.question;
    let each = evidence.rounds_of_a_launch().unwrap_or(1);
    let replicates = evidence.complete_rounds / each;
    let looked = question.interim_looks.first().is_some_and(|first| replicates >= *first);
    if !looked || !draft::has_looks(evidence) {
        return false;
    }
    let primaries = primaries(evidence);
    !primaries.is_empty() && primaries.iter().all(|of| of.draft(evidence).settled)
}
