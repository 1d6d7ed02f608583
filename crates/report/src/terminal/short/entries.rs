//! Lines with a label: findings and requirements.

use crate::terminal::layout::{ENTRY, Page, Paint};
use crate::terminal::{finding_paint, standing_paint};
use crate::words;
use crate::words::findings::{FindingGroup, cut};
use judge::verdict::{Checked, RequirementStatus, Weight};
use text::shown::shown_sentence;
use text::units;

/// A finding takes one line on a terminal of this many columns; a narrower one wraps it.
const COLUMNS: usize = 100;

/// Groups of findings that are shown; notes are only counted.
pub(super) fn weighty<'a, 'b>(
    groups: &'b [FindingGroup<'a>],
) -> impl Iterator<Item = &'b FindingGroup<'a>> + use<'a, 'b> {
    groups.iter().filter(|group| group.first.weight != Weight::Note)
}

/// Adds the heaviest findings in at most `most` lines, and how many more there are.
pub(super) fn findings(groups: &[FindingGroup<'_>], most: usize, page: &mut Page) {
    let all = weighty(groups).count();
    // The last line is needed for the number of further findings.
    let count = if all > most { most.saturating_sub(1) } else { all };
    for group in weighty(groups).take(count) {
        let weight = group.first.weight;
        page.entry(words::weight(weight), finding_paint(weight), &group.line(COLUMNS - ENTRY));
    }
    let rest = weighty(groups).skip(count);
    let more: usize = rest.map(|group| group.all.len()).sum();
    if more > 0 {
        let entry = format!("and {}", units::counted(more as u64, "more finding"));
        page.entry("", Paint::Plain, &entry);
    }
}

/// Adds a requirement and its result, and the reason if it is not met and `whys` is set.
pub(super) fn required(checked: &Checked, whys: bool, page: &mut Page) {
    let standing = words::standing(checked.standing).to_uppercase();
    let text = format!("required {}", words::required(checked));
    page.judged(2, &text, &standing, standing_paint(checked));
    if whys && checked.standing != RequirementStatus::Met {
        page.wrapped(4, &cut(&shown_sentence(&checked.why), COLUMNS - 4), Paint::Plain);
    }
}
