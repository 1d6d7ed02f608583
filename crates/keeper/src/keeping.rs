//! The keeper itself: a process of tiebreak's own program in a session of its
//! own, that starts targets, waits, and ends whatever it started.
//!
//! It has one thread and is woken by three things: a request, the end of the
//! socket (tiebreak is gone, however it went), and the end of a child.

use crate::beneath::Temporary;
use crate::cgroup::Cgroup;
use crate::child::Common;
use crate::ending::Ending;
use crate::logs::bounded;
use crate::note::{self, Note};
use crate::protocol::{Event, Farewell, Household, Line, ProcessOrder, Request, Silence, wait};
use crate::signals_caught::Caught;
use crate::{child, pin, subreaper, tree};
use std::collections::BTreeSet;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// What a keeper is called on the command line: `argv[1]`, hidden.
pub const ARGUMENT: &str = "__keeper";

/// Far away: nothing is timed.
const LONG: Duration = Duration::from_secs(3600);

/// How often the length of logs is looked at: some 20 µs of CPU time each.
const LOG_LOOK: Duration = Duration::from_secs(1);

/// The keeper's whole life. `main` hands over to it when its first argument is
/// [`ARGUMENT`], before it does anything else.
pub fn keep() -> ExitCode {
    match Keeping::begin() {
        Ok(mut keeping) => {
            keeping.serve();
            ExitCode::SUCCESS
        }
        Err(error) => {
            // Someone typed the hidden argument.
            eprintln!("tiebreak {ARGUMENT} is started by tiebreak itself: {error}");
            ExitCode::from(2)
        }
    }
}

pub(super) struct Keeping {
    pub(super) line: Line,
    pub(super) caught: Caught,
    pub(super) household: Household,
    pub(super) mark: String,
    note: Note,
    temporary: Option<Temporary>,
    cgroup: Option<Cgroup>,
    kept: Vec<Kept>,
    running: Option<Running>,
    logs: BTreeSet<PathBuf>,
    next_log_look: Instant,
    killed: u32,
}

/// A process that is to run until it is stopped.
struct Kept {
    pid: i32,
    stop: i32,
    grace: Duration,
    group: bool,
    ended: Option<Ending>,
}

impl Kept {
    fn ask_to_stop(&self) {
        ask(self.pid, self.stop, self.group);
    }
}

/// A program that runs to its end.
struct Running {
    pid: i32,
    until: Instant,
    late: bool,
}

impl Keeping {
    fn begin() -> io::Result<Keeping> {
        let socket = take_socket()?;
        // SAFETY: setsid takes nothing. It fails only for the leader of a
        // process group, which nobody made us.
        if unsafe { libc::setsid() } < 0 {
            return Err(io::Error::last_os_error());
        }
        subreaper::become_subreaper()?;
        let caught = Caught::begin()?;
        let mut line = Line::new(socket);
        let asked = line.hear(Instant::now() + LONG);
        let Ok(Request::Keep { household, mark, tiebreak }) = asked else {
            return Err(io::Error::other("there is no order on its standard input"));
        };
        crate::file_size::survive_a_file_size_limit()?;
        let cgroup = Cgroup::create(std::process::id());
        // Held open from now on: its user can give another folder its path.
        let temporary = household.temporary.as_ref().and_then(Temporary::again);
        let group = cgroup.as_ref().map(Cgroup::folder);
        let begin = note::Begin::of(&household, &mark, tiebreak, group);
        let note = match Note::begin(&begin) {
            Ok(note) => note,
            Err(why) => {
                line.say(&Event::Refused(why.clone()))?;
                return Err(io::Error::other(why));
            }
        };
        line.say(&Event::Keeping)?;
        Ok(Keeping {
            line,
            caught,
            household,
            mark,
            note,
            temporary,
            cgroup,
            kept: Vec::new(),
            running: None,
            logs: BTreeSet::new(),
            next_log_look: Instant::now(),
            killed: 0,
        })
    }

    fn serve(&mut self) {
        let orphaned = loop {
            match self.next() {
                Ok(Some(Request::Stop)) => break false,
                Ok(Some(Request::Measure { order, timeout })) => {
                    match self.measure(&order, timeout) {
                        Ok(event) => self.tell(&event),
                        Err(orphaned) => break orphaned,
                    }
                }
                Ok(Some(request)) => self.answer(request),
                Ok(None) => {}
                Err(orphaned) => break orphaned,
            }
        };
        let left = self.end_everything();
        let endings = self.kept.iter().filter_map(|kept| Some((kept.pid, kept.ended?))).collect();
        let secrets = &self.household.secrets;
        let wrong = self.logs.iter().filter_map(|log| bounded::finish(log, secrets).err());
        let log_troubles = wrong.collect();
        if let (true, Some(temporary)) = (orphaned, &self.temporary) {
            // What cannot be removed is left: there is nobody to tell.
            let _ = temporary.remove();
        }
        if let Some(cgroup) = &self.cgroup {
            cgroup.remove();
        }
        if left.is_empty() {
            self.note.remove();
        }
        // Nobody may be there to hear it.
        let farewell = Farewell { endings, killed: self.killed, left, log_troubles };
        let _ = self.line.say(&Event::Stopped(farewell));
    }

