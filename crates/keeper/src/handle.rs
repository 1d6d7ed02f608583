//! The end of a keeper that tiebreak holds.

use crate::ending::Ending;
use crate::logs::bounded;
use crate::measured::{Measured, NotStarted};
use crate::process::Identity;
use crate::protocol::{Event, Farewell, Household, Line, ProcessOrder, Request, Silence, wait};
use crate::{cgroup, keeping, note, subreaper, tree};
use std::collections::BTreeSet;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a keeper may take to answer what takes no time.
const ANSWER: Duration = Duration::from_secs(30);

/// How often a long wait asks whether it shall end.
const GLANCE: Duration = Duration::from_millis(50);

/// Grace for what falls to us when a keeper is killed and its own orders, with
/// their graces, are lost.
const FALLEN: Duration = Duration::from_secs(2);

/// A running keeper. Dropping it ends everything that it started.
pub struct Keeper {
    line: Line,
    child: Child,
    household: Household,
    /// Logs of everything started, to be cleaned if the keeper cannot.
    logs: BTreeSet<PathBuf>,
    cgroup: Option<PathBuf>,
    /// Ends of processes that were to run, in the order in which they came.
    exits: Vec<(i32, Ending)>,
    /// How long stopping may take: the sum of all graces.
    patience: Duration,
    /// The mark of all that the keeper starts, which names its note, too.
    mark: String,
    log_troubles: LogTroubles,
    over: bool,
}

/// Logs that could not be cleaned of secrets or shortened, and why, in sentences:
/// of all keepers that write them here.
#[derive(Clone, Default)]
pub struct LogTroubles(Arc<Mutex<Vec<String>>>);

impl LogTroubles {
    /// Takes what has come together.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, more: impl IntoIterator<Item = String>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend(more);
    }
}

/// Why a keeper did not do what it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// It cannot be done: a sentence that says why.
    Refused(String),
    /// The keeper is gone; what it started has been ended.
    Gone,
    /// The caller asked for the end.
    Stopped,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Trouble::Refused(why) => why,
            Trouble::Gone => "its keeper was killed, and it was ended with it",
            Trouble::Stopped => "stopped while it was waited for",
        })
    }
}

impl Keeper {
    /// Starts a keeper: this very program once more, with
    /// [`ARGUMENT`](super::ARGUMENT). From now on this process gets the
    /// orphans below it.
    ///
    /// # Errors
    /// When the system refuses a process or a socket, or this program does not
    /// call [`keep`](super::keep) for that argument.
    pub fn start(household: Household) -> Result<Keeper, Trouble> {
        let refused = |error: std::io::Error| {
            Trouble::Refused(format!("the keeper of a target cannot be started: {error}"))
        };
        let (ours, theirs) = UnixStream::pair().map_err(refused)?;
        let child = {
            let mut own = subreaper::own();
            own.note_strangers();
            subreaper::become_subreaper().map_err(refused)?;
            // Not the file's name: it may have been replaced since we started.
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
            line: Line::new(ours),
            child,
            household: household.clone(),
            mark: mark.clone(),
            log_troubles: LogTroubles::default(),
            logs: BTreeSet::new(),
            cgroup: None,
            exits: Vec::new(),
            patience: Duration::ZERO,
            over: false,
        };
        let tiebreak = Identity::of(std::process::id());
        match keeper.ask(&Request::Keep { household, mark, tiebreak })? {
            Event::Keeping => Ok(keeper),
            Event::Refused(why) => {
                keeper.bury();
                Err(refused(std::io::Error::other(why)))
            }
            _ => Err(keeper.give_up()),
        }
    }

    /// What is wrong with logs at the end is told here.
    pub fn tell_log_troubles(&mut self, to: &LogTroubles) {
        self.log_troubles = to.clone();
    }

    /// Starts a process that runs until it is stopped; gives its number. With
    /// several, the last one started is the first to be stopped.
    ///
    /// # Errors
    /// When it cannot be started, and why.
    pub fn launch(&mut self, order: &ProcessOrder) -> Result<i32, Trouble> {
        self.logs.insert(order.log.clone());
        self.patience += order.grace;
        match self.ask(&Request::Start(order.clone()))? {
            Event::Started { pid, cgroup } => {
                self.cgroup = cgroup;
                Ok(pid)
            }
            Event::Refused(why) => Err(Trouble::Refused(why)),
            _ => Err(self.give_up()),
        }
    }

    /// Runs a program to its end. `None`: it took longer than `timeout`, and
    /// was killed. `stopped` is asked meanwhile.
    ///
    /// # Errors
    /// When it cannot be started, or the caller asked for the end.
    pub fn run(
        &mut self,
        order: &ProcessOrder,
        timeout: Duration,
        stopped: &dyn Fn() -> bool,
    ) -> Result<Option<Ending>, Trouble> {
        self.logs.insert(order.log.clone());
        self.say(&Request::Run { order: order.clone(), timeout })?;
        loop {
            match self.hear(Instant::now() + GLANCE)? {
                Some(Event::Ran(how)) => return Ok(how),
                Some(Event::Refused(why)) => return Err(Trouble::Refused(why)),
                Some(_) => return Err(self.give_up()),
                None if stopped() => return Err(Trouble::Stopped),
                None => {}
            }
        }
    }

