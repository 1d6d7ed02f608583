//! Known truths about replies that take much longer than the others: they cost a contender what they cost it
//! when it is driven alone.

use crate::common::{TestDirectory, number, serve, url};
use crate::driver::{figure, truths};
use serde_json::Value;
use std::num::NonZeroU64;
use std::time::Duration;
use testserver::{Behaviour, Slow};

truths! {
    All: slow_replies_cost_the_same_in_slices_and_in_one_long_turn,
}

/// Throughput of the contender with this number.
fn throughput((_, report): &(i32, Value), contender: usize) -> f64 {
    number(&report["contenders"][contender]["metrics"]["throughput"]["value"])
}

/// One reply in 1000 takes a second, so the 8 connections wait for most of the time, and mostly while the other
/// contender is driven.
fn slow_replies_cost_the_same_in_slices_and_in_one_long_turn() {
    let slow = Slow { nth: NonZeroU64::new(1000).expect("not 0"), by: Duration::from_secs(1) };
    let quick = Behaviour { service: Duration::from_micros(50), ..Behaviour::default() };
    let (quick, slow) = (serve(quick.clone()), serve(Behaviour { slow: Some(slow), ..quick }));
    let common = ["--warm-up", "2s", "--connections", "8", "--seed", "1", "--out", "run"];
    let address = url(&slow);
    // Before and after the comparison, so that a machine that becomes slower or faster meanwhile is no difference.
    // Most of the time all connections wait for a slow reply together, so that what falls into a run varies by
    // the operations of a second: in 10 s that was up to 5 %.
    let alone = [&["run", &address, "--duration", "20s"][..], &common[..]].concat();
    let driven_alone = || throughput(&TestDirectory::new().report(&alone), 0);
    let before = driven_alone();
    let (a, b) = (format!("a={}", url(&quick)), format!("b={address}"));
    let rounds = ["--slice", "50ms", "--rounds", "20", "--round", "2s"];
    let compared = [&["compare", &a, &b][..], &rounds[..], &common[..]].concat();
    let compared = TestDirectory::new().report(&compared);
    let slices = throughput(&compared, 1);
    let alone = (before + driven_alone()) / 2.0;
    let apart = (slices / alone).ln().abs();
    figure(format!("{slices:.0}/s in slices, {alone:.0}/s alone"), "apart by less than 5 %");
    assert!(apart < 0.05, "{slices}/s in slices, {alone}/s alone");
    let quick = throughput(&compared, 0);
    assert!(slices < 0.9 * quick, "slow replies cost something: {slices}/s and {quick}/s");
}
