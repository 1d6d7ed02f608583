//! How a lane waits while its runtime turns.
//!
//! It never uses a timer of the runtime, which has a resolution of a millisecond. An alarm of the
//! engine wakes it to the microsecond, and the remaining time is spent spinning: the runtime polls
//! its sockets meanwhile.

use engine::{Alarm, EngineError, Stop};
use std::future::poll_fn;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::task::{Context, Poll};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

/// The lane's alarm, and the signal that the run must end.
pub(crate) struct Pace {
    alarm: AsyncFd<Alarm>,
    stop: AsyncFd<StopSign>,
    /// The time that the alarm is set to.
    set_to: u64,
    stopped: bool,
}

/// Owns the descriptor that is watched.
struct StopSign(Stop);

impl AsRawFd for StopSign {
    fn as_raw_fd(&self) -> RawFd {
        self.0.fd()
    }
}

impl Pace {
    /// Must be created inside the runtime.
    pub(crate) fn new(stop: &Stop) -> Result<Pace, EngineError> {
        let broken =
            |error| EngineError::system("cannot watch the alarm and the stop signal", error);
        let alarm = Alarm::new().map_err(broken)?;
        Ok(Pace {
            alarm: watch(alarm).map_err(broken)?,
            stop: watch(StopSign(stop.clone())).map_err(broken)?,
            set_to: 0,
            stopped: false,
        })
    }

    /// Whether the run must end, as far as is known.
    pub(crate) fn stopped(&self) -> bool {
        self.stopped
    }

    /// Waits until this time, until `called` returns true, or until the run must end and that was
    /// not known before. It may return too early.
    pub(crate) async fn wait(
        &mut self,
        until: u64,
        mut called: impl FnMut(&mut Context<'_>) -> bool,
    ) {
        if self.set_to != until {
            self.alarm.get_ref().set(until);
            self.set_to = until;
        }
        poll_fn(|context| {
            if called(context) {
                return Poll::Ready(());
            }
            if !self.stopped && self.stop.poll_read_ready(context).is_ready() {
                self.stopped = true;
                return Poll::Ready(());
            }
            match self.alarm.poll_read_ready(context) {
                Poll::Ready(rang) => {
                    if let Ok(mut rang) = rang {
                        rang.clear_ready();
                    }
                    self.set_to = 0;
                    Poll::Ready(())
                }
                Poll::Pending => Poll::Pending,
            }
        })
        .await;
    }
}

/// Has the runtime watch a descriptor until it becomes readable.
#[allow(unsafe_code, reason = "the library asks for a promise about descriptors")]
fn watch<T: AsRawFd>(of: T) -> io::Result<AsyncFd<T>> {
    // SAFETY: both that are watched own one open descriptor, the same for as long as
    // they live, and the runtime stops watching it before it drops them.
    let watched = unsafe { AsyncFd::register_with_interest(of, Interest::READABLE) };
    Ok(watched?)
}
