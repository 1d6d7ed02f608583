//! Runs a program to its end and measures it: the part of a keeper that `exec:`
//! contenders need.
//!
//! The keeper does this for four reasons. It is the program's parent, which `wait4` requires. Every
//! orphan of the program is reparented to it, so that nothing of one run is left in the next. It
//! ends everything when tiebreak is killed. And it is small: a process begins as a copy of its
//! parent, which the kernel includes in its largest resident set.

use crate::child;
use crate::ending::Ending;
use crate::keeping::{self, Keeping};
use crate::logs;
use crate::measured::{Measured, NotStarted, RunEnd};
use crate::output::{OutputCopy, OutputReader, Tail};
use crate::protocol::{Event, KeptOutput, ProcessOrder, Request, wait};
use crate::subreaper::KILL_TIMEOUT;
use std::io::{self, ErrorKind, PipeReader, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::time::{Duration, Instant};
use sys::clock;
use sys::fs::{OFlags, fcntl_setfl};
use sys::process::{Usage, collect_usage};

/// How much is read at once: the capacity of a pipe.
const PIPE_CAPACITY: usize = 64 * 1024;

/// How often a killed process is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// How long output is awaited after all known writers have been killed. Only an unknown process
/// that was handed the pipe can cause this wait.
const OUTPUT_TIMEOUT: Duration = Duration::from_secs(1);

/// Why watching a run ended.
enum WatchEnd {
    Ended,
    TimedOut,
    Cut,
    /// The keeper itself must end; true if tiebreak is gone.
    Over(bool),
}

impl Keeping {
    /// Runs a program to its end. Processes that it left running are killed, because they would run
    /// while another contender is measured.
    ///
    /// # Errors
    /// If the keeper must end, which ends the program: true if tiebreak is gone, false if a signal
    /// or a request asks for it.
    pub(super) fn measure(
        &mut self,
        order: &ProcessOrder,
        timeout: Duration,
        kept: Option<KeptOutput>,
    ) -> Result<Event, bool> {
        let mut run = match RunningProgram::start(order, kept, &self.mark) {
            Ok(run) => run,
            Err(refused) => return Ok(Event::NotStarted(refused)),
        };
        let until = Instant::now() + timeout;
        let why = self.watch(&mut run, until);
        if let WatchEnd::Over(orphaned) = why {
            return Err(orphaned);
        }
        if run.over.is_none() {
            keeping::send_signal(run.pid, libc::SIGKILL, true);
            let until = Instant::now() + KILL_TIMEOUT;
            while !run.is_over() && Instant::now() < until {
                self.wait_for_signal(Instant::now() + POLL_INTERVAL);
            }
        }
        let outlived = self.kill_the_rest();
        run.read_to_the_end();
        Ok(Event::Measured(run.measured(&why, outlived, &self.launch_options.secrets)))
    }

    fn watch(&mut self, run: &mut RunningProgram, until: Instant) -> WatchEnd {
        loop {
            if let Some(why) = self.requested_end() {
                return why;
            }
            let fds = [self.channel.fd(), self.signals.fd(), run.out.fd(), run.err.fd()];
            let [request, signals, ..] = wait(&fds, until);
            // This comes first, because everything else would be added to its time.
            if run.is_over() {
                return WatchEnd::Ended;
            }
            if signals && self.asked_to_stop() {
                return WatchEnd::Over(false);
            }
            if request && self.channel.read().is_err() {
                return WatchEnd::Over(true);
            }
            run.read();
            if Instant::now() >= until {
                return WatchEnd::TimedOut;
            }
        }
    }

    /// Returns what tiebreak requested meanwhile.
    fn requested_end(&mut self) -> Option<WatchEnd> {
        match self.channel.buffered::<Request>()? {
            Ok(Request::Cut) => Some(WatchEnd::Cut),
            Ok(Request::Stop) => Some(WatchEnd::Over(false)),
            // tiebreak waits for our answer, so nothing else can come.
            Ok(_) | Err(_) => Some(WatchEnd::Over(true)),
        }
    }
}

/// A running program.
struct RunningProgram {
    pid: i32,
    started: u64,
    out: Pipe,
    err: Pipe,
    piece: Vec<u8>,
    output: OutputReader,
    copy: Option<OutputCopy>,
    last_errors: Tail,
    over: Option<ProgramEnd>,
}

/// Its end.
struct ProgramEnd {
    at: u64,
    status: i32,
    usage: Usage,
}

impl RunningProgram {
    fn start(
        order: &ProcessOrder,
        kept: Option<KeptOutput>,
        mark: &str,
    ) -> Result<RunningProgram, NotStarted> {
        let copy = kept.map(OutputCopy::create).transpose()?;
        let (out, to_out) = io::pipe()?;
        let (err, to_err) = io::pipe()?;
        let (out, err) = (Pipe::new(out)?, Pipe::new(err)?);
        let mut prepared = child::prepare(order, mark, to_out, to_err)?;
        let started = clock::now();
        let pid = prepared.start()?;
        Ok(RunningProgram {
            pid,
            started,
            out,
            err,
            piece: vec![0; PIPE_CAPACITY],
            output: OutputReader::default(),
            copy,
            last_errors: Tail::default(),
            over: None,
        })
    }

    /// Whether the program itself has ended; if so, its status is collected.
    fn is_over(&mut self) -> bool {
        if self.over.is_some() {
            return true;
        }
        if let Some((status, usage)) = collect_usage(self.pid) {
            self.over = Some(ProgramEnd { at: clock::now(), status, usage });
        }
        self.over.is_some()
    }

    fn read(&mut self) {
        self.out.read(&mut self.piece, |piece| {
            self.output.add(piece);
            self.copy.iter_mut().for_each(|copy| copy.add(piece));
        });
        self.err.read(&mut self.piece, |piece| self.last_errors.add(piece));
    }

    fn read_to_the_end(&mut self) {
        let until = Instant::now() + OUTPUT_TIMEOUT;
        while self.out.is_open() || self.err.is_open() {
            if wait(&[self.out.fd(), self.err.fd()], until) == [false; 2] {
                return;
            }
            self.read();
        }
    }

    fn measured(self, why: &WatchEnd, outlived: u32, secrets: &[String]) -> Measured {
        let over = self.over.as_ref();
        let usage = over.map(|over| over.usage);
        let end = match (why, over) {
            (WatchEnd::Cut, _) => RunEnd::Cut,
            (WatchEnd::Ended, Some(over)) => RunEnd::Ended(Ending::from_wait(over.status)),
            // This also applies if the kernel does not release a killed process.
            _ => RunEnd::TimedOut,
        };
        Measured {
            end,
            wall_ns: over.map_or_else(clock::now, |over| over.at) - self.started,
            user_ns: usage.map_or(0, |usage| usage.user_ns),
            system_ns: usage.map_or(0, |usage| usage.system_ns),
            peak_memory_bytes: usage.map_or(0, |usage| usage.peak_bytes),
            outlived,
            output: self.output.end(),
            last_errors: logs::last_lines(self.last_errors.end(), secrets),
        }
    }
}

/// Our end of a pipe. None when the other end is closed.
struct Pipe(Option<PipeReader>);

impl Pipe {
    fn new(pipe: PipeReader) -> io::Result<Pipe> {
        // A flag of our own end; the program's end has another description.
        fcntl_setfl(&pipe, OFlags::NONBLOCK)?;
        Ok(Pipe(Some(pipe)))
    }

    fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// `poll` ignores -1.
    fn fd(&self) -> RawFd {
        self.0.as_ref().map_or(-1, AsRawFd::as_raw_fd)
    }

    fn read(&mut self, piece: &mut [u8], add: impl FnOnce(&[u8])) {
        let Some(pipe) = &mut self.0 else { return };
        match pipe.read(piece) {
            Ok(0) => self.0 = None,
            Ok(count) => add(&piece[..count]),
            Err(error) if error.kind() == ErrorKind::WouldBlock => {}
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(_) => self.0 = None,
        }
    }
}
