//! Each rule of the audit from a recorded journal, through the binary. The journals are those of two
//! servers that behave the same. What a rule looks for is planted into the record: without it the
//! journal does not raise the rule, and with it it does, and no other rule that the case does not name.
//! Real runs raise the rules in `with_servers/rules/` and in the tests of stores, agents, nodes and faults.
//!
//! The journals are as two real runs wrote them, each against two `testserver --delay 1ms` on core 0,
//! with `--cores 1 --rounds 6 --warm-up 0s --pilot 200ms`:
//! `closed.jsonl` with `--connections 32 --round 1900ms --slice 190ms`, and
//! `open.v2.jsonl` with `--rate 1000 --connections 16 --round 300ms --slice 150ms`.
//! Both were written as version 2 of the journal. `open.jsonl` is `open.v2.jsonl` with the words of version 3.

mod causes;
mod journal;
pub(crate) mod suites;

use crate::common::{TestDirectory, errors};
use causes::*;
use journal::Journal;
use serde_json::Value;
use std::path::Path;

/// A cause, and the finding that it must lead to.
struct Case {
    recorded: Journal,
    cause: fn(&mut Journal),
    weight: &'static str,
    /// Empty: the finding is about the run.
    contender: &'static str,
    /// A part of the evidence.
    says: &'static str,
    /// Other rules that the same cause raises.
    also: &'static [&'static str],
}

/// A comparison in closed loop, with this planted.
fn closed(cause: fn(&mut Journal)) -> Case {
    Case::of("closed.jsonl", cause)
}

/// A comparison with `--rate`, with this planted.
fn open(cause: fn(&mut Journal)) -> Case {
    Case::of("open.jsonl", cause)
}

impl Case {
    fn of(recorded: &str, cause: fn(&mut Journal)) -> Case {
        let recorded = Journal::read(recorded);
        Case { recorded, cause, weight: "", contender: "", says: "", also: &[] }
    }

    /// Changes what the contenders are, which must not raise the rule.
    fn with(mut self, setting: fn(&mut Journal)) -> Case {
        setting(&mut self.recorded);
        self
    }

    fn finds(mut self, weight: &'static str, contender: &'static str, says: &'static str) -> Case {
        (self.weight, self.contender, self.says) = (weight, contender, says);
        self
    }

    fn also(mut self, rules: &'static [&'static str]) -> Case {
        self.also = rules;
        self
    }

    fn hold(mut self, rule: &str) {
        let directory = TestDirectory::new();
        let before = report(&directory, "before", &self.recorded, 0);
        (self.cause)(&mut self.recorded);
        let exit = if self.weight == "void" { 3 } else { 0 };
        let after = report(&directory, "after", &self.recorded, exit);
        let key = |of: &Value| [&of["rule"], &of["weight"], &of["contender"]].map(Value::clone);
        let known: Vec<_> = before.iter().map(key).collect();
        let (own, others): (Vec<&Value>, Vec<&Value>) =
            after.iter().filter(|of| !known.contains(&key(of))).partition(|of| of["rule"] == rule);
        assert!(own.iter().any(|of| self.is_found(of)), "{rule} was not raised: {after:#?}");
        let others: Vec<&str> = others.iter().filter_map(|of| of["rule"].as_str()).collect();
        assert_eq!(others, self.also, "raised by the same cause");
        audit(&directory, &format!("{}: {rule}\n", self.weight), exit);
    }

    /// Whether this finding of the rule is the one that the case names.
    fn is_found(&self, finding: &Value) -> bool {
        let evidence = finding["evidence"].as_str().expect("a text").replace('\u{a0}', " ");
        finding["weight"] == self.weight
            && finding["contender"].as_str().unwrap_or("") == self.contender
            && evidence.contains(self.says)
    }
}

