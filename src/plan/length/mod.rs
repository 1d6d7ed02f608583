//! How many rounds and launches a run has, and when it looks whether it is decided.

pub(super) mod blocks;
pub(super) mod in_step;
pub mod launches;
pub mod pilot_length;
pub(crate) mod rule;
pub(super) mod slice_length;
pub(crate) mod warm_up;

use crate::plan::contender::access::ContenderAccess;
use crate::plan::{Command, Spec};
use judge::capacity;
use judge::stats::looks::{self, Looks};
use judge::stats::rounds::{
    default_launches, default_rounds, too_few, too_few_launches, too_few_rebuilds,
};
use judge::stats::stein;
use protocol::Error;
use record::DearLaunches;

/// Default of `--rounds` with several launches: the launch is what must be repeated, and a launch costs
/// more than a round.
const ROUNDS_A_LAUNCH: u32 = 2;
/// Default of `--rounds` with `run --sweep`.
const ROUNDS_OF_SWEEP: u32 = 10;
/// The fewest rounds of `run --sweep`: also the fewest by which a comparison is decided.
const FEWEST_ROUNDS_OF_SWEEP: u32 = 6;
/// Rounds, or launches, before the first look of `--until-decided`, where that can decide.
const FIRST_LOOK: u32 = 10;

/// The number of rounds, and what counts as a replicate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Length {
    /// Rounds of all launches together; with looks, at most.
    pub(super) rounds: u32,
    /// Launches, each of which is a replicate. 0 if the round is the replicate.
    pub(super) launches: u32,
    /// What they become where a launch is dear.
    pub(super) dear: Option<DearLaunches>,
    /// Numbers of replicates after which it looks.
    pub(super) looks: Vec<u32>,
}

impl Length {
    fn of(rounds: u32) -> Length {
        Length { rounds, ..Length::default() }
    }

    /// Rounds that are counted together.
    pub(super) fn rounds_of_a_replicate(&self) -> u32 {
        self.rounds.checked_div(self.launches).unwrap_or(1)
    }
}

/// Returns the length of a run. `several` says that it has several launches by default, and how long a
/// round is in nanoseconds where these are too dear.
///
/// # Errors
/// If so few rounds or launches could never give a verdict.
pub(super) fn of(
    spec: &Spec,
    several: Option<u64>,
    comparisons: usize,
    alpha: f64,
) -> Result<Length, Error> {
    match spec.command {
        Command::Run if spec.sweep.is_some() => rounds_of_sweep(spec.run.rounds).map(Length::of),
        Command::Run | Command::Load => Ok(Length::of(1)),
        _ => of_comparison(spec, several, comparisons, alpha),
    }
}

/// Returns the length of a run that seeks capacities. Where tiebreak launches all targets, each round is a launch of its
/// own.
///
/// # Errors
/// If so many comparisons need more rounds, or another number of launches was asked for.
pub(super) fn of_capacities(
    spec: &Spec,
    accesses: &[ContenderAccess],
    comparisons: usize,
    alpha: f64,
) -> Result<Length, Error> {
    let rounds = capacity::ROUNDS;
    if let Some(why) = too_few(rounds, comparisons, alpha) {
        return Err(Error::usage(format!("--slo has {rounds} rounds: {why}")));
    }
    let launched_anew = self::launches::are_possible(spec, accesses);
    match spec.run.launches {
        None if launched_anew => Ok(launches(rounds, 1)),
        Some(number) if number == rounds && launched_anew => Ok(launches(rounds, 1)),
        None | Some(1) => Ok(Length::of(rounds)),
        Some(other) => Err(Error::usage(format!(
            "--launches {other} cannot be combined with --slo: each of its {rounds} rounds is a launch where tiebreak \
             launches all targets (leave it out), or all are of one launch (--launches 1)"
        ))),
    }
}

