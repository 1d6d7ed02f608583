//! Capacities: a row for each contender, which all formats print, and what they mean.

use super::short_name;
use crate::View;
use judge::belief::needs_no_rounds;
use judge::capacity::{Part, length::longer_turns};
use judge::objectives;
use judge::verdict::{CapacityOutcome, CapacitySummary, ContenderSummary, Word};
use record::Objective;
use text::shown::shown;
use text::units;

/// Longest name in a row, in characters.
const LONGEST_NAME: usize = 28;

/// The heads of the columns.
pub(crate) const HEAD: [&str; 4] = ["contender", "capacity", "objective", "limited by"];

/// The contenders with what is known of their capacities. Empty if none were sought.
pub(crate) fn of<'a>(
    view: &View<'a>,
) -> impl Iterator<Item = (&'a ContenderSummary, &'a CapacitySummary)> + use<'a> {
    view.contenders.iter().filter_map(|of| Some((of, of.capacity.as_ref()?)))
}

/// Whether the run sought capacities.
pub(crate) fn are_sought(view: &View) -> bool {
    view.plan().question.seeks_capacity()
}

/// Whether the search told all that there is to tell of each contender, so that no rounds were driven.
pub(crate) fn need_no_rounds(view: &View) -> bool {
    view.complete_rounds == 0 && needs_no_rounds(view.contenders)
}

/// Whether no contender has a capacity because its percentile hardly depends on the rate. Then further rounds were not
/// needed.
pub(crate) fn are_all_flat(view: &View) -> bool {
    let is_flat = |of: &CapacitySummary| of.outcome == CapacityOutcome::HardlyDepends;
    of(view).next().is_some() && of(view).all(|(_, capacity)| is_flat(capacity))
}

/// The cells of each contender, under [`HEAD`].
pub(crate) fn rows(view: &View) -> Vec<[String; 4]> {
    let row = |(of, capacity): (&ContenderSummary, &CapacitySummary)| {
        let objective = capacity.objective.map(objectives::show);
        [
            short_name(&of.name, LONGEST_NAME),
            rate(&capacity.outcome),
            super::or_missing(objective),
            limit(&capacity.outcome).unwrap_or(units::MISSING).to_owned(),
        ]
    };
    of(view).map(row).collect()
}

/// A capacity with its interval: `5.02 k/s (4.95 k/s to 5.10 k/s)`.
fn rate(outcome: &CapacityOutcome) -> String {
    let rate = |rate: f64| units::rate(Some(rate));
    match *outcome {
        CapacityOutcome::At { rate: at, interval: Some((low, high)), .. } => {
            format!("{} ({} to {})", rate(at), rate(low), rate(high))
        }
        CapacityOutcome::At { rate: at, .. } => rate(at),
        CapacityOutcome::AtLeast(Some(met)) => format!("at least {}", rate(met)),
        CapacityOutcome::Below(missed) | CapacityOutcome::Between { met: None, missed } => {
            format!("below {}", rate(missed))
        }
        CapacityOutcome::Between { met: Some(met), missed } => {
            format!("{} to {}", rate(met), rate(missed))
        }
        CapacityOutcome::AtLeast(None)
        | CapacityOutcome::HardlyDepends
        | CapacityOutcome::LeftRange(_)
        | CapacityOutcome::NotReached => "none".to_owned(),
    }
}

/// The part that limited it.
pub(crate) fn limit(outcome: &CapacityOutcome) -> Option<&'static str> {
    match outcome {
        CapacityOutcome::At { part, .. } => Some(match part {
            Part::Target => "target",
            Part::Connections => "connections",
            Part::Generator => "generator",
        }),
        CapacityOutcome::AtLeast(_) => Some("generator"),
        _ => None,
    }
}

/// The answer for one contender: `a takes 5.02 k/s with p99 <= 5 ms`.
pub(crate) fn answer(view: &View, of: &ContenderSummary, capacity: &CapacitySummary) -> String {
    let name = shown(&of.name);
    let objective = match capacity.objective {
        Some(objective) => format!(" with {}", objectives::show(objective)),
        None => format!(" with {}", all_objectives(view)),
    };
    if is_found(&capacity.outcome) {
        format!("{name} takes {}{objective}", rate(&capacity.outcome))
    } else {
        format!("{name} has no capacity here{objective}")
    }
}

