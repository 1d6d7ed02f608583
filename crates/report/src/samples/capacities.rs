//! Runs that sought capacities.

use super::{Parts, compare, comparison, noise};
use judge::capacity::{Part, Turn};
use judge::capacity_run::DrivenTurn;
use judge::verdict::{CapacityOutcome, CapacitySummary, Word};
use record::{Interleave, Metric, Objective, Percentile};

const P99: Objective = Objective::ResponseTime { percentile: Percentile::P99, limit_ns: 5_000_000 };
const ERRORS: Objective = Objective::Errors { fraction: 0.001 };

/// Two contenders, the second of which takes 10 % more.
pub(crate) fn capacities() -> Parts {
    let mut parts = sought(&["old", "new"]);
    let rounds: Vec<f64> = noise(10).map(|u| 1.1 * (0.98 + 0.04 * u)).collect();
    let made = comparison("old", "new", Word::Faster, (1.098, 1.071, 1.126), &rounds);
    parts.comparisons = vec![judge::verdict::Comparison {
        metric: Metric::Capacity,
        charged: None,
        middle: None,
        ..made
    }];
    for (at, rate) in [4_120.0, 4_524.0].into_iter().enumerate() {
        let outcome = CapacityOutcome::At {
            rate,
            interval: Some((rate * 0.978, rate * 1.023)),
            part: Part::Target,
            is_slope_small: false,
        };
        parts.contenders[at].capacity = Some(summary(outcome, rate, Some(P99)));
    }
    parts
}

/// One outcome of each kind, none of which has a ratio.
pub(crate) fn capacities_without_ratios() -> Parts {
    let names = ["held", "below", "flat", "moved", "errors", "waiting", "unknown"];
    let mut parts = sought(&names);
    let at = |part| CapacityOutcome::At {
        rate: 800.0,
        interval: None,
        part,
        is_slope_small: part == Part::Connections,
    };
    let outcomes = [
        CapacityOutcome::AtLeast(Some(52_000.0)),
        CapacityOutcome::Below(78.0),
        CapacityOutcome::HardlyDepends,
        CapacityOutcome::LeftRange(910.0),
        CapacityOutcome::Between { met: Some(400.0), missed: 420.0 },
        at(Part::Connections),
        CapacityOutcome::NotReached,
    ];
    for (of, outcome) in parts.contenders.iter_mut().zip(outcomes) {
        let objective = match outcome {
            CapacityOutcome::Between { .. } => Some(ERRORS),
            CapacityOutcome::At { .. } => Some(P99),
            _ => None,
        };
        of.capacity = Some(summary(outcome, 800.0, objective));
    }
    let word = Word::Undecided;
    parts.comparisons = names[1..]
        .iter()
        .map(|b| {
            let made = comparison(names[0], b, word, (1.0, 1.0, 1.0), &[]);
            judge::verdict::Comparison {
                metric: Metric::Capacity,
                ratio: None,
                low: None,
                high: None,
                charged: None,
                middle: None,
                because: vec!["held: the generator was the limit: at least 52 k/s".to_owned()],
                ..made
            }
        })
        .collect();
    parts
}

/// A run of one contender.
pub(crate) fn capacity_alone() -> Parts {
    let mut parts = capacities();
    parts.comparisons.clear();
    parts.contenders.truncate(1);
    let plan = &mut parts.header.plan;
    plan.command = "run".to_owned();
    plan.contenders.truncate(1);
    plan.question.contenders.truncate(1);
    plan.question.pairs.clear();
    parts
}

fn sought(names: &[&str]) -> Parts {
    let named: Vec<(&str, f64)> = names.iter().map(|name| (*name, 4_000.0)).collect();
    let mut parts = compare(&named, 10);
    let plan = &mut parts.header.plan;
    plan.round_ns = 6_000_000_000;
    plan.question.primary = Metric::Capacity;
    plan.question.secondary.clear();
    plan.question.objectives = vec![P99, ERRORS];
    if let Some(pilot) = &mut parts.pilot {
        pilot.interleave = Interleave::Turns;
        (pilot.slice_ns, pilot.round_ns) = (2_000_000_000, 6_000_000_000);
    }
    parts
}

/// Turns at three rates in ten rounds around this rate.
fn summary(outcome: CapacityOutcome, rate: f64, objective: Option<Objective>) -> CapacitySummary {
    let turn = |(number, noise): (u32, f64)| {
        let rate = rate * [0.95, 1.0, 1.05][number as usize % 3];
        let percentile = 5e6 * (1.0 + 12.0 * (rate / 4_000.0 - 1.0)) * (0.9 + 0.2 * noise);
        let counted = (rate * 1.8) as u64;
        DrivenTurn {
            round: 1 + number / 3,
            turn: Turn { rate, counted, missed: vec![counted / 100, 0], part: Part::Target },
            percentile_ns: (number != 7).then_some(percentile.max(1e6) as u64),
        }
    };
    let turns = (0..30).zip(noise(30)).map(turn).collect();
    CapacitySummary { outcome, objective, turns }
}
