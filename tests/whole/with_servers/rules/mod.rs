//! Rules of the audit, each raised by a real run through the binary. `recorded/` has a test of every
//! rule from a recorded journal; here are the real runs of those that no other test raises. The tests of stores,
//! databases, agents, programs, nodes, watchers and faults, and the known truths, raise the others.
//!
//! A case arranges the truth so that the machine's noise cannot hide it; what the
//! margin is, its comment says.

mod beside;
mod drives;

use crate::common::not_tested::{Lack, lacks};
use crate::common::{TestDirectory, assert_sound, assert_void_only_by};
use drives::*;
use serde_json::Value;

/// One finding that a case must bring.
struct Finds {
    rule: &'static str,
    weight: &'static str,
    /// Empty: it is about the run.
    contender: &'static str,
    /// What the evidence must name; empty: the wording is not looked at.
    names: &'static str,
}

const fn finds(
    rule: &'static str,
    weight: &'static str,
    contender: &'static str,
    names: &'static str,
) -> Finds {
    Finds { rule, weight, contender, names }
}

fn hold(drive: fn(&TestDirectory) -> (i32, Value), needs: &[Lack], all: &[Finds]) {
    if needs.iter().any(|lack| lacks(*lack)) {
        return;
    }
    let run = drive(&TestDirectory::new());
    match all.iter().find(|finds| finds.weight == "void") {
        Some(finds) => assert_void_only_by(&run, &[finds.rule]),
        None => assert_sound(&run),
    }
    let findings = run.1["findings"].as_array().expect("findings");
    for wanted in all {
        let is_it = |of: &&Value| {
            of["rule"] == wanted.rule
                && of["weight"] == wanted.weight
                && of["contender"].as_str().unwrap_or("") == wanted.contender
        };
        let found = findings.iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("{} is missing: {findings:#?}", wanted.rule));
        let evidence = found["evidence"].as_str().expect("a text").replace('\u{a0}', " ");
        assert!(evidence.contains(wanted.names), "{}: {evidence}", wanted.rule);
    }
}

/// A test for each case. What a case needs a machine may lack.
macro_rules! cases {
    ($($name:ident $(needs $($lack:ident),+)?: $drive:expr => [$($finds:expr),+ $(,)?];)+) => {
        $(#[test]
        fn $name() {
            hold($drive, &[$($(Lack::$lack),+)?], &[$($finds),+]);
        })+
    };
}

cases! {
    a_server_that_gets_three_times_what_it_can_do: overloaded => [
        finds("rate_not_reached", "caution", "slow", "the target did not keep up"),
        finds("long_drain", "caution", "slow", "1 of 1 slice drained for longer than they sent"),
        finds("too_short", "caution", "slow", "75 operations in round 1; at least 100"),
        finds("p99_support", "caution", "slow", "response_time.p99 rests on"),
    ];
    a_server_that_stands_still_now_and_then: bursts => [
        finds("burst_tail", "note", "bursts", "replies slower than the p99 fell in"),
        finds("slice_too_short", "caution", "bursts", "a slice of 50 ms is"),
        finds("p99_support", "caution", "even", "response_time.p99 rests on"),
        finds("different_settings", "note", "bursts", "driven with other settings than even: connections"),
    ];
    a_server_that_gets_slower_and_slower: slows => [
        finds("autocorrelated_rounds", "caution", "slows", ""),
        finds("not_steady", "caution", "slows", "throughput went from"),
        finds("one_launch", "caution", "slows", "from one launch of each: throughput"),
    ];
    a_server_that_still_warms_up_in_each_launch: still_warming => [
        finds("not_steady", "caution", "cold", "in the first third of the launches"),
    ];
    a_store_that_is_written_to_more_often: written => [
        finds("differing_stores", "caution", "many", "times the items it was loaded with"),
    ];
    a_database_that_takes_six_connections: full => [
        finds("fewer_connections", "caution", "full", "of 12 connections could be opened"),
        finds("non_success", "void", "full", "too_many_connections"),
    ];
    fresh_connections_with_few_ports needs Namespaces: few_ports => [
        finds("port_pressure", "caution", "fresh", "local ports allow 512 /s"),
    ];
    one_core_for_everything: one_core => [
        finds("shared_core", "caution", "beside", "may use only"),
        finds("host_interference", "caution", "beside", "the generator waited for a core for"),
    ];
    a_generator_that_is_kept_from_its_core needs SecondCore, RealTimePriority: kept_waiting => [
        finds("generator_saturated", "void", "waits", "the generator's own delay is"),
    ];
    a_server_that_is_stopped_in_one_of_twelve_rounds: one_wild_round => [
        finds("outliers", "caution", "stopped", "another verdict than the signed-rank"),
    ];
    a_server_that_is_stopped_in_its_first_round: stopped_at_first => [
        finds("first_round", "caution", "stopped", "in round 1; the median"),
    ];
}
