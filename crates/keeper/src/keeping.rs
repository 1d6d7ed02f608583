//! The keeper process: tiebreak's own program in a separate session, which starts targets, waits,
//! and ends whatever it started.
//!
//! It has one thread and is woken by three events: a request, the end of the socket (tiebreak is
//! gone, however it ended), and the end of a child.

use crate::beneath::Temporary;
use crate::cgroup::Cgroup;
use crate::child::{Common, StartError};
use crate::ending::Ending;
use crate::logs::bounded;
use crate::note::{self, Note};
use crate::protocol::{
    Channel, EndReport, Event, LaunchOptions, ProcessOrder, ReceiveError, Request, wait,
};
use crate::{child, pin, subreaper, tree};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};
use sys::process;
use sys::signals::{self, SignalFd};

/// The hidden command of a keeper: `argv[1]`.
pub const ARGUMENT: &str = "__keeper";

/// Signals that ask the keeper itself to end.
const STOP: [i32; 4] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT];

/// A timeout that never expires in practice.
const NO_TIMEOUT: Duration = Duration::from_secs(3600);

/// How often the length of logs is checked: each check takes some 20 µs of CPU time.
const LOG_CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Runs the keeper. `main` calls it before anything else if its first argument is [`ARGUMENT`].
pub fn keep() -> ExitCode {
    match Keeping::begin() {
        Ok(mut keeping) => {
            keeping.serve();
            ExitCode::SUCCESS
        }
        Err(error) => {
            // Someone typed the hidden argument.
            eprintln!(
                "`tiebreak {ARGUMENT}` is an internal command, which tiebreak starts itself: \
                 {error}"
            );
            ExitCode::from(2)
        }
    }
}

pub(super) struct Keeping {
    pub(super) channel: Channel,
    pub(super) signals: SignalFd,
    pub(super) launch_options: LaunchOptions,
    pub(super) mark: String,
    note: Note,
    temporary: Option<Temporary>,
    cgroup: Option<Cgroup>,
    supervised: Vec<Supervised>,
    running: Option<Running>,
    logs: BTreeSet<PathBuf>,
    next_log_check: Instant,
    killed: u32,
}

/// A process that runs until it is stopped.
struct Supervised {
    pid: i32,
    stop: i32,
    grace: Duration,
    group: bool,
    ended: Option<Ending>,
}

impl Supervised {
    fn ask_to_stop(&self) {
        send_signal(self.pid, self.stop, self.group);
    }
}

/// A program that runs to its end.
struct Running {
    pid: i32,
    until: Instant,
    timed_out: bool,
}

/// Makes a write beyond the limit of file sizes (`ulimit -f`) fail like one on a full disk, instead of
/// ending the process by SIGXFSZ.
///
/// # Errors
/// If the system refuses the handler.
pub fn survive_a_file_size_limit() -> io::Result<()> {
    signals::ignore_here(libc::SIGXFSZ)
}

impl Keeping {
    fn begin() -> io::Result<Keeping> {
        let socket = take_socket()?;
        // It fails only for the leader of a process group, which we are not.
        process::setsid()?;
        process::become_subreaper()?;
        signals::reset();
        let signals = SignalFd::block(&[&STOP[..], &[libc::SIGCHLD]].concat())?;
        let mut channel = Channel::new(socket);
        let request = channel.receive(Instant::now() + NO_TIMEOUT);
        let Ok(Request::Keep { launch_options, mark, tiebreak }) = request else {
            return Err(io::Error::other("there is no request on standard input"));
        };
        survive_a_file_size_limit()?;
        let cgroup = Cgroup::create(std::process::id());
        // Held open from now on, because its user can give its path to another directory.
        let temporary = launch_options.temporary.as_ref().and_then(Temporary::again);
        let group = cgroup.as_ref().map(Cgroup::directory);
        let begin = note::Begin::of(&launch_options, &mark, tiebreak, group);
        let note = match Note::begin(&begin) {
            Ok(note) => note,
            Err(error) => {
                channel.send(&Event::Refused(error.to_string()))?;
                return Err(io::Error::other(error));
            }
        };
        channel.send(&Event::Keeping)?;
        Ok(Keeping {
            channel,
            signals,
            launch_options,
            mark,
            note,
            temporary,
            cgroup,
            supervised: Vec::new(),
            running: None,
            logs: BTreeSet::new(),
            next_log_check: Instant::now(),
            killed: 0,
        })
    }

