//! The result of a requirement's check in words.

use judge::verdict::{Checked, RequirementStatus};
use text::shown::shown;

/// The status of a requirement in words.
pub(crate) fn status(status: RequirementStatus) -> &'static str {
    match status {
        RequirementStatus::Met => "met",
        RequirementStatus::NotMet => "not met",
        RequirementStatus::Undetermined => "undetermined",
    }
}

/// Whether it is an objective, which is checked at the rate of one contender.
pub(crate) fn is_objective(checked: &Checked) -> bool {
    checked.a.is_empty() && !checked.b.is_empty()
}

/// The requirement as it was written, with the pair if the requirement does not name it. An objective is about one
/// contender.
pub(crate) fn required(checked: &Checked) -> String {
    let requirement = shown(&checked.requirement);
    let (a, b) = (&checked.a, &checked.b);
    let named = checked.requirement.starts_with(&format!("{b}/{a} "));
    if b.is_empty() || named {
        requirement
    } else if is_objective(checked) {
        format!("{requirement} ({})", shown(b))
    } else {
        format!("{requirement} ({} against {})", shown(b), shown(a))
    }
}
