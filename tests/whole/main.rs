//! The whole program, driven as its users drive it. One program for all of these
//! files: each program of its own would have to be linked.

#[path = "../common/mod.rs"]
mod common;
#[path = "../../crates/drivers/tests/common/mod.rs"]
mod servers;
#[path = "../common/terminal.rs"]
mod terminal;
#[path = "../../src/report/tests/validator.rs"]
#[allow(dead_code, reason = "the schema of runs is not needed here")]
mod validator;

mod addresses;
mod ci;
mod cli;
mod conformance;
mod databases;
mod databases_attached;
mod declared;
mod endless;
mod experiments;
mod foreign;
mod groups;
mod hostile;
mod journals;
mod leave;
mod loads;
mod local;
mod method;
mod own;
mod presets;
mod progress;
mod requests;
mod rules;
mod stores;
mod sweep;
mod sweep_factors;
mod void;