/// Returns the report of a journal.
fn whole_report(directory: &TestDirectory, run: &str, journal: &Journal, exit: i32) -> Value {
    journal.write(&directory.file(run));
    let output = directory.tiebreak(&["report", run, "--json"]);
    assert_eq!(output.status.code(), Some(exit), "{run}: {}", errors(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns the findings of a journal.
fn report(directory: &TestDirectory, run: &str, journal: &Journal, exit: i32) -> Vec<Value> {
    let report = whole_report(directory, run, journal, exit);
    report["findings"].as_array().expect("findings").clone()
}

/// Checks that `audit` names the finding.
fn audit(directory: &TestDirectory, named: &str, exit: i32) {
    let output = directory.tiebreak(&["audit", "after"]);
    assert_eq!(output.status.code(), Some(exit), "{}", errors(&output));
    let text = String::from_utf8(output.stdout).expect("a text");
    assert!(text.contains(named), "{named} is missing: {text}");
}

/// A test for each rule, and the list of their names.
macro_rules! cases {
    ($($rule:ident: $case:expr;)+) => {
        $(#[test]
        fn $rule() {
            $case.hold(stringify!($rule));
        })+

        const CASES: &[&str] = &[$(stringify!($rule)),+];
    };
}

cases! {
    non_success: closed(pages_not_found).finds("void", "b", "status_404");
    misses: closed(keys_not_found).with(stores).finds("void", "b", "operations found nothing (2");
    evictions: closed(evicted_items).with(stores).finds("caution", "b", "12 items in the rounds");
    wrong_values: closed(foreign_values).with(stores).finds("void", "b", "returned wrong values");
    empty_reply: closed(empty_bodies).finds("void", "b", "with an empty body");
    unasked_bytes: closed(second_replies).finds("void", "b", "bytes that belong to no request");
    differing_replies: closed(another_body).finds("void", "b", "bodies differ");
    program_output: closed(half_the_output).with(programs)
        .finds("void", "b", "a run of a prints 1000 bytes, one of b 500");
    differing_stores: closed(more_items).with(stores)
        .finds("caution", "b", "ended with 1.100 times the items");
    differing_durability: closed(waits_for_the_disk).with(stores)
        .finds("caution", "b", "b waits for the disk at every write, and a does not");
    lost_nodes: closed(node_that_ended).finds("void", "b", "node 2 was killed by signal 9");
    withdrawn: closed(left_the_ranking).with(ranked)
        .finds("void", "b", "it left in round 6: it was killed by signal 9");
    announced_nodes: closed(public_node).finds("caution", "b", "not dialled: 203.0.113.7:9042");
    rate_not_reached: open(slow_schedule).finds("void", "b", "the generator scheduled");
    generator_saturated: open(late_sends).finds("void", "b", "the generator's own delay is");
    agents_out_of_step: closed(late_agent).with(three_agents).finds("void", "b", "5 % of the slice");
    our_faults: closed(no_local_port).finds("void", "b", "6 no_port");
    generator_bottleneck: closed(busy_generator)
        .finds("caution", "b", "the generator was busy for 100 % of the time");
    odd_agent: closed(slow_agent).with(three_agents)
        .finds("caution", "b", "agent 2 ended 50 % of the operations");
    shared_core: closed(one_core).finds("caution", "b", "the target may use only");
    starved_connections: closed(too_few_workers)
        .finds("void", "b", "4 of 32 connections got no reply in");
    control: closed(one_in_ten_dearer).with(suite_with_control)
        .finds("void", "", "differs in 1 of 1 case: parse 1.100x");
    fewer_connections: closed(refused_connection).finds("caution", "b", "could be opened");
    closed_connections: closed(keep_alive_off)
        .finds("caution", "b", "the target closed ");
    port_pressure: closed(many_new_connections).with(limited_ports)
        .finds("caution", "b", "local ports allow 1 k/s");
    too_short: closed(few_operations).finds("caution", "b", "99 operations in round 3");
    p99_support: closed(few_latencies).finds("caution", "b", "response_time.p99 rests on");
    burst_tail: closed(one_burst).finds("note", "b", "replies slower than the p99 fell in 6 of");
    slice_too_short: closed(slow_replies).finds("caution", "b", "a slice of 190 ms is");
    long_drain: open(slow_last_reply).also(&["rate_not_reached"])
        .finds("caution", "b", "1 of 12 slices drained for longer");
    watcher_lost: closed(silent_watcher).with(watched).also(&["carry_over"])
        .finds("caution", "b", "CPU time not visible from round 4 on");
    cpu_at_rest: closed(work_at_rest).finds("caution", "b", "the target used 5");
    carry_over: closed(work_for_the_next).finds("caution", "b", "lower in slices after itself");
    not_steady: closed(both_get_slower).finds("caution", "b", "throughput went from");
    first_round: closed(slow_first_round).finds("caution", "b", "in round 1; the median of the others");
    autocorrelated_rounds: closed(b_gets_slower).also(&["one_launch"]).finds("caution", "b", "the difference itself changed");
    outliers: closed(one_wild_round).also(&["one_launch"]).finds("caution", "b", "another verdict than the signed-rank");
    host_interference: closed(busy_machine).finds("caution", "b", "waited for a core for 5");
    one_launch: closed(small_difference).finds("caution", "b", "from one launch of each: throughput 1.020x");
    different_settings: closed(another_timeout).finds("note", "b", "other settings than a: timeout");
    log_troubles: closed(log_that_was_not_cleaned).finds("caution", "b", "could not be read");
    interrupted: closed(killed).finds("caution", "", "the journal has no end record");
}

#[test]
fn a_journal_of_version_2_is_read_as_its_translation() {
    let (old, new) = (Journal::read("open.v2.jsonl"), Journal::read("open.jsonl"));
    assert_eq!(old, new);
    let directory = TestDirectory::new();
    let reports = [("old", "open.v2.jsonl"), ("new", "open.jsonl")].map(|(run, file)| {
        let from = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whole/recorded").join(file);
        std::fs::create_dir(directory.file(run)).expect("a directory");
        std::fs::copy(from, directory.file(run).join("journal.jsonl")).expect("copied");
        let output = directory.tiebreak(&["report", run, "--json"]);
        assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
        serde_json::from_slice::<Value>(&output.stdout).expect("JSON")
    });
    assert_eq!(reports[0], reports[1]);
    assert!(reports[0]["contenders"][0]["burn_in_excluded"].is_u64(), "{:#}", reports[0]);
}

#[test]
fn two_servers_that_behave_the_same_raise_one_note() {
    let directory = TestDirectory::new();
    let findings = report(&directory, "closed", &Journal::read("closed.jsonl"), 0);
    let rules: Vec<_> = findings.iter().map(|of| (&of["rule"], &of["weight"])).collect();
    assert_eq!(rules, [(&"one_launch".into(), &"note".into())]);
}

/// Causes, and what the one line about the headline then says: its status, and the rule that is named.
type Headline = (&'static [fn(&mut Journal)], &'static str, Option<&'static str>);

const HEADLINES: [Headline; 6] = [
    (&[half_as_fast], "stands", None),
    (&[half_as_fast, few_operations], "reservation", Some("too_short")),
    (&[half_as_fast, few_latencies], "stands", None),
    // A tenth cannot hide that b takes twice as long.
    (&[work_for_the_next, half_as_fast], "stands", None),
    (&[work_for_the_next, small_difference], "reservation", Some("carry_over")),
    (&[half_as_fast, pages_not_found], "does_not_stand", Some("non_success")),
];

#[test]
fn one_line_says_whether_the_headline_stands() {
    for (causes, status, rule) in HEADLINES {
        let directory = TestDirectory::new();
        let mut journal = Journal::read("closed.jsonl");
        causes.iter().for_each(|cause| cause(&mut journal));
        let exit = if status == "does_not_stand" { 3 } else { 0 };
        let report = whole_report(&directory, "run", &journal, exit);
        let headline = &report["headline"];
        assert_eq!((&headline["status"], headline["rule"].as_str()), (&status.into(), rule));
        let says = headline["says"].as_str().expect("a sentence");
        for form in [&["report", "run"][..], &["report", "run", "--markdown"]] {
            let output = directory.tiebreak(form);
            let text = String::from_utf8(output.stdout).expect("a text").replace("\n  ", " ");
            let unmarked = text.replace(['\\', '`'], "");
            assert!(unmarked.contains(says), "{says}: {text}");
        }
    }
}

#[test]
fn every_rule_has_a_case() {
    let rules: Vec<&str> = judge::audit::RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(CASES, rules, "one case for each rule, in the order of its table");
}