    fn serve(&mut self) {
        let orphaned = loop {
            match self.next() {
                Ok(Some(Request::Stop)) => break false,
                Ok(Some(Request::Measure { order, timeout, kept })) => {
                    match self.measure(&order, timeout, kept) {
                        Ok(event) => self.report(&event),
                        Err(orphaned) => break orphaned,
                    }
                }
                Ok(Some(request)) => self.answer(request),
                Ok(None) => {}
                Err(orphaned) => break orphaned,
            }
        };
        let left = self.end_everything();
        let endings = self
            .supervised
            .iter()
            .filter_map(|supervised| Some((supervised.pid, supervised.ended?)))
            .collect();
        let secrets = &self.launch_options.secrets;
        let wrong = self.logs.iter().filter_map(|log| bounded::finish(log, secrets).err());
        let log_troubles = wrong.map(|error| error.to_string()).collect();
        if let (true, Some(temporary)) = (orphaned, &self.temporary) {
            // What cannot be removed is left, because there is nobody to report it to.
            let _ = temporary.remove();
        }
        if let Some(cgroup) = &self.cgroup {
            cgroup.remove();
        }
        if left.is_empty() {
            self.note.remove();
        }
        // There may be no receiver.
        let farewell = EndReport { endings, killed: self.killed, left, log_troubles };
        let _ = self.channel.send(&Event::Stopped(farewell));
    }

    /// Waits for the next request. An error means the end: true if tiebreak is gone, false if a
    /// signal asks us to stop.
    fn next(&mut self) -> Result<Option<Request>, bool> {
        if let Some(request) = self.channel.buffered() {
            return request.map(Some).map_err(|_: ReceiveError| true);
        }
        let mut until =
            self.running.as_ref().map_or(Instant::now() + NO_TIMEOUT, |running| running.until);
        if !self.logs.is_empty() {
            until = until.min(Instant::now() + LOG_CHECK_INTERVAL);
        }
        let [request, signals] = wait(&[self.channel.fd(), self.signals.fd()], until);
        if signals && self.asked_to_stop() {
            return Err(false);
        }
        self.reap();
        self.kill_if_timed_out();
        self.check_logs();
        if request {
            self.channel.read().map_err(|_: ReceiveError| true)?;
        }
        Ok(None)
    }

    /// Takes the pending signals; returns true if one of them asks us to end.
    pub(super) fn asked_to_stop(&self) -> bool {
        std::iter::from_fn(|| self.signals.take()).filter(|signal| STOP.contains(signal)).count()
            > 0
    }

    /// Waits until a child ended (or some signal arrived), or the time is over.
    pub(super) fn wait_for_signal(&self, until: Instant) {
        if wait(&[self.signals.fd()], until)[0] {
            self.asked_to_stop();
        }
    }

    fn answer(&mut self, request: Request) {
        let event = match request {
            Request::Start(order) => self.start(&order),
            Request::Run { order, timeout } => match self.run(&order, timeout) {
                Ok(()) => return,
                Err(error) => Event::Refused(error.to_string()),
            },
            Request::Pin { pid, cores } => match pin::set(&cores) {
                Ok(set) => Event::Pinned(pin::pin_tree(pid, &set)),
                Err(error) => Event::Refused(error.to_string()),
            },
            Request::Keep { .. } | Request::Stop | Request::Measure { .. } | Request::Cut => return,
        };
        self.report(&event);
    }

    /// A failure shows at the next read, because the socket is then closed.
    fn report(&mut self, event: &Event) {
        let _ = self.channel.send(event);
    }

    fn start(&mut self, order: &ProcessOrder) -> Event {
        let pid = match self.fork(order) {
            Ok(pid) => pid,
            Err(error) => return Event::Refused(error.to_string()),
        };
        let (stop, grace, group) = (order.stop, order.grace, order.group);
        self.supervised.push(Supervised { pid, stop, grace, group, ended: None });
        let inside = self.cgroup.as_ref().filter(|cgroup| cgroup.holds(pid));
        Event::Started { pid, cgroup: inside.map(|cgroup| cgroup.directory().to_owned()) }
    }

    fn run(&mut self, order: &ProcessOrder, timeout: Duration) -> Result<(), StartError> {
        let pid = self.fork(order)?;
        let until = Instant::now() + timeout.min(NO_TIMEOUT);
        self.running = Some(Running { pid, until, timed_out: false });
        Ok(())
    }

    fn fork(&mut self, order: &ProcessOrder) -> Result<i32, StartError> {
        if !self.logs.contains(&order.log) {
            self.note.log(&order.log).map_err(StartError::Note)?;
        }
        let temporary = self.temporary.as_ref().map(Temporary::path);
        let (mark, cgroup) = (self.mark.as_str(), self.cgroup.as_ref());
        let pid = child::start(order, Common { mark, cgroup, temporary })?;
        self.logs.insert(order.log.clone());
        // It has the mark; the note helps if it overwrites its environment.
        let _ = self.note.process(pid);
        Ok(pid)
    }

    /// Waits for every child that has ended, our own and those that were reparented to us. Returns
    /// false if there are no children at all: then there are no descendants either, because orphans
    /// become our children at once.
    pub(super) fn reap(&mut self) -> bool {
        loop {
            match process::collect(None) {
                Ok(None) => return true,
                Ok(Some((pid, status))) => self.ended(pid, Ending::from_wait(status)),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => return false,
            }
        }
    }

