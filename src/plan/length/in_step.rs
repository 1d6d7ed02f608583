//! How long a slice must be so that it does not matter that agents start it at different times.

use record::{Phase, TrialRecord};
use text::units::show_ns;

/// The audit's caution begins at this share of the difference that matters (`agents_out_of_step`).
const SHARE: f64 = 0.1;

/// The length of slices that the agents require, and why. Returns None without agents.
pub(in crate::plan) fn needed(trials: &[TrialRecord], matters: f64) -> Option<(u64, String)> {
    let with_agents =
        |trial: &&TrialRecord| trial.phase == Phase::Pilot && !trial.agents.is_empty();
    let apart = |trial: &TrialRecord| {
        let slices = trial.seen.slices.len().max(1) as f64;
        let most = trial.agents.iter().map(|agent| agent.behind_ns).max().unwrap_or(0);
        most as f64 / slices
    };
    let pilot = trials.iter().filter(with_agents);
    let spread_ns = pilot.clone().map(apart).max_by(f64::total_cmp)?;
    let bound_ns = pilot.flat_map(|trial| &trial.agents).map(|agent| agent.bound_ns).max()?;
    let ns = (spread_ns + bound_ns as f64) / (SHARE * matters);
    let because = format!(
        "required by the agents, which start slices {} apart, known within {}",
        show_ns(spread_ns.round() as u64),
        show_ns(bound_ns)
    );
    Some((ns.ceil() as u64, because))
}
