//! Tests that start Cassandra run one at a time, although they belong to several programs that run
//! side by side: each keeps both cores busy for a minute or more, and two beside each other make
//! nodes so slow that their clients' time runs out.

use super::not_tested::{Lack, lacks};
use std::fs::File;
use std::os::fd::AsRawFd;

/// The right to run Cassandra. Dropping it, or the end of the program, passes it on.
pub(crate) struct CassandraTurn {
    _locked: File,
}

impl CassandraTurn {
    /// Waits until no other test runs Cassandra. Take it once in a test: a second one would wait
    /// for the first. Returns None if Cassandra does not run on this machine's Java.
    pub(crate) fn take() -> Option<CassandraTurn> {
        if lacks(Lack::JavaForCassandra) {
            return None;
        }
        let file = concat!(env!("CARGO_TARGET_TMPDIR"), "/cassandra.lock");
        let locked = File::create(file).expect("a file in the build directory");
        // SAFETY: it takes two numbers. The file is open.
        let result = unsafe { libc::flock(locked.as_raw_fd(), libc::LOCK_EX) };
        assert_eq!(result, 0, "{}", std::io::Error::last_os_error());
        Some(CassandraTurn { _locked: locked })
    }
}
