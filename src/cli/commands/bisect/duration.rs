//! How long a search may take, from the plans of its runs.

use super::comparisons;
use crate::cli::conduct;
use crate::plan::Spec;
use crate::plan::against::{RevisionExperiment, Side};
use crate::run::bisect::ROLES;
use judge::bisect::{ATTEMPTS, LOOKS};
use protocol::Error;
use record::Plan;
use report::bisect::Line;
use text::units::{show_counted, show_whole_seconds};

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
    let named = ROLES.into_iter().zip(places);
    let sides: Vec<Side> =
        named.map(|(name, place)| comparisons::side(name, &line.commits[*place])).collect();
    let inputs = experiment.unbuilt(&sides, None)?;
    // The seed has no part in how long it takes, and the plan must be the same when the search goes on.
    let spec = comparisons::of_units(spec, experiment, units, 0);
    Ok(conduct::settle_read(&spec, inputs)?.plan)
}

/// How long the search takes, in words: of a suite, how many runs of a program, because nothing is known of their length
/// before the first. `whole` is the plan by which GOOD and BAD are compared first.
///
/// # Errors
/// If the contender or a setting is not valid.
pub(super) fn of(
    spec: &Spec,
    experiment: &RevisionExperiment,
    line: &Line,
    whole: &Plan,
) -> Result<String, Error> {
    let commits = line.commits.len() - 1;
    let most_units = judge::bisect::most_units(commits) as u64;
    let is_suite = whole.question.is_suite;
    let cost = |of: &Plan| {
        if is_suite {
            // Each program is run once before round 1, which lists its cases.
            of.contenders.len() as u64 * u64::from(of.rounds + 1)
        } else {
            of.least_ns()
        }
    };
    let of_places = |places: &[usize], units: usize| -> Result<u64, Error> {
        Ok(cost(&plan(spec, experiment, line, places, units as u32)?))
    };
    let ends = [0, commits];
    let mut fresh = vec![0, commits.saturating_sub(2), commits - 1, commits];
    fresh.dedup();
    let (whole, side, naming) = (cost(whole), of_places(&ends, 1)?, of_places(&fresh, LOOKS[0])?);
    let halvings = u64::from(commits.next_power_of_two().ilog2());
    let least = whole.saturating_add(halvings.saturating_mul(side)).saturating_add(naming);
    let looks = |of: u64| of.saturating_mul(LOOKS[2] as u64 / LOOKS[0] as u64);
    let most = looks(whole)
        .saturating_add(most_units.saturating_mul(side))
        .saturating_add((ATTEMPTS as u64).saturating_mul(looks(naming)));
    let shown = |of: u64| if is_suite { show_counted(of, "run") } else { show_whole_seconds(of) };
    let how_long = if is_suite { "; how long a run takes is known after the first" } else { "" };
    Ok(format!(
        "measuring takes {} if the difference is plain, and {} at most; builds, launches and warm-ups come on top (a \
         contender that writes into its own tree is built again for every comparison, because a build is kept only \
         while nothing in its tree has changed); if nothing differs, {} or more{how_long}",
        shown(least),
        shown(most),
        shown(whole)
    ))
}
