//! The handle through which tiebreak controls a keeper.

use crate::ending::Ending;
use crate::logs::bounded;
use crate::measured::{Measured, NotStarted};
use crate::process::Identity;
use crate::protocol::{
    Channel, EndReport, Event, KeptOutput, LaunchOptions, ProcessOrder, ReceiveError, Request, wait,
};
use crate::{cgroup, keeping, note, subreaper, tree};
use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The longest time that a keeper may take to answer a request that takes no time itself.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(30);

/// How often a long wait checks whether it should end.
const STOP_CHECK_INTERVAL: Duration = Duration::from_millis(50);

/// Grace for processes that are reparented to us when a keeper is killed, because its orders with
/// their graces are lost.
const ORPHAN_GRACE: Duration = Duration::from_secs(2);

/// A running keeper. Dropping it ends everything that it started.
pub struct Keeper {
    channel: Channel,
    child: Child,
    launch_options: LaunchOptions,
    /// Logs of everything started, to be cleaned if the keeper cannot.
    logs: BTreeSet<PathBuf>,
    cgroup: Option<PathBuf>,
    /// Ends of long-running processes, in the order in which they were reported.
    exits: Vec<(i32, Ending)>,
    /// The longest time that stopping may take: the sum of all graces.
    graces: Duration,
    /// The mark of everything that the keeper starts, which is also the name of its note.
    mark: String,
    log_troubles: LogTroubles,
    ended: bool,
}

/// Collects sentences about logs that could not be cleaned of secrets or shortened. Several keepers
/// can share it.
#[derive(Clone, Default)]
pub struct LogTroubles(Arc<Mutex<Vec<String>>>);

impl LogTroubles {
    /// Takes the troubles collected so far.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, more: impl IntoIterator<Item = String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(more);
    }
}

/// Why a keeper did not fulfil a request.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    /// It cannot be done: a sentence that says why.
    #[error("{0}")]
    Refused(String),
    /// The keeper is gone; what it had started was ended.
    #[error("it was ended because its keeper was killed")]
    Killed,
    /// The caller requested the end.
    #[error("stopped while waiting for it")]
    Stopped,
}

impl Keeper {
    /// Starts a keeper: this program once more, with [`ARGUMENT`](super::ARGUMENT). From now on
    /// this process becomes the parent of orphans below it.
    ///
    /// # Errors
    /// If the system refuses a process or a socket, or this program does not call
    /// [`keep`](super::keep) for that argument.
    pub fn start(launch_options: LaunchOptions) -> Result<Keeper, Error> {
        let refused = |error: std::io::Error| {
            Error::Refused(format!("the keeper of a target cannot be started: {error}"))
        };
        let (ours, theirs) = UnixStream::pair().map_err(refused)?;
        let child = {
            let mut own = subreaper::own();
            own.note_existing_children();
            sys::process::become_subreaper().map_err(refused)?;
            // Targets must not get what we have open.
            sys::process::inherit_nothing().map_err(refused)?;
            // Not the file's name, because the file may have been replaced since we started.
            let child = Command::new("/proc/self/exe")
                .arg0("tiebreak")
                .arg(keeping::ARGUMENT)
                .stdin(OwnedFd::from(theirs))
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map_err(refused)?;
            own.keepers.insert(child.id() as i32);
            child
        };
        let mark = note::new_mark().map_err(refused)?;
        let mut keeper = Keeper {
            channel: Channel::new(ours),
            child,
            launch_options: launch_options.clone(),
            mark: mark.clone(),
            log_troubles: LogTroubles::default(),
            logs: BTreeSet::new(),
            cgroup: None,
            exits: Vec::new(),
            graces: Duration::ZERO,
            ended: false,
        };
        let tiebreak = Identity::of(std::process::id());
        match keeper.ask(&Request::Keep { launch_options, mark, tiebreak })? {
            Event::Keeping => Ok(keeper),
            Event::Refused(why) => {
                keeper.wait_for_keeper();
                Err(refused(std::io::Error::other(why)))
            }
            _ => Err(keeper.give_up()),
        }
    }

