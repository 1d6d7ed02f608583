//! Calls of a library that panics on what it does not know.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

thread_local! {
    static QUIET: Cell<bool> = const { Cell::new(false) };
}

/// The outcome of a call; none: it panicked. Nothing is said of that on standard error,
/// where a server that sends garbage would fill the screen: it is counted. What the
/// call had in hand must not be used again.
pub(super) fn unless_it_panics<T>(call: impl FnOnce() -> T) -> Option<T> {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |about| {
            if !QUIET.get() {
                before(about);
            }
        }));
    });
    QUIET.set(true);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    QUIET.set(false);
    outcome.ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_outcome_and_the_next_call_is_not_harmed() {
        assert_eq!(unless_it_panics(|| 1), Some(1));
        assert_eq!(unless_it_panics(|| -> u32 { panic!("it does not know") }), None);
        assert_eq!(unless_it_panics(|| 2), Some(2));
        assert!(!QUIET.get());
    }
}
