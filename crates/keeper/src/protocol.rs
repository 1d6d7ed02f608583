//! The messages between tiebreak and a keeper: JSON, one message per line, over a socket pair. They
//! never use argv or the environment, which others can read.
//!
//! Nothing here is `Debug`, because environments contain secrets.

use crate::beneath::TemporaryId;
use crate::ending::Ending;
use crate::measured::{Measured, NotStarted};
use crate::process::Identity;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, Read, Write};
use std::os::fd::{AsRawFd, BorrowedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use text::units::nanoseconds;

/// Longest message; an order with a large environment is far below that.
const LONGEST: usize = 16 << 20;

/// One program to start.
#[derive(Clone, Serialize, Deserialize)]
pub struct ProcessOrder {
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// Where it runs.
    pub cwd: PathBuf,
    /// Its whole environment.
    pub env: Vec<(String, String)>,
    /// The user that it runs as, or None for ours.
    pub user: Option<String>,
    /// Standard output and standard error, appended.
    pub log: PathBuf,
    /// The cores that it may use from the start. Empty for all of ours.
    pub cores: Vec<u32>,
    /// The signal that asks it to stop.
    pub stop: i32,
    /// How long it may take to stop before it is killed.
    pub grace: Duration,
    /// Whether the signal also goes to its process group, because a shell does not forward it.
    pub group: bool,
}

/// Where the standard output of a measured program is kept.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct KeptOutput {
    /// A file that does not exist yet.
    pub file: PathBuf,
    /// How much of it is kept, in bytes. The rest is counted, and no more.
    pub most_bytes: u64,
}

/// The keeper's settings, which it gets first.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct LaunchOptions {
    /// Values that are masked in the logs at the end.
    pub secrets: Vec<String>,
    /// A directory that the keeper removes if tiebreak is gone.
    pub temporary: Option<TemporaryId>,
    /// The directory of the run, used to name it if everything is killed.
    pub run: Option<PathBuf>,
    /// Whether its processes are asked to stop all at once. Otherwise each is asked when those that
    /// were started after it have ended.
    pub stops_at_once: bool,
}

/// A message from tiebreak to a keeper.
#[derive(Serialize, Deserialize)]
pub(super) enum Request {
    /// The first message, with the mark of everything that this keeper starts, and tiebreak's
    /// identity.
    Keep { launch_options: LaunchOptions, mark: String, tiebreak: Option<Identity> },
    /// Starts a process that runs until it is stopped.
    Start(ProcessOrder),
    /// Runs a program to its end.
    Run { order: ProcessOrder, timeout: Duration },
    /// Runs a program to its end, reads its output, and measures it. Its log is not used.
    Measure { order: ProcessOrder, timeout: Duration, kept: Option<KeptOutput> },
    /// Ends the measured program if it still runs.
    Cut,
    /// Pins a process and all below it, or with None every process.
    Pin { pid: Option<i32>, cores: Vec<u32> },
    /// Ends everything, and the keeper itself.
    Stop,
}

/// A message from a keeper to tiebreak.
#[derive(Serialize, Deserialize)]
pub(super) enum Event {
    /// The keeper runs.
    Keeping,
    /// The answer to `Start`. `cgroup` is the keeper's control group if the process is in it.
    Started { pid: i32, cgroup: Option<PathBuf> },
    /// A request that cannot be fulfilled, and why.
    Refused(String),
    /// A long-running process ended.
    Exited { pid: i32, how: Ending },
    /// The answer to `Run`. None if the time limit expired and the program was killed.
    Ran(Option<Ending>),
    /// The answer to `Measure`.
    Measured(Measured),
    /// Another answer to `Measure`.
    NotStarted(NotStarted),
    /// The answer to `Pin`: how many threads were pinned.
    Pinned(u32),
    /// The last message.
    Stopped(EndReport),
}

/// How everything was ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndReport {
    /// How each long-running process ended, in the order of their start.
    pub endings: Vec<(i32, Ending)>,
    /// How many processes outlived their grace and were killed.
    pub killed: u32,
    /// Processes that SIGKILL did not end within ten seconds.
    pub left: Vec<i32>,
    /// Sentences about logs that could not be cleaned of secrets or shortened.
    pub log_troubles: Vec<String>,
}

