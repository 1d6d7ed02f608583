//! `TIEBREAK_REWRITE_SNAPSHOTS=1 cargo test` writes the snapshots anew; read the
//! difference before it is committed.

use super::super::state::tests::{seconds, trial, with_errors, with_misses};
use super::*;
use record::Metric;
use std::time::Duration;

const WIDE: Size = Size { columns: 80, rows: 24 };
const NARROW: Size = Size { columns: 40, rows: 24 };
const TINY: Size = Size { columns: 20, rows: 24 };

/// Runs that have begun at a time, and that time.
fn runs() -> Vec<(&'static str, RunState, Instant)> {
    let start = Instant::now();
    let at = |s: f64| start + seconds(s);
    let fresh = |names: &[&str]| {
        RunState::new(&names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(), start)
    };
    let mut asking = fresh(&["old", "new"]);
    asking.phase("checking whether the targets are ready", Duration::ZERO, 0, at(0.0));
    let mut pilot = fresh(&["old", "new"]);
    pilot.phase("warm-up and pilot", seconds(6.0), 0, at(1.0));
    let mut rounds = fresh(&["old", "new"]);
    rounds.primary = Some(Metric::Throughput);
    rounds.phase("round", seconds(20.0), 10, at(7.0));
    for round in 1..=3 {
        let ended = at(7.0 + 2.0 * f64::from(round));
        let old = trial(0, round, 40_100, 1_000_000_000, 4_120_000);
        rounds.trial(&with_errors(old, 40), ended);
        rounds.trial(&trial(1, round, 950, 1_000_000_000, 2_900_000), ended);
    }
    let mut long = fresh(&["a-contender-with-quite-a-long-name", "東京", "c"]);
    long.phase("round", seconds(700.0), 100, at(7.0));
    long.trial(&with_errors(trial(0, 1, 1_234_567, 1_000_000_000, 1), 1_234), at(14.0));
    long.trial(&with_errors(trial(1, 1, 5, 1_000_000_000, 125_000_000_000), 1), at(14.0));
    let mut missing = fresh(&["old", "new"]);
    missing.phase("round", seconds(20.0), 10, at(0.0));
    let of_new = trial(1, 1, 950, 1_000_000_000, 2_900_000);
    missing.trial(&trial(0, 1, 40_100, 1_000_000_000, 4_120_000), at(2.0));
    missing.trial(&with_misses(with_errors(of_new, 2), 700), at(2.0));
    let mut launching = fresh(&["old", "new"]);
    launching.phase("round", seconds(20.0), 10, at(0.0));
    launching.trial(&trial(0, 5, 40_100, 1_000_000_000, 4_120_000), at(10.0));
    launching.phase("launching, time 2 of 2", Duration::ZERO, 0, at(10.0));
    let mut suite = fresh(&["old", "new"]);
    suite.primary = Some(Metric::Cost);
    suite.phase("round", seconds(20.0), 10, at(0.0));
    suite.trial(&trial(0, 1, 3, 1_000_000_000, 1), at(2.0));
    let mut failing = fresh(&["old", "new"]);
    failing.primary = Some(Metric::Cost);
    failing.phase("round", seconds(20.0), 10, at(0.0));
    failing.trial(&trial(0, 1, 3, 1_000_000_000, 1), at(2.0));
    failing.trial(&with_errors(trial(1, 1, 3, 1_000_000_000, 1), 1), at(2.0));
    let mut load = fresh(&["old", "new"]);
    load.loading("old", 0..1_000_000, "keys", at(0.0));
    load.loaded(300_000, at(2.5));
    let mut late = fresh(&["one"]);
    late.phase("driving", seconds(10.0), 1, at(0.0));
    vec![
        ("asking", asking, at(0.4)),
        ("pilot", pilot, at(3.0)),
        ("rounds", rounds, at(14.5)),
        ("long names, many errors", long, at(20.0)),
        ("misses beside errors", missing, at(2.0)),
        ("launching again", launching, at(11.0)),
        ("late", late, at(15.0)),
        ("loading", load, at(3.0)),
        ("a suite", suite, at(2.0)),
        ("a suite in which a run failed", failing, at(2.0)),
    ]
}

fn text(lines: &[Line]) -> String {
    lines.iter().map(|line| format!("{}\n", line.text())).collect()
}

#[test]
fn views_look_as_they_did() {
    let mut all = String::new();
    for (name, state, now) in runs() {
        for size in [WIDE, NARROW, TINY] {
            let view = text(&render(&state, now, size, false));
            all += &format!("-- {name}, {} columns\n{view}", size.columns);
        }
    }
    let (_, state, now) = runs().swap_remove(3);
    let view = text(&render(&state, now, WIDE, true));
    all += &format!("-- in colours\n{}", view.replace('\x1b', "ESC"));
    let file = "src/run/progress/view/snapshots/views.txt";
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    if std::env::var_os("TIEBREAK_REWRITE_SNAPSHOTS").is_some() {
        std::fs::write(&path, &all).expect("snapshot");
    }
    assert_eq!(all, std::fs::read_to_string(&path).expect("snapshot"));
}

#[test]
fn nothing_is_shown_before_the_first_phase() {
    let now = Instant::now();
    assert_eq!(render(&RunState::new(&["a".to_owned()], now), now, WIDE, true), []);
}

#[test]
fn no_view_is_wider_or_higher_than_the_terminal() {
    for (name, state, now) in runs() {
        for columns in 1..100 {
            for rows in 1..8 {
                let view = render(&state, now, Size { columns, rows }, false);
                let most = rows.saturating_sub(2).max(1);
                assert!(view.len() <= most, "{name}: {} lines of {rows}", view.len());
                for line in view {
                    let width = line.text().width();
                    assert!(width < columns.max(2), "{name}, {columns}: {}", line.text());
                }
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_counted() {
    let (_, state, now) = runs().swap_remove(3);
    let view = text(&render(&state, now, Size { columns: 80, rows: 5 }, false));
    assert!(view.ends_with("  and 2 more\n"), "{view}");
}
