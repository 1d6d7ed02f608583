//! Runs a program to its end and measures it: the part of a keeper that `exec:`
//! contenders need.
//!
//! The keeper does it because it is the program's parent, as `wait4` wants;
//! because every orphan of the program falls to it, so that nothing of one run
//! is left in the next; because it ends everything when tiebreak is killed; and
//! because it is small: a process begins as a copy of its parent, and what the
//! kernel calls its largest resident set begins with that.

use crate::child;
use crate::ending::Ending;
use crate::keeping::{self, Keeping};
use crate::logs;
use crate::measured::{Measured, NotStarted, RunEnd};
use crate::output::{Listener, Tail};
use crate::protocol::{Event, ProcessOrder, Request, wait};
use crate::subreaper::KILLED;
use engine::clock;
use std::io::{self, ErrorKind, PipeReader, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};

/// How much is read at once: what a pipe holds.
const PIECE: usize = 64 * 1024;

/// How often a process that was killed is looked at.
const LOOK: Duration = Duration::from_millis(10);

/// How long output is waited for when all who could write it have been killed.
/// Only a process out of our sight that was handed the pipe can make us wait.
const LAST_OUTPUT: Duration = Duration::from_secs(1);

/// Why a run is not watched any longer.
enum Why {
    Ended,
    TimedOut,
    Cut,
    /// The keeper itself must end; true where tiebreak is gone.
    Over(bool),
}

impl Keeping {
    /// Runs a program to its end. Whatever it left running is killed: it would
    /// run while another contender is measured.
    ///
    /// # Errors
    /// When the keeper must end, which ends the program: true where tiebreak is
    /// gone, false where a signal or a request asks for it.
    pub(super) fn measure(
        &mut self,
        order: &ProcessOrder,
        timeout: Duration,
    ) -> Result<Event, bool> {
        let mut run = match Run::start(order, &self.mark) {
            Ok(run) => run,
            Err(refused) => return Ok(Event::NotStarted(refused)),
        };
        let until = Instant::now() + timeout;
        let why = self.watch(&mut run, until);
        if let Why::Over(orphaned) = why {
            return Err(orphaned);
        }
        if run.over.is_none() {
            keeping::ask(run.pid, libc::SIGKILL, true);
            let until = Instant::now() + KILLED;
            while !run.is_over() && Instant::now() < until {
                self.caught.wait(Instant::now() + LOOK);
            }
        }
        let outlived = self.kill_the_rest();
        run.read_to_the_end();
        Ok(Event::Measured(run.measured(&why, outlived, &self.household.secrets)))
    }

    fn watch(&mut self, run: &mut Run, until: Instant) -> Why {
        loop {
            if let Some(why) = self.told() {
                return why;
            }
            let fds = [self.line.fd(), self.caught.fd(), run.out.fd(), run.err.fd()];
            let [line, caught, ..] = wait(&fds, until);
            // First, as each other thing would be added to its time.
            if run.is_over() {
                return Why::Ended;
            }
            if caught && self.caught.asked_to_stop() {
                return Why::Over(false);
            }
            if line && self.line.read().is_err() {
                return Why::Over(true);
            }
            run.read();
            if Instant::now() >= until {
                return Why::TimedOut;
            }
        }
    }

    /// What tiebreak says meanwhile.
    fn told(&mut self) -> Option<Why> {
        match self.line.buffered::<Request>()? {
            Ok(Request::Cut) => Some(Why::Cut),
            Ok(Request::Stop) => Some(Why::Over(false)),
            // It waits for our answer: nothing else can come.
            Ok(_) | Err(_) => Some(Why::Over(true)),
        }
    }
}

/// A program that runs.
struct Run {
    pid: i32,
    started: u64,
    out: Pipe,
    err: Pipe,
    piece: Vec<u8>,
    output: Listener,
    complaint: Tail,
    over: Option<Over>,
}

/// Its end.
struct Over {
    at: u64,
    status: i32,
    usage: libc::rusage,
}

impl Run {
    fn start(order: &ProcessOrder, mark: &str) -> Result<Run, NotStarted> {
        let (out, to_out) = io::pipe()?;
        let (err, to_err) = io::pipe()?;
        let (out, err) = (Pipe::new(out)?, Pipe::new(err)?);
        let mut prepared = child::prepare(order, mark, to_out, to_err)?;
        let started = clock::now();
        let pid = prepared.start()?;
        Ok(Run {
            pid,
            started,
            out,
            err,
            piece: vec![0; PIECE],
            output: Listener::default(),
            complaint: Tail::default(),
            over: None,
        })
    }

    /// Whether the program itself has ended; then it is buried.
    fn is_over(&mut self) -> bool {
        if self.over.is_some() {
            return true;
        }
        // SAFETY: an all-zero rusage is valid; both are written by the call.
        let (ended, status, usage) = unsafe {
            let (mut status, mut usage) = (0, std::mem::zeroed());
            let ended = libc::wait4(self.pid, &mut status, libc::WNOHANG, &mut usage);
            (ended, status, usage)
        };
        if ended == self.pid {
            self.over = Some(Over { at: clock::now(), status, usage });
        }
        self.over.is_some()
    }

    fn read(&mut self) {
        self.out.read(&mut self.piece, |piece| self.output.hear(piece));
        self.err.read(&mut self.piece, |piece| self.complaint.hear(piece));
    }

    fn read_to_the_end(&mut self) {
        let until = Instant::now() + LAST_OUTPUT;
        while self.out.is_open() || self.err.is_open() {
            if wait(&[self.out.fd(), self.err.fd()], until) == [false; 2] {
                return;
            }
            self.read();
        }
    }

    fn measured(self, why: &Why, outlived: u32, secrets: &[String]) -> Measured {
        let ns =
            |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
        let over = self.over.as_ref();
        let usage = over.map(|over| over.usage);
        let end = match (why, over) {
            (Why::Cut, _) => RunEnd::Cut,
            (Why::Ended, Some(over)) => RunEnd::Ended(Ending::from_wait(over.status)),
            // Or the kernel holds on to one that was killed.
            _ => RunEnd::TimedOut,
        };
        Measured {
            end,
            wall_ns: over.map_or_else(clock::now, |over| over.at) - self.started,
            user_ns: usage.map_or(0, |usage| ns(usage.ru_utime)),
            system_ns: usage.map_or(0, |usage| ns(usage.ru_stime)),
            // In KiB.
            peak_memory_bytes: usage.map_or(0, |usage| usage.ru_maxrss as u64 * 1024),
            outlived,
            output: self.output.end(),
            complaint: logs::last_lines(self.complaint.end(), secrets),
        }
    }
}

/// The end of a pipe that we read; none when the other is closed.
struct Pipe(Option<PipeReader>);

impl Pipe {
    fn new(pipe: PipeReader) -> io::Result<Pipe> {
        // SAFETY: a flag of our own end; the program's is another description.
        match unsafe { libc::fcntl(pipe.as_raw_fd(), libc::F_SETFL, libc::O_NONBLOCK) } {
            0 => Ok(Pipe(Some(pipe))),
            _ => Err(io::Error::last_os_error()),
        }
    }

    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// `poll` passes over -1.
    fn fd(&self) -> RawFd {
        self.0.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    fn read(&mut self, piece: &mut [u8], hear: impl FnOnce(&[u8])) {
        let Some(pipe) = &mut self.0 else { return };
        match pipe.read(piece) {
            Ok(0) => self.0 = None,
            Ok(count) => hear(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.0 = None,
        }
    }
}
