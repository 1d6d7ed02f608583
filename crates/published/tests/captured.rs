//! Output that the real tools printed (`data/README.md`), audited. What is found in each is a
//! snapshot: `UPDATE_SNAPSHOTS=1 cargo test -p tiebreak-published` writes them anew.

#![allow(clippy::disallowed_methods, reason = "a test reads its data")]

use judge::verdict::Weight;
use published::{Audit, Scan};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

fn directory(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

/// Name and bytes of each captured file.
fn captured() -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(directory("data")).expect("the directory of captured output");
    let files = entries.map(|entry| entry.expect("an entry").path());
    let kept = files.filter(|path| path.extension().is_some_and(|of| of == "txt" || of == "json"));
    let named = |path: PathBuf| {
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        (name, fs::read(&path).expect("a readable file"))
    };
    kept.map(named).collect()
}

fn audit(name: &str, bytes: &[u8]) -> Audit {
    let mut scan = Scan::new(0);
    scan.feed(bytes);
    Audit::of([(name.to_owned(), scan)])
}

/// All that was read and found.
fn description(audit: &Audit) -> String {
    let mut out = format!("{}\n", audit.conclusion());
    for run in &audit.runs {
        writeln!(out, "\nrun of {} in lines {} to {}", run.tool.name, run.first, run.last)
            .expect("memory");
        for (key, at) in run.figures() {
            let (name, unit) = key.name();
            writeln!(out, "  {:>4} {name} = {} {unit}", at.line, at.value).expect("memory");
        }
        if !run.missing().is_empty() {
            writeln!(out, "  missing: {}", run.missing().join(", ")).expect("memory");
        }
    }
    for objection in &audit.objections {
        let weight = format!("{:?}", objection.weight).to_lowercase();
        writeln!(out, "\n{weight}: {}: {}", objection.rule, objection.evidence).expect("memory");
        for line in &objection.source_lines {
            writeln!(out, "  {}:{}: {}", line.file, line.line, line.quote).expect("memory");
        }
    }
    for unanswered in &audit.unanswered {
        writeln!(out, "\nnot applied: {}: {}", unanswered.rule, unanswered.missing)
            .expect("memory");
    }
    out
}

#[test]
fn what_is_found_in_captured_output() {
    let rewrite = std::env::var_os("UPDATE_SNAPSHOTS").is_some();
    for (name, bytes) in captured() {
        let description = description(&audit(&name, &bytes));
        let path = directory("snapshots").join(format!("{name}.txt"));
        if rewrite {
            fs::write(&path, &description).expect("the snapshot is writable");
        }
        let expected = fs::read_to_string(&path).unwrap_or_default();
        assert!(description == expected, "{name} differs from its snapshot:\n{description}");
    }
    let entries = fs::read_dir(directory("snapshots")).expect("the directory of snapshots");
    let kept: BTreeSet<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let used: BTreeSet<String> = captured().keys().map(|name| format!("{name}.txt")).collect();
    assert_eq!(kept, used, "snapshots of no captured output");
}

/// Captured runs that are known to be wrong, and the rules that must call them void.
const VOID: &[(&str, &[&str])] = &[
    ("ab-failing.txt", &["bad_status"]),
    ("ab-some.txt", &["bad_status"]),
    ("ab-empty.txt", &["empty_reply"]),
    ("ab-short.txt", &["few_per_connection"]),
    ("ab-refused.txt", &["failed_requests"]),
    ("wrk-failing.txt", &["bad_status"]),
    ("wrk-cut.txt", &["failed_requests"]),
    ("wrk-slow.txt", &["failed_requests"]),
    ("hey-failing.txt", &["bad_status"]),
    ("hey-refused.txt", &["failed_requests"]),
    ("h2load-failing.txt", &["bad_status"]),
    ("oha-failing.txt", &["bad_status"]),
    ("vegeta-failing.txt", &["bad_status"]),
    ("vegeta-failing.json", &["bad_status"]),
    ("k6-failing.txt", &["failed_requests", "failed_checks"]),
    ("k6-failing.json", &["failed_requests", "failed_checks"]),
    ("k6-dropped.txt", &["unsent"]),
    ("k6-dropped.json", &["unsent"]),
    ("memtier-misses.txt", &["misses"]),
    ("pgbench-rate.txt", &["unsent"]),
    ("cassandra-missing.txt", &["failed_checks"]),
];

/// Captured runs whose flaw is a caution, and the rules that must name it.
const CAUTION: &[(&str, &[&str])] = &[
    ("oha-cut-off.txt", &["broken_off"]),
    ("oha-cut-off.json", &["broken_off"]),
    ("ab-lengths.txt", &["other_lengths", "too_short", "connect_inside"]),
    ("ab-stall.txt", &["hidden_stall"]),
    ("wrk-slow.txt", &["broken_off"]),
    ("wrk-stall.txt", &["filled_in"]),
    ("wrk2-sound.txt", &["broken_off"]),
    ("hey-short.txt", &["too_short", "few_samples", "percentile_support"]),
    ("pgbench-contended.txt", &["row_locks"]),
    ("pgbench-connect.txt", &["connect_inside"]),
    ("sysbench-percentile-off.txt", &["cut_short"]),
];

/// Runs that nothing but the missing repetition speaks against.
const SOUND: &[&str] =
    &["ab-sound.txt", "wrk-sound.txt", "hey-sound.txt", "h2load-sound.txt", "memtier-sound.txt"];

fn rules(audit: &Audit, weight: Weight) -> Vec<&'static str> {
    let of_weight = audit.objections.iter().filter(|objection| objection.weight == weight);
    of_weight.map(|objection| objection.rule).collect()
}

#[test]
fn wrong_runs_are_called_wrong_and_sound_ones_are_not() {
    let files = captured();
    let of = |name: &str| audit(name, &files[name]);
    for (name, expected) in VOID {
        assert_eq!(rules(&of(name), Weight::Void), *expected, "{name}");
    }
    for (name, expected) in CAUTION {
        let found = rules(&of(name), Weight::Caution);
        assert!(expected.iter().all(|rule| found.contains(rule)), "{name}: {found:?}");
    }
    for name in SOUND {
        let audit = of(name);
        assert_eq!(rules(&audit, Weight::Void), [""; 0], "{name}");
        assert_eq!(rules(&audit, Weight::Caution), ["no_repetition"], "{name}");
    }
}

/// No objection may be found in the figures of a sound run, of any tool: the sums of
/// real output agree.
#[test]
fn sums_of_captured_output_agree() {
    for (name, bytes) in captured() {
        let audit = audit(&name, &bytes);
        assert!(!rules(&audit, Weight::Void).contains(&"sums_differ"), "{name}");
        assert!(!rules(&audit, Weight::Caution).contains(&"unclear_figures"), "{name}");
    }
}

/// Text and JSON of one vegeta run, and of one k6 run, say the same.
#[test]
fn text_and_json_of_one_run_agree() {
    let files = captured();
    for name in ["vegeta-sound", "vegeta-failing", "k6-dropped", "k6-failing"] {
        let [text, json] = ["txt", "json"].map(|of| {
            let name = format!("{name}.{of}");
            let audit = audit(&name, &files[&name]);
            audit.runs[0].figures().map(|(key, at)| (key, at.value)).collect::<BTreeMap<_, _>>()
        });
        for (key, value) in text {
            let other = json[&key];
            let near = (value - other).abs() <= 0.1 * value.max(other);
            assert!(near, "{name}: {key:?} is {value} and {other}");
        }
    }
}
