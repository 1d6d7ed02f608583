//! Several machines that drive together: a coordinator, and agents that drive their shares.
//!
//! The coordinator launches, loads, decides and judges, and drives nothing. Before every slice it
//! waits until all agents have ended the one before, and says when the next one starts ([`gate`]).
//! So no two contenders are ever driven at the same time, whatever the clocks do. Each agent is
//! told that time on its own clock, which the coordinator knows from a [`clock_model`].

mod agent;
mod announce;
mod clock_model;
mod coordinator;
mod gate;
mod gathering;
mod kubernetes;
mod lead;
mod link;
mod local_clock;
mod membership;
mod part;
mod records;
mod slurm;
mod ssh;
mod target_times;

#[cfg(test)]
mod gate_model_tests;
#[cfg(test)]
mod planning_tests;

pub(crate) use announce::Announce;
pub(crate) use coordinator::Coordinator;
pub(crate) use gate::{AgentGate, AgentLink, Outbox, out_of_turn};
pub(crate) use gathering::{Expected, gather};
pub(crate) use kubernetes::{Image, Name, manifest};
pub(crate) use local_clock::{LocalClock, SimulatedClock};
pub(crate) use membership::{Membership, rank_and_size};
pub(crate) use part::{PartLane, PartOrder};
pub(crate) use slurm::membership as membership_in_slurm;
pub(crate) use ssh::{EXPERIMENT, ExperimentFile, Hosts, hosts, take_arguments};
