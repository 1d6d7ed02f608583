//! PHP on the command line, with the extension built for it.

use crate::common::TestDirectory;
use crate::common::running::Running;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The extension's directory.
const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/contenders/kassandra");

/// A copy of the extension and of its tests, which servers of another user can read.
pub(crate) struct Php {
    directory: TestDirectory,
}

impl Php {
    pub(crate) fn new() -> Php {
        let directory = TestDirectory::new();
        fs::copy(built(), directory.file("kassandra.so")).expect("a copy");
        for entry in fs::read_dir(Path::new(DIRECTORY).join("tests")).expect("a directory") {
            let entry = entry.expect("an entry");
            fs::copy(entry.path(), directory.path().join(entry.file_name())).expect("a copy");
        }
        Php { directory }
    }

    /// The directory of the scripts.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn extension(&self) -> PathBuf {
        self.directory.file("kassandra.so")
    }

    fn command(&self, script: &str, query: &str) -> Command {
        let mut command = Command::new("php");
        command.arg("-d").arg(format!("extension={}", self.extension().display()));
        command.args(["-d", "display_errors=stderr", "-d", "html_errors=0"]);
        command.arg(self.directory.file(script)).arg(query).stdin(Stdio::null());
        command
    }

    /// Runs a script that must pass.
    pub(crate) fn passes(&self, script: &str, query: &str) {
        let output = self.command(script, query).output().expect("PHP is installed");
        let stdout = String::from_utf8_lossy(&output.stdout);
        let errors = String::from_utf8_lossy(&output.stderr);
        let passed = output.status.success() && stdout.ends_with(" passed, 0 failed\n");
        assert!(passed && errors.is_empty(), "{script}: {stdout}{errors}");
        println!("{script}: {}", stdout.trim());
    }

    /// Whether both servers let the user in.
    pub(crate) fn connects(&self, query: &str) -> bool {
        let output = self.command("connects.php", query).output().expect("PHP is installed");
        output.status.success()
    }

    /// Starts a script that says "ready" and then waits for a line.
    pub(crate) fn starts(&self, script: &str, query: &str) -> Waiting {
        let mut command = self.command(script, query);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("PHP is installed");
        let input = child.stdin.take().expect("a pipe");
        let mut output = BufReader::new(child.stdout.take().expect("a pipe"));
        let running = Running::new(child);
        let mut line = String::new();
        output.read_line(&mut line).expect("text");
        assert_eq!(line, "ready\n", "{script}");
        Waiting { running, input, output }
    }
}

/// A script that waits for a line.
pub(crate) struct Waiting {
    running: Running,
    input: std::process::ChildStdin,
    output: BufReader<std::process::ChildStdout>,
}

impl Waiting {
    /// Lets it go on to its end, which must be a good one.
    pub(crate) fn goes_on(mut self) {
        self.input.write_all(b"\n").expect("it waits");
        let mut message = String::new();
        while self.output.read_line(&mut message).expect("text") > 0 {}
        let passed = self.running.status().success() && message.ends_with(" passed, 0 failed\n");
        assert!(passed, "{message}");
    }
}

/// Builds the extension. Returns its file.
fn built() -> PathBuf {
    Command::new("php-config").output().expect("php-config: apt-get install php-dev");
    let target = concat!(env!("CARGO_MANIFEST_DIR"), "/target/kassandra");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(format!("{DIRECTORY}/Cargo.toml"))
        .args(["--target-dir", target])
        .output()
        .expect("cargo is there");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Path::new(target).join("release/libkassandra.so")
}
