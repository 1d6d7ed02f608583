//! Requirements.

use crate::terminal::layout::{Page, Paint};
use crate::terminal::standing_paint;
use crate::words;
use judge::verdict::{Checked, RequirementStatus};
use text::shown::shown_sentence;

/// Adds a requirement and its result, and the reason if it is not met and `whys` is set.
pub(super) fn required(checked: &Checked, whys: bool, page: &mut Page) {
    let standing = words::standing(checked.standing).to_uppercase();
    let text = format!("required {}", words::required(checked));
    page.judged(2, &text, &standing, standing_paint(checked));
    if whys && checked.standing != RequirementStatus::Met {
        page.wrapped(4, &shown_sentence(&checked.why), Paint::Plain);
    }
}
