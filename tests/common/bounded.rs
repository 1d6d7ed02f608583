//! A time limit for tests that wait for processes and sockets: a test that hangs fails, and the
//! others continue.

use libtest_mimic::Failed;
use std::panic::resume_unwind;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

/// This is a watchdog and not a measurement: the longest waits within a test are 90 s each, on a
/// machine that does other things besides.
const LONGEST: Duration = Duration::from_secs(600);

/// Runs a test. If it hangs, its thread is left behind and ends with the program; what it
/// started is supervised by keepers, which end then, too.
pub(crate) fn bounded(test: impl FnOnce() + Send + 'static) -> Result<(), Failed> {
    let (done, over) = channel::<()>();
    let thread = thread::Builder::new().spawn(move || {
        // Dropped also if it panics.
        let _done = done;
        test();
    });
    let thread = thread.map_err(|error| format!("no thread for the test: {error}"))?;
    match over.recv_timeout(LONGEST) {
        Err(RecvTimeoutError::Timeout) => {
            Err(format!("it hangs: not over after {} s", LONGEST.as_secs()).into())
        }
        _ => match thread.join() {
            Ok(()) => Ok(()),
            Err(panic) => resume_unwind(panic),
        },
    }
}
