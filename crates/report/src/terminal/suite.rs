//! The cases of a suite on the terminal: the answer, the cases that changed, and what has no verdict.

use super::layout::{Page, Paint};
use super::word_paint;
use crate::View;
use crate::cases::{Cases, Row};
use crate::words::{self, cases};
use judge::verdict::{Suite, Word};
use text::shown::{short_case, shown};
use unicode_width::UnicodeWidthStr;

/// Cases that changed beyond this number are counted in the short form.
const MOST_CHANGED: usize = 20;
/// Reasons beyond this number are left to the long form.
const MOST_REASONS: usize = 2;
/// Columns between the cells of a row.
const BETWEEN: usize = 3;

/// Adds what a suite shows: the cases that changed, or with `all` every case.
pub(super) fn answers(view: &View, suite: &Suite, all: bool, page: &mut Page) {
    let of = Cases::all(view);
    for cases in &of {
        let pair = match of.len() {
            1 => String::new(),
            _ => format!("{} against {}: ", shown(cases.b), shown(cases.a)),
        };
        page.wrapped(0, &(pair + &cases::answer(cases).text('x')), paint(cases));
        rows(cases, all, page);
        page.wrapped(2, &cases::about(view, cases), Paint::Plain);
        let reasons = cases::reasons(cases).into_iter().map(|reason| reason.text('x'));
        let most = if all { usize::MAX } else { MOST_REASONS };
        page.sentences(2, reasons.take(most), Paint::Plain);
    }
    for (label, names) in cases::without_verdict(suite, &of, all, &short_case) {
        page.wrapped(2, &format!("{label}: {names}"), Paint::Plain);
    }
    let control = Cases::of_control(view, suite);
    page.sentences(2, control.as_ref().map(cases::control), Paint::Plain);
}

fn paint(of: &Cases) -> Paint {
    match (of.with(Word::Slower), of.with(Word::Faster)) {
        (0, 0) => Paint::Strong,
        (0, _) => Paint::Good,
        _ => Paint::Bad,
    }
}

fn rows(of: &Cases, all: bool, page: &mut Page) {
    let (rows, most) = if all { (of.sorted(), usize::MAX) } else { (of.changed(), MOST_CHANGED) };
    let cells: Vec<[String; 3]> = rows.iter().take(most).map(|row| cells(of, row)).collect();
    let width = |at: usize| cells.iter().map(|row| row[at].width()).max().unwrap_or(0);
    let widths = [width(0), width(1)];
    for (row, cells) in rows.iter().zip(&cells) {
        let pad = |at: usize| " ".repeat(widths[at] - cells[at].width() + BETWEEN);
        let text = format!("{}{}{}{}{}", cells[0], pad(0), cells[1], pad(1), cells[2]);
        let word = words::in_capitals(row.word, row.of.metric);
        let fits = page.fits(2, text.trim_end(), &word);
        let text = if fits { text } else { cells.join("  ") };
        page.judged(2, text.trim_end(), &word, word_paint(row.word));
        let inverse = cases::inverse(row);
        if !inverse.is_empty() {
            page.wrapped(4, &format!("({inverse})"), Paint::Plain);
        }
    }
    let more = rows.len().saturating_sub(most);
    if more > 0 {
        page.wrapped(2, &format!("and {more} more: --verbose shows all"), Paint::Plain);
    }
}

/// Name, figures, and the ratio with its interval.
fn cells(of: &Cases, row: &Row) -> [String; 3] {
    let name = short_case(row.name);
    [name, cases::figures(row), cases::ratio(of, row, " (", ")")]
}
