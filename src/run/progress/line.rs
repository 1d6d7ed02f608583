//! The plain line, for logs and for terminals without cursor control.

use super::state::{RunState, SoFar, whole_seconds};
use std::time::Instant;
use text::units::{show_counted, show_rate};

pub(super) fn line(state: &RunState, now: Instant) -> String {
    let mut line = state.label();
    if let Some(left) = state.left(now) {
        let time = left.time.map(|time| format!("{} left", whole_seconds(time)));
        line += &format!(", {}", time.unwrap_or_else(|| "longer than planned".to_owned()));
    }
    let contenders = state.contenders().iter().enumerate();
    let rates: Vec<String> =
        contenders.filter_map(|(at, contender)| one(contender, state.ratio(at))).collect();
    if rates.is_empty() { line } else { format!("{line}: {}", rates.join(", ")) }
}

fn one(contender: &SoFar, ratio: Option<f64>) -> Option<String> {
    let counts = [ratio.map(as_it_stands), errors(contender), misses(contender)];
    let counts: Vec<String> = counts.into_iter().flatten().collect();
    let counts = counts.join(", ");
    let figures = match contender.rate().map(show_rate) {
        Some(rate) if counts.is_empty() => rate,
        Some(rate) => format!("{rate} ({counts})"),
        None if counts.is_empty() => return None,
        None => counts,
    };
    Some(format!("{} {figures}", contender.name))
}

/// Formats a ratio that is not final.
pub(super) fn as_it_stands(ratio: f64) -> String {
    format!("{ratio:.2}x so far")
}

/// Formats the number of errors, such as `3 errors`. Returns None if there are none.
pub(super) fn errors(so_far: &SoFar) -> Option<String> {
    (so_far.errors > 0).then(|| show_counted(so_far.errors, "error"))
}

/// Formats the number of misses, such as `3 misses`. Returns None if there are none.
pub(super) fn misses(so_far: &SoFar) -> Option<String> {
    (so_far.misses > 0).then(|| show_counted(so_far.misses, "miss"))
}

#[cfg(test)]
mod tests {
    use super::super::state::tests::{seconds, trial, with_errors, with_misses};
    use super::*;
    use record::Metric;
    use std::time::Duration;

    #[test]
    fn a_ratio_as_it_stands_is_marked() {
        let start = Instant::now();
        let mut state = RunState::new(&["old".to_owned(), "new".to_owned()], start);
        state.primary = Some(Metric::Throughput);
        state.phase("round", seconds(20.0), 10, start);
        for (contender, round, operations) in [(0, 1, 1000), (1, 1, 900), (1, 2, 400), (0, 2, 500)]
        {
            state.trial(&trial(contender, round, operations, 1_000_000_000, 1), start);
        }
        // √(0.9 · 0.8); the third round is open.
        state.trial(&trial(0, 3, 10, 1_000_000_000, 1), start);
        let shown = line(&state, start);
        assert!(shown.ends_with(", new 650 /s (0.85x so far)"), "{shown}");
        assert!(!shown.contains("old 503 /s ("), "{shown}");
    }

    #[test]
    fn the_line_of_a_suite_has_rounds_and_what_failed_and_no_rates() {
        let start = Instant::now();
        let mut state = RunState::new(&["old".to_owned(), "new".to_owned()], start);
        state.primary = Some(Metric::Cost);
        state.phase("round", seconds(20.0), 10, start);
        state.trial(&trial(0, 1, 3, 1_000_000_000, 1), start + seconds(2.0));
        let new = trial(1, 1, 3, 1_000_000_000, 1);
        state.trial(&new, start + seconds(2.0));
        assert_eq!(line(&state, start + seconds(2.0)), "round 2 of 10, 18 s left");
        state.trial(&with_errors(new, 1), start + seconds(2.0));
        assert_eq!(line(&state, start + seconds(2.0)), "round 2 of 10, 18 s left: new 1 error");
    }

    #[test]
    fn a_line_says_where_the_run_is() {
        let start = Instant::now();
        let at = |s: f64| start + seconds(s);
        let mut state = RunState::new(&["old".to_owned(), "new".to_owned()], start);
        state.phase("ready?", Duration::ZERO, 0, start);
        assert_eq!(line(&state, at(1.5)), "ready?");
        state.loading("old", 0..1_000_000, "keys", start);
        assert_eq!(line(&state, at(1.0)), "loading old: 0 of 1M keys");
        state.loaded(300_000, at(2.5));
        assert_eq!(line(&state, at(2.5)), "loading old: 300k of 1M keys, 120 k/s, 6 s left");
        state.phase("pilot", seconds(6.0), 0, start);
        assert_eq!(line(&state, at(1.5)), "pilot, 5 s left");
        assert_eq!(line(&state, at(7.0)), "pilot, 0 s left");
        assert_eq!(line(&state, at(9.0)), "pilot, longer than planned");
        state.phase("round", seconds(200.0), 10, start);
        assert_eq!(line(&state, at(1.5)), "round 1 of 10, 3 min 19 s left");
        state.trial(&trial(0, 1, 40_100, 1_000_000_000, 1), at(20.0));
        assert_eq!(line(&state, at(21.5)), "round 2 of 10, 2 min 59 s left: old 40.1 k/s");
        state.trial(&with_errors(trial(1, 1, 950, 2_000_000_000, 1), 3), at(20.0));
        assert_eq!(
            line(&state, at(21.5)),
            "round 2 of 10, 2 min 59 s left: old 40.1 k/s, new 475 /s (3 errors)"
        );
        state.trial(&with_misses(trial(1, 1, 950, 2_000_000_000, 1), 1), at(20.0));
        assert!(line(&state, at(21.5)).ends_with("new 475 /s (3 errors, 1 miss)"));
    }
}
