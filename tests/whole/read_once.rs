//! An experiment file is read once, because it can change between two reads.

use crate::common::{TestDirectory, errors};
use std::ffi::CString;
use std::fs::{self, File};
use std::io::{ErrorKind, Read};
use std::os::fd::FromRawFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Counts how often a file is opened.
struct Opens(File);

impl Opens {
    fn of(path: &Path) -> Opens {
        let path = CString::new(path.as_os_str().as_bytes()).expect("no zero");
        // SAFETY: the call takes no pointer.
        let descriptor = unsafe { libc::inotify_init1(libc::IN_NONBLOCK | libc::IN_CLOEXEC) };
        assert!(descriptor >= 0, "{}", std::io::Error::last_os_error());
        // SAFETY: the descriptor is new, and nobody else has it.
        let events = unsafe { File::from_raw_fd(descriptor) };
        // SAFETY: the path ends with a zero.
        let watch = unsafe { libc::inotify_add_watch(descriptor, path.as_ptr(), libc::IN_OPEN) };
        assert!(watch >= 0, "{}", std::io::Error::last_os_error());
        Opens(events)
    }

    /// Returns the number since the last call.
    fn count(&mut self) -> usize {
        // An event of a watched file has no name.
        let mut events = [0; 64 * size_of::<libc::inotify_event>()];
        match self.0.read(&mut events) {
            Ok(bytes) => bytes / size_of::<libc::inotify_event>(),
            Err(error) if error.kind() == ErrorKind::WouldBlock => 0,
            Err(error) => panic!("{error}"),
        }
    }
}

#[test]
fn every_command_opens_an_experiment_file_once() {
    let directory = TestDirectory::new();
    let one = |name: &str| format!("[contender.{name}]\nurl = 'http://127.0.0.1:1/'\n");
    fs::write(directory.file("experiment.toml"), one("a") + &one("b")).expect("a file");
    fs::write(directory.file("other.toml"), one("c") + &one("d")).expect("a file");
    let sweep = "sweep = { connections = [1, 2] }\n".to_owned() + &one("e");
    fs::write(directory.file("sweep.toml"), sweep).expect("a file");
    let files = ["experiment.toml", "other.toml", "sweep.toml"].map(|name| directory.file(name));
    let mut opens = files.each_ref().map(|file| Opens::of(file));
    for (arguments, code, wanted) in [
        (&["check", "experiment.toml"][..], 0, [1, 0, 0]),
        (&["check", "./"], 0, [1, 0, 0]),
        (&["check", "sweep.toml"], 0, [0, 0, 1]),
        (&["check", "experiment.toml", "other.toml"], 2, [1, 1, 0]),
        (&["compare", "other.toml", "--quiet"], 4, [0, 1, 0]),
        (&["run", "sweep.toml", "--quiet"], 4, [0, 0, 1]),
        // Its ssh client ends at once.
        (&["compare", "other.toml", "--quiet", "--agents", "ssh:nobody"], 5, [0, 1, 0]),
        (&["setup", "./"], 0, [1, 1, 1]),
    ] {
        let mut command = directory.command(arguments);
        let output = command.env("TIEBREAK_SSH", "false").output().expect("the binary runs");
        let found = opens.each_mut().map(Opens::count);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {}", errors(&output));
        assert_eq!(found, wanted, "{arguments:?}");
    }
}
