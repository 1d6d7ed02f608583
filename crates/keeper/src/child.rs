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
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use sys::affinity::CpuSet;
use sys::child::ChildSetup;
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
    prepared.before(setup(order, common, cores)?);
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
    prepared.before(setup(order, common, cores)?);
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
        before.prepare(&mut self.command);
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

/// What the child does before it becomes the program. Everything is looked up here, before the fork.
fn setup(
    order: &ProcessOrder,
    common: Common<'_>,
    cores: Option<CpuSet>,
) -> Result<ChildSetup, StartError> {
    let user = order.user.as_deref().map(user_to_become).transpose()?.flatten();
    let users_directory = common.temporary.filter(|_| user.is_some());
    let enters = users_directory.filter(|directory| order.cwd.starts_with(directory));
    let enters = enters.map(|_| CString::new(order.cwd.as_os_str().as_bytes())).transpose()?;
    let group = common.cgroup.and_then(|group| group.open_procs().ok());
    Ok(ChildSetup { group, cores, user, enters, stop: order.stop })
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
