//! How long a search may take, from the plans of its runs.

use super::{comparisons, sides};
use crate::cli::conduct;
use crate::plan::Spec;
use crate::plan::against::RevisionExperiment;
use crate::run::bisect::ROLES;
use judge::bisect::{LOOKS, Search, Settings};
use protocol::Error;
use record::Plan;
use report::bisect::Line;
use text::units::show_ns;

/// Fresh comparisons at most.
const ATTEMPTS: u64 = 3;

/// The plan of a run with the commits at these places, before anything is built.
///
/// # Errors
/// If the contender or a setting is not valid.
pub(super) fn plan(
    spec: &Spec,
    experiment: &RevisionExperiment,
    line: &Line,
    places: &[usize],
    units: u32,
) -> Result<Plan, Error> {
    let named: Vec<(&'static str, usize)> = ROLES.into_iter().zip(places.iter().copied()).collect();
    let inputs = experiment.unbuilt(&sides(line, &named), None)?;
    // The seed has no part in how long it takes, and the plan must be the same when the search goes on.
    let spec = comparisons::of_units(spec, experiment, units, 0);
    Ok(conduct::settle_read(&spec, inputs)?.plan)
}

/// How long the search takes, in words.
///
/// # Errors
/// If the contender or a setting is not valid.
pub(super) fn of(
    spec: &Spec,
    experiment: &RevisionExperiment,
    line: &Line,
) -> Result<String, Error> {
    let commits = line.commits.len() - 1;
    let settings = Settings { commits, matters: judge::bisect::MATTERS, seed: 0, spent: 0 };
    let most_units = Search::new(settings).most_units() as u64;
    let ns = |places: &[usize], units: usize| -> Result<u64, Error> {
        Ok(plan(spec, experiment, line, places, units as u32)?.least_ns())
    };
    let ends = [0, commits];
    let mut fresh = vec![0, commits.saturating_sub(2), commits - 1, commits];
    fresh.dedup();
    let (whole, side, naming) = (ns(&ends, LOOKS[0])?, ns(&ends, 1)?, ns(&fresh, LOOKS[0])?);
    let halvings = u64::from(commits.next_power_of_two().ilog2());
    let least = whole.saturating_add(halvings.saturating_mul(side)).saturating_add(naming);
    let looks = |of: u64| of.saturating_mul(LOOKS[2] as u64 / LOOKS[0] as u64);
    let most = looks(whole)
        .saturating_add(most_units.saturating_mul(side))
        .saturating_add(ATTEMPTS.saturating_mul(looks(naming)));
    Ok(format!(
        "measuring takes {} if the difference is plain, and {} at most; builds, launches and warm-ups come on top (a \
         contender that writes into its own tree is built again for every comparison); if nothing differs, {} or more",
        rounded(least),
        rounded(most),
        rounded(whole)
    ))
}

/// In whole seconds.
fn rounded(ns: u64) -> String {
    show_ns(ns.div_ceil(1_000_000_000).saturating_mul(1_000_000_000))
}
