//! The whole program, driven as its users drive it. All these files form one test program,
//! because each separate one would have to be linked.
//!
//! The first list needs nothing but this program. What needs servers, packages or a machine that is not
//! busy is left out without the feature `servers`.

#[cfg(feature = "servers")]
#[path = "../common/cassandra.rs"]
mod cassandra;
#[path = "../common/mod.rs"]
mod common;
#[path = "../../protocols/cassandra/tests/proxy.rs"]
mod cql_proxy;
#[cfg(feature = "servers")]
#[path = "../databases/servers.rs"]
mod servers;
#[cfg(feature = "servers")]
#[path = "../common/terminal.rs"]
mod terminal;
#[path = "../../crates/report/src/tests/validator.rs"]
#[allow(dead_code, reason = "the schema of runs is not needed here")]
mod validator;
#[cfg(feature = "servers")]
#[path = "../common/web.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod web;

mod addresses;
mod against;
mod announced;
mod audit_page;
mod bisect;
mod boards;
mod capacity;
mod cli;
mod confined;
mod conformance;
mod connections;
mod custom;
mod declared;
mod documents;
mod early_words;
mod faults_in_words;
mod first_example;
mod flags;
mod help;
mod hostile;
mod journals;
mod launches;
mod leave;
mod lengths;
mod pages;
mod printed;
mod ranks;
mod read_once;
mod recorded;
mod repeated;
mod statements;
mod suites;
mod void;
mod waiting;
mod warm_up;

#[cfg(feature = "servers")]
mod with_servers;
