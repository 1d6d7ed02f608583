//! From what was typed to what will be done.

pub mod commands;
mod contenders;
mod database;
mod destructive;
#[cfg(test)]
pub(crate) mod example;
pub mod experiment;
mod feeds;
pub mod groups;
pub mod hash;
mod local;
mod names;
pub mod own;
pub(crate) mod own_presets;
pub mod pilot;
mod question;
pub mod recipes;
mod request;
pub mod require;
pub mod resolved;
pub mod settings;
mod slice_length;
pub mod spec;
mod store;
pub mod sweep;
pub mod units;
pub mod workload;

pub use contenders::files;
pub use local::Directory;
pub use resolved::{Machine, Resolved, Way, resolve};
pub use settings::Settings;
pub use spec::{Command, Spec};
pub(crate) use store::MOST_PLACES;
pub use workload::WorkloadAsked;
