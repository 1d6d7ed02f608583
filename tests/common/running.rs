//! A program under test that runs during the test. If the test fails the program is ended, and a
//! program that never ends fails the test instead of blocking it.

use super::processes::wait_at_most;
use std::io::Read;
use std::process::{Child, ExitStatus, Output};
use std::thread::JoinHandle;
use std::time::Duration;

/// Far longer than almost anything that is waited for takes.
const LONGEST: Duration = Duration::from_secs(120);

/// A child process that ends with its owner.
pub(crate) struct Running(Child);

impl Running {
    pub(crate) fn new(child: Child) -> Running {
        Running(child)
    }

    pub(crate) fn id(&self) -> u32 {
        self.0.id()
    }

    pub(crate) fn signal(&self, signal: i32) {
        let pid = i32::try_from(self.id()).expect("a process number");
        // SAFETY: the child is ours and was not waited for yet.
        assert_eq!(unsafe { libc::kill(pid, signal) }, 0, "it runs");
    }

    /// Returns true if it has not ended yet.
    pub(crate) fn runs(&mut self) -> bool {
        self.0.try_wait().expect("our child").is_none()
    }

    /// Waits for its end.
    pub(crate) fn status(&mut self) -> ExitStatus {
        self.status_within(LONGEST)
    }

    fn status_within(&mut self, longest: Duration) -> ExitStatus {
        let mut status = None;
        wait_at_most(longest, "the end of the program", || {
            status = self.0.try_wait().expect("our child");
            status.is_some()
        });
        status.expect("it has ended")
    }

    /// Waits for its end, and returns what it wrote to its pipes.
    pub(crate) fn output(self) -> Output {
        self.output_within(LONGEST)
    }

    /// The same for a program that takes longer.
    pub(crate) fn output_within(mut self, longest: Duration) -> Output {
        let stdout = self.0.stdout.take().map(drained);
        let stderr = self.0.stderr.take().map(drained);
        let status = self.status_within(longest);
        let all = |pipe: Option<JoinHandle<Vec<u8>>>| {
            pipe.map(|pipe| pipe.join().expect("the pipe is read")).unwrap_or_default()
        };
        Output { status, stdout: all(stdout), stderr: all(stderr) }
    }
}

/// Reads a pipe to its end on a separate thread: a full pipe would block the program.
fn drained(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut all = Vec::new();
        pipe.read_to_end(&mut all).expect("a pipe of our child");
        all
    })
}

impl Drop for Running {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