fn of_comparison(
    spec: &Spec,
    several: Option<u64>,
    comparisons: usize,
    alpha: f64,
) -> Result<Length, Error> {
    if let Some(units) = spec.units {
        // The search decides, from the units of many runs.
        return Ok(several.map_or(Length::of(units), |_| launches(units, ROUNDS_A_LAUNCH)));
    }
    // Each build is one launch or one round. How many cases a suite has is not known yet: it is at least one.
    let rebuilds = spec.against.rebuilds;
    if let Some(why) = rebuilds.and_then(|n| too_few_rebuilds(n, comparisons, alpha)) {
        return Err(Error::usage(why));
    }
    let each = spec.run.rounds.unwrap_or(ROUNDS_A_LAUNCH);
    if spec.run.see.is_some() || spec.run.within.is_some() {
        // More follow from the first stage, or from the time.
        let first = stein::first_stage(comparisons, alpha);
        let by_cost = |round_of_one_ns| by_cost((first, first), first, round_of_one_ns);
        return Ok(several.map_or(Length::of(first), by_cost));
    }
    match (spec.run.launches.filter(|launches| *launches > 1), spec.run.until_decided) {
        (Some(first), true) => {
            let looks = looks_after("launches", Some(first), comparisons, alpha)?;
            Ok(Length { looks: looks.clone(), ..launches(last(&looks), each) })
        }
        (Some(number), false) => match too_few_launches(number, comparisons, alpha) {
            Some(why) => Err(Error::usage(why)),
            None => Ok(launches(number, each)),
        },
        (None, true) => {
            let looks = looks_after("rounds", spec.run.rounds, comparisons, alpha)?;
            let most = last(&looks);
            let by_cost = |round_of_one_ns| by_cost((most, most), most, round_of_one_ns);
            Ok(Length { looks, ..several.map_or(Length::of(most), by_cost) })
        }
        (None, false) => match several {
            Some(round_of_one_ns) => {
                let rounds = default_rounds(comparisons, alpha);
                Ok(by_cost(default_launches(comparisons, alpha), rounds, round_of_one_ns))
            }
            None => rounds(spec.run.rounds, comparisons, alpha).map(Length::of),
        },
    }
}

/// `--rounds` is the number of rounds of each launch.
fn launches(launches: u32, each: u32) -> Length {
    Length { rounds: launches.saturating_mul(each), launches, ..Length::default() }
}

/// So many launches where one is cheap, and so many where it is dear; so many rounds where it is too dear for
/// several.
fn by_cost((cheap, dear): (u32, u32), rounds_of_one: u32, round_of_one_ns: u64) -> Length {
    let dear = DearLaunches { launches: dear, rounds_of_one, round_of_one_ns };
    Length { dear: Some(dear), ..launches(cheap, ROUNDS_A_LAUNCH) }
}

/// Student's t gives an interval from two rounds on, but so few do not show how much they vary.
fn rounds_of_sweep(requested: Option<u32>) -> Result<u32, Error> {
    match requested {
        Some(few) if few < FEWEST_ROUNDS_OF_SWEEP => Err(Error::usage(format!(
            "--rounds {few}: too few to estimate how much rounds vary; a sweep needs at least \
             {FEWEST_ROUNDS_OF_SWEEP}"
        ))),
        requested => Ok(requested.unwrap_or(ROUNDS_OF_SWEEP)),
    }
}

/// Five looks. `first` is how many replicates come before the first, as the flag of this name says.
fn looks_after(
    flag: &str,
    first: Option<u32>,
    comparisons: usize,
    alpha: f64,
) -> Result<Vec<u32>, Error> {
    let first = first.unwrap_or(FIRST_LOOK.max(looks::fewest(comparisons, alpha)));
    let looks = Looks::new(first, flag, comparisons, alpha)
        .map_err(|why| Error::usage(format!("--{flag} {first}: {why}")))?;
    Ok(looks.rounds().to_vec())
}

fn last(looks: &[u32]) -> u32 {
    looks.last().copied().unwrap_or_default()
}

fn rounds(requested: Option<u32>, comparisons: usize, alpha: f64) -> Result<u32, Error> {
    match requested {
        None => Ok(default_rounds(comparisons, alpha)),
        Some(requested) => match too_few(requested, comparisons, alpha) {
            Some(why) => Err(Error::usage(why)),
            None => Ok(requested),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_rounds_are_refused_before_the_run() {
        let message =
            |requested, comparisons| rounds(Some(requested), comparisons, 0.05).unwrap_err().text;
        assert_eq!(
            message(6, 4),
            "6 rounds cannot support 4 comparisons at 5 %; at least 8 are needed: use --rounds 10 \
             or compare fewer"
        );
        assert_eq!(
            message(1, 1),
            "1 round cannot support 1 comparison at 5 %; at least 6 are needed: use --rounds 10"
        );
        assert_eq!(rounds(Some(6), 1, 0.05), Ok(6));
        assert_eq!(rounds(None, 1, 0.05), Ok(10));
        assert_eq!(rounds(None, 100, 0.05), Ok(14));
    }
}