    fn ended(&mut self, pid: i32, how: Ending) {
        let supervised = self
            .supervised
            .iter_mut()
            .find(|supervised| supervised.pid == pid && supervised.ended.is_none());
        if let Some(supervised) = supervised {
            supervised.ended = Some(how);
            self.report(&Event::Exited { pid, how });
        } else if let Some(running) = self.running.take_if(|running| running.pid == pid) {
            self.report(&Event::Ran((!running.timed_out).then_some(how)));
        }
    }

    /// Kills a program that reached its time limit, with everything below it.
    fn kill_if_timed_out(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.timed_out || Instant::now() < running.until {
            return;
        }
        running.timed_out = true;
        running.until = Instant::now() + NO_TIMEOUT;
        let pid = running.pid;
        let all = tree::descendants(pid).into_iter().chain(tree::look(pid));
        for process in all {
            tree::signal(&process, libc::SIGKILL);
        }
    }

    /// Frees the disk space that the middle of a long log takes.
    fn check_logs(&mut self) {
        if Instant::now() < self.next_log_check {
            return;
        }
        self.next_log_check = Instant::now() + LOG_CHECK_INTERVAL;
        for log in &self.logs {
            bounded::free_middle(log, &self.launch_options.secrets);
        }
    }

    /// Ends what was started, last first or all at once, then whatever is left below us. Returns
    /// the processes that could not be ended.
    fn end_everything(&mut self) -> Vec<i32> {
        let mut longest = Duration::ZERO;
        if let Some(running) = &self.running {
            send_signal(running.pid, libc::SIGTERM, true);
        }
        let at_once = self.launch_options.stops_at_once;
        if at_once {
            self.supervised
                .iter()
                .filter(|supervised| supervised.ended.is_none())
                .for_each(Supervised::ask_to_stop);
        }
        let began = Instant::now();
        for at in (0..self.supervised.len()).rev() {
            let (pid, grace) = (self.supervised[at].pid, self.supervised[at].grace);
            longest = longest.max(grace);
            if self.supervised[at].ended.is_some() {
                continue;
            }
            let left = if at_once {
                grace.saturating_sub(began.elapsed())
            } else {
                self.supervised[at].ask_to_stop();
                grace
            };
            self.wait_for(left, |keeping| keeping.supervised[at].ended.is_some());
            if self.supervised[at].ended.is_none() {
                self.killed += 1;
                send_signal(pid, libc::SIGKILL, false);
                self.wait_for(subreaper::KILL_TIMEOUT, |keeping| {
                    keeping.supervised[at].ended.is_some()
                });
            }
        }
        self.end_the_rest(longest)
    }

    /// Ends children that outlived their parents, such as daemons: they get SIGTERM, too, and the
    /// longest grace of the processes.
    fn end_the_rest(&mut self, grace: Duration) -> Vec<i32> {
        let us = std::process::id() as i32;
        if self.reap() {
            for process in tree::descendants(us) {
                tree::signal(&process, libc::SIGTERM);
            }
            self.wait_for(grace, |_| false);
        }
        self.killed += self.kill_the_rest();
        tree::descendants(us).iter().map(|process| process.pid).collect()
    }

    /// Kills everything that runs below us; returns the number of processes.
    pub(super) fn kill_the_rest(&mut self) -> u32 {
        let us = std::process::id() as i32;
        let until = Instant::now() + subreaper::KILL_TIMEOUT;
        let mut killed = BTreeSet::new();
        while self.reap() && Instant::now() < until {
            let running = tree::descendants(us).into_iter().filter(|process| !process.zombie);
            let running: Vec<_> = running.collect();
            killed.extend(running.iter().map(|process| process.pid));
            if let Some(cgroup) = &self.cgroup {
                cgroup.kill();
            }
            for process in &running {
                tree::signal(process, libc::SIGKILL);
            }
            self.wait_for_signal(Instant::now() + Duration::from_millis(10));
        }
        u32::try_from(killed.len()).unwrap_or(u32::MAX)
    }

    /// Waits until `done` holds, no child is left, or the time is up.
    fn wait_for(&mut self, at_most: Duration, done: impl Fn(&Keeping) -> bool) {
        let until = Instant::now() + at_most;
        while self.reap() && !done(self) && Instant::now() < until {
            self.wait_for_signal(until);
        }
    }
}

/// Sends a signal to a child that has not been waited for: its number cannot have been reused, and
/// it leads its process group.
pub(super) fn send_signal(pid: i32, signal: i32, group: bool) {
    // It has ended if it cannot be sent.
    let _ = process::kill(pid, signal, false);
    if group {
        let _ = process::kill(pid, signal, true);
    }
}

/// Takes the socket from standard input, which its children must not get.
fn take_socket() -> io::Result<UnixStream> {
    let socket: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    process::dup2_stdin(File::open("/dev/null")?)?;
    let socket = UnixStream::from(socket);
    // Fails here if it is not a socket.
    socket.peer_addr()?;
    Ok(socket)
}
