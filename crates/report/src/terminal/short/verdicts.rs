//! The verdicts: one line for the primary metric of each pair, and one for each other metric,
//! in columns.

use crate::View;
use crate::cases::Cases;
use crate::terminal::layout::{Page, Paint};
use crate::terminal::{primary, word_paint};
use crate::words::{self, groups, reasons};
use judge::verdict::{Comparison, Word};
use text::shown::shown_sentence;
use text::units;
use unicode_width::UnicodeWidthStr;

/// Adds all pairs. Returns how many lines the first one takes.
pub(super) fn pairs(view: &View, page: &mut Page) -> usize {
    let (before, mut first) = (page.height(), 0);
    let columns = Columns::of(view);
    for (a, b) in view.pairs() {
        let of_pair = |comparison: &&Comparison| comparison.a == a && comparison.b == b;
        let of_pair: Vec<&Comparison> = view.comparisons.iter().filter(of_pair).collect();
        for comparison in of_pair.iter().filter(|of| is_shown(of)) {
            if comparison.primary {
                primary(view, comparison, &words::short_basis(view, comparison), 0, page);
            } else {
                columns.line(view, comparison, page);
            }
        }
        if let Some(requests) = Cases::of_requests(view, &(a, b)) {
            page.wrapped(2, &words::cases::requests(&requests).text('x'), Paint::Plain);
        }
        if first == 0 {
            first = page.height() - before;
        }
    }
    first
}

/// Whether a comparison has a line: a request only if the contenders differ in it.
fn is_shown(of: &Comparison) -> bool {
    of.request.is_none() || of.verdict.is_difference()
}

/// The cells of a secondary metric: name, both figures, ratio and interval.
fn cells(view: &View, comparison: &Comparison) -> [String; 5] {
    let figure = |name: &str| groups::figure(view, comparison, name);
    let bounds = comparison.judged_bounds();
    let ratios = comparison.ratio.map(|ratio| units::ratios(ratio, bounds, view.matters()));
    let (ratio, interval) = match ratios.as_deref() {
        None => (units::MISSING.to_owned(), String::new()),
        Some([ratio, low, high]) => (format!("{ratio}x"), format!("({low} to {high})")),
        Some(ratio) => (format!("{}x", ratio.concat()), String::new()),
    };
    let metric = groups::short_metric(comparison).replace(CPU.0, CPU.1);
    let name = format!("{metric}{}", groups::kind_of_figures(view, comparison));
    let ratio = format!("{}{ratio}", words::limit(comparison));
    [name, figure(&comparison.a), figure(&comparison.b), ratio, interval]
}

/// The metric with a shorter name in the table, and that name.
const CPU: (&str, &str) = ("target CPU per operation", "CPU/op");

/// Widths of the columns, over all pairs.
struct Columns([usize; 5]);

impl Columns {
    fn of(view: &View) -> Columns {
        let mut widths = [0; 5];
        for comparison in view.comparisons.iter().filter(|it| !it.primary && is_shown(it)) {
            for (width, cell) in widths.iter_mut().zip(cells(view, comparison)) {
                *width = cell.width().max(*width);
            }
        }
        Columns(widths)
    }

    fn line(&self, view: &View, comparison: &Comparison, page: &mut Page) {
        let word = words::in_capitals(comparison.verdict, comparison.metric);
        let paint = word_paint(comparison.verdict);
        let cells = cells(view, comparison);
        let space =
            |column: usize| " ".repeat(self.0[column].saturating_sub(cells[column].width()));
        let [name, a, b, ratio, interval] = &cells;
        let aligned = format!(
            "{name}{}  {}{a} → {}{b}   {ratio}{} {interval}",
            space(0),
            space(1),
            space(2),
            space(3)
        );
        if page.fits(2, &aligned, &word) {
            page.judged(2, aligned.trim_end(), &word, paint);
        } else {
            let plain = format!("{name} {a} → {b} {ratio} {interval}");
            page.judged(2, plain.trim_end(), &word, paint);
        }
        // Beside an interval with a verdict, UNDECIDED needs its reason.
        if let Some(why) = &comparison.withheld {
            page.wrapped(4, &format!("because {}", shown_sentence(why)), Paint::Plain);
        }
    }
}

/// Adds at most `most` reasons why verdicts are missing or weaker than their intervals, with the
/// names of the comparisons if there are several pairs.
pub(super) fn reasons(view: &View, most: usize, page: &mut Page) {
    // The ranking says why contenders are not ranked.
    let not_ranked = view.ranking.map_or(&[][..], |ranking| &ranking.not_ranked);
    let is_told =
        |of: &&Comparison| not_ranked.iter().any(|out| out.name == of.a || out.name == of.b);
    let others = view.primaries().filter(|of| !is_told(of));
    let reasons = reasons::reasons(others, |of| weighty(view, of));
    let several = view.primaries().count() > 1;
    for reason in reasons.iter().take(most) {
        let names = reason.of.iter().map(|of| words::short_name(&of.b, 28));
        let about = if several {
            format!("{}: ", names.collect::<Vec<String>>().join(", "))
        } else {
            String::new()
        };
        page.wrapped(2, &format!("{about}{}", reason.text), Paint::Plain);
    }
}

/// The reasons of a comparison that change its verdict.
fn weighty(view: &View, comparison: &Comparison) -> Vec<String> {
    let other_word = |word: Word| word != comparison.verdict;
    let charged = comparison.charged.filter(|charged| other_word(charged.verdict));
    let charged = charged.and_then(|_| words::charged(view, comparison));
    // The line of the audit names why a verdict was withheld.
    let withheld = view.belief().withheld.map(|(_, why)| why);
    let because = comparison.because.iter().filter(|of| Some(of.as_str()) != withheld);
    let because = because.map(shown_sentence);
    because.chain(charged.map(|charged| charged.text('x'))).collect()
}
