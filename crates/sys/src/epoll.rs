//! The interface to epoll.
#![expect(clippy::disallowed_methods, reason = "this is the file that waits")]

use crate::{checked, poll, timespec};
use std::io;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::ptr::null;

/// An epoll instance.
pub struct Epoll {
    epoll: OwnedFd,
    events: Vec<libc::epoll_event>,
    /// How many events are taken in one call at most.
    most: usize,
    /// How many events the last wait returned, and how many of them were handed out.
    got: usize,
    given: usize,
}

/// What happened to a descriptor.
#[derive(Clone, Copy, Debug)]
pub struct ReadyEvent {
    /// The key that it was added with.
    pub key: u64,
    /// Data, the peer's end or an error can be read.
    pub readable: bool,
    /// There is room to write, or a connect has finished.
    pub writable: bool,
    /// The peer has closed its side: read to the end even after a short read, since no further edge
    /// will come.
    pub ended: bool,
}

impl ReadyEvent {
    /// An event for a socket with more to read than was read after its last event.
    pub fn unread(key: u64) -> ReadyEvent {
        ReadyEvent { key, readable: true, writable: false, ended: false }
    }
}

impl Epoll {
    /// Creates one that takes at most this many events in one call.
    ///
    /// # Errors
    /// Returns an error if no file descriptor is left.
    pub fn new(batch: usize) -> io::Result<Epoll> {
        // SAFETY: no pointers; a result other than -1 is a descriptor that we own.
        let epoll = unsafe {
            let fd = checked(libc::epoll_create1(libc::EPOLL_CLOEXEC))?;
            OwnedFd::from_raw_fd(fd)
        };
        let events = vec![libc::epoll_event { events: 0, u64: 0 }; batch];
        Ok(Epoll { epoll, events, most: batch, got: 0, given: 0 })
    }

    /// Limits how many events are taken at once.
    pub fn take_at_most(&mut self, events: usize) {
        self.most = events.clamp(1, self.events.len());
    }

    /// Returns a descriptor that is readable when there are events.
    pub fn fd(&self) -> RawFd {
        self.epoll.as_raw_fd()
    }

    /// Watches a socket for all events, edge-triggered, until it is closed. It is never
    /// re-armed, so a request costs no `epoll_ctl`.
    ///
    /// # Errors
    /// If the system has no memory for it.
    pub fn add(&self, fd: impl AsFd, key: u64) -> io::Result<()> {
        let all = libc::EPOLLIN | libc::EPOLLOUT | libc::EPOLLRDHUP | libc::EPOLLET;
        self.control(fd, all, key)
    }

    /// Watches a descriptor until it becomes readable, level-triggered.
    ///
    /// # Errors
    /// If the system has no memory for it.
    pub fn add_level(&self, fd: impl AsFd, key: u64) -> io::Result<()> {
        self.control(fd, libc::EPOLLIN, key)
    }

    fn control(&self, fd: impl AsFd, events: libc::c_int, key: u64) -> io::Result<()> {
        let mut event = libc::epoll_event { events: events as u32, u64: key };
        let (epoll, fd) = (self.epoll.as_raw_fd(), fd.as_fd().as_raw_fd());
        // SAFETY: both descriptors are open, `event` is valid for the call.
        checked(unsafe { libc::epoll_ctl(epoll, libc::EPOLL_CTL_ADD, fd, &mut event) }).map(drop)
    }

    /// Waits for events for at most `wait_ns`; 0 polls without waiting, and None waits without a
    /// limit. [`Epoll::next`] hands them out; events that were not handed out are lost at the next wait.
    /// A signal ends the wait without any.
    ///
    /// # Errors
    /// If the system has no memory for the call.
    #[inline]
    pub fn wait(&mut self, wait_ns: Option<u64>) -> io::Result<()> {
        let time = wait_ns.map(timespec);
        // Called by its number because musl has no function for it. `epoll_wait` alone knows
        // milliseconds only.
        // SAFETY: the descriptor is open, `events` has room for `most` events, and `time`, where
        // given, outlives the call.
        let result = unsafe {
            libc::syscall(
                libc::SYS_epoll_pwait2,
                self.epoll.as_raw_fd(),
                self.events.as_mut_ptr(),
                self.most as libc::c_int,
                time.as_ref().map_or(null(), |time| &raw const *time),
                null::<libc::sigset_t>(),
                0_usize,
            )
        };
        self.given = 0;
        self.got = match result {
            -1 => self.wait_again(wait_ns)?,
            result => result as usize,
        };
        Ok(())
    }

    /// Returns how many events there are after a wait that failed.
    #[cold]
    fn wait_again(&mut self, wait_ns: Option<u64>) -> io::Result<usize> {
        match io::Error::last_os_error() {
            error if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            error if error.raw_os_error() == Some(libc::ENOSYS) => self.wait_in_two_calls(wait_ns),
            error => Err(error),
        }
    }

    /// Waits as [`Epoll::wait`] does where `epoll_pwait2` is missing, as in the emulation of
    /// another processor by qemu.
    fn wait_in_two_calls(&mut self, wait_ns: Option<u64>) -> io::Result<usize> {
        let epoll = self.epoll.as_raw_fd();
        if poll::readable([epoll], wait_ns)? == [false] {
            return Ok(0);
        }
        // SAFETY: the descriptor is open, and `events` has room for `most` events.
        let found = checked(unsafe {
            libc::epoll_wait(epoll, self.events.as_mut_ptr(), self.most as libc::c_int, 0)
        });
        match found {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(0),
            found => found.map(|found| found as usize),
        }
    }

    /// Returns true if events of the last wait were not handed out yet.
    #[inline]
    pub fn has_more(&self) -> bool {
        self.given < self.got
    }

    /// Returns the next event of the last wait.
    #[inline]
    #[expect(clippy::should_implement_trait, reason = "after the next wait there are others")]
    pub fn next(&mut self) -> Option<ReadyEvent> {
        if !self.has_more() {
            return None;
        }
        let event = self.events[self.given];
        self.given += 1;
        let events = event.events as i32;
        let ended = events & (libc::EPOLLRDHUP | libc::EPOLLHUP | libc::EPOLLERR) != 0;
        Some(ReadyEvent {
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
        let mut epoll = Epoll::new(8).expect("an epoll instance");
        let (near, far) = UnixStream::pair().expect("a pair");
        epoll.add_level(&near, 7).expect("added");
        assert_eq!(epoll.wait_in_two_calls(Some(1000)).expect("nothing"), 0);
        std::io::Write::write_all(&mut &far, b"x").expect("written");
        assert_eq!(epoll.wait_in_two_calls(None).expect("an event"), 1);
        epoll.wait(Some(1000)).expect("the same event");
        assert_eq!(epoll.next().map(|ready| ready.key), Some(7));
        epoll.wait(None).expect("it is still there");
        assert!(epoll.has_more());
    }
}
