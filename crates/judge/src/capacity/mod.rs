//! Capacity: the highest rate at which a target meets an objective, and the ratio of two capacities.
//!
//! 1. [`Search`] finds a rate near the capacity of each contender by itself.
//! 2. In each round every contender is driven in a turn at each of three rates ([`Adaptation::rates`]), all turns in
//!    drawn order. What the turns counted goes to [`Adaptation::add_round`], from which the rates of the next round
//!    follow.
//! 3. [`Adaptation::capacity`] and [`ratio`] say what the rounds show.
//!
//! The procedure and its constants were simulated before they were written down (docs/METHOD.md, "Capacity").
//! A record can be judged again: the same turns give the same rates, capacities and ratios.

mod adaptation;
mod errors;
mod fit;
pub mod length;
#[cfg(test)]
#[path = "../../../../tests/common/queue.rs"]
mod queue;
mod ratio;
mod search;
#[cfg(test)]
mod simulation_tests;
#[cfg(test)]
mod tests;

pub use crate::turn::{Part, Turn};
pub use adaptation::{Adaptation, Capacity, CapacityFound};
pub use ratio::{CapacityRatio, NoRatio, ratio};
pub use search::{Found, Search, Step};

/// Arrivals in this time at the beginning of a turn are not counted, because the target's queue was empty before.
pub const UNCOUNTED_NS: u64 = 200_000_000;

/// Rounds of a run, unless so many comparisons are made that more are needed (`stats::rounds::default_rounds`).
pub const ROUNDS: u32 = 10;

/// Turns of each contender in a round: below, at and above its crossing.
pub const TURNS: usize = 3;
