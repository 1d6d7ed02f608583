//! The whole program, driven as its users drive it. All these files form one test program,
//! because each separate one would have to be linked.

#[path = "../common/cassandra.rs"]
mod cassandra;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../crates/drivers/tests/common/mod.rs"]
mod servers;
#[path = "../common/terminal.rs"]
mod terminal;
#[path = "../../crates/report/src/tests/validator.rs"]
#[allow(dead_code, reason = "the schema of runs is not needed here")]
mod validator;
#[path = "../common/web.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod web;

mod addresses;
mod audit_page;
mod cassandra_thrift;
mod ci;
mod cli;
mod conformance;
mod custom;
mod databases;
mod databases_attached;
mod declared;
mod documents;
mod endless;
mod experiments;
mod foreign;
mod groups;
mod hashed_keys;
mod help;
mod hostile;
mod journals;
mod leave;
mod loads;
mod local;
mod memcached_servers;
mod presets;
mod printed;
mod program_servers;
mod progress;
mod published;
mod published_caches;
mod published_cassandra;
mod published_pooling;
mod real_servers;
mod requests;
mod rules;
mod self_test;
mod setup;
mod stores;
mod sweep;
mod sweep_factors;
mod void;
mod watch;
mod websocket;
mod wide_rows;
