//! Judges a run that seeks capacities. Its turns are judged at the end: which of them were probes, beyond the
//! capacity of their contender, is known only then.

use crate::capacity::{CapacityFound, Found};
use crate::capacity_run::CapacityRun;
use crate::evidence::Evidence;
use record::{Arrivals, LaneOrder, Phase, Seen, TrialRecord};
use std::collections::BTreeMap;

/// What such a run has recorded so far.
#[derive(Debug, Default)]
pub(super) struct Turns {
    /// None before the pilot.
    pub(super) run: Option<CapacityRun>,
    /// The turns of the rounds.
    rounds: Vec<TrialRecord>,
}

impl Turns {
    /// Takes a trial of any phase. Returns whether it is a turn of a round, which is judged here.
    pub(super) fn add(&mut self, record: &TrialRecord) -> bool {
        if let Some(run) = &mut self.run {
            run.add(record);
        }
        let is_turn = record.phase == Phase::Round;
        if is_turn {
            self.rounds.push(record.clone());
        }
        is_turn
    }

    /// Enters all turns into the evidence.
    pub(super) fn close(self, evidence: &mut Evidence) {
        let Turns { run, rounds } = self;
        let complete = run.as_ref().map_or(0, CapacityRun::complete_rounds);
        evidence.complete_rounds = complete;
        let alpha = evidence.question.alpha;
        let limits: Vec<f64> = (0..evidence.contenders.len())
            .map(|at| run.as_ref().map_or(0.0, |run| limit(run, at, alpha)))
            .collect();
        let mut judged: BTreeMap<(u32, u32), Seen> = BTreeMap::new();
        for record in rounds {
            let limit = limits[record.contender as usize];
            let rate = record.lane_order.intensity.arrivals.rate().unwrap_or(0.0);
            let driven = &mut evidence.contenders[record.contender as usize];
            if rate > limit {
                driven.count_probe(&record);
                continue;
            }
            driven.count(&as_settings(&record, limit));
            driven.count_connections(&record.seen);
            if record.round <= complete {
                driven.add_requested(rate, &record.seen);
                judged.entry((record.round, record.contender)).or_default().merge(&record.seen);
            }
        }
        for ((round, contender), seen) in judged {
            evidence.contenders[contender as usize].judge(contender, round, None, seen, None);
        }
        evidence.capacities = run;
    }
}

/// Turns at higher rates of this contender are probes: those beyond its capacity or, if it has none, beyond what its
/// search found.
fn limit(run: &CapacityRun, contender: usize, alpha: f64) -> f64 {
    let capacity = run.rounds(contender).and_then(|rounds| rounds.capacity(alpha));
    match (capacity.map(|capacity| capacity.found), run.found(contender)) {
        (Some(CapacityFound::At { rate, .. }), _)
        | (Some(CapacityFound::Between { met: Some(rate), .. }), _)
        | (_, Some(Found::Near(rate))) => rate,
        _ => 0.0,
    }
}

/// The trial with the settings that all turns of its contender have in common.
fn as_settings(record: &TrialRecord, limit: f64) -> TrialRecord {
    let mut lane_order = LaneOrder { arrivals_seed: 0, ..record.lane_order.clone() };
    lane_order.intensity.arrivals = Arrivals::Poisson(limit);
    TrialRecord { lane_order, ..record.clone() }
}