    /// The next request. An error is the end: true where tiebreak is gone,
    /// false where a signal asks us to stop.
    fn next(&mut self) -> Result<Option<Request>, bool> {
        if let Some(request) = self.line.buffered() {
            return request.map(Some).map_err(|_: Silence| true);
        }
        let mut until =
            self.running.as_ref().map_or(Instant::now() + LONG, |running| running.until);
        if !self.logs.is_empty() {
            until = until.min(Instant::now() + LOG_LOOK);
        }
        let [line, caught] = wait(&[self.line.fd(), self.caught.fd()], until);
        if caught && self.caught.asked_to_stop() {
            return Err(false);
        }
        self.reap();
        self.end_what_is_late();
        self.look_at_logs();
        if line {
            self.line.read().map_err(|_: Silence| true)?;
        }
        Ok(None)
    }

    fn answer(&mut self, request: Request) {
        let event = match request {
            Request::Start(order) => self.start(&order),
            Request::Run { order, timeout } => match self.run(&order, timeout) {
                Ok(()) => return,
                Err(why) => Event::Refused(why),
            },
            Request::Pin { pid, cores } => match pin::set(&cores) {
                Ok(set) => Event::Pinned(pin::pin_tree(pid, &set)),
                Err(why) => Event::Refused(why),
            },
            Request::Keep { .. } | Request::Stop | Request::Measure { .. } | Request::Cut => return,
        };
        self.tell(&event);
    }

    /// A failure shows at the next read: the socket is at its end.
    fn tell(&mut self, event: &Event) {
        let _ = self.line.say(event);
    }

    fn start(&mut self, order: &ProcessOrder) -> Event {
        let pid = match self.fork(order) {
            Ok(pid) => pid,
            Err(why) => return Event::Refused(why),
        };
        let (stop, grace, group) = (order.stop, order.grace, order.group);
        self.kept.push(Kept { pid, stop, grace, group, ended: None });
        let inside = self.cgroup.as_ref().filter(|cgroup| cgroup.holds(pid));
        Event::Started { pid, cgroup: inside.map(|cgroup| cgroup.folder().to_owned()) }
    }

    fn run(&mut self, order: &ProcessOrder, timeout: Duration) -> Result<(), String> {
        let pid = self.fork(order)?;
        let until = Instant::now() + timeout.min(LONG);
        self.running = Some(Running { pid, until, late: false });
        Ok(())
    }

    fn fork(&mut self, order: &ProcessOrder) -> Result<i32, String> {
        let cannot = |error: io::Error| format!("what is started cannot be noted: {error}");
        if !self.logs.contains(&order.log) {
            self.note.log(&order.log).map_err(cannot)?;
        }
        let temporary = self.temporary.as_ref().map(Temporary::path);
        let (mark, cgroup) = (self.mark.as_str(), self.cgroup.as_ref());
        let pid = child::start(order, Common { mark, cgroup, temporary })?;
        self.logs.insert(order.log.clone());
        // It has the mark; the note helps where it overwrites its environment.
        let _ = self.note.process(pid);
        Ok(pid)
    }

    /// Waits for every child that has ended, ours and those that fell to us.
    /// False when there are no children at all: then there are no descendants
    /// either, as orphans fall to us at once.
    pub(super) fn reap(&mut self) -> bool {
        loop {
            let mut status = 0;
            // SAFETY: writes one number.
            match unsafe { libc::waitpid(-1, &mut status, libc::WNOHANG) } {
                0 => return true,
                pid if pid > 0 => self.ended(pid, Ending::from_wait(status)),
                _ if io::Error::last_os_error().kind() == io::ErrorKind::Interrupted => {}
                _ => return false,
            }
        }
    }

    fn ended(&mut self, pid: i32, how: Ending) {
        let kept = self.kept.iter_mut().find(|kept| kept.pid == pid && kept.ended.is_none());
        if let Some(kept) = kept {
            kept.ended = Some(how);
            self.tell(&Event::Exited { pid, how });
        } else if let Some(running) = self.running.take_if(|running| running.pid == pid) {
            self.tell(&Event::Ran((!running.late).then_some(how)));
        }
    }

