//! An experiment as it was typed: everything that has a default is optional.

use crate::plan::Settings;
use crate::targets::tls::Trust;
use record::Interleave;
use std::time::Duration;

/// Which command asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Command {
    /// Two contenders or more.
    Compare,
    /// One contender, driven without a break.
    Run,
    /// A comparison of embedded targets.
    Demo,
}

/// An experiment as typed. No `Debug`: it holds logins and headers.
#[derive(Clone)]
pub struct Spec {
    /// Which command asks.
    pub command: Command,
    /// `NAME=URL` or `URL`.
    pub contenders: Vec<String>,
    /// Settings of all contenders.
    pub common: Settings,
    /// `NAME.key=value`.
    pub sets: Vec<String>,
    /// `HOST:PORT:HOST:PORT`.
    pub connect_to: Vec<String>,
    /// What TLS trusts.
    pub trust: Trust,
    /// Public addresses may be loaded.
    pub allow_public: bool,
    /// How contenders take turns.
    pub interleave: Option<Interleave>,
    /// Length of a slice.
    pub slice: Option<Duration>,
    /// Rounds.
    pub rounds: Option<u32>,
    /// How long each contender is driven in a round.
    pub round: Option<Duration>,
    /// How long each contender is driven before the pilot.
    pub warm_up: Option<Duration>,
    /// How long `run` drives.
    pub duration: Option<Duration>,
    /// After how many operations `run` stops.
    pub operations: Option<u64>,
    /// Fixes the operations and the order of slices.
    pub seed: Option<u64>,
    /// How many cores the generator uses.
    pub cores: Option<u32>,
    /// The smallest difference that matters, as a share.
    pub matters: Option<f64>,
    /// Level of the intervals, as a share.
    pub confidence: Option<f64>,
    /// Compare all pairs, not only with the first.
    pub all_pairs: bool,
    /// The contenders are expected to answer differently.
    pub expect_different: bool,
}

impl Spec {
    /// Nothing typed but the contenders.
    pub fn new(command: Command, contenders: Vec<String>) -> Spec {
        Spec {
            command,
            contenders,
            common: Settings::default(),
            sets: Vec::new(),
            connect_to: Vec::new(),
            trust: Trust::default(),
            allow_public: false,
            interleave: None,
            slice: None,
            rounds: None,
            round: None,
            warm_up: None,
            duration: None,
            operations: None,
            seed: None,
            cores: None,
            matters: None,
            confidence: None,
            all_pairs: false,
            expect_different: false,
        }
    }
}
