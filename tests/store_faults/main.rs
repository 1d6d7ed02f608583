//! Stores that fail: each fault is counted by its class and as the responsible side's, nothing
//! hangs, nothing is missing from the counts, and a contender that errs or misses is never
//! called faster because of it.

#[path = "../common/mod.rs"]
mod common;
mod faulty_proxy;
mod real;

use common::stores::Store;
use common::{TestDirectory, number};
use faulty_proxy::{FaultyProxy, Reply};
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;
use std::process::ExitCode;

/// Concurrent cases: most of their time is a pilot's, which has a fixed length.
const AT_ONCE: usize = 8;

fn main() -> ExitCode {
    let with_faults = FAULTS.iter().map(|fault| {
        Trial::test(fault.name, move || {
            with_a_fault(fault);
            Ok(())
        })
    });
    let mut arguments = Arguments::from_args();
    arguments.test_threads.get_or_insert(AT_ONCE);
    libtest_mimic::run(&arguments, with_faults.chain(real::cases()).collect()).exit_code()
}

/// The length of a round in [`SHORT`].
const ROUND: &str = "100ms";
const SHORT: [&str; 16] = [
    "--rounds",
    "6",
    "--round",
    ROUND,
    "--slice",
    "25ms",
    "--pilot",
    "200ms",
    "--warm-up",
    "50ms",
    "--keys",
    "200",
    "--connections",
    "4",
    "--timeout",
    "300ms",
];

/// Drives `right` and then `wrong`.
fn compare(directory: &TestDirectory, store: &Store, wrong: &str, more: &[&str]) -> (i32, Value) {
    let (right, wrong) = (format!("right={}", store.url()), format!("wrong={wrong}"));
    let words = [&["compare", &right, &wrong][..], &SHORT, more].concat();
    directory.report(&words)
}

/// Returns the rules that void the run, all of which concern `wrong`.
fn voids(report: &Value) -> Vec<&str> {
    let findings = report["findings"].as_array().expect("findings").iter();
    let void = findings.filter(|finding| finding["weight"] == "void");
    void.map(|finding| {
        assert_eq!(finding["contender"], "wrong", "{finding:#}");
        finding["rule"].as_str().expect("a rule")
    })
    .collect()
}

fn never_faster(report: &Value) {
    let called = report["comparisons"].as_array().expect("comparisons").iter();
    let faster = called.filter(|it| it["verdict"] == "faster" || it["verdict"] == "equivalent");
    assert_eq!(faster.count(), 0, "{:#}", report["comparisons"]);
}

/// Returns nested arrays, deeper than any reader accepts.
const NESTED: [u8; 256] = {
    let mut all = [0; 256];
    let mut at = 0;
    while at < all.len() {
        all[at] = b"*1\r\n"[at % 4];
        at += 1;
    }
    all
};

/// One row: what a read receives, and the class under which it is counted.
struct Fault {
    name: &'static str,
    store: fn() -> Store,
    reply: Reply,
    /// In `outcomes`: `target_errors.closed`, `wrong`, …
    class: &'static str,
    rule: &'static str,
}

