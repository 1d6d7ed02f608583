//! `TIEBREAK_REWRITE_SNAPSHOTS=1 cargo test` rewrites the snapshots; read the difference before
//! you commit it.

use super::super::{json, junit, markdown, samples, terminal};
use super::PLAIN;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

const REWRITE: &str = "TIEBREAK_REWRITE_SNAPSHOTS";

/// The samples whose reports are kept as files.
const KEPT: [&str; 14] = [
    "faster",
    "equivalent",
    "undecided",
    "void",
    "run",
    "required",
    "stores",
    "kinds",
    "groups",
    "agents",
    "loads",
    "published",
    "capacities",
    "suite",
];
/// "faster", and those that have little else in their JSON: of these only what differs from it is
/// kept.
const LIKE_FASTER: [&str; 4] = ["faster", "required", "agents", "published"];
/// Lists of points have this many in the JSON of all others: the points of a list are of one kind,
/// and "faster" has all of its own.
const POINTS: usize = 3;
/// Further samples whose report for the terminal is kept.
const SEEN: [&str; 11] = [
    "sweep",
    "suite-void",
    "ranked",
    "five",
    "empty",
    "launched",
    "restarts",
    "looks",
    "stores",
    "kinds",
    "groups",
];

/// The name of a file, and what is to be in it.
pub(crate) type Snapshot = (String, String);

fn terminal_reports() -> Vec<Snapshot> {
    let kept = |name: &str| KEPT.contains(&name) || SEEN.contains(&name);
    let all = samples::all().into_iter().filter(|input| kept(input.0));
    all.map(|(name, input)| (format!("{name}.txt"), terminal::report(&input.view(), PLAIN)))
        .collect()
}

fn short_terminal_reports() -> Vec<Snapshot> {
    let all = samples::all().into_iter().filter(|(name, _)| !name.contains("hostile"));
    let short = |(name, input): (&str, samples::Parts)| {
        (format!("{name}.short.txt"), terminal::short::report(&input.view(), PLAIN))
    };
    all.map(short).collect()
}

fn json_reports() -> Vec<Snapshot> {
    let mut all = samples::all();
    // "equivalent" has no field, and no word in a field, that no other of them has.
    all.retain(|(name, _)| KEPT.contains(name) && *name != "equivalent");
    for (_, input) in all.iter_mut().filter(|(name, _)| !LIKE_FASTER.contains(name)) {
        shorten(input);
    }
    let all: Vec<_> =
        all.iter().map(|(name, input)| (*name, json::report(&input.view()))).collect();
    let (_, faster) = all.iter().find(|(name, _)| *name == "faster").expect("a sample");
    let kept = |(name, report): &(&str, String)| {
        if LIKE_FASTER[1..].contains(name) {
            (format!("{name}.json.diff"), differences(faster, report))
        } else {
            (format!("{name}.json"), report.clone())
        }
    };
    all.iter().map(kept).collect()
}

fn shorten(input: &mut samples::Parts) {
    for contender in &mut input.contenders {
        contender.slices.truncate(POINTS);
        contender.latency_curve.truncate(POINTS);
        contender.rounds.truncate(POINTS);
        contender.capacity.iter_mut().for_each(|of| of.turns.truncate(POINTS));
        contender.groups.iter_mut().for_each(|group| group.rounds.truncate(POINTS));
    }
    input.comparisons.iter_mut().for_each(|comparison| comparison.rounds.truncate(POINTS));
}

/// The lines in which two reports differ, each with its number in the report that has it.
fn differences(from: &str, to: &str) -> String {
    let (from, to): (Vec<&str>, Vec<&str>) = (from.lines().collect(), to.lines().collect());
    // How many lines the rests from these two lines on have in common.
    let mut common = vec![vec![0_usize; to.len() + 1]; from.len() + 1];
    for (a, b) in (0..from.len()).rev().flat_map(|a| (0..to.len()).rev().map(move |b| (a, b))) {
        common[a][b] = if from[a] == to[b] {
            common[a + 1][b + 1] + 1
        } else {
            common[a + 1][b].max(common[a][b + 1])
        };
    }
    let (mut a, mut b, mut out) = (0, 0, String::new());
    while a < from.len() || b < to.len() {
        if a < from.len() && b < to.len() && from[a] == to[b] {
            (a, b) = (a + 1, b + 1);
        } else if b == to.len() || a < from.len() && common[a + 1][b] >= common[a][b + 1] {
            a += 1;
            writeln!(out, "-{a} {}", from[a - 1]).expect("a String takes all");
        } else {
            b += 1;
            writeln!(out, "+{b} {}", to[b - 1]).expect("a String takes all");
        }
    }
    out
}

#[test]
fn reports_look_as_they_did_and_every_snapshot_is_one_of_them() {
    let all = [
        terminal_reports(),
        short_terminal_reports(),
        json_reports(),
        markdown::tests::summaries(),
        junit::tests::files(),
        super::printed::snapshots(),
    ];
    let all = all.concat();
    for (file, seen) in &all {
        compare(file, seen);
    }
    let entries = std::fs::read_dir(directory()).expect("the directory of snapshots");
    let kept: BTreeSet<String> = entries
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    let used: BTreeSet<String> = all.into_iter().map(|(file, _)| file).collect();
    assert_eq!(kept, used, "snapshots of no report");
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/snapshots")
}

fn compare(file: &str, seen: &str) {
    let path = directory().join(file);
    if std::env::var_os(REWRITE).is_some() {
        std::fs::write(&path, seen).expect("the snapshot can be written");
        return;
    }
    let kept = std::fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{file}: {error}; {REWRITE}=1 writes it"));
    let differs = kept.lines().zip(seen.lines()).position(|(kept, seen)| kept != seen);
    let line = differs.unwrap_or(kept.lines().count().min(seen.lines().count()));
    assert!(
        kept == seen,
        "{file}, line {}:\n  kept: {:?}\n  seen: {:?}\n{REWRITE}=1 writes it anew",
        line + 1,
        kept.lines().nth(line),
        seen.lines().nth(line),
    );
}
