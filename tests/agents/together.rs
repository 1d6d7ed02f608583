//! What agents drive together is one comparison.

use crate::common::number;
use crate::common::running::Running;
use crate::group::{Group, QUICK, agree, contenders, errors, judged, serve, wait_for};
use serde_json::Value;
use std::time::Duration;

const MS: Duration = Duration::from_millis(1);

#[test]
fn four_agents_count_what_the_servers_count_and_find_a_factor_of_two() {
    let group = Group::of(4);
    let (a, b) = (serve(10 * MS), serve(20 * MS));
    let words = QUICK.replace("--round 100ms --slice 25ms", "--round 400ms --slice 100ms");
    assert_ne!(words, QUICK);
    let report = group.driven(&format!("{} {words} --seed 7", contenders(&a, &b)));
    agree(&report, [a, b], 4);
    for of in report["contenders"].as_array().expect("two") {
        let agents = of["agents"].as_array().expect("figures of each agent");
        assert!(agents.iter().all(|agent| agent["connections"] == 2), "{agents:?}");
    }
    // Each connection waits for a reply nearly all the time: where five processes share two cores with
    // other tests, an agent that wakes 10 ms late reads 30 ms for 20, and 20 for 10.
    let rate = |at: usize| number(&report["contenders"][at]["metrics"]["throughput"]["value"]);
    let ratio = rate(0) / rate(1);
    assert!((1.4..2.6).contains(&ratio), "a/b = {ratio}");
}

#[test]
fn each_agent_keeps_a_journal_and_the_coordinator_has_them_merged() {
    let group = Group::of(2);
    let (a, b) = (serve(MS), serve(MS));
    group.driven(&format!("{} {QUICK} --seed 7", contenders(&a, &b)));
    let merged = group.events(0);
    let agents = merged.iter().find(|event| event.get("agents").is_some()).expect("who drives");
    assert_eq!(agents["agents"].as_array().map(Vec::len), Some(2));
    let clocks = merged.iter().filter_map(|event| event["clocks"].as_array());
    for clock in clocks.clone().flatten() {
        assert!(number(&clock["bound_ns"]) > 0.0 && number(&clock["exchanges"]) > 32.0, "{clock}");
    }
    assert_eq!(clocks.count(), 2, "after the pilot and after the rounds");
    let trials = |rank: u32| -> Vec<Value> {
        let events = group.events(rank);
        let driven = |trial: &&Value| {
            let phase = &trial["phase"];
            *phase == "warm_up" || *phase == "pilot" || *phase == "round"
        };
        let all: Vec<Value> = events.into_iter().map(|event| event["trial"].clone()).collect();
        all.iter().filter(driven).cloned().collect()
    };
    let (all, one, two) = (trials(0), trials(1), trials(2));
    assert_eq!((all.len(), one.len(), two.len()), (18, 18, 18));
    for ((all, one), two) in all.iter().zip(&one).zip(&two) {
        for which in ["phase", "round", "contender", "requested"] {
            assert_eq!((&all[which], &all[which]), (&one[which], &two[which]));
        }
        let of = |trial: &Value| number(&trial["seen"]["operations"]);
        assert_eq!(of(all), of(one) + of(two));
        let slices = |trial: &Value| -> Vec<u64> {
            let slices = trial["seen"]["slices"].as_array().expect("slices");
            slices.iter().map(|slice| slice["after"].as_u64().unwrap_or(99)).collect()
        };
        assert_eq!((slices(all), slices(all)), (slices(one), slices(two)), "one order of slices");
    }
}

