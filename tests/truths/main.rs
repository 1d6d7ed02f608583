//! Known truths: something is arranged so that the right answer is known, and
//! tiebreak must give it. These tests compare times, so they run one at a time.
//!
//! Each truth says in a comment how often it fails by chance on a machine that is left
//! alone (at most once in 10 000 runs), and what it would catch.

#[path = "../common/mod.rs"]
mod common;
#[path = "../agents/group.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod group;
#[path = "../../crates/drivers/tests/common/mod.rs"]
mod servers;
#[path = "../store_faults/servers.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod stores;
#[path = "../../crates/report/src/tests/validator.rs"]
mod validator;
#[path = "../common/web.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod web;

mod agents;
mod arrivals;
mod carry_over;
mod cassandra;
mod compared;
mod costs;
mod demo;
mod drivers;
mod equal;
mod fresh;
mod known_ratios;
mod latency;
mod limits;
mod own_costs;
mod self_test;
mod size;
