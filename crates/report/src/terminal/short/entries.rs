//! Requirements.

use crate::terminal::layout::{Page, Paint};
use crate::terminal::status_paint;
use crate::words;
use judge::verdict::{Checked, RequirementStatus};
use text::shown::shown_sentence;

/// Adds a requirement and its result, and the reason if it is not met and `whys` is set.
pub(super) fn required(checked: &Checked, whys: bool, page: &mut Page) {
    let status = words::status(checked.status).to_uppercase();
    let text = format!("required {}", words::required(checked));
    page.judged(2, &text, &status, status_paint(checked));
    if whys && checked.status != RequirementStatus::Met {
        page.wrapped(4, &shown_sentence(&checked.why), Paint::Plain);
    }
}
