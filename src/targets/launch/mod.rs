//! Launches the target that an experiment file or a recipe describes, until it is ready.
//!
//! A [`Launch`] describes what is to be launched. A [`Launcher`] launches it, as often as a
//! run has launches.

pub(crate) mod outline;

mod build;
mod command;
mod failed;
mod hidden;
mod home;
mod launcher;
mod method;
mod order;
mod orders;
mod probe;
mod ready;
mod running;
mod template;

pub(crate) use build::{
    BuildOrder, Builds, NO_CACHE, directory as build_directory, whole_environment,
};
pub use command::LaunchCommand;
pub use failed::Failed;
pub(crate) use home::OwnDirectory;
pub(crate) use launcher::all_missing;
pub use launcher::{LaunchContext, Launcher, missing};
pub use method::Method;
pub use order::{
    Choice, CoresFrom, File, Launch, Process, ProcessContext, ReadyCondition, ReadySign, Snapshot,
};
pub(crate) use orders::{
    Missing, address, address_at, environment as environment_of, inherited, missing_program,
    no_directory,
};
pub use running::Running;
pub use template::{EnvLookup, Placeholder, Secret, Text, Values};
pub(crate) use template::{environment, variables};