const FAULTS: &[Fault] = &[
    Fault {
        name: "redis: a reply that is cut",
        store: || Store::redis(&[]),
        reply: Reply::Closing(b"$32\r\n0123456789"),
        class: "target_errors.closed",
        rule: "non_success",
    },
    Fault {
        name: "redis: another protocol",
        store: || Store::redis(&[]),
        reply: Reply::Closing(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        class: "target_errors.protocol",
        rule: "non_success",
    },
    Fault {
        name: "redis: a value of a terabyte",
        store: || Store::redis(&[]),
        reply: Reply::Closing(b"$1099511627776\r\n"),
        class: "target_errors.protocol",
        rule: "non_success",
    },
    Fault {
        name: "redis: arrays within arrays without end",
        store: || Store::redis(&[]),
        reply: Reply::Closing(&NESTED),
        class: "target_errors.protocol",
        rule: "non_success",
    },
    Fault {
        name: "redis: it loads its data",
        store: || Store::redis(&[]),
        reply: Reply::Bytes(b"-LOADING Redis is loading the dataset in memory\r\n"),
        class: "target_errors.loading",
        rule: "non_success",
    },
    Fault {
        name: "redis: out of memory",
        store: || Store::redis(&[]),
        reply: Reply::Bytes(b"-OOM command not allowed when used memory > 'maxmemory'.\r\n"),
        class: "target_errors.oom",
        rule: "non_success",
    },
    Fault {
        name: "redis: logged out",
        store: || Store::redis(&[]),
        reply: Reply::Bytes(b"-NOAUTH Authentication required.\r\n"),
        class: "target_errors.noauth",
        rule: "non_success",
    },
    Fault {
        name: "redis: no answer",
        store: || Store::redis(&[]),
        reply: Reply::Silence,
        class: "target_errors.timeout",
        rule: "non_success",
    },
    Fault {
        name: "redis: nothing under the key",
        store: || Store::redis(&[]),
        reply: Reply::Bytes(b"$-1\r\n"),
        class: "miss",
        rule: "misses",
    },
    Fault {
        name: "redis: somebody else's value",
        store: || Store::redis(&[]),
        reply: Reply::Bytes(b"$32\r\n01234567890123456789012345678901\r\n"),
        class: "wrong",
        rule: "wrong_values",
    },
    Fault {
        name: "memcached: a reply that is cut",
        store: || Store::memcached(&[]),
        reply: Reply::Closing(b"VALUE tiebreak01:0000"),
        class: "target_errors.closed",
        rule: "non_success",
    },
    Fault {
        name: "memcached: a value that was not asked for",
        store: || Store::memcached(&[]),
        reply: Reply::Closing(b"VALUE other 0 3\r\nabc\r\nEND\r\n"),
        class: "target_errors.protocol",
        rule: "non_success",
    },
    Fault {
        name: "memcached: out of memory",
        store: || Store::memcached(&[]),
        reply: Reply::Bytes(b"SERVER_ERROR out of memory writing get response\r\n"),
        class: "target_errors.out_of_memory",
        rule: "non_success",
    },
    Fault {
        name: "memcached: nothing under the key",
        store: || Store::memcached(&[]),
        reply: Reply::Bytes(b"END\r\n"),
        class: "miss",
        rule: "misses",
    },
];

/// One read in this many is replaced.
const EVERY: u64 = 20;

fn with_a_fault(fault: &Fault) {
    let store = (fault.store)();
    let proxy = FaultyProxy::start(store.address, EVERY, fault.reply);
    let directory = TestDirectory::new();
    let (code, report) = compare(&directory, &store, &store.url_at(proxy.address), &[]);
    assert_eq!(code, 3, "{:#} {}", report["findings"], report["end"]);
    assert_eq!(voids(&report), [fault.rule]);
    never_faster(&report);
    let wrong = &report["contenders"][1];
    let outcomes = &wrong["outcomes"];
    let class = fault.class.split('.').fold(outcomes, |at, key| &at[key]);
    let (counted, operations) = (number(class), number(&wrong["operations"]));
    // Nine in ten operations are reads, and one in twenty of those fails.
    let share = counted / operations;
    assert!((0.02..0.08).contains(&share), "{share} of {operations}: {outcomes}");
    let ok = number(&outcomes["ok"]);
    assert_eq!(ok + counted, operations, "every operation ended in one class: {outcomes}");
    let sent = &wrong["sent"];
    let parts = ["load", "warm_up", "pilot", "operations", "unfinished"];
    let all: f64 = parts.iter().map(|part| number(&sent[*part])).sum();
    assert_eq!(all, proxy.operations() as f64, "nothing is lost from the counts: {sent}");
    let right = &report["contenders"][0];
    assert_eq!(right["outcomes"]["ok"], right["operations"], "{}", right["outcomes"]);
}
