//! Panics of client libraries. A runtime catches the panic of a task and continues without it, so
//! code that waits for that task would wait forever.

use engine::EngineError;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

/// The maximum length of a message that is passed on, in characters.
const LONGEST: usize = 300;
/// How many components of a source file's path are shown: enough for a crate's name.
const COMPONENTS: usize = 4;

/// How a panic of this thread is handled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// It is printed as in every program.
    Shown,
    /// It is kept for [`watched`].
    Kept,
    /// It is an outcome that the caller expects.
    Ignored,
}

thread_local! {
    static MODE: Cell<Mode> = const { Cell::new(Mode::Shown) };
    static FIRST: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// The outcome of a call that runs the tasks of a client library on this thread.
///
/// # Errors
/// Returns an error if the call, or a task of any runtime that it ran, panicked: that is a bug of
/// tiebreak or of the library, and not of the server.
pub(crate) fn watched<T>(call: impl FnOnce() -> T) -> Result<T, EngineError> {
    let outcome = in_mode(Mode::Kept, call);
    match (FIRST.take(), outcome) {
        (None, Ok(done)) => Ok(done),
        (why, _) => {
            let why = why.unwrap_or_else(|| "a client library panicked".to_owned());
            Err(EngineError::lane(why))
        }
    }
}

/// Whether something has panicked within the [`watched`] call that this thread is in.
pub(crate) fn happened() -> bool {
    FIRST.with_borrow(Option::is_some)
}

/// Records that another thread, which works for this one, has panicked.
pub fn of_another_thread() {
    keep("a thread of a client library panicked: its message is above".to_owned());
}

/// The outcome of a call. Returns None if it panicked. That is counted and not printed, because a
/// server that sends garbage would fill the screen. What the call used must not be used again.
pub fn unless_it_panics<T>(call: impl FnOnce() -> T) -> Option<T> {
    in_mode(Mode::Ignored, call).ok()
}

fn in_mode<T>(mode: Mode, call: impl FnOnce() -> T) -> Result<T, Box<dyn Any + Send>> {
    install();
    let before = MODE.replace(mode);
    let outcome = catch_unwind(AssertUnwindSafe(call));
    MODE.set(before);
    outcome
}

fn install() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |about| match MODE.get() {
            Mode::Shown => before(about),
            Mode::Kept => keep(in_words(about)),
            Mode::Ignored => {}
        }));
    });
}

/// Keeps the first panic, because later ones may be its consequences.
fn keep(why: String) {
    FIRST.with_borrow_mut(|first| {
        first.get_or_insert(why);
    });
}

/// The message is escaped: it can quote what a server sent.
fn in_words(about: &PanicHookInfo<'_>) -> String {
    let payload = about.payload();
    let message = payload.downcast_ref::<&str>().copied();
    let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    let message = message.unwrap_or("no message");
    let message: String = message.escape_debug().take(LONGEST).collect();
    let location = about.location().map_or_else(String::new, |at| {
        let components: Vec<_> = Path::new(at.file()).iter().collect();
        let last = &components[components.len().saturating_sub(COMPONENTS)..];
        let file: Vec<_> = last.iter().map(|part| part.to_string_lossy()).collect();
        format!(" at {}:{}", file.join("/"), at.line())
    });
    format!("a client library panicked{location}: {message}; please report this")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_outcome_and_the_next_call_is_not_harmed() {
        assert_eq!(unless_it_panics(|| 1), Some(1));
        assert_eq!(unless_it_panics(|| -> u32 { panic!("it does not know") }), None);
        assert_eq!(unless_it_panics(|| 2), Some(2));
        assert_eq!((MODE.get(), happened()), (Mode::Shown, false));
    }

    #[test]
    fn a_panic_that_a_runtime_caught_is_found() {
        let seen = watched(|| {
            let caught = catch_unwind(|| panic!("sent: \x1b[2J {}", "x".repeat(LONGEST)));
            (caught.is_err(), happened())
        });
        let Err(EngineError::Lane { why, .. }) = seen else { panic!("it was not found") };
        assert!(why.contains("crates/drivers/src/panics.rs:"), "{why}");
        assert!(why.contains(r"sent: \u{1b}[2J xxx") && why.len() < 2 * LONGEST, "{why}");
        assert_eq!(watched(|| 3).ok(), Some(3));
    }

    #[test]
    fn a_panic_of_the_call_itself_and_one_of_another_thread_are_found() {
        assert!(watched(|| -> u8 { panic!("itself") }).is_err());
        let Err(EngineError::Lane { why, .. }) = watched(of_another_thread) else {
            panic!("it was not found")
        };
        assert!(why.contains("thread"), "{why}");
        // An expected panic within a watched call is not an error.
        assert_eq!(watched(|| unless_it_panics(|| -> u8 { panic!("expected") })).ok(), Some(None));
    }
}
