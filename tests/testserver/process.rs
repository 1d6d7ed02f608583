//! `tiebreak testserver` as a process.

use crate::client::Client;
use crate::scratch::Scratch;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

pub struct Process {
    child: Child,
    out: BufReader<std::process::ChildStdout>,
}

impl Process {
    fn start(flags: &[&str]) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tiebreak"))
            .arg("testserver")
            .args(flags)
            .stdout(Stdio::piped())
            .spawn()
            .expect("our own program");
        let out = BufReader::new(child.stdout.take().expect("piped"));
        Process { child, out }
    }

    /// Starts it with these flags, and waits until it listens. Returns its address as well.
    pub fn serving(flags: &str) -> (Process, SocketAddr) {
        let mut process = Process::start(&flags.split_whitespace().collect::<Vec<_>>());
        let line = process.line();
        let address = line.trim_end().strip_prefix("listening on ");
        let address = address.unwrap_or_else(|| panic!("`{line}` with {flags}"));
        (process, address.parse().expect("an address"))
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.out.read_line(&mut line).expect("text");
        line
    }

    /// Sends it a signal. Returns what it printed since, and its exit code.
    pub fn end(mut self, signal: &str) -> (String, Option<i32>) {
        let sent = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "kill {signal}");
        let mut rest = String::new();
        self.out.read_to_string(&mut rest).expect("text");
        (rest, self.child.wait().expect("our child").code())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It has ended already unless the test failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn it_says_where_serves_and_counts() {
    let scratch = Scratch::new();
    let log = scratch.path().join("log");
    let log_path = log.to_str().expect("text");
    for signal in ["-TERM", "-INT"] {
        let (process, address) = Process::serving(&format!("--delay 1ms --log {log_path}"));
        let mut client = Client::dial(address);
        for _ in 0..3 {
            assert_eq!(client.get().status, 200);
        }
        let (rest, code) = process.end(signal);
        assert_eq!(code, Some(0));
        let counts: serde_json::Value = serde_json::from_str(&rest).expect("one line of JSON");
        assert_eq!((&counts["connections"], &counts["replies"]), (&1.into(), &3.into()), "{rest}");
        assert!(counts["reply_time_ns"]["p50"].as_u64() >= Some(1_000_000), "{rest}");
        let written = std::fs::read_to_string(&log).expect("the log");
        let (header, arrivals) = written.split_once('\n').expect("a header");
        assert_eq!(header, format!("# {}", rest.trim_end()));
        let arrivals: Vec<u64> = arrivals.lines().map(|at| at.parse().expect("ns")).collect();
        assert!(arrivals.len() == 3 && arrivals.is_sorted(), "{written}");
    }
}

#[test]
fn exit_codes() {
    for (flags, code) in [
        (["--listen", "0.0.0.0:0"], 2),
        (["--service", "5"], 2),
        (["--workers", "4"], 2),
        (["--core", "1023"], 5),
        (["--unix", "/nonexistent/socket"], 5),
    ] {
        let mut process = Process::start(&flags);
        assert_eq!(process.child.wait().expect("our child").code(), Some(code), "{flags:?}");
        assert_eq!(process.line(), "", "nothing on stdout");
    }
}
