//! Starts one process: the part of a keeper between fork and exec.

use crate::cgroup::Cgroup;
use crate::measured::NotStarted;
use crate::pin::CoreError;
use crate::programs::FindError;
use crate::protocol::ProcessOrder;
use crate::user::{self, NoSuchUser, User};
use crate::{note, pin, programs};
use std::ffi::{CString, NulError};
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, PipeWriter};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use text::shown::shown;
use thiserror::Error;

/// Why a process was not started.
#[derive(Debug, Error)]
pub(super) enum StartError {
    /// The order is empty.
    #[error("there is no program to start")]
    NoProgram,
    /// The program was not found.
    #[error(transparent)]
    Program(#[from] FindError),
    /// It cannot be pinned to the cores of the order.
    #[error(transparent)]
    Cores(#[from] CoreError),
    /// The user of the order does not exist.
    #[error(transparent)]
    NoUser(#[from] NoSuchUser),
    /// The order names another user, and we are not root.
    #[error(
        "only root can start a process as the user `{}`: run tiebreak as root or as that user, or \
         remove `user`",
        shown(.0)
    )]
    OnlyRoot(String),
    /// Its log cannot be opened, or its descriptor cannot be duplicated.
    #[error("the log {} cannot be written: {source}", .log.display())]
    Log {
        /// The log.
        log: PathBuf,
        /// The answer of the system.
        source: io::Error,
    },
    /// The path of its directory contains a NUL byte.
    #[error("the working directory is not valid: {0}")]
    Directory(#[from] NulError),
    /// It cannot be recorded in the note of its keeper, so it could be left behind.
    #[error("the process to start cannot be recorded: {0}")]
    Note(#[source] io::Error),
    /// The system did not start it.
    #[error("{}", .0.why)]
    NotStarted(NotStarted),
}

impl From<StartError> for NotStarted {
    fn from(error: StartError) -> NotStarted {
        match error {
            StartError::NotStarted(not_started) => not_started,
            error => NotStarted { why: error.to_string(), errno: None },
        }
    }
}

/// A process that is ready to be started.
pub(super) struct Prepared<'a> {
    order: &'a ProcessOrder,
    command: Command,
}

/// What a keeper's processes have in common.
#[derive(Clone, Copy)]
pub(super) struct Common<'a> {
    /// The value of [`note::VARIABLE`] in their environment.
    pub(super) mark: &'a str,
    /// The group that they join.
    pub(super) cgroup: Option<&'a Cgroup>,
    /// Their temporary directory, in which another user may have put links.
    pub(super) temporary: Option<&'a Path>,
}

/// Starts a process in its own process group, and returns its number. It is a child of this process
/// that has not been waited for.
///
/// # Errors
/// If something that the order names is missing, or the system does not start it.
pub(super) fn start(order: &ProcessOrder, common: Common<'_>) -> Result<i32, StartError> {
    let mut prepared = Prepared::new(order, common.mark)?;
    let (log, error_log) =
        logs(order).map_err(|source| StartError::Log { log: order.log.clone(), source })?;
    prepared.command.stdout(log).stderr(error_log);
    let cores = match order.cores.as_slice() {
        [] => None,
        cores => Some(pin::set(cores)?),
    };
    prepared.before(ChildSetup::new(order, common, cores)?);
    prepared.start().map_err(StartError::NotStarted)
}

/// Prepares a program that is measured: it writes into these pipes, whose ends in this process are
/// closed when the result is dropped. It stays outside of the keeper's control group: moving it
/// there can take the kernel some milliseconds, which would be counted as the program's.
///
/// # Errors
/// If something that the order names is missing.
pub(super) fn prepare<'a>(
    order: &'a ProcessOrder,
    mark: &str,
    out: PipeWriter,
    err: PipeWriter,
) -> Result<Prepared<'a>, StartError> {
    let mut prepared = Prepared::new(order, mark)?;
    prepared.command.stdout(out).stderr(err);
    let cores = match order.cores.as_slice() {
        [] => None,
        // The caller has checked them; the keeper itself may have been moved to other cores since.
        cores => Some(pin::unchecked(cores)?),
    };
    let common = Common { mark, cgroup: None, temporary: None };
    prepared.before(ChildSetup::new(order, common, cores)?);
    Ok(prepared)
}

