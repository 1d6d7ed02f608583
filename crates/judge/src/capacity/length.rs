//! How long the turns of a run are, and how long all of them take.

use super::{TURNS, UNCOUNTED_NS};
use record::{Objective, Percentile};
use text::units;

const SECOND_NS: u64 = 1_000_000_000;
/// About how long the search for one capacity takes: five to eight turns of 0.7 s, if replies are not rare.
pub const ABOUT_SEARCH_NS: u64 = 5 * SECOND_NS;
/// The shortest turn of a search, without the time that is not counted.
const SHORTEST_SEARCH_NS: u64 = SECOND_NS / 2;
/// A turn of a search counts so many operations that this many may be beyond a percentile: 1000 for a p99.
const BEYOND_IN_SEARCH: f64 = 10.0;
/// A turn of a search counts for at most this long, so that the search for a slow target ends; for a p99.9 twice as
/// long. Fewer operations are then judged as they are.
const LONGEST_SEARCH_NS: u64 = 10 * SECOND_NS;
/// Operations in a turn of a search for an objective on errors.
const FOR_ERRORS_IN_SEARCH: f64 = 1000.0;

/// The length of a turn, in nanoseconds, that these objectives get by default: 2 s, and 20 s with a p99.9.
pub fn default_turn_ns(objectives: &[Objective]) -> u64 {
    2 * shortest_turn_ns(objectives)
}

/// The option for turns four times as long, which halve the intervals: `--round 24s`. `round_ns` is how long each
/// contender is driven in a round now, in nanoseconds.
pub fn longer_turns(round_ns: u64) -> String {
    let round = units::round_nanoseconds(round_ns.saturating_mul(4));
    format!("--round {}", round.replace(units::JOINT, ""))
}

/// The length of all turns of all rounds, in nanoseconds.
pub fn all_turns_ns(turn_ns: u64, contenders: usize, rounds: u32) -> u64 {
    turn_ns.saturating_mul((TURNS * contenders) as u64).saturating_mul(rounds.into())
}

/// The length of a turn, in nanoseconds, with which all turns take this long (`--within`).
///
/// # Errors
/// If the turns would be shorter than was simulated; returns the shortest time for all of them.
pub fn turn_within_ns(
    within_ns: u64,
    objectives: &[Objective],
    contenders: usize,
    rounds: u32,
) -> Result<u64, u64> {
    let turns = all_turns_ns(1, contenders, rounds).max(1);
    let shortest = shortest_turn_ns(objectives);
    let turn_ns = within_ns / turns;
    if turn_ns < shortest { Err(shortest.saturating_mul(turns)) } else { Ok(turn_ns) }
}

/// The shortest turn that was simulated for these objectives.
fn shortest_turn_ns(objectives: &[Objective]) -> u64 {
    if has_p999(objectives) { 10 * SECOND_NS } else { SECOND_NS }
}

fn has_p999(objectives: &[Objective]) -> bool {
    let is_p999 = |objective: &Objective| {
        matches!(objective, Objective::ResponseTime { percentile: Percentile::P999, .. })
    };
    objectives.iter().any(is_p999)
}

/// The length of a turn of the search at this rate, in nanoseconds, with the time that is not counted.
pub(super) fn of_search_ns(objectives: &[Objective], rate: f64) -> u64 {
    let operations = |objective: &Objective| match objective {
        Objective::ResponseTime { percentile, .. } => BEYOND_IN_SEARCH / percentile.beyond(),
        Objective::Errors { .. } => FOR_ERRORS_IN_SEARCH,
    };
    let operations = objectives.iter().map(operations).fold(0.0, f64::max);
    let longest_ns = LONGEST_SEARCH_NS * if has_p999(objectives) { 2 } else { 1 };
    let wanted_ns = (operations / rate * SECOND_NS as f64) as u64;
    UNCOUNTED_NS + wanted_ns.clamp(SHORTEST_SEARCH_NS, longest_ns)
}
