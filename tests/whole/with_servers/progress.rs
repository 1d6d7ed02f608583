//! The progress that a run reports: in a real pseudo-terminal, and without one.

use crate::common::few_workers::{REPLY, hands_to_workers};
use crate::common::processes::wait_at_most;
use crate::common::running::Running;
use crate::common::{TestDirectory, serve, unhurried, url};
use crate::terminal::Terminal;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::process::{Command, Stdio};
use std::time::Duration;
use testserver::TestServer;

const PATIENCE: Duration = Duration::from_secs(60);
const COLUMNS: u16 = 80;
const ROWS: u16 = 24;

/// Our side of a pseudo-terminal, and all that was written to it.
struct Pty {
    ours: File,
    written: String,
}

impl Pty {
    /// A new one, and the side for the program.
    fn open() -> (Pty, OwnedFd) {
        let (mut ours, mut theirs) = (-1, -1);
        let size: libc::winsize =
            libc::winsize { ws_row: ROWS, ws_col: COLUMNS, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: the pointers are valid or null, and the descriptors are ours
        // alone once the call has made them.
        let (ours, theirs) = unsafe {
            let made = libc::openpty(
                &mut ours,
                &mut theirs,
                std::ptr::null_mut(),
                std::ptr::null_mut(),
                &size,
            );
            assert_eq!(made, 0, "a pseudo-terminal");
            (File::from_raw_fd(ours), OwnedFd::from_raw_fd(theirs))
        };
        (Pty { ours, written: String::new() }, theirs)
    }

    /// Starts the binary with this as standard error.
    fn start(
        directory: &TestDirectory,
        words: &[&str],
        variables: &[(&str, &str)],
    ) -> (Pty, Running) {
        let (pty, theirs) = Pty::open();
        let mut command: Command = directory.command(words);
        command.env("TERM", "xterm").env_remove("NO_COLOR").envs(variables.iter().copied());
        command.stdout(Stdio::piped()).stderr(theirs);
        (pty, Running::new(command.spawn().expect("the binary runs")))
    }

    fn resize(&self, columns: u16) {
        let size = libc::winsize { ws_row: ROWS, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        // SAFETY: a terminal's descriptor and a valid size.
        let set = unsafe { libc::ioctl(self.ours.as_raw_fd(), libc::TIOCSWINSZ, &size) };
        assert_eq!(set, 0, "the size can be set");
    }

    /// Reads what comes next. Returns false at the end.
    fn read(&mut self) -> bool {
        self.wait();
        let mut piece = [0; 4096];
        match self.ours.read(&mut piece) {
            Ok(0) => false,
            // The other side is closed.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => false,
            Err(error) if error.kind() == ErrorKind::Interrupted => true,
            Err(error) => panic!("the pseudo-terminal: {error}"),
            Ok(read) => {
                // Pieces may split a character: lossy text is repaired by none of
                // the tests, which look for ASCII.
                self.written += &String::from_utf8_lossy(&piece[..read]);
                true
            }
        }
    }

    /// Waits for more, or the end. A program that prints nothing for a minute hangs.
    fn wait(&self) {
        let mut more = libc::pollfd { fd: self.ours.as_raw_fd(), events: libc::POLLIN, revents: 0 };
        // SAFETY: one valid entry.
        let ready = unsafe { libc::poll(&mut more, 1, 60_000) };
        assert_ne!(ready, 0, "nothing came for a minute, after: {}", self.written);
    }

    fn wait_for(&mut self, text: &str) {
        while !self.written.contains(text) {
            assert!(self.read(), "`{text}` never came: {}", self.written);
        }
    }

    /// Everything, up to the end.
    fn rest(&mut self) -> &str {
        while self.read() {}
        &self.written
    }

    fn shown(&self) -> Terminal {
        let mut terminal = Terminal::new(COLUMNS.into(), ROWS.into());
        assert_eq!(terminal.feed(&self.written), "", "a sequence was cut");
        terminal
    }
}

const LONG: [&str; 8] = ["-c", "1", "--warm-up", "20ms", "--out", "R", "--duration", "60s"];

/// A run of a minute on a terminal, once it drives.
fn long_run(directory: &TestDirectory, server: &TestServer) -> (Pty, Running) {
    let url = url(server);
    let words = [&["run", &url], LONG.as_slice()].concat();
    let (mut pty, child) = Pty::start(directory, &words, &[]);
    pty.wait_for("driving");
    (pty, child)
}

/// The cores that a thread of this name may use.
fn cores_of(process: u32, thread: &str) -> Vec<u32> {
    for task in fs::read_dir(format!("/proc/{process}/task")).expect("a process").flatten() {
        let read = |file| fs::read_to_string(task.path().join(file)).unwrap_or_default();
        if read("comm").trim() != thread {
            continue;
        }
        let status = read("status");
        let list = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:"));
        return list.expect("a list").trim().split(',').flat_map(range).collect();
    }
    panic!("no thread `{thread}`");
}

fn range(part: &str) -> std::ops::RangeInclusive<u32> {
    let (first, last) = part.split_once('-').unwrap_or((part, part));
    first.parse().expect("a core")..=last.parse().expect("a core")
}

#[test]
fn a_terminal_shows_the_run_and_is_left_clean() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let (mut pty, child) = long_run(&directory, &server);
    pty.wait_for("about 5");
    let screen = pty.shown().text();
    assert!(screen.contains("run: R (about"), "what was said stays: {screen}");
    child.signal(libc::SIGINT);
    let ended = child.output();
    assert_eq!(ended.status.code(), Some(3), "no round was complete: {}", pty.rest());
    let written = pty.rest();
    assert!(!written.contains("\x1b[?25l"), "the cursor is never hidden");
    let screen = pty.shown();
    assert!(screen.cursor_visible);
    let text = screen.text();
    assert_eq!(text.lines().filter(|line| line.contains("run: R (")).count(), 1, "{text}");
    assert!(!text.contains("driving") && !text.contains("left"), "{text}");
    assert_eq!(screen.cursor().1, 0, "the shell's prompt starts at the left");
}

#[test]
fn the_drawing_keeps_off_the_generators_cores() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let (mut pty, child) = long_run(&directory, &server);
    let used = cores_of(child.id(), "progress");
    let cores = tiebreak::system::cores::share_out(
        &tiebreak::system::cores::Facts::read().expect("cores"),
        None,
    );
    let cores = cores.expect("cores");
    let expected = if cores.others.is_empty() { cores.allowed } else { cores.others };
    assert_eq!(used, expected);
    child.signal(libc::SIGINT);
    pty.rest();
    child.output();
}