fn all_objectives(view: &View) -> String {
    let all = view.plan().question.objectives.iter().map(|of| objectives::show(*of));
    all.collect::<Vec<String>>().join(" and ")
}

/// What the capacities mean, in sentences without their capital letters.
pub(crate) fn about(view: &View) -> Vec<String> {
    let mut sentences = vec![meaning(view)];
    sentences.extend(of(view).filter_map(|(of, capacity)| reservation(of, capacity)));
    sentences
}

fn meaning(view: &View) -> String {
    let has_interval = |capacity: &CapacitySummary| {
        matches!(capacity.outcome, CapacityOutcome::At { interval: Some(_), .. })
    };
    let level = units::level(1.0 - view.plan().question.alpha);
    let interval = if of(view).any(|(_, capacity)| has_interval(capacity)) {
        format!(", with its approximate {level} interval")
    } else {
        String::new()
    };
    let is_timed = |of: &Objective| matches!(of, Objective::ResponseTime { .. });
    let late = if view.plan().question.objectives.iter().any(is_timed) {
        "; operations that are lost or not answered are late"
    } else {
        ""
    };
    format!("capacity: the highest rate with {}{interval}{late}", all_objectives(view))
}

/// Whether it is a rate, or a bound of one.
pub(crate) fn is_found(outcome: &CapacityOutcome) -> bool {
    !matches!(
        outcome,
        CapacityOutcome::AtLeast(None)
            | CapacityOutcome::HardlyDepends
            | CapacityOutcome::LeftRange(_)
            | CapacityOutcome::NotReached
    )
}

/// Why a contender has no capacity, or what weakens it.
pub(crate) fn reservation(of: &ContenderSummary, capacity: &CapacitySummary) -> Option<String> {
    let name = shown(&of.name);
    let rate = |rate: f64| units::rate(Some(rate));
    Some(match capacity.outcome {
        CapacityOutcome::At { is_slope_small: true, .. } => format!(
            "{name}: its percentile rises slowly with the rate, so the figure is rough; three times as long turns (6 \
             minutes or more for two contenders) make it sharper"
        ),
        CapacityOutcome::At { part: Part::Connections, .. } => format!(
            "{name}: operations waited for a free connection while its replies were as quick as before; more \
             connections (-c) may raise it"
        ),
        CapacityOutcome::At { .. } => return None,
        CapacityOutcome::AtLeast(Some(_)) => format!(
            "{name}: the generator was the slowest part beyond that rate, so there is no verdict; give it more cores \
             (--cores), and let the target use others (taskset)"
        ),
        CapacityOutcome::AtLeast(None) => format!(
            "{name}: the generator was the slowest part at every rate; give it more cores (--cores), and let the target \
             use others (taskset)"
        ),
        CapacityOutcome::Below(missed) => {
            format!(
                "{name} missed an objective at {}, the lowest rate that was driven",
                rate(missed)
            )
        }
        CapacityOutcome::Between { .. } => {
            format!("{name}: errors are judged at the rates that were driven, and not in between")
        }
        CapacityOutcome::HardlyDepends => format!(
            "{name}: its percentile hardly depends on the rate, so no rate can be called its capacity"
        ),
        CapacityOutcome::LeftRange(at) => format!(
            "{name}: its capacity moved to {}, more than 30 % from what the search had found; run again, with a \
             longer --warm-up",
            rate(at)
        ),
        CapacityOutcome::NotReached => {
            format!("{name}: the run ended before its capacity was known")
        }
    })
}

/// What would decide an undecided ratio.
pub(crate) fn next(view: &View) -> Option<String> {
    let undecided = view.primaries().any(|of| of.verdict == Word::Undecided && of.low.is_some());
    let longer = longer_turns(view.plan().round_ns);
    (are_sought(view) && undecided)
        .then(|| format!("a run with turns four times as long ({longer}) halves the interval"))
}