impl<'a> Prepared<'a> {
    fn new(order: &'a ProcessOrder, mark: &str) -> Result<Prepared<'a>, StartError> {
        let (first, arguments) = order.argv.split_first().ok_or(StartError::NoProgram)?;
        let path = order.env.iter().find(|(name, _)| name == "PATH").map_or("", |(_, path)| path);
        let mut command = Command::new(programs::find(first, path, &order.cwd)?);
        command.arg0(first).args(arguments).stdin(Stdio::null());
        command.env_clear().envs(order.env.iter().map(|(name, value)| (name, value)));
        command.env(note::VARIABLE, mark);
        Ok(Prepared { order, command })
    }

    fn before(&mut self, before: ChildSetup) {
        if before.enters.is_none() {
            self.command.current_dir(&self.order.cwd);
        }
        // SAFETY: `ChildSetup::exec` only makes system calls with memory that was allocated before
        // the fork.
        unsafe { self.command.pre_exec(move || before.exec()) };
    }

    /// # Errors
    /// If the system refuses, or the file is not a program.
    pub(super) fn start(&mut self) -> Result<i32, NotStarted> {
        match self.command.spawn() {
            // Dropping it neither waits nor kills: the keeper waits by number.
            Ok(child) => Ok(child.id() as i32),
            Err(error) => {
                let why = cannot(self.order, &self.order.argv[0], &error);
                Err(NotStarted { why, errno: error.raw_os_error() })
            }
        }
    }
}

/// The log of a process, for its two outputs.
fn logs(order: &ProcessOrder) -> io::Result<(File, File)> {
    // A log can contain what only its owner may read.
    let opened =
        crate::logs::open(&order.log, OpenOptions::new().append(true).create(true).mode(0o600))?;
    Ok((opened.try_clone()?, opened))
}

fn cannot(order: &ProcessOrder, program: &str, error: &io::Error) -> String {
    let program = shown(program);
    if !order.cwd.is_dir() {
        return format!(
            "the directory {}, in which `{program}` is to run, does not exist",
            order.cwd.display()
        );
    }
    let remedy = match (error.kind(), &order.user) {
        (ErrorKind::PermissionDenied, Some(user)) => {
            format!(": check that the user `{}` may read and execute it", shown(user))
        }
        (ErrorKind::NotFound, _) => {
            ": check that the interpreter in its first line exists".to_owned()
        }
        _ => String::new(),
    };
    format!("`{program}` cannot be started: {error}{remedy}")
}

/// What the child does before it becomes the program. Everything is looked up here, before the
/// fork, because a lookup could need a lock that another thread held.
struct ChildSetup {
    group: Option<File>,
    cores: Option<libc::cpu_set_t>,
    user: Option<User>,
    /// The directory to enter as that user, because root would follow its links.
    enters: Option<CString>,
    keeper: i32,
    stop: i32,
}

impl ChildSetup {
    fn new(
        order: &ProcessOrder,
        common: Common<'_>,
        cores: Option<libc::cpu_set_t>,
    ) -> Result<ChildSetup, StartError> {
        let user = order.user.as_deref().map(user_to_become).transpose()?.flatten();
        let users_directory = common.temporary.filter(|_| user.is_some());
        let enters = users_directory.filter(|directory| order.cwd.starts_with(directory));
        let enters = enters.map(|_| CString::new(order.cwd.as_os_str().as_bytes())).transpose()?;
        Ok(ChildSetup {
            group: common.cgroup.and_then(|group| group.open_procs().ok()),
            cores,
            user,
            enters,
            keeper: std::process::id() as i32,
            stop: order.stop,
        })
    }

    fn exec(&self) -> io::Result<()> {
        if let Some(group) = &self.group {
            // Staying outside the group is not an error: /proc is searched too.
            // SAFETY: one byte of a constant, and our own descriptor.
            unsafe { libc::write(group.as_raw_fd(), b"0".as_ptr().cast(), 1) };
        }
        if let Some(cores) = &self.cores {
            pin::pin(0, cores)?;
        }
        // SAFETY: system calls with numbers, and lists that outlive them.
        unsafe {
            let mut nothing: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&mut nothing);
            checked(libc::sigprocmask(libc::SIG_SETMASK, &nothing, std::ptr::null_mut()))?;
            checked(libc::setpgid(0, 0))?;
            if let Some(user) = &self.user {
                checked(libc::setgroups(user.groups.len(), user.groups.as_ptr()))?;
                checked(libc::setgid(user.gid))?;
                checked(libc::setuid(user.uid))?;
            }
            if let Some(directory) = &self.enters {
                checked(libc::chdir(directory.as_ptr()))?;
            }
            // This comes last, because a change of user resets it. If keeper and tiebreak are both
            // killed, the servers at least get their stop signal.
            checked(libc::prctl(libc::PR_SET_PDEATHSIG, self.stop, 0, 0, 0))?;
            if libc::getppid() != self.keeper {
                libc::_exit(1);
            }
        }
        Ok(())
    }
}

fn checked(result: libc::c_int) -> io::Result<()> {
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the user to become, or None if we already are that user.
fn user_to_become(name: &str) -> Result<Option<User>, StartError> {
    let user = user::find(name)?;
    match user::ours() {
        us if us == user.uid => Ok(None),
        0 => Ok(Some(user)),
        _ => Err(StartError::OnlyRoot(name.to_owned())),
    }
}