#[test]
fn each_contenders_rate_and_p99_are_shown_and_no_verdict() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let (a, b) = (format!("old={}", url(&server)), format!("new={}", url(&server)));
    let words = ["compare", &a, &b, "-c", "1", "--warm-up", "20ms", "--round", "200ms"];
    let words = [&words[..], &["--slice", "50ms", "--rounds", "2000", "--out", "R"]].concat();
    let (mut pty, child) = Pty::start(&directory, &words, &[]);
    pty.wait_for("warm-up and pilot");
    pty.wait_for("of 2000");
    pty.wait_for("p99");
    pty.resize(40);
    // The next two frames are for the new width: the second ends the first.
    let seen = pty.written.len();
    while pty.written[seen..].matches("\x1b[J").count() < 4 {
        assert!(pty.read());
    }
    let frame = pty.written.rsplit("\x1b[J").nth(1).expect("a frame");
    let lines: Vec<&str> = frame.split("\r\n").filter(|line| !line.starts_with('\r')).collect();
    assert_eq!(lines.len(), 4, "label, bar and times, two contenders: {frame:?}");
    for (line, name) in lines[2..].iter().zip(["old", "new"]) {
        assert!(line.contains(name) && line.contains("/s") && line.contains("p99"), "{line}");
    }
    // There is a verdict to be shown: not here.
    wait_at_most(PATIENCE, "a complete round", || {
        directory.text("R/journal.jsonl").contains("\"round\":2,")
    });
    child.signal(libc::SIGINT);
    let written = pty.rest().to_lowercase();
    for word in ["interval", "faster", "slower", "equivalent", "undecided"] {
        assert!(!written.contains(word), "`{word}` is no business of the view");
    }
    assert_eq!(child.output().status.code(), Some(0));
}

