//! Whether a run can have short rounds: if they hold four of the slices that it needs, and enough replies for
//! the percentiles that are compared. A short round is four slices: every slice ends with a wait for its last
//! replies, and more of them would take longer.

use super::{Alternation, RequiredSlice, requested_slices, wanted_burn_in};
use crate::plan::length::pilot_length::SLICES_A_ROUND;
use judge::stats::quantile::fewest_samples;
use record::{InterimLook, Interleave, LengthRule, PilotSeen, Plan};
use text::lists::listed;
use text::units::show_ns;

/// A pilot may have seen a few more replies than a round will have.
const MARGIN: f64 = 1.05;

/// The alternation of short rounds with their looks, or the one that was chosen and no looks.
pub(super) fn of(
    plan: &Plan,
    saw: &[PilotSeen],
    chosen: Alternation,
) -> (Alternation, Vec<InterimLook>) {
    let LengthRule::ShortRounds { round_ns, looks } = &plan.question.length else {
        return (chosen, Vec::new());
    };
    let slice_ns = round_ns / SLICES_A_ROUND;
    let fits = chosen.interleave == Interleave::Slices
        && chosen.round_ns == plan.round_ns
        && chosen.needed_ns <= slice_ns;
    if !fits || !has_replies(plan, saw, *round_ns, slice_ns) {
        return (chosen, Vec::new());
    }
    let numbers: Vec<String> = looks.iter().map(|look| look.replicates.to_string()).collect();
    let need = RequiredSlice {
        ns: chosen.needed_ns,
        because: format!("four in a round; {} would do", show_ns(chosen.needed_ns)),
    };
    let looks_in_words = format!(
        "rounds of {}, looks after {}: the run ends at the first one whose answer is plain",
        show_ns(*round_ns),
        listed(&numbers)
    );
    let why = vec![requested_slices(&need, slice_ns), looks_in_words];
    (Alternation { slice_ns, round_ns: *round_ns, why, ..chosen }, looks.clone())
}

/// Whether every contender is expected to have enough replies in a round, without the burn-in, for each
/// percentile that is compared.
fn has_replies(plan: &Plan, saw: &[PilotSeen], round_ns: u64, slice_ns: u64) -> bool {
    let quantiles = plan.question.secondary.iter().filter_map(|metric| metric.quantile());
    let fewest = quantiles.map(fewest_samples).max().unwrap_or(0) as f64;
    saw.iter().all(|seen| {
        let burn_in_ns = wanted_burn_in(seen).min(slice_ns / 2);
        let counted = 1.0 - burn_in_ns as f64 / slice_ns.max(1) as f64;
        super::replies(seen, round_ns) * counted >= fewest * MARGIN
    })
}
