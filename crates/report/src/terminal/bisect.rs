//! The answer of a search over commits, for the terminal.

use super::layout::{Page, Paint};
use crate::Style;
use crate::bisect::Bisection;
use crate::bisect::words::{answer, basis};

/// The report for the terminal, with a newline at its end: the answer, then what holds of it.
pub fn report(of: &Bisection, style: Style) -> String {
    let answer = answer(of).unwrap_or_else(|| "the search has no answer yet".to_owned());
    let mut page = Page::new(style);
    page.wrapped(0, &answer, Paint::Strong);
    page.sentences(2, basis(of), Paint::Plain);
    page.finish()
}
