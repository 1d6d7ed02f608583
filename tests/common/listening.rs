//! Programs that say where they listen: servers, and watchers of them.

use super::TestDirectory;
use super::running::Running;
use std::io::{BufRead, BufReader};
use std::process::{Child, ChildStdout, Stdio};

/// A program that says where it listens.
pub(crate) struct Listening {
    pub(crate) running: Running,
    /// What it said up to that line.
    pub(crate) lines: Vec<String>,
    pub(crate) address: String,
    pub(crate) out: BufReader<ChildStdout>,
}

pub(crate) fn started(mut child: Child) -> Listening {
    let mut out = BufReader::new(child.stdout.take().expect("a pipe"));
    let running = Running::new(child);
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        assert!(out.read_line(&mut line).expect("text") > 0, "it ended: {lines:?}");
        let line = line.trim_end().to_owned();
        lines.push(line.clone());
        if let Some(address) = line.strip_prefix("listening on ") {
            return Listening { running, lines, address: address.to_owned(), out };
        }
    }
}

pub(crate) fn start(directory: &TestDirectory, words: &[&str]) -> Listening {
    started(directory.command(words).stdout(Stdio::piped()).spawn().expect("the binary runs"))
}

/// A server whose requests cost some CPU time.
pub(crate) fn server(directory: &TestDirectory) -> Listening {
    start(directory, &["testserver", "--listen", "127.0.0.1:0", "--service", "50us"])
}

/// A watcher, and its token.
pub(crate) struct Watcher {
    pub(crate) listening: Listening,
    pub(crate) token: String,
}

pub(crate) fn watcher(directory: &TestDirectory, pid: u32) -> Watcher {
    watcher_of(directory, &["--pid", &pid.to_string()])
}

/// A watcher of what these words name.
pub(crate) fn watcher_of(directory: &TestDirectory, what: &[&str]) -> Watcher {
    let words = [&["watch", "--listen", "127.0.0.1:0"], what].concat();
    let mut listening = start(directory, &words);
    let mut line = String::new();
    listening.out.read_line(&mut line).expect("text");
    let token = line.trim_end().strip_prefix("token: ").expect("a token").to_owned();
    Watcher { listening, token }
}
