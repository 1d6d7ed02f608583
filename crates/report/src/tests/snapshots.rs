//! `TIEBREAK_REWRITE_SNAPSHOTS=1 cargo test` rewrites the snapshots; read the difference before
//! you commit it.

use super::super::{json, samples, terminal};
use super::PLAIN;
use std::path::Path;

const REWRITE: &str = "TIEBREAK_REWRITE_SNAPSHOTS";

/// The samples whose reports are kept as files.
const KEPT: [&str; 12] = [
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
];
/// Further samples whose report for the terminal is kept.
const SEEN: [&str; 8] =
    ["five", "empty", "launched", "restarts", "looks", "stores", "kinds", "groups"];

#[test]
fn terminal_reports() {
    let kept = |name: &str| KEPT.contains(&name) || SEEN.contains(&name);
    for (name, input) in samples::all().into_iter().filter(|input| kept(input.0)) {
        compare(&format!("{name}.txt"), &terminal::report(&input.view(), PLAIN));
    }
}

#[test]
fn short_terminal_reports() {
    let all = samples::all().into_iter().filter(|(name, _)| *name != "hostile");
    for (name, input) in all {
        compare(&format!("{name}.short.txt"), &terminal::short::report(&input.view(), PLAIN));
    }
}

#[test]
fn reports_of_sweeps() {
    for (name, input) in samples::sweeps() {
        if name == "sweep-hostile" {
            continue;
        }
        compare(&format!("{name}.txt"), &terminal::sweep::report(&input.view(), PLAIN));
        let short = terminal::short::sweep::report(&input.view(), PLAIN);
        compare(&format!("{name}.short.txt"), &short);
        if name != "sweep-value" {
            compare(&format!("{name}.json"), &json::sweep::report(&input.view()));
        }
    }
}

#[test]
fn json_reports() {
    for (name, input) in samples::all().into_iter().filter(|input| KEPT.contains(&input.0)) {
        compare(&format!("{name}.json"), &json::report(&input.view()));
    }
}

pub(crate) fn compare(file: &str, seen: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/snapshots").join(file);
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
