//! Faults that real stores show by themselves.

use crate::common::not_tested::{Lack, lacks};
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::stores::Store;
use crate::common::{TestDirectory, errors, number, with_small_disk};
use crate::{ROUND, SHORT, compare, never_faster, voids};
use libtest_mimic::Trial;
use serde_json::Value;
use std::process::{Command, Stdio};
use std::time::Duration;

pub(crate) fn cases() -> Vec<Trial> {
    let cases: [(&str, fn()); 4] = [
        ("memcached: an item that is too large", too_large),
        ("redis: restarted in mid-run", || restarted(Store::redis(&[]))),
        ("memcached: restarted in mid-run", || restarted(Store::memcached(&[]))),
        ("files: a tmpfs that is full", full_tmpfs),
    ];
    let trial = |(name, case): (&str, fn())| {
        Trial::test(name, move || {
            case();
            Ok(())
        })
    };
    cases.into_iter().map(trial).collect()
}

fn outcome(report: &Value, class: &str) -> f64 {
    number(&report["contenders"][1]["outcomes"]["target_errors"][class])
}

/// Checks that every operation of `wrong` ended in one class.
fn balanced(report: &Value) {
    let wrong = &report["contenders"][1];
    let outcomes = &wrong["outcomes"];
    let classes = |of: &str| {
        let all = outcomes[of].as_object().expect("classes").values();
        all.map(number).sum::<f64>()
    };
    let plain: f64 = ["ok", "miss", "stale", "wrong"].map(|of| number(&outcomes[of])).iter().sum();
    let all =
        plain + classes("target_errors") + classes("generator_errors") + classes("host_errors");
    assert_eq!(all, number(&wrong["operations"]), "{outcomes}");
}

fn too_large() {
    let [right, small] = ["1m", "512k"].map(|most| Store::memcached(&["-m", "512", "-I", most]));
    // What a load gives up is missing afterwards, and such a value can take long.
    let patience = ["--set", "right.timeout=5s", "--set", "wrong.timeout=5s"];
    let more = [&["--value", "600kB"][..], &patience].concat();
    let (code, report) = compare(&TestDirectory::new(), &right, &small.url(), &more);
    assert_eq!(code, 3, "{:#}", report["findings"]);
    assert!(voids(&report).contains(&"misses"), "{:?}", voids(&report));
    assert!(outcome(&report, "too_large") > 0.0, "{}", report["contenders"][1]["outcomes"]);
    never_faster(&report);
    balanced(&report);
}

/// Its content is gone: after the restart every read is a miss.
fn restarted(mut wrong: Store) {
    let right =
        if wrong.url().starts_with("redis") { Store::redis(&[]) } else { Store::memcached(&[]) };
    let directory = TestDirectory::new();
    let [right_word, wrong_word] = [("right", &right), ("wrong", &wrong)]
        .map(|(name, store)| format!("{name}={}", store.url()));
    let more = ["--mix", "get=1", "--quiet", "--json", "report.json", "--out", "run"];
    // A round without any reply ends the run: a restart must not fill one.
    let longer = SHORT.map(|word| if word == ROUND { "800ms" } else { word });
    let words = [&["compare", &right_word, &wrong_word][..], &longer, &more].concat();
    let mut tiebreak = directory.command(&words);
    let tiebreak = tiebreak.stdout(Stdio::null()).stderr(Stdio::piped());
    let tiebreak = Running::new(tiebreak.spawn().expect("the binary runs"));
    // When there are trials of rounds, but not many yet.
    let journal = directory.file("run/journal.jsonl");
    wait_at_most(Duration::from_secs(60), "a second round", || {
        std::fs::read_to_string(&journal).is_ok_and(|text| text.contains("\"round\":2"))
    });
    wrong.restart();
    let output = tiebreak.output();
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let report = std::fs::read_to_string(directory.file("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert!(voids(&report).contains(&"misses"), "{:?}", voids(&report));
    let wrong = &report["contenders"][1];
    let theirs = &wrong["outcomes"]["target_errors"];
    let lost = ["closed", "reset", "refused"].map(|class| theirs[class].as_u64().unwrap_or(0));
    let lost: u64 = lost.iter().sum();
    // Connections that it lost while it rested are reopened, and are not a fault.
    let reopened = number(&wrong["connections"]["reopened_at_rest"]);
    assert!(lost > 0 || reopened > 0.0, "connections were lost: {theirs}");
    never_faster(&report);
    balanced(&report);
}

/// In a separate namespace, in which mounting is allowed.
fn full_tmpfs() {
    if lacks(Lack::Namespaces) {
        return;
    }
    let directory = TestDirectory::new();
    let full = directory.file("full");
    let [right, wrong] = [("right", directory.file("room")), ("wrong", full.join("cache"))]
        .map(|(name, path)| format!("{name}=file://{}", path.display()));
    let words = [&["compare", &right, &wrong][..], &SHORT, &["--value", "8kB"]].concat();
    let mut command = Command::new("unshare");
    with_small_disk(&mut command, full.to_str().expect("a plain path"), "1200k");
    let output = command
        .arg(env!("CARGO_BIN_EXE_tiebreak"))
        .args(&words)
        .args(["--quiet", "--json", "report.json"])
        .current_dir(directory.path())
        .output()
        .expect("unshare");
    assert_eq!(output.status.code(), Some(3), "{}", errors(&output));
    let report = std::fs::read_to_string(directory.file("report.json")).expect("a report");
    let report: Value = serde_json::from_str(&report).expect("JSON");
    assert!(outcome(&report, "full") > 0.0, "{}", report["contenders"][1]["outcomes"]);
    assert!(voids(&report).contains(&"misses"), "{:?}", voids(&report));
    never_faster(&report);
    balanced(&report);
}
