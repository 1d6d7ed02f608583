//! The capacity of one contender.

use super::list;
use crate::View;
use crate::words::capacity::limit;
use judge::capacity_run::DrivenTurn;
use judge::objectives;
use judge::verdict::{CapacityOutcome, CapacitySummary};
use serde_json::{Value, json};

pub(super) fn capacity(view: &View, of: &CapacitySummary) -> Value {
    let (outcome, rate, low, high) = match of.outcome {
        CapacityOutcome::At { rate, interval, .. } => {
            ("at", Some(rate), interval.map(|it| it.0), interval.map(|it| it.1))
        }
        CapacityOutcome::AtLeast(met) => ("at_least", None, met, None),
        CapacityOutcome::Below(missed) => ("below", None, None, Some(missed)),
        CapacityOutcome::Between { met, missed } => ("between", None, met, Some(missed)),
        CapacityOutcome::HardlyDepends => ("hardly_depends", None, None, None),
        CapacityOutcome::LeftRange(_) => ("left_range", None, None, None),
        CapacityOutcome::NotReached => ("not_reached", None, None, None),
    };
    json!({
        "outcome": outcome,
        "rate": rate,
        "low": low,
        "high": high,
        "confidence": 1.0 - view.plan().question.alpha,
        "objective": of.objective.map(objectives::show),
        "limited_by": limit(&of.outcome),
        "turns": list(&of.turns, turn),
    })
}

fn turn(of: &DrivenTurn) -> Value {
    json!({
        "round": of.round,
        "rate": of.turn.rate,
        "counted": of.turn.counted,
        "missed": of.turn.missed,
        "percentile": of.percentile_ns.map(super::seconds),
    })
}
