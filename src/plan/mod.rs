//! From the command line to the plan of a run.

pub(crate) mod against;
mod contender;
#[cfg(test)]
pub(crate) mod example;
pub mod experiment;
pub mod first_file;
pub(crate) mod length;
mod objectives;
pub mod pilot;
pub(crate) mod question;
pub mod resolved;
pub mod settings;
pub mod spec;
pub(crate) mod suite;
pub mod sweep;
mod workload;

pub use contender::access::{ContenderAccess, Observed, Watcher};
pub use contender::gather::{Inputs, Needs, files, needs, read, read_with};
pub use contender::local::Directory;
pub(crate) use contender::store::MOST_COUNTERS;
pub(crate) use contender::watched::TOKEN_VARIABLE as WATCH_TOKEN_VARIABLE;
pub use experiment::recipes;
pub use experiment::{Method, contender_keys};
pub use resolved::{Machine, Resolved, resolve};
pub use settings::Settings;
pub use settings::command::Command;
pub use settings::run_settings::RunSettings;
pub use settings::workload::WorkloadSettings;
pub use spec::Spec;
