//! What tiebreak and a keeper say to each other: JSON, one message a line,
//! over a socket pair. Never over argv or environment, which others can read.
//!
//! Nothing here is `Debug`: environments hold secrets.

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

/// Longest message: an order with a large environment is far below.
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
    /// The user that it runs as. None means ours.
    pub user: Option<String>,
    /// Standard output and standard error, appended.
    pub log: PathBuf,
    /// The cores that it may use from the start; empty: all of ours.
    pub cores: Vec<u32>,
    /// The signal that asks it to stop.
    pub stop: i32,
    /// How long it may take to stop before it is killed.
    pub grace: Duration,
    /// The signal goes to its process group, too: a shell does not pass it on.
    pub group: bool,
}

/// What the keeper needs to know before anything else.
#[derive(Clone, Default, Serialize, Deserialize)]
pub struct Household {
    /// Values that are blotted out of the logs at the end.
    pub secrets: Vec<String>,
    /// Removed when tiebreak is gone and cannot do it.
    pub temporary: Option<TemporaryId>,
    /// The folder of the run, to name it should all of this be killed.
    pub run: Option<PathBuf>,
    /// Its processes are asked to stop all at once. Otherwise each is asked when those that
    /// were started after it have ended.
    pub stops_at_once: bool,
}

/// tiebreak to keeper.
#[derive(Serialize, Deserialize)]
pub(super) enum Request {
    /// The first message, with the mark of what this keeper starts and who asks.
    Keep { household: Household, mark: String, tiebreak: Option<Identity> },
    /// Starts a process that runs until it is stopped.
    Start(ProcessOrder),
    /// Runs a program to its end.
    Run { order: ProcessOrder, timeout: Duration },
    /// Runs a program to its end, reads its output, and measures it. Its log is
    /// not used.
    Measure { order: ProcessOrder, timeout: Duration },
    /// Ends the program that is measured, if there still is one.
    Cut,
    /// Pins a process and all below it. None means every process that there is.
    Pin { pid: Option<i32>, cores: Vec<u32> },
    /// Ends everything, and the keeper itself.
    Stop,
}

/// Keeper to tiebreak.
#[derive(Serialize, Deserialize)]
pub(super) enum Event {
    /// It runs.
    Keeping,
    /// The answer to `Start`. The group is the keeper's, if the process is in it.
    Started { pid: i32, cgroup: Option<PathBuf> },
    /// A request that cannot be done, and why.
    Refused(String),
    /// A process ended that was to run.
    Exited { pid: i32, how: Ending },
    /// The answer to `Run`; no ending: the time was over, and it was killed.
    Ran(Option<Ending>),
    /// The answer to `Measure`.
    Measured(Measured),
    /// Another answer to `Measure`.
    NotStarted(NotStarted),
    /// The answer to `Pin`: how many threads were pinned.
    Pinned(u32),
    /// The last message.
    Stopped(Farewell),
}

/// How everything was ended.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Farewell {
    /// How each process ended that was to run, in the order of their start.
    pub endings: Vec<(i32, Ending)>,
    /// How many processes had to be killed: they outlived their grace.
    pub killed: u32,
    /// Processes that not even SIGKILL ended within ten seconds.
    pub left: Vec<i32>,
    /// Logs that could not be cleaned of secrets or shortened, and why: sentences.
    pub log_troubles: Vec<String>,
}

/// One end of the socket pair.
pub(super) struct Line {
    socket: UnixStream,
    heard: Vec<u8>,
}

/// Why no message came.
pub(super) enum Silence {
    /// The time is over.
    Late,
    /// The other end is gone.
    Gone,
}

impl Line {
    pub(super) fn new(socket: UnixStream) -> Line {
        Line { socket, heard: Vec::new() }
    }

    /// # Errors
    /// When the other end is gone.
    pub(super) fn say(&mut self, message: &impl Serialize) -> io::Result<()> {
        let mut line = serde_json::to_vec(message)?;
        line.push(b'\n');
        self.socket.write_all(&line)
    }

    /// The next message. Something that is no message of ours counts as an
    /// end: whoever sent it is not to be trusted with processes.
    pub(super) fn hear<T: DeserializeOwned>(&mut self, until: Instant) -> Result<T, Silence> {
        loop {
            if let Some(message) = self.buffered() {
                return message;
            }
            if !wait(&[self.socket.as_raw_fd()], until)[0] {
                return Err(Silence::Late);
            }
            self.read()?;
        }
    }

    /// A message that has come already, if it is complete.
    pub(super) fn buffered<T: DeserializeOwned>(&mut self) -> Option<Result<T, Silence>> {
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        let line: Vec<u8> = self.heard.drain(..=end).collect();
        Some(serde_json::from_slice(&line).map_err(|_| Silence::Gone))
    }

    /// Reads once; the socket must be readable.
    pub(super) fn read(&mut self) -> Result<(), Silence> {
        let mut piece = [0; 16 * 1024];
        match self.socket.read(&mut piece) {
            Ok(0) => Err(Silence::Gone),
            Ok(count) => {
                self.heard.extend_from_slice(&piece[..count]);
                if self.heard.len() > LONGEST { Err(Silence::Gone) } else { Ok(()) }
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(_) => Err(Silence::Gone),
        }
    }

    pub(super) fn fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

impl std::os::fd::AsFd for Line {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Waits until one of these descriptors can be read (or its other end is
/// gone); says which.
pub(super) fn wait<const N: usize>(fds: &[RawFd; N], until: Instant) -> [bool; N] {
    let mut polled = fds.map(|fd| libc::pollfd { fd, events: libc::POLLIN, revents: 0 });
    loop {
        let left = until.saturating_duration_since(Instant::now());
        // Up, not down: a wait that ends early would spin through its last part.
        let ms = left.as_micros().div_ceil(1000).min(60_000) as libc::c_int;
        // SAFETY: N valid pollfds.
        let ready = unsafe { libc::poll(polled.as_mut_ptr(), N as libc::nfds_t, ms) };
        if ready > 0 || (ready == 0 && until <= Instant::now()) {
            return polled.map(|entry| entry.revents != 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(5)
    }

    #[test]
    fn messages_come_whole_however_they_are_cut() {
        let (here, mut there) = UnixStream::pair().expect("a pair");
        let mut line = Line::new(here);
        let text = b"{\"Pinned\":3}\n\"Keeping\"\n{\"Refus";
        for piece in text.chunks(5) {
            there.write_all(piece).expect("writes");
        }
        assert!(matches!(line.hear(soon()), Ok(Event::Pinned(3))));
        assert!(matches!(line.hear(soon()), Ok(Event::Keeping)));
        assert!(matches!(line.hear::<Event>(Instant::now()), Err(Silence::Late)));
        there.write_all(b"ed\":\"why\"}\nnonsense\n").expect("writes");
        assert!(matches!(line.hear(soon()), Ok(Event::Refused(why)) if why == "why"));
        assert!(matches!(line.hear::<Event>(soon()), Err(Silence::Gone)));
        drop(there);
        assert!(matches!(line.hear::<Event>(soon()), Err(Silence::Gone)));
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