/// One end of the socket pair.
pub(super) struct Channel {
    socket: UnixStream,
    buffer: Vec<u8>,
}

/// Why no message was received.
pub(super) enum ReceiveError {
    /// The time is up.
    TimedOut,
    /// The other end is gone.
    Closed,
}

impl Channel {
    pub(super) fn new(socket: UnixStream) -> Channel {
        Channel { socket, buffer: Vec::new() }
    }

    /// # Errors
    /// When the other end is gone.
    pub(super) fn send(&mut self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.socket.write_all(&line)
    }

    /// Receives the next message. An invalid message counts as the end, because its sender must not
    /// be trusted with processes.
    pub(super) fn receive<T: DeserializeOwned>(
        &mut self,
        until: Instant,
    ) -> Result<T, ReceiveError> {
        loop {
            if let Some(message) = self.buffered() {
                return message;
            }
            if !wait(&[self.socket.as_raw_fd()], until)[0] {
                return Err(ReceiveError::TimedOut);
            }
            self.read()?;
        }
    }

    /// Returns a message that was already received, if it is complete.
    pub(super) fn buffered<T: DeserializeOwned>(&mut self) -> Option<Result<T, ReceiveError>> {
        let end = self.buffer.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.buffer.drain(..=end).collect();
        Some(serde_json::from_slice(&line).map_err(|_| ReceiveError::Closed))
    }

    /// Reads once; the socket must be readable.
    pub(super) fn read(&mut self) -> Result<(), ReceiveError> {
        let mut piece = [0; 16 * 1024];
        match self.socket.read(&mut piece) {
            Ok(0) => Err(ReceiveError::Closed),
            Ok(count) => {
                self.buffer.extend_from_slice(&piece[..count]);
                if self.buffer.len() > LONGEST { Err(ReceiveError::Closed) } else { Ok(()) }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(_) => Err(ReceiveError::Closed),
        }
    }

    pub(super) fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl std::os::fd::AsFd for Channel {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Waits until one of these descriptors is readable (or its other end is closed); returns which
/// ones are.
pub(super) fn wait<const N: usize>(fds: &[RawFd; N], until: Instant) -> [bool; N] {
    loop {
        let left = until.saturating_duration_since(Instant::now());
        let left_ns = nanoseconds(left);
        let ready = sys::poll::readable(*fds, Some(left_ns)).unwrap_or([false; N]);
        if ready != [false; N] || until <= Instant::now() {
            return ready;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_five_seconds() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn messages_are_complete_however_they_are_cut() {
        let (here, mut there) = UnixStream::pair().expect("a pair");
        let mut line = Channel::new(here);
        let text = b"{\"Pinned\":3}\n\"Keeping\"\n{\"Refus";
        for piece in text.chunks(5) {
            there.write_all(piece).expect("writes");
        }
        assert!(matches!(line.receive(in_five_seconds()), Ok(Event::Pinned(3))));
        assert!(matches!(line.receive(in_five_seconds()), Ok(Event::Keeping)));
        assert!(matches!(line.receive::<Event>(Instant::now()), Err(ReceiveError::TimedOut)));
        there.write_all(b"ed\":\"why\"}\nnonsense\n").expect("writes");
        assert!(matches!(line.receive(in_five_seconds()), Ok(Event::Refused(why)) if why == "why"));
        assert!(matches!(line.receive::<Event>(in_five_seconds()), Err(ReceiveError::Closed)));
        drop(there);
        assert!(matches!(line.receive::<Event>(in_five_seconds()), Err(ReceiveError::Closed)));
    }

    #[test]
    fn endings_say_what_happened() {
        assert_eq!(Ending::from_wait(0x0300), Ending::Status(3));
        assert_eq!(Ending::from_wait(9), Ending::Signal(9));
        assert_eq!(Ending::Status(3).to_string(), "exited with status 3");
        assert_eq!(Ending::Signal(9).to_string(), "was ended by SIGKILL");
        assert_eq!(Ending::Signal(63).to_string(), "was ended by signal 63");
        assert!(Ending::Status(0).good() && !Ending::Status(1).good());
    }
}
