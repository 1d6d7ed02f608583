//! What a child does between fork and exec.

use crate::affinity::{self, CpuSet};
use crate::checked;
use crate::user::User;
use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// What the child does before it becomes the program, in this order. Everything is looked up before the
/// fork, because a lookup could need a lock that another thread held.
pub struct ChildSetup {
    /// `cgroup.procs` of the group that it joins.
    pub group: Option<File>,
    /// The cores that it stays on.
    pub cores: Option<CpuSet>,
    /// The user that it becomes.
    pub user: Option<User>,
    /// The directory to enter as that user, because root would follow its links.
    pub enters: Option<CString>,
    /// The signal that it gets when its parent ends.
    pub stop: i32,
}

impl ChildSetup {
    /// Has the command do this when it is started by this process. No signal is blocked in the child, and
    /// it leads a new process group.
    pub fn prepare(self, command: &mut Command) {
        let parent = std::process::id() as i32;
        // SAFETY: `exec` only makes system calls with memory that was allocated before the fork.
        unsafe { command.pre_exec(move || self.exec(parent)) };
    }

    fn exec(&self, parent: i32) -> io::Result<()> {
        if let Some(group) = &self.group {
            // Staying outside the group is not an error: /proc is searched too.
            // SAFETY: one byte of a constant, and our own descriptor.
            unsafe { libc::write(group.as_raw_fd(), b"0".as_ptr().cast(), 1) };
        }
        if let Some(cores) = &self.cores {
            affinity::pin(0, cores)?;
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
            if libc::getppid() != parent {
                libc::_exit(1);
            }
        }
        Ok(())
    }
}
