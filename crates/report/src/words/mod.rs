//! The sentences of the report, shared by the terminal and the page.

pub(super) mod agents;
pub(super) mod belief;
mod blocks;
pub(crate) mod boards;
pub(super) mod capacity;
pub(super) mod cases;
mod claims;
pub(super) mod columns;
pub(super) mod costs;
mod databases;
pub mod findings;
pub(super) mod fresh;
pub mod groups;
pub(super) mod kinds;
pub(super) mod lanes;
mod load;
mod looks;
mod messages;
pub(super) mod published;
pub(super) mod ranking;
pub mod reasons;
mod requests;
mod revisions;
mod sentence;
mod status;
mod stores;
pub(super) mod sweep;
pub(crate) mod times;
mod warm_up;
mod workload;

pub(super) use belief::audit;
pub use blocks::blocks;
pub(super) use claims::{
    about_launches, basis, brief, charged, claim, limit, middle, second, short_basis,
};
pub use databases::database;
pub(super) use fresh::{fresh_run, one_launch, several_launches};
pub use load::{load_begins, loaded};
pub(super) use looks::{planned, rests_on, unfinished};
pub use messages::messages;
pub use requests::methods;
pub(super) use requests::request;
pub(crate) use revisions::revisions;
pub use revisions::what as revision;
pub use sentence::THIS_LAUNCH_OF;
pub(super) use sentence::{Sentence, SentencePart};
pub(super) use status::{is_objective, required, status};
pub use stores::{is_loaded, store};
pub(super) use warm_up::warm_up;
use workload::kind;
pub(super) use workload::mix;
pub use workload::workload;

use super::View;
use judge::verdict::{Comparison, ContenderSummary, Finding, Weight, Word};
use record::{Arrivals, Contender, EndReason, Interleave, Metric, RequestPlan, Reuse};
pub(super) use text::shown::short_name;
use text::shown::{shown, shown_sentence};
use text::units;

/// The verdict of a comparison in one word. A cost is lower or higher, not faster or slower.
pub fn word(word: Word, metric: Metric) -> &'static str {
    match (word, metric) {
        (Word::Faster, of) if of.is_use() => "lower",
        (Word::Slower, of) if of.is_use() => "higher",
        (Word::Faster, _) => "faster",
        (Word::Slower, _) => "slower",
        (Word::Equivalent, _) => "equivalent",
        (Word::Undecided, _) => "undecided",
        (Word::Void, _) => "void",
    }
}

/// The verdict in capitals, for a word that stands alone.
pub(super) fn in_capitals(verdict: Word, metric: Metric) -> String {
    word(verdict, metric).to_uppercase()
}

/// The first words of a run that the audit refused. What a control shows is said before anything else.
pub(super) fn void(view: &View, otherwise: &str) -> String {
    let control = view.findings.iter().find(|finding| finding.rule == "control");
    control.map_or(otherwise.to_owned(), |of| format!("VOID: {}", shown_sentence(&of.evidence)))
}

/// The weight of a finding.
pub fn weight(weight: Weight) -> &'static str {
    match weight {
        Weight::Note => "note",
        Weight::Caution => "caution",
        Weight::Void => "void",
    }
}

/// The rule of a finding, and the name of the contender that it concerns: `misses (new)`.
pub(super) fn rule_and_name(of: &Finding) -> String {
    let name = of.contender.as_ref().map(|name| format!(" ({})", shown(name)));
    shown(&of.rule) + &name.unwrap_or_default()
}

/// Remarks about how the run ended, besides the findings.
pub(super) fn remarks(view: &View) -> Vec<String> {
    let mut remarks = Vec::from_iter(unfinished(view));
    match view.end {
        None => remarks.push("the journal does not say how the run ended".to_owned()),
        Some(end) if end.reason != EndReason::Complete => {
            remarks.push(if end.detail.is_empty() {
                ended(end.reason).to_owned()
            } else {
                format!("{}: {}", ended(end.reason), shown_sentence(&end.detail))
            });
        }
        Some(_) => {}
    }
    remarks.extend(view.journal_note.map(|note| format!("journal: {}", shown_sentence(note))));
    remarks
}

fn ended(reason: EndReason) -> &'static str {
    match reason {
        EndReason::Complete => "all rounds were driven",
        EndReason::Stopped => "stopped before the end",
        EndReason::TargetFailed => "a target failed",
        EndReason::Failed => "tiebreak itself failed",
    }
}

/// Says that response times include the start of each slice or turn, where too few replies would be left
/// without it. The latency of a program has no such part.
pub(super) fn start_included(view: &View) -> Option<&'static str> {
    let burn_in_ns = &view.pilot?.burn_in_ns;
    let program = view.plan().contenders.iter().any(|of| of.asks == RequestPlan::Program);
    let included = !program && !burn_in_ns.is_empty() && burn_in_ns.iter().all(|ns| *ns == 0);
    included.then_some("response times include the start of each slice: there are few replies")
}