    /// Sets where troubles with logs are reported at the end.
    pub fn tell_log_troubles(&mut self, to: &LogTroubles) {
        self.log_troubles = to.clone();
    }

    /// Starts a process that runs until it is stopped; returns its number. Of several, the last one
    /// started is the first to be stopped.
    ///
    /// # Errors
    /// If it cannot be started. The error says why.
    pub fn launch(&mut self, order: &ProcessOrder) -> Result<i32, Error> {
        self.logs.insert(order.log.clone());
        self.graces += order.grace;
        match self.ask(&Request::Start(order.clone()))? {
            Event::Started { pid, cgroup } => {
                self.cgroup = cgroup;
                Ok(pid)
            }
            Event::Refused(why) => Err(Error::Refused(why)),
            _ => Err(self.give_up()),
        }
    }

    /// Runs a program to its end. Returns None if it took longer than `timeout` and was killed.
    /// `stopped` is checked meanwhile.
    ///
    /// # Errors
    /// If it cannot be started, or the caller requested the end.
    pub fn run(
        &mut self,
        order: &ProcessOrder,
        timeout: Duration,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Ending>, Error> {
        self.logs.insert(order.log.clone());
        self.send(&Request::Run { order: order.clone(), timeout })?;
        loop {
            match self.receive(Instant::now() + STOP_CHECK_INTERVAL)? {
                Some(Event::Ran(how)) => return Ok(how),
                Some(Event::Refused(why)) => return Err(Error::Refused(why)),
                Some(_) => return Err(self.give_up()),
                None if stopped() => return Err(Error::Stopped),
                None => {}
            }
        }
    }

    /// Runs a program to its end, reads its output, and measures it; processes that it left running
    /// are killed. `cut` is a descriptor that becomes readable when the program is to be ended
    /// early. Nothing else may run under this keeper: it would be killed with the program's
    /// leftovers. If `kept` is given, its standard output is also written into a file.
    ///
    /// # Errors
    /// If the keeper is gone. A program that cannot be started is not an error.
    pub fn measure(
        &mut self,
        order: &ProcessOrder,
        timeout: Duration,
        kept: Option<KeptOutput>,
        cut: RawFd,
    ) -> Result<Result<Measured, NotStarted>, Error> {
        self.send(&Request::Measure { order: order.clone(), timeout, kept })?;
        // Both the program and the processes that it left running may have to be killed.
        let until = Instant::now() + timeout + 2 * subreaper::KILL_TIMEOUT + ANSWER_TIMEOUT;
        let mut cut = Some(cut);
        loop {
            match self.receive(Instant::now())? {
                Some(Event::Measured(measured)) => return Ok(Ok(measured)),
                Some(Event::NotStarted(refused)) => return Ok(Err(refused)),
                Some(_) => return Err(self.give_up()),
                None if Instant::now() >= until => return Err(self.give_up()),
                None => {}
            }
            // `poll` ignores -1.
            let [_, cut_requested] = wait(&[self.channel.fd(), cut.unwrap_or(-1)], until);
            if cut_requested && cut.take().is_some() {
                self.send(&Request::Cut)?;
            }
        }
    }

    /// Pins every thread of the target, or only those of one process and all below it, to these
    /// cores; returns the number of threads.
    ///
    /// # Errors
    /// If a core is not among those that we may use.
    pub fn pin(&mut self, pid: Option<i32>, cores: &[u32]) -> Result<u32, Error> {
        match self.ask(&Request::Pin { pid, cores: cores.to_vec() })? {
            Event::Pinned(threads) => Ok(threads),
            Event::Refused(why) => Err(Error::Refused(why)),
            _ => Err(self.give_up()),
        }
    }

    /// The long-running processes that ended so far, without waiting: number and end.
    ///
    /// # Errors
    /// If the keeper is gone.
    pub fn exits(&mut self) -> Result<&[(i32, Ending)], Error> {
        match self.receive(Instant::now())? {
            None => Ok(&self.exits),
            // Only `Exited` is sent without a request, and `receive` stores it.
            Some(_) => Err(self.give_up()),
        }
    }

    /// The number of the keeper: everything below it is the target.
    pub fn pid(&self) -> i32 {
        self.child.id() as i32
    }

    /// The numbers of all processes of the target, parents first.
    pub fn processes(&self) -> Vec<i32> {
        let below = tree::descendants(self.pid()).into_iter();
        below.filter(|process| !process.zombie).map(|process| process.pid).collect()
    }

    /// The control group (version 2) that contains the target alone, if there is one; its
    /// `cpu.stat` works without any controller.
    pub fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_deref()
    }

