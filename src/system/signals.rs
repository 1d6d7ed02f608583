//! SIGINT and SIGTERM. The first asks the run to end, and its complete rounds are judged; the
//! second ends the process at once.

use engine::Stop;
use protocol::STOPPED_TWICE;
use std::io;
use std::time::{Duration, Instant};
use text::units::nanoseconds;

pub use sys::stop_signal_caught as caught;

/// Catches both signals from now on, and returns the flag that they raise.
///
/// # Errors
/// If the system has no descriptor left or refuses the handler.
pub fn catch() -> io::Result<Stop> {
    let stop = sys::catch_stop_signals(STOPPED_TWICE)?;
    drivers::stop_asking_on(stop.clone());
    Ok(stop)
}

/// Waits, unless a signal comes first.
pub fn pause(stop: &Stop, at_most: Duration) {
    let until = Instant::now() + at_most;
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left_ns = nanoseconds(left);
        if left.is_zero() || matches!(sys::poll::readable([stop.fd()], Some(left_ns)), Ok([true])) {
            return;
        }
    }
}
