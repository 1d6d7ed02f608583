//! The interface to epoll.
#![expect(clippy::disallowed_methods, reason = "this is the file that waits")]

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

/// Maximum number of events taken in one call.
const BATCH: usize = 512;

/// One lane's poller. Each lane has a separate one, so that a resting lane's events do not cost
/// another lane's slice anything.
pub(super) struct Poll {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
    /// How many events are taken in one call at most.
    most: usize,
    /// How many events the last wait returned, and how many of them were handed out.
    got: usize,
    given: usize,
}

/// What happened to a socket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    /// The key that it was added with.
    pub(super) key: u64,
    /// Data, the peer's end or an error can be read.
    pub(super) readable: bool,
    /// There is room to write, or a connect has finished.
    pub(super) writable: bool,
    /// The peer has closed its side: read to the end even after a short read.
    pub(super) ended: bool,
}

impl Ready {
    /// An event for a socket with more to read than was read after its last event.
    pub(super) fn unread(key: u64) -> Ready {
        Ready { key, readable: true, writable: false, ended: false }
    }
}

impl Poll {
    pub(super) fn new() -> io::Result<Poll> {
        // SAFETY: no pointers; a result other than -1 is a descriptor that we own.
        let epoll = match unsafe { libc::epoll_create1(libc::EPOLL_CLOEXEC) } {
            -1 => return Err(io::Error::last_os_error()),
            fd => unsafe { OwnedFd::from_raw_fd(fd) },
        };
        let events = vec![libc::epoll_event { events: 0, u64: 0 }; BATCH];
        Ok(Poll { epoll, events, most: BATCH, got: 0, given: 0 })
    }

    /// Limits how many events are taken at once.
    pub(super) fn take_at_most(&mut self, events: usize) {
        self.most = events.clamp(1, BATCH);
    }

    /// Returns a descriptor that is readable when there are events.
    pub(super) fn fd(&self) -> RawFd {
        self.epoll.as_raw_fd()
    }

    /// Watches a socket for all events, edge-triggered, until it is closed. It is never
    /// re-armed, so a request costs no `epoll_ctl`.
    pub(super) fn add(&self, fd: RawFd, key: u64) -> io::Result<()> {
        let all = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        self.control(fd, all as u32, key)
    }

    /// Watches a descriptor until it becomes readable, level-triggered.
    pub(super) fn add_level(&self, fd: RawFd, key: u64) -> io::Result<()> {
        self.control(fd, libc::EPOLLIN as u32, key)
    }

    fn control(&self, fd: RawFd, events: u32, key: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events, u64: key };
        // SAFETY: both descriptors are open, `event` is valid for the call.
        let done =
            unsafe { libc::epoll_ctl(self.epoll.as_raw_fd(), libc::EPOLL_CTL_ADD, fd, &mut event) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Waits for events for at most `wait_ns`; 0 polls without waiting. [`Poll::next`] hands
    /// them out; events that were not handed out are lost at the next wait.
    pub(super) fn wait(&mut self, wait_ns: u64) -> io::Result<()> {
        let wait = libc::timespec {
            tv_sec: (wait_ns / 1_000_000_000) as i64,
            tv_nsec: (wait_ns % 1_000_000_000) as libc::c_long,
        };
        // Called by its number because musl has no function for it.
        let result = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                self.most as libc::c_int,
                &raw const wait,
                std::ptr::null::<libc::sigset_t>(),
                0_usize,
            )
        };
        self.given = 0;
        self.got = match result {
            -1 => {
                let error = io::Error::last_os_error();
                if error.raw_os_error() == Some(libc::ENOSYS) {
                    self.got = self.wait_in_two_calls(&wait)?;
                    return Ok(());
                }
                if error.kind() != io::ErrorKind::Interrupted {
                    return Err(error);
                }
                0
            }
            result => result as usize,
        };
        Ok(())
    }

    /// Waits as [`Poll::wait`] does where `epoll_pwait2` is missing, as in the emulation of
    /// another processor by qemu. `epoll_wait` alone knows milliseconds only.
    #[cold]
    fn wait_in_two_calls(&mut self, wait: &libc::timespec) -> io::Result<usize> {
        let epoll = self.epoll.as_raw_fd();
        let mut readable = libc::pollfd { fd: epoll, events: libc::POLLIN, revents: 0 };
        let most = self.most as libc::c_int;
        // SAFETY: the descriptor is open, `readable` and `wait` outlive the call, and `events`
        // has room for `most` events.
        let found = unsafe {
            match libc::ppoll(&mut readable, 1, wait, std::ptr::null()) {
                1.. => libc::epoll_wait(epoll, self.events.as_mut_ptr(), most, 0),
                other => other,
            }
        };
        match usize::try_from(found) {
            Ok(found) => Ok(found),
            Err(_) => match io::Error::last_os_error() {
                error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
                error => Err(error),
            },
        }
    }

    /// Returns true if events of the last wait were not handed out yet.
    #[inline]
    pub(super) fn has_more(&self) -> bool {
        self.given < self.got
    }

    /// Returns the next event of the last wait.
    #[inline]
    pub(super) fn next(&mut self) -> Option<Ready> {
        if !self.has_more() {
            return None;
        }
        let event = self.events[self.given];
        self.given += 1;
        let events = event.events as i32;
        let ended = events & (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) != 0;
        Some(Ready {
            key: event.u64,
            readable: ended || events & libc::EPOLLIN != 0,
            writable: ended || events & libc::EPOLLOUT != 0,
            ended,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixStream;

    #[test]
    fn two_calls_find_the_events_that_one_finds() {
        let mut poll = Poll::new().expect("a poll");
        let (near, far) = UnixStream::pair().expect("a pair");
        poll.add_level(near.as_raw_fd(), 7).expect("added");
        let short = libc::timespec { tv_sec: 0, tv_nsec: 1000 };
        assert_eq!(poll.wait_in_two_calls(&short).expect("nothing"), 0);
        std::io::Write::write_all(&mut &far, b"x").expect("written");
        assert_eq!(poll.wait_in_two_calls(&short).expect("an event"), 1);
        poll.wait(1000).expect("the same event");
        assert_eq!(poll.next().map(|ready| ready.key), Some(7));
    }
}