/// How the contenders took turns: the pilot's choice or, without a pilot, what was done
/// (`run` drives its one contender without a break).
pub(super) fn turns(view: &View) -> String {
    if view.plan().question.is_suite {
        let turns = "turns: each contender gives one figure of each case in every round, in an order drawn for it";
        return turns.to_owned();
    }
    let Some(pilot) = view.pilot else {
        let driven = units::round_nanoseconds(view.plan().round_ns);
        return match view.plan().contenders.len() {
            1 => format!("no pilot; driven for {driven} without a break"),
            _ => "the journal does not contain the pilot's choice".to_owned(),
        };
    };
    let round = units::round_nanoseconds(pilot.round_ns);
    let slice = units::round_nanoseconds(pilot.slice_ns);
    let start = start_included(view).map_or(String::new(), |start| format!("; {start}"));
    let start = blocks(view.plan()).map_or(String::new(), |blocks| format!("; {blocks}")) + &start;
    match pilot.interleave {
        Interleave::Turns if capacity::are_sought(view) => {
            format!("turns of {slice}, at three rates for each contender in every round")
        }
        Interleave::Turns => {
            format!("turns: each contender is driven once in every round, for {slice}{start}")
        }
        _ => {
            format!("slices of {slice}; each contender is driven for {round} in every round{start}")
        }
    }
}

/// What weakens a verdict, the ratio with CPU at rest charged, and what would decide it.
pub(super) fn reservations(view: &View, of: &Comparison) -> Vec<String> {
    let charged = charged(view, of).map(|charged| charged.text('x'));
    let fresh = fresh_run(view, of).filter(|_| of.verdict == Word::Undecided);
    charged.into_iter().chain(of.because.iter().cloned()).chain(fresh).collect()
}

/// Name of a metric in a sentence.
pub(super) fn metric(metric: Metric) -> &'static str {
    match metric {
        Metric::ResponseP50 => "p50 of response time",
        Metric::ResponseP99 => "p99 of response time",
        Metric::ResponseP999 => "p99.9 of response time",
        other => short_metric(other),
    }
}

/// Short name of a metric: `p99` means that of response time.
pub(super) fn short_metric(metric: Metric) -> &'static str {
    match metric {
        Metric::Throughput => "throughput",
        Metric::ResponseP50 => "p50",
        Metric::ResponseP99 => "p99",
        Metric::ResponseP999 => "p99.9",
        Metric::TargetCpu => "target CPU per operation",
        Metric::PeakMemory => "peak memory",
        Metric::Capacity => "capacity",
        Metric::Cost => "cost",
    }
}

/// Operations that did not succeed, for whatever reason: failures, stale and wrong values.
pub(super) fn errors(contender: &ContenderSummary) -> u64 {
    contender.outcomes.errors()
}

/// Whether any of them had a miss.
pub(super) fn any_misses<'a>(all: impl IntoIterator<Item = &'a ContenderSummary>) -> bool {
    all.into_iter().any(|of| of.outcomes.miss > 0)
}

/// Operations that found nothing, and their share: `1,234 (2.1 %)`.
pub(super) fn misses(contender: &ContenderSummary) -> String {
    let (misses, total) = (contender.outcomes.miss, contender.outcomes.total());
    match misses {
        0 => units::count(0),
        _ => format!("{} ({})", units::count(misses), units::percent(misses as f64 / total as f64)),
    }
}

/// A figure, or the sign for a missing one.
pub(super) fn or_missing(figure: Option<String>) -> String {
    figure.unwrap_or_else(|| units::MISSING.to_owned())
}

/// A figure of this metric with its unit.
pub(super) fn figure(metric: Metric, value: Option<f64>) -> String {
    match metric {
        Metric::Throughput | Metric::Capacity => units::rate(value),
        Metric::PeakMemory => or_missing(value.map(|bytes| units::bytes(bytes as u64))),
        _ => units::seconds(value),
    }
}

/// When operations were due.
pub(super) fn arrivals(arrivals: Arrivals) -> String {
    match arrivals {
        Arrivals::Closed => "closed loop".to_owned(),
        Arrivals::Constant(rate) => format!("constant, {}", units::round_rate(rate)),
        Arrivals::Poisson(rate) => format!("Poisson, {}", units::round_rate(rate)),
    }
}

/// The connection policy.
pub(super) fn reuse(of: &Contender) -> String {
    match of.reuse {
        Reuse::Always => "persistent".to_owned(),
        Reuse::Never => "fresh".to_owned(),
        Reuse::Times(n) => format!("fresh after {}", units::counted(n.into(), "operation")),
        Reuse::Pool(pool) => format!("a pool of {}{}", pool.max, for_each_group(of)),
    }
}

/// `consistency level quorum`. Returns None if the protocol has no levels.
pub(super) fn consistency(of: &Contender) -> Option<String> {
    let copies = match of.replication {
        Some(copies @ 2..) => {
            format!(", replication factor {copies} for a keyspace that the load creates")
        }
        _ => String::new(),
    };
    of.consistency.map(|level| format!("consistency level {}{copies}", level.name()))
}

/// `keys on 3 servers by ketama, with failover`. Returns None if there is one server.
pub(super) fn sharding(of: &Contender) -> Option<String> {
    of.sharding.map(|of| {
        let failover = if of.failover { "with" } else { "without" };
        format!("keys on {} servers by {}, {failover} failover", of.servers, of.rule.name())
    })
}

/// Each group has a pool of its own.
pub fn for_each_group(of: &Contender) -> &'static str {
    if of.groups.is_empty() { "" } else { " for each group" }
}