#[test]
fn no_two_contenders_are_driven_at_once_whatever_the_clocks_say() {
    let group = Group::of(3);
    let (a, b) = (serve(MS), serve(MS));
    let clocks = "--simulate-clock 3600000000000,50,0";
    group.driven(&format!("{} {QUICK} --seed 7 {clocks}", contenders(&a, &b)));
    let events = group.events(0);
    let offsets = events.iter().filter_map(|event| event["clocks"].as_array()).flatten();
    for clock in offsets {
        let (rank, offset) = (number(&clock["rank"]), number(&clock["offset_s"]));
        // An hour for each rank, and the drift of some seconds.
        let hours = offset / 3600.0;
        assert!((hours - rank).abs() < 1e-3, "agent {rank}: {hours} h");
    }
    // Slices of the whole run in their order: each starts after the end of the one before, and
    // lasts hardly longer than it sends, which it would not if the agents were out of step.
    let mut slices: Vec<(u64, u64)> = events
        .iter()
        .filter(|event| event["trial"]["phase"] == "round")
        .flat_map(|event| event["trial"]["seen"]["slices"].as_array().expect("slices"))
        .map(|slice| {
            let of = |key: &str| slice[key].as_u64().expect("a number");
            (of("starts_ns"), of("starts_ns") + of("took_ns"))
        })
        .collect();
    slices.sort_unstable();
    assert_eq!(slices.len(), 6 * 2 * 4);
    for pair in slices.windows(2) {
        // The clocks are known up to their bound.
        assert!(pair[0].1 < pair[1].0 + 5_000_000, "{pair:?}");
    }
}

#[test]
fn agents_that_start_late_are_seen_and_the_audit_refuses() {
    let group = Group::of(2);
    let (a, b) = (serve(MS), serve(MS));
    // The second agent starts 20 ms late: 80 % of a slice.
    let late = "--simulate-clock 0,0,10000000 --slice 25ms";
    let words = format!("{} {QUICK} {late} --matters 10%", contenders(&a, &b));
    let words = words.replace("--matters 50% ", "").replacen("--slice 25ms ", "", 1);
    let outputs = group.run(&words);
    assert_eq!(outputs[0].status.code(), Some(3), "{}", errors(&outputs[0]));
    let report = group.report();
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["rule"] == "agents_out_of_step");
    assert_eq!(found.expect("the rule fires")["weight"], "void", "{findings:?}");
}

#[test]
fn an_agent_that_drives_less_than_the_others_is_named() {
    let group = Group::of(3);
    let (a, b) = (serve(MS), serve(MS));
    let mut processes = group.start_all(&format!("{} {QUICK}", contenders(&a, &b)));
    wait_for("the pilot", || group.events(0).iter().any(|event| event.get("pilot").is_some()));
    // It stands still for most of the time, also in the slices that the others drive.
    while processes[3].runs() {
        processes[3].signal(libc::SIGSTOP);
        std::thread::sleep(8 * MS);
        processes[3].signal(libc::SIGCONT);
        std::thread::sleep(3 * MS);
    }
    let outputs: Vec<_> = processes.into_iter().map(Running::output).collect();
    // It also starts its slices late.
    let report = judged(&outputs[0], &group.directory);
    let findings = report["findings"].as_array().expect("findings");
    let found = findings.iter().find(|finding| finding["rule"] == "odd_agent");
    let evidence = found.unwrap_or_else(|| panic!("{findings:#?}"))["evidence"].as_str();
    assert!(evidence.is_some_and(|text| text.starts_with("agent 3 ended")), "{evidence:?}");
}

#[test]
fn agents_drive_a_target_that_the_coordinator_launches() {
    let group = Group::of(2);
    let tiebreak = env!("CARGO_BIN_EXE_tiebreak");
    let contender = |name: &str| {
        format!(
            "[contender.{name}]\nlaunch = [\"{tiebreak}\", \"testserver\", \"--listen\", \"127.0.0.1:{{port}}\"]\n"
        )
    };
    let file = format!("{}{}", contender("a"), contender("b"));
    std::fs::write(group.directory.file("experiment.toml"), file).expect("writes");
    let report = group.driven(&format!("experiment.toml {QUICK}"));
    for of in report["contenders"].as_array().expect("two") {
        assert!(number(&of["operations"]) > 0.0);
        // The coordinator reads what its targets cost around every slice.
        assert!(number(&of["metrics"]["target_cpu_per_operation"]["value"]) > 0.0, "{of}");
    }
}