    /// Runs a program to its end, reads its output, and measures it; whatever it
    /// left running is killed. `cut` is a descriptor that becomes readable when
    /// the program is to be ended before. Nothing else may run under this
    /// keeper: it would be killed with what the program left.
    ///
    /// # Errors
    /// When the keeper is gone. A program that cannot be started is no error.
    pub fn measure(
        &mut self,
        order: &ProcessOrder,
        timeout: Duration,
        cut: RawFd,
    ) -> Result<Result<Measured, NotStarted>, Trouble> {
        self.say(&Request::Measure { order: order.clone(), timeout })?;
        // It may be killed, and what it left running, too.
        let until = Instant::now() + timeout + 2 * subreaper::KILLED + ANSWER;
        let mut cut = Some(cut);
        loop {
            match self.hear(Instant::now())? {
                Some(Event::Measured(measured)) => return Ok(Ok(measured)),
                Some(Event::NotStarted(refused)) => return Ok(Err(refused)),
                Some(_) => return Err(self.give_up()),
                None if Instant::now() >= until => return Err(self.give_up()),
                None => {}
            }
            // `poll` passes over -1.
            let [_, asked] = wait(&[self.line.fd(), cut.unwrap_or(-1)], until);
            if asked && cut.take().is_some() {
                self.say(&Request::Cut)?;
            }
        }
    }

    /// Pins every thread of the target, or only of one process and all below
    /// it, to these cores; returns how many there are.
    ///
    /// # Errors
    /// When a core is not among ours.
    pub fn pin(&mut self, pid: Option<i32>, cores: &[u32]) -> Result<u32, Trouble> {
        match self.ask(&Request::Pin { pid, cores: cores.to_vec() })? {
            Event::Pinned(threads) => Ok(threads),
            Event::Refused(why) => Err(Trouble::Refused(why)),
            _ => Err(self.give_up()),
        }
    }

    /// How processes ended that were to run, without waiting: number and end.
    ///
    /// # Errors
    /// When the keeper is gone.
    pub fn exits(&mut self) -> Result<&[(i32, Ending)], Trouble> {
        match self.hear(Instant::now())? {
            None => Ok(&self.exits),
            // Only ends come unasked, and `hear` keeps those.
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

    /// The control group (version 2) that holds the target alone, where there
    /// is one; its `cpu.stat` works without any controller.
    pub fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_deref()
    }

    /// Asks every process to stop, waits their graces, kills what is left, and
    /// ends the keeper.
    ///
    /// # Errors
    /// When the keeper was gone; what it started has been ended all the same.
    pub fn stop(mut self) -> Result<Farewell, Trouble> {
        self.finish()
    }

    fn finish(&mut self) -> Result<Farewell, Trouble> {
        if self.over {
            return Err(Trouble::Gone);
        }
        self.say(&Request::Stop)?;
        // What is left over has the longest grace once more, and then it is
        // killed; each process may be killed, too.
        let until = Instant::now() + 2 * self.patience + 3 * subreaper::KILLED + ANSWER;
        loop {
            match self.hear(until)? {
                Some(Event::Stopped(farewell)) => {
                    self.bury();
                    self.log_troubles.add(farewell.log_troubles.iter().cloned());
                    if !farewell.left.is_empty() {
                        end_fallen();
                    }
                    return Ok(farewell);
                }
                Some(_) => {}
                None => return Err(self.give_up()),
            }
        }
    }

    fn ask(&mut self, request: &Request) -> Result<Event, Trouble> {
        self.say(request)?;
        match self.hear(Instant::now() + ANSWER)? {
            Some(event) => Ok(event),
            None => Err(self.give_up()),
        }
    }

    fn say(&mut self, request: &Request) -> Result<(), Trouble> {
        self.line.say(request).map_err(|_| self.give_up())
    }

    /// The next message that is not the end of a process; none when the time
    /// is over.
    fn hear(&mut self, until: Instant) -> Result<Option<Event>, Trouble> {
        loop {
            match self.line.hear(until) {
                Ok(Event::Exited { pid, how }) => self.exits.push((pid, how)),
                Ok(event) => return Ok(Some(event)),
                Err(Silence::Late) => return Ok(None),
                Err(Silence::Gone) => return Err(self.give_up()),
            }
        }
    }

    /// The keeper is gone, or makes no sense: it is killed, and what it
    /// started falls to us and is ended.
    fn give_up(&mut self) -> Trouble {
        if !self.over {
            let _ = self.child.kill();
            // Before a parent can be waited for its children have new parents.
            self.bury();
            end_fallen();
            if let Some(folder) = self.cgroup.take() {
                cgroup::remove(&folder);
            }
            let secrets = &self.household.secrets;
            // One that is not there may never have been: nobody is left to ask.
            let logs = self.logs.iter().filter(|log| log.exists());
            let wrong = logs.filter_map(|log| bounded::finish(log, secrets).err());
            self.log_troubles.add(wrong);
            note::forget(&self.mark);
        }
        Trouble::Gone
    }

    fn bury(&mut self) {
        self.over = true;
        let _ = self.child.wait();
        subreaper::own().keepers.remove(&self.pid());
    }
}

fn end_fallen() {
    subreaper::end_what_fell_to_us(FALLEN);
}

impl AsFd for Keeper {
    /// Readable when a process of the target ended, or the keeper did.
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if !self.over {
            let _ = self.finish();
        }
    }
}
