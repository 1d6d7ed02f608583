//! From what was typed to what will be done.

#[cfg(test)]
pub(crate) mod example;
pub mod hash;
mod names;
pub mod pilot;
mod question;
mod request;
pub mod require;
pub mod resolved;
pub mod settings;
pub mod spec;
pub mod units;

pub use resolved::{Machine, Resolved, resolve};
pub use settings::Settings;
pub use spec::{Command, Spec};
