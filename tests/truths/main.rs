//! Known truths: something is arranged so that the right answer is known, and
//! tiebreak must give it. These tests compare times, so they run one at a time.
//!
//! Each truth says in a comment how often it fails by chance on a machine that is left
//! alone (at most once in 10 000 runs), and what it would catch.
//!
//! This program has no `main` of the test harness, because a truth has a third result
//! ([`driver`]): `cargo test --all-features --test truths -- [--level gate|changed|all|calibration]
//! [--keep-going] [--table FILE] [PART OF A NAME…]`.

#[path = "../common/mod.rs"]
mod common;
#[path = "../agents/group.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod group;
#[path = "../common/queue.rs"]
mod queue;
#[path = "../databases/servers.rs"]
mod servers;
#[path = "../../crates/report/src/tests/validator.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod validator;
#[path = "../common/web.rs"]
#[allow(dead_code, reason = "these tests use a part of it")]
mod web;

mod agents;
mod arrivals;
mod bisect;
mod capacity;
mod cassandra;
mod compared;
mod costs;
mod demo;
mod disturbance;
mod driver;
mod drivers;
mod equal;
mod fresh;
mod known_ratios;
mod latency;
mod lengths;
mod limits;
mod one_request;
mod own_costs;
mod ranks;
mod ranks_calibrated;
mod revisions;
mod size;
mod slow;
mod stragglers;
mod suites;
mod suites_calibrated;

use driver::Truth;
use size::Level;
use std::process::ExitCode;

const ALL: &[&[Truth]] = &[
    agents::TRUTHS,
    arrivals::TRUTHS,
    bisect::TRUTHS,
    capacity::TRUTHS,
    cassandra::TRUTHS,
    costs::TRUTHS,
    demo::TRUTHS,
    drivers::TRUTHS,
    equal::TRUTHS,
    fresh::TRUTHS,
    known_ratios::TRUTHS,
    latency::TRUTHS,
    lengths::TRUTHS,
    limits::TRUTHS,
    one_request::TRUTHS,
    own_costs::TRUTHS,
    ranks::TRUTHS,
    ranks_calibrated::TRUTHS,
    revisions::TRUTHS,
    stragglers::TRUTHS,
    suites::TRUTHS,
    suites_calibrated::TRUTHS,
    slow::TRUTHS,
];

/// What the arguments select.
struct Selection {
    level: Level,
    keeps_going: bool,
    table: Option<String>,
    parts: Vec<String>,
}

/// # Panics
/// Panics if an argument is unknown or incomplete.
fn selection(mut arguments: impl Iterator<Item = String>) -> Selection {
    let mut of =
        Selection { level: Level::All, keeps_going: false, table: None, parts: Vec::new() };
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--level" => {
                let name = arguments.next().expect("--level requires a name");
                of.level =
                    Level::named(&name).expect("the level is gate, changed, all or calibration");
            }
            "--keep-going" => of.keeps_going = true,
            "--table" => of.table = Some(arguments.next().expect("--table requires a file")),
            option if option.starts_with('-') => panic!("unknown option {option}"),
            part => of.parts.push(part.to_owned()),
        }
    }
    of
}

fn main() -> ExitCode {
    // Runners of tests ask every program for its tests. Truths are not run by them.
    if std::env::args().any(|argument| argument == "--list") {
        return ExitCode::SUCCESS;
    }
    let of = selection(std::env::args().skip(1));
    let is_selected = |truth: &Truth| {
        truth.level <= of.level
            && (of.parts.is_empty() || of.parts.iter().any(|part| truth.name.contains(part)))
    };
    let truths: Vec<Truth> = ALL.concat().into_iter().filter(is_selected).collect();
    driver::run(&truths, of.keeps_going, of.table.as_deref())
}
