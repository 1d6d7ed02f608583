//! Cases for a pull request: those that changed, and the others folded.

use super::escape::{code, text};
use super::sentence;
use crate::View;
use crate::cases::{Cases, Row};
use crate::words::{self, cases as words_of};
use std::fmt::Write as _;
use text::shown::{short_case, shown};
use text::units;

/// Bytes that the cases may take together, but for the last table of a pair: a comment of GitHub holds 65 536
/// characters.
const ROOM: usize = 40_000;

/// Reasons beyond this number are left to the report.
const MOST_REASONS: usize = 5;

/// The cases of all pairs. Empty if there are none.
pub(super) fn all(view: &View) -> String {
    let all = Cases::all(view);
    let mut out = String::new();
    for (at, of) in all.iter().enumerate() {
        if out.len() > ROOM {
            let more = units::counted((all.len() - at) as u64, "more pair");
            let _ = writeln!(out, "{more}, in the report\n");
            break;
        }
        if view.suite.is_none() {
            let _ = writeln!(out, "{}\n", sentence(&words_of::requests(of)));
        } else if all.len() > 1 {
            let (a, b) = (code(&shown(of.a)), code(&shown(of.b)));
            let _ = writeln!(out, "**{b} against {a}**: {}\n", sentence(&words_of::answer(of)));
        }
        // Two tables for each pair.
        out += &of_pair(view, of, ROOM / (2 * all.len()));
    }
    let suite = view.suite;
    for (label, names) in suite
        .map(|suite| words_of::without_verdict(suite, &all, false, &name))
        .into_iter()
        .flatten()
    {
        let _ = writeln!(out, "- {label}: {names}");
    }
    if let Some(control) = suite.and_then(|suite| Cases::of_control(view, suite)) {
        let _ = writeln!(out, "- {}", text(&words_of::control(&control)));
    }
    out
}

/// The name of a case or contender.
fn name(of: &str) -> String {
    code(&short_case(of))
}

fn of_pair(view: &View, of: &Cases, room: usize) -> String {
    let changed = of.changed();
    let mut out = String::new();
    if !changed.is_empty() {
        out += &table(of, &changed, room);
    }
    // Those of requests are among the reservations of all comparisons.
    let reasons = view.suite.map(|_| words_of::reasons(of));
    let reasons = reasons.into_iter().flatten();
    let _ = writeln!(out, "{}\n", text(&words_of::about(view, of)));
    for reason in reasons.take(MOST_REASONS) {
        let _ = writeln!(out, "{}\n", sentence(&reason));
    }
    let many = units::counted(of.rows.len() as u64, of.kind);
    let summary = format!("{many}, the slowest first");
    let _ = writeln!(
        out,
        "<details><summary>{summary}</summary>\n\n{}</details>\n",
        table(of, &of.sorted(), room)
    );
    out
}

/// A table of these cases. Those for which there is no room are counted.
fn table(of: &Cases, rows: &[&Row], room: usize) -> String {
    let mut table = format!(
        "| {} | {} | {} | ratio of cost | interval | verdict |\n|---|--:|--:|--:|---|---|\n",
        of.kind,
        code(&shown(of.a)),
        code(&shown(of.b))
    );
    for (at, of_case) in rows.iter().enumerate() {
        if table.len() > room {
            let _ = writeln!(table, "\nand {} more, in the report", rows.len() - at);
            break;
        }
        let _ = writeln!(table, "{}", row(of, of_case));
    }
    table + "\n"
}

fn row(of: &Cases, row: &Row) -> String {
    let [a, b] = words_of::of_sides(row).map(|figure| text(&figure));
    let missing = || units::MISSING.to_owned();
    let (ratio, interval) = match row.ratios(of.matters).as_deref() {
        Some([ratio, low, high]) => (format!("{ratio}x"), format!("{low}x to {high}x")),
        Some([ratio]) => (format!("{ratio}x"), missing()),
        _ => (missing(), missing()),
    };
    let name = name(row.name);
    let inverse = words_of::inverse(row);
    let inverse = if inverse.is_empty() { inverse } else { format!(" ({})", text(&inverse)) };
    let word = words::word(row.word, row.of.metric);
    format!("| {name}{inverse} | {a} | {b} | {ratio} | {interval} | {word} |")
}