    /// Asks every process to stop, waits for their graces, kills what is left, and ends the keeper.
    ///
    /// # Errors
    /// If the keeper was gone; what it had started was ended all the same.
    pub fn stop(mut self) -> Result<EndReport, Error> {
        self.finish()
    }

    fn finish(&mut self) -> Result<EndReport, Error> {
        if self.ended {
            return Err(Error::Killed);
        }
        self.send(&Request::Stop)?;
        // The remaining processes get the longest grace once more before they are killed, and each
        // process before them may have to be killed, too.
        let until = Instant::now() + 2 * self.graces + 3 * subreaper::KILL_TIMEOUT + ANSWER_TIMEOUT;
        loop {
            match self.receive(until)? {
                Some(Event::Stopped(farewell)) => {
                    self.wait_for_keeper();
                    self.log_troubles.add(farewell.log_troubles.iter().cloned());
                    if !farewell.left.is_empty() {
                        end_orphans();
                    }
                    return Ok(farewell);
                }
                Some(_) => {}
                None => return Err(self.give_up()),
            }
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Event, Error> {
        self.send(request)?;
        match self.receive(Instant::now() + ANSWER_TIMEOUT)? {
            Some(event) => Ok(event),
            None => Err(self.give_up()),
        }
    }

    fn send(&mut self, request: &Request) -> Result<(), Error> {
        self.channel.send(request).map_err(|_| self.give_up())
    }

    /// Receives the next message that is not the end of a process. Returns None if none arrives by
    /// `until`.
    fn receive(&mut self, until: Instant) -> Result<Option<Event>, Error> {
        loop {
            match self.channel.receive(until) {
                Ok(Event::Exited { pid, how }) => self.exits.push((pid, how)),
                Ok(event) => return Ok(Some(event)),
                Err(ReceiveError::TimedOut) => return Ok(None),
                Err(ReceiveError::Closed) => return Err(self.give_up()),
            }
        }
    }

    /// Handles a keeper that is gone or sends an invalid message: kills it, and ends what it
    /// started, which is reparented to us.
    fn give_up(&mut self) -> Error {
        if !self.ended {
            let _ = self.child.kill();
            // Its children have new parents before it can be waited for.
            self.wait_for_keeper();
            end_orphans();
            if let Some(directory) = self.cgroup.take() {
                cgroup::remove(&directory);
            }
            let secrets = &self.launch_options.secrets;
            // A log that does not exist may never have existed, and there is nobody to ask.
            let logs = self.logs.iter().filter(|log| log.exists());
            let wrong = logs.filter_map(|log| bounded::finish(log, secrets).err());
            self.log_troubles.add(wrong.map(|error| error.to_string()));
            note::forget(&self.mark);
        }
        Error::Killed
    }

    fn wait_for_keeper(&mut self) {
        self.ended = true;
        let _ = self.child.wait();
        subreaper::own().keepers.remove(&self.pid());
    }
}

fn end_orphans() {
    subreaper::end_orphans(ORPHAN_GRACE);
}

impl AsFd for Keeper {
    /// Readable when a process of the target, or the keeper, ended.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.channel.as_fd()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if !self.ended {
            let _ = self.finish();
        }
    }
}
