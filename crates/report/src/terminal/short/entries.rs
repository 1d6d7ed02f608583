//! Lines with a label: what the audit says, and what was required.

use crate::terminal::layout::{ENTRY, Page, Paint};
use crate::terminal::{finding_paint, standing_paint};
use crate::words;
use crate::words::findings::{Group, cut};
use judge::verdict::{Checked, Standing, Weight};
use text::shown::shown_sentence;
use text::units;

/// A finding takes one line of a terminal of so many columns; a narrower one wraps it.
const COLUMNS: usize = 100;

/// Groups of findings that are told; notes are only counted.
pub(super) fn weighty<'a, 'b>(
    groups: &'b [Group<'a>],
) -> impl Iterator<Item = &'b Group<'a>> + use<'a, 'b> {
    groups.iter().filter(|group| group.first.weight != Weight::Note)
}

/// The heaviest findings in at most `most` lines, and how many more there are.
pub(super) fn findings(groups: &[Group<'_>], most: usize, page: &mut Page) {
    let all = weighty(groups).count();
    // The last line says how many more there are.
    let told = if all > most { most.saturating_sub(1) } else { all };
    for group in weighty(groups).take(told) {
        let weight = group.first.weight;
        page.entry(words::weight(weight), finding_paint(weight), &group.line(COLUMNS - ENTRY));
    }
    let rest = weighty(groups).skip(told);
    let more: usize = rest.map(|group| group.all.len()).sum();
    if more > 0 {
        let told = format!("and {}", units::counted(more as u64, "more finding"));
        page.entry("", Paint::Plain, &told);
    }
}

/// A requirement, how it stands and, where it is not met and `whys` are asked for, why.
pub(super) fn required(checked: &Checked, whys: bool, page: &mut Page) {
    let standing = words::standing(checked.standing).to_uppercase();
    let text = format!("required {}", words::required(checked));
    page.judged(2, &text, &standing, standing_paint(checked));
    if whys && checked.standing != Standing::Met {
        page.wrapped(4, &cut(&shown_sentence(&checked.why), COLUMNS - 4), Paint::Plain);
    }
}
