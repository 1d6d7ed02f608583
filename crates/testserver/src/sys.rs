//! The system calls that the standard library does not offer. All `unsafe` of
//! the test server is here.
#![allow(unsafe_code)]

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::ptr::{null, null_mut};

/// Events taken at once. They are few, so that a reply that becomes due meanwhile is not much
/// delayed.
const EVENTS: usize = 64;

/// The listen backlog: as many connections as the server can accept.
const BACKLOG: libc::c_int = 4096;

const NO_EVENT: libc::epoll_event = libc::epoll_event { events: 0, u64: 0 };

/// Nanoseconds of CLOCK_MONOTONIC: comparable between processes, which
/// `Instant` is not.
pub(super) fn now_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC)
}

/// CPU time of this thread in nanoseconds.
pub(super) fn thread_cpu_ns() -> u64 {
    read(libc::CLOCK_THREAD_CPUTIME_ID)
}

fn read(clock: libc::clockid_t) -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for writing. The call cannot fail for the two
    // clocks above.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// How long to wait for events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wait {
    /// Do not wait.
    No,
    /// Until this time of [`now_ns`].
    Until(u64),
    /// Until there is one.
    Forever,
}

/// What happened to a descriptor.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub(super) token: u64,
    pub(super) readable: bool,
    pub(super) writable: bool,
    /// The peer will send no more: the data must be read to its end, since no further edge will
    /// come.
    pub(super) hung_up: bool,
}

/// An epoll instance; everything is registered once, edge-triggered, for both
/// directions.
pub(super) struct Poll {
    epoll: OwnedFd,
    events: [libc::epoll_event; EVENTS],
    found: usize,
}

impl Poll {
    pub(super) fn new() -> io::Result<Self> {
        // SAFETY: no pointers; the result is checked and then owned by nobody else.
        let epoll = unsafe {
            let fd = checked(libc::epoll_create1(libc::EPOLL_CLOEXEC))?;
            OwnedFd::from_raw_fd(fd)
        };
        Ok(Poll { epoll, events: [NO_EVENT; EVENTS], found: 0 })
    }

    /// Registers a descriptor; closing it removes it.
    pub(super) fn add(&self, fd: BorrowedFd<'_>, token: u64) -> io::Result<()> {
        let interest = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        let mut event = libc::epoll_event { events: interest as u32, u64: token };
        let (epoll, fd) = (self.epoll.as_raw_fd(), fd.as_raw_fd());
        // SAFETY: both descriptors are open and `event` is valid for reading.
        checked(unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &raw mut event) })?;
        Ok(())
    }

    /// Waits for events. A signal ends the wait without any.
    pub(super) fn wait(&mut self, wait: Wait) -> io::Result<()> {
        let time = match wait {
            Wait::Forever => None,
            Wait::No => Some(relative(0)),
            Wait::Until(at) => Some(relative(at.saturating_sub(now_ns()))),
        };
        // `epoll_wait` knows milliseconds only. The call is made by its number, because not every C
        // library has a function for it. It requires Linux 5.11.
        // SAFETY: the descriptor is open, `events` has room for EVENTS entries,
        // and `time`, where given, outlives the call.
        let found = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                EVENTS as libc::c_int,
                time.as_ref().map_or(null(), |time| &raw const *time),
                null::<libc::sigset_t>(),
                0usize,
            )
        };
        if found == -1 {
            let error = io::Error::last_os_error();
            let is_missing = error.raw_os_error() == Some(libc::ENOSYS);
            self.found = 0;
            return if is_missing {
                self.wait_in_two_calls(time)
            } else {
                interrupted_is_fine(error)
            };
        }
        self.found = usize::try_from(found).unwrap_or(0);
        Ok(())
    }

    /// Waits where `epoll_pwait2` is missing, as in the emulation of another processor by qemu.
    #[cold]
    fn wait_in_two_calls(&mut self, time: Option<KernelTimespec>) -> io::Result<()> {
        let epoll = self.epoll.as_raw_fd();
        let mut readable = libc::pollfd { fd: epoll, events: libc::POLLIN, revents: 0 };
        let time =
            time.map(|at| libc::timespec { tv_sec: at.seconds as _, tv_nsec: at.nanoseconds as _ });
        let time = time.as_ref().map_or(null(), |time| &raw const *time);
        // SAFETY: the descriptor is open, `readable` and `time`, where given, outlive the call,
        // and `events` has room for EVENTS entries.
        let found = unsafe {
            match libc::ppoll(&mut readable, 1, time, null()) {
                1.. => libc::epoll_wait(epoll, self.events.as_mut_ptr(), EVENTS as libc::c_int, 0),
                other => other,
            }
        };
        match usize::try_from(found) {
            Ok(found) => self.found = found,
            Err(_) => return interrupted_is_fine(io::Error::last_os_error()),
        }
        Ok(())
    }

    /// How many events the last wait found.
    pub(super) fn found(&self) -> usize {
        self.found
    }

    /// One of the events that the last wait found.
    pub(super) fn ready(&self, at: usize) -> Ready {
        let libc::epoll_event { events, u64: token } = self.events[..self.found][at];
        let has = |flags: libc::c_int| events & flags as u32 != 0;
        let hung_up = has(libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR);
        Ready {
            token,
            readable: hung_up || has(libc::EPOLLIN),
            writable: hung_up || has(libc::EPOLLOUT),
            hung_up,
        }
    }
}

