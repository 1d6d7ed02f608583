//! Other processes: their end, and signals to them.

use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, kill_process, kill_process_group, pidfd_open,
    pidfd_send_signal, wait, waitpid,
};
use std::io;
use std::os::fd::{AsFd, OwnedFd};

pub use rustix::process::setsid;
pub use rustix::stdio::dup2_stdin;

/// What a process and the children that it waited for have used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in user mode, in nanoseconds.
    pub user_ns: u64,
    /// CPU time in the kernel, in nanoseconds.
    pub system_ns: u64,
    /// The largest resident set, in bytes.
    pub peak_bytes: u64,
}

/// The number of the user of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Makes this process the parent of orphans below it.
///
/// # Errors
/// When the kernel refuses.
pub fn become_subreaper() -> io::Result<()> {
    // Any number but 0 means yes.
    Ok(rustix::process::set_child_subreaper(Pid::from_raw(1))?)
}

/// Sends a signal to a process, or with `group` to the process group that it leads.
///
/// # Errors
/// If there is no such process, or it belongs to another user.
pub fn kill(pid: i32, signal: i32, group: bool) -> io::Result<()> {
    let (pid, signal) = (number(pid)?, named(signal)?);
    let sent = if group { kill_process_group(pid, signal) } else { kill_process(pid, signal) };
    Ok(sent?)
}

/// A descriptor of the process, which stays valid if its number is reused.
///
/// # Errors
/// If it is gone, or the kernel is older than 5.3.
pub fn pidfd(pid: i32) -> io::Result<OwnedFd> {
    Ok(pidfd_open(number(pid)?, PidfdFlags::empty())?)
}

/// Sends a signal to the process of a descriptor.
///
/// # Errors
/// If it has ended, or belongs to another user.
pub fn send_signal(process: impl AsFd, signal: i32) -> io::Result<()> {
    Ok(pidfd_send_signal(process, named(signal)?)?)
}

/// Collects the status of a child that has ended, or with None of any child: its number, and the status
/// in the form of wait(2). Returns None if there is a child and none has ended.
///
/// # Errors
/// If there is no such child.
pub fn collect(pid: Option<i32>) -> io::Result<Option<(i32, i32)>> {
    let ended = match pid {
        Some(pid) => waitpid(Some(number(pid)?), WaitOptions::NOHANG)?,
        None => wait(WaitOptions::NOHANG)?,
    };
    Ok(ended.map(|(pid, status)| (pid.as_raw_nonzero().get(), status.as_raw())))
}

/// Collects the status of a child that has ended, and what it used. Returns None if it has not ended.
pub fn collect_usage(pid: i32) -> Option<(i32, Usage)> {
    let (mut status, pid) = (0, number(pid).ok()?.as_raw_nonzero().get());
    // SAFETY: an all-zero rusage is valid; both are written by the call.
    let (ended, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(pid, &mut status, libc::WNOHANG, &mut usage), usage)
    };
    let ns = |time: libc::timeval| time.tv_sec as u64 * 1_000_000_000 + time.tv_usec as u64 * 1000;
    let usage = Usage {
        user_ns: ns(usage.ru_utime),
        system_ns: ns(usage.ru_stime),
        // In KiB.
        peak_bytes: usage.ru_maxrss as u64 * 1024,
    };
    (ended == pid).then_some((status, usage))
}

/// Lets no program that is started from now on inherit a descriptor other than the first three. Rust
/// opens everything so; this matters for descriptors that this process inherited itself.
///
/// # Errors
/// If the descriptors cannot be listed.
pub fn inherit_nothing() -> io::Result<()> {
    const FIRST: libc::c_uint = 3;
    // SAFETY: only passes numbers; it closes nothing in this process.
    let set = unsafe {
        libc::syscall(libc::SYS_close_range, FIRST, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    if set == 0 {
        return Ok(());
    }
    // Before Linux 5.11.
    for entry in std::fs::read_dir("/proc/self/fd")? {
        let fd = entry?.file_name().to_str().and_then(|name| name.parse::<libc::c_int>().ok());
        if let Some(fd) = fd.filter(|fd| *fd >= FIRST as libc::c_int) {
            // SAFETY: only passes numbers. It has no effect if the descriptor was closed meanwhile.
            unsafe { libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
    }
    Ok(())
}

fn number(pid: i32) -> io::Result<Pid> {
    let pid = if pid > 0 { Pid::from_raw(pid) } else { None };
    pid.ok_or_else(|| io::Error::from_raw_os_error(libc::ESRCH))
}

fn named(signal: i32) -> io::Result<Signal> {
    Signal::from_named_raw(signal).ok_or_else(|| io::Error::from_raw_os_error(libc::EINVAL))
}