#[test]
fn a_slice_that_waits_for_replies_says_of_whom() {
    // It answers some requests, and then none.
    let server = hands_to_workers(2, |mut client| {
        let mut request = [0; 4096];
        let mut requests = 0;
        while client.read(&mut request).is_ok_and(|read| read > 0) {
            requests += 1;
            if requests <= 20 && client.write_all(REPLY).is_err() {
                return;
            }
        }
    });
    let directory = TestDirectory::new();
    let url = format!("silent=http://{server}/");
    let words = ["run", &url, "-c", "2", "--duration", "1s", "--warm-up", "0", "--timeout", "6s"];
    let (mut pty, child) = Pty::start(&directory, &words, &[]);
    pty.wait_for("driving, waiting 3 s for replies of silent");
    child.signal(libc::SIGINT);
    pty.rest();
    child.output();
}

/// A run that is over soon.
fn short(url: &str) -> Vec<&str> {
    vec!["run", url, "-c", "1", "--duration", "1s", "--warm-up", "20ms"]
}

#[test]
fn no_color_and_a_dumb_terminal_are_respected() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let url = url(&server);
    let written = |variables: &[(&str, &str)], more: &[&str]| {
        let (mut pty, child) = Pty::start(&directory, &[&short(&url), more].concat(), variables);
        let written = pty.rest().to_owned();
        assert_eq!(child.output().status.code(), Some(0));
        written
    };
    let colours = |text: &str| text.contains("\x1b[1m");
    let usual = written(&[], &[]);
    assert!(colours(&usual) && usual.contains("\x1b[J"), "{usual:?}");
    let plain = written(&[("NO_COLOR", "1")], &[]);
    assert!(plain.contains("\x1b[J") && !colours(&plain), "{plain:?}");
    let dumb = written(&[("TERM", "dumb")], &[]);
    assert!(dumb.contains("\ndriving, 2 s left\r\n") && !dumb.contains('\x1b'), "{dumb:?}");
    assert_eq!(written(&[], &["--quiet"]), "");
}

#[test]
fn a_terminal_that_dies_does_not_end_the_run() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let url = url(&server);
    let (mut pty, child) =
        Pty::start(&directory, &[&short(&url)[..], &["--out", "R"]].concat(), &[]);
    pty.wait_for("driving");
    drop(pty);
    let ended = child.output();
    assert_eq!(ended.status.code(), Some(0));
    assert!(String::from_utf8_lossy(&ended.stdout).contains("audit:"));
    let journal = fs::read_to_string(directory.file("R/journal.jsonl")).expect("a journal");
    assert!(journal.contains("\"reason\":\"complete\""));
}

#[test]
fn an_error_stands_below_what_was_printed_without_the_view() {
    let directory = TestDirectory::new();
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|l| l.local_addr());
    let url = format!("gone=http://{}/", closed.expect("a port"));
    let (mut pty, child) =
        Pty::start(&directory, &[&short(&url)[..], &["--out", "R"]].concat(), &[]);
    pty.wait_for("checking whether");
    pty.rest();
    assert_eq!(child.output().status.code(), Some(4));
    let text = pty.shown().text();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(lines[0].starts_with("run: R (") && lines[1].starts_with("error: `gone`"), "{text}");
}

#[test]
fn without_a_terminal_plain_lines_are_printed() {
    let directory = TestDirectory::new();
    let server = serve(unhurried());
    let url = url(&server);
    let words = ["run", &url, "-c", "1", "--rate", "10/s", "--warm-up", "0", "--duration", "1s"];
    let output = directory.tiebreak(&words);
    let stderr = crate::common::errors(&output);
    assert!(!stderr.contains('\x1b') && !stderr.contains('\r'), "{stderr:?}");
    // When others follow, the unit tests of the writer say.
    let lines: Vec<&str> = stderr.lines().filter(|line| line.starts_with("driving, ")).collect();
    assert_eq!(lines, ["driving, 1 s left"], "{stderr}");
}