    /// A program that ran to its time limit is killed, with all below it.
    fn end_what_is_late(&mut self) {
        let Some(running) = &mut self.running else { return };
        if running.late || Instant::now() < running.until {
            return;
        }
        running.late = true;
        running.until = Instant::now() + LONG;
        let pid = running.pid;
        let all = tree::descendants(pid).into_iter().chain(tree::look(pid));
        for process in all {
            tree::signal(&process, libc::SIGKILL);
        }
    }

    /// Gives back the disk space that the middle of a long log takes.
    fn look_at_logs(&mut self) {
        if Instant::now() < self.next_log_look {
            return;
        }
        self.next_log_look = Instant::now() + LOG_LOOK;
        for log in &self.logs {
            bounded::free_middle(log, &self.household.secrets);
        }
    }

    /// Ends what was started, last first or all at once, then whatever is left below us.
    /// Returns what could not be ended.
    fn end_everything(&mut self) -> Vec<i32> {
        let mut longest = Duration::ZERO;
        if let Some(running) = &self.running {
            ask(running.pid, libc::SIGTERM, true);
        }
        let at_once = self.household.stops_at_once;
        if at_once {
            self.kept.iter().filter(|kept| kept.ended.is_none()).for_each(Kept::ask_to_stop);
        }
        let began = Instant::now();
        for at in (0..self.kept.len()).rev() {
            let (pid, grace) = (self.kept[at].pid, self.kept[at].grace);
            longest = longest.max(grace);
            if self.kept[at].ended.is_some() {
                continue;
            }
            let left = match at_once {
                true => grace.saturating_sub(began.elapsed()),
                false => {
                    self.kept[at].ask_to_stop();
                    grace
                }
            };
            self.wait_for(left, |keeping| keeping.kept[at].ended.is_some());
            if self.kept[at].ended.is_none() {
                self.killed += 1;
                ask(pid, libc::SIGKILL, false);
                self.wait_for(subreaper::KILLED, |keeping| keeping.kept[at].ended.is_some());
            }
        }
        self.end_the_rest(longest)
    }

    /// Children that outlived their parents, daemons: they are asked, too, and
    /// have as long as the slowest of the processes.
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

    /// Kills whatever runs below us; returns how many processes there were.
    pub(super) fn kill_the_rest(&mut self) -> u32 {
        let us = std::process::id() as i32;
        let until = Instant::now() + subreaper::KILLED;
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
            self.caught.wait(Instant::now() + Duration::from_millis(10));
        }
        u32::try_from(killed.len()).unwrap_or(u32::MAX)
    }

    /// Waits until it is done, or no child is left, or the time is over.
    fn wait_for(&mut self, at_most: Duration, done: impl Fn(&Keeping) -> bool) {
        let until = Instant::now() + at_most;
        while self.reap() && !done(self) && Instant::now() < until {
            self.caught.wait(until);
        }
    }
}

/// Sends a signal to a child that has not been waited for: its number cannot
/// have been given again, and it leads its process group.
pub(super) fn ask(pid: i32, signal: i32, group: bool) {
    // SAFETY: kill takes numbers.
    unsafe {
        libc::kill(pid, signal);
        if group {
            libc::kill(-pid, signal);
        }
    }
}

/// Takes the socket from standard input, and closes everything that a child
/// could inherit: what tiebreak had open is none of a target's business.
fn take_socket() -> io::Result<UnixStream> {
    let socket: OwnedFd = io::stdin().as_fd().try_clone_to_owned()?;
    let nothing = File::open("/dev/null")?;
    let keep = socket.as_raw_fd();
    // SAFETY: numbers only; nothing in this process has opened anything yet
    // but the two above, and the range leaves out the socket.
    unsafe {
        libc::dup2(nothing.as_raw_fd(), 0);
        if keep > 3 {
            close_range(3, keep as u32 - 1);
        }
        close_range(keep as u32 + 1, u32::MAX);
    }
    std::mem::forget(nothing);
    let socket = UnixStream::from(socket);
    // Nonsense where it is no socket, and then this says so.
    socket.peer_addr()?;
    Ok(socket)
}

/// Before Linux 5.9 what is open stays open; Rust opens everything to close at
/// exec, so that only matters for descriptors that tiebreak was given.
unsafe fn close_range(first: u32, last: u32) {
    // SAFETY: the caller vouches for the range.
    unsafe { libc::syscall(libc::SYS_close_range, first, last, 0) };
}