/// The kernel's time structure on every architecture.
#[repr(C)]
struct KernelTimespec {
    seconds: i64,
    nanoseconds: i64,
}

fn relative(ns: u64) -> KernelTimespec {
    let seconds = (ns / 1_000_000_000) as i64;
    KernelTimespec { seconds, nanoseconds: (ns % 1_000_000_000) as i64 }
}

fn checked(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

fn interrupted_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == io::ErrorKind::Interrupted { Ok(()) } else { Err(error) }
}

/// Sleeps until `at`. Returns true if `fd` became readable or was hung up before.
pub(super) fn sleep_until(at: u64, fd: BorrowedFd<'_>) -> io::Result<bool> {
    let mut polled = libc::pollfd { fd: fd.as_raw_fd(), events: libc::POLLIN, revents: 0 };
    loop {
        let left = at.saturating_sub(now_ns());
        let time = libc::timespec {
            tv_sec: (left / 1_000_000_000) as i64,
            tv_nsec: (left % 1_000_000_000) as libc::c_long,
        };
        // SAFETY: one pollfd, valid for writing; `time` outlives the call.
        match checked(unsafe { libc::ppoll(&raw mut polled, 1, &raw const time, null()) }) {
            Ok(found) => return Ok(found > 0),
            Err(error) => interrupted_is_fine(error)?,
        }
    }
}

/// Makes the calling thread wake at the requested time (the default is up to 50 µs later) and, if
/// requested, keeps it on one core.
pub(super) fn prepare_thread(core: Option<u32>) -> io::Result<()> {
    // SAFETY: no pointers.
    checked(unsafe { libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong) })?;
    let Some(core) = core.map(|core| core as usize) else { return Ok(()) };
    if core >= libc::CPU_SETSIZE as usize {
        return Err(io::Error::from_raw_os_error(libc::EINVAL));
    }
    // SAFETY: a cpu_set_t is plain bits, and `core` is below its size.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        checked(libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &raw const set))?;
    }
    Ok(())
}

/// Lets the kernel keep as many waiting connections as the server can take; the standard library
/// uses 128.
pub(super) fn widen_backlog(listener: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: no pointers; `listen` on a listening socket changes its backlog.
    checked(unsafe { libc::listen(listener.as_raw_fd(), BACKLOG) })?;
    Ok(())
}

/// Makes closing this socket send a reset.
pub(super) fn reset_on_close(socket: BorrowedFd<'_>) -> io::Result<()> {
    let linger = libc::linger { l_onoff: 1, l_linger: 0 };
    let (level, option) = (libc::SOL_SOCKET, libc::SO_LINGER);
    let length = size_of::<libc::linger>() as libc::socklen_t;
    // SAFETY: `linger` is valid for reading and of the length given.
    checked(unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const linger).cast(), length)
    })?;
    Ok(())
}

/// Raises the soft limit of descriptors to the hard one.
pub fn raise_descriptor_limit() -> io::Result<()> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: `limit` is valid for writing, and then for reading.
    unsafe {
        checked(libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit))?;
        limit.rlim_cur = limit.rlim_max;
        checked(libc::setrlimit(libc::RLIMIT_NOFILE, &raw const limit))?;
    }
    Ok(())
}

/// SIGINT and SIGTERM, blocked in this thread and all that it starts, and waited for instead of
/// handled.
pub struct StopSignals(libc::sigset_t);

impl StopSignals {
    /// Must be called before any thread is started.
    pub fn block() -> io::Result<Self> {
        // SAFETY: the set is initialised by `sigemptyset` before it is used.
        unsafe {
            let mut set: libc::sigset_t = std::mem::zeroed();
            checked(libc::sigemptyset(&raw mut set))?;
            checked(libc::sigaddset(&raw mut set, libc::SIGINT))?;
            checked(libc::sigaddset(&raw mut set, libc::SIGTERM))?;
            match libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, null_mut()) {
                0 => Ok(StopSignals(set)),
                error => Err(io::Error::from_raw_os_error(error)),
            }
        }
    }

    /// Returns when one of them was sent.
    pub fn wait(&self) {
        let mut which = 0;
        // SAFETY: the set is initialised and `which` valid for writing. The
        // call fails only for an invalid set.
        unsafe { libc::sigwait(&raw const self.0, &raw mut which) };
    }
}
