//! What was counted, by class and by cause.

use record::{FaultOwner, Seen};
use std::collections::BTreeMap;

/// How many operations ended with which class, by SQLSTATE's name, by MySQL's number
/// or by the failure's name.
pub(crate) fn classes(seen: &Seen, name: impl Fn(u16) -> String) -> BTreeMap<String, u64> {
    let codes = seen.outcomes.unexpected.keys().map(|code| (*code, name(*code))).collect();
    seen.outcomes.classes(FaultOwner::Target, &codes)
}

/// Asserts that all failures were of this class, and the target's; but on a busy machine a slice leaves an operation
/// of each connection waiting. Returns their number.
pub(crate) fn only(seen: &Seen, name: impl Fn(u16) -> String, class: &str, what: &str) -> u64 {
    let outcomes = &seen.outcomes;
    let mut wrong = classes(seen, name);
    if class != "waiting" {
        let waiting = wrong.remove("waiting").unwrap_or(0);
        assert!(waiting <= seen.connections.requested, "{what}: {outcomes:?}");
    }
    assert_eq!(wrong.keys().collect::<Vec<_>>(), [class], "{what}: {outcomes:?}");
    assert_eq!(
        (outcomes.count(FaultOwner::Generator), outcomes.count(FaultOwner::Host)),
        (0, 0),
        "{what}"
    );
    wrong[class]
}
