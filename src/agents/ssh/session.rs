//! The connection to one host: an ssh client, and the script that it runs there.

use super::payload::HostPayload;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::IpAddr;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};
use text::shown::{shown, shown_sentence};

const SCRIPT: &str = include_str!("agent.sh");
/// What the script's own lines begin with: programs that a login starts may write others.
const MARK: &str = "tiebreak-agent: ";
/// How much of what a host writes is kept.
const MOST_BYTES: u64 = 64 * 1024;
/// How long the last output of a client may take to arrive after the client has ended.
const FINAL_OUTPUT: Duration = Duration::from_secs(1);
const GLANCE: Duration = Duration::from_millis(10);
/// The exit code of an ssh client that failed itself.
const SSH_FAILED: i32 = 255;
/// A shell adds the number of a signal to this exit code.
const BY_SIGNAL: i32 = 128;

/// The command that a host runs. It works in every login shell, and contains no data of a user.
pub(super) fn remote_command() -> String {
    format!("exec sh -c 'eval \"$(head -c {})\"'", SCRIPT.len())
}

/// One host. Its client is ended when this value is dropped, and what it runs on the host ends with
/// the client.
pub(super) struct HostSession {
    pub(super) host: String,
    pub(super) rank: u32,
    client: Mutex<Child>,
    input: Mutex<Option<ChildStdin>>,
    lines: Mutex<Receiver<String>>,
    errors: Errors,
    /// What the script made on the host.
    directory: OnceLock<String>,
}

/// What a client wrote to standard error.
struct Errors {
    text: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when the stream has ended.
    open: Mutex<Receiver<()>>,
}

impl HostSession {
    /// Starts the client.
    ///
    /// # Errors
    /// If the program does not exist or the system starts no process.
    pub(super) fn start(mut command: Command, host: &str, rank: u32) -> io::Result<HostSession> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        // A terminal's Ctrl-C is for the coordinator, which then ends all agents in order.
        command.process_group(0);
        let mut client = command.spawn()?;
        let input = Mutex::new(client.stdin.take());
        let (lines, errors) = (lines_of(client.stdout.take())?, errors_of(client.stderr.take())?);
        let (client, host) = (Mutex::new(client), host.to_owned());
        let (lines, directory) = (Mutex::new(lines), OnceLock::new());
        Ok(HostSession { host, rank, client, input, lines, errors, directory })
    }

    /// Copies everything to the host. Returns the address of this machine as the host sees it.
    ///
    /// # Errors
    /// If the host cannot be reached or cannot run the binary. Without an answer this lasts until
    /// the client ends.
    pub(super) fn prepare(&self, payload: &HostPayload, size: u32) -> Result<IpAddr, String> {
        self.send(SCRIPT.as_bytes())?;
        let directory = self.line("in ")?;
        self.directory.get_or_init(|| shown(directory));
        let seen = self.line("at ")?;
        let address = seen_from(&seen).map_err(|why| format!("{}: {why}", self.name()))?;
        self.send(format!("{} {}\n", payload.binary.len(), payload.hash).as_bytes())?;
        self.send(&payload.binary)?;
        self.line("copied")?;
        let script = payload.script(self.rank, size);
        self.send(format!("{}\n{script}", script.len()).as_bytes())?;
        self.line("ready")?;
        Ok(address)
    }

    pub(super) fn send(&self, bytes: &[u8]) -> Result<(), String> {
        let mut input = locked(&self.input);
        let sent = match input.as_mut() {
            Some(input) => input.write_all(bytes).and_then(|()| input.flush()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        };
        sent.map_err(|error| self.failure().unwrap_or(format!("{}: {error}", self.name())))
    }

    /// Waits for a line of the script that starts with `begins`, and returns the rest of it.
    fn line(&self, begins: &str) -> Result<String, String> {
        let lines = locked(&self.lines);
        while let Ok(line) = lines.recv() {
            if let Some(rest) = line.strip_prefix(MARK).and_then(|line| line.strip_prefix(begins)) {
                return Ok(rest.to_owned());
            }
        }
        let silent = || format!("{}: it ended before the agent was started", self.name());
        self.wait(FINAL_OUTPUT);
        Err(self.failure().unwrap_or_else(silent))
    }

    /// How messages name it.
    pub(super) fn name(&self) -> String {
        format!("{} (agent {})", self.host, self.rank)
    }

    /// How the client ended. Returns None while it runs.
    pub(super) fn ended(&self) -> Option<ExitStatus> {
        locked(&self.client).try_wait().ok().flatten()
    }

    /// Waits until the client has ended, at most for this time.
    pub(super) fn wait(&self, at_most: Duration) {
        let until = Instant::now() + at_most;
        while self.ended().is_none() && Instant::now() < until {
            std::thread::sleep(GLANCE);
        }
    }

    /// Why the client has failed. Returns None if it runs or has ended successfully.
    pub(super) fn failure(&self) -> Option<String> {
        self.wait(GLANCE);
        let status = self.ended().filter(|status| !status.success())?;
        let name = self.name();
        let why = match self.errors.last_line() {
            line if line.is_empty() => String::new(),
            line => format!(": {}", shown_sentence(&line)),
        };
        Some(match (status.code(), self.directory.get()) {
            (Some(SSH_FAILED), None) => format!(
                "{name}: ssh failed with exit code 255{why}; `ssh -o BatchMode=yes {} true` must \
                 work without a question",
                self.host
            ),
            (Some(code), None) => format!("{name}: exit code {code}{why}"),
            (Some(code @ ..=BY_SIGNAL), Some(_)) => format!("{name}: exit code {code}{why}"),
            (None, None) => format!("{name}: ssh was ended by a signal{why}"),
            // What was killed on the host has removed nothing.
            (code, Some(directory)) => {
                let ended = match code {
                    Some(code) => format!("exit code {code}"),
                    None => "ssh was ended by a signal".to_owned(),
                };
                format!(
                    "{name}: {ended}{why}; {directory} on the host may be left, and can be removed"
                )
            }
        })
    }

    /// Closes the input, which is the end for the script and its agent.
    pub(super) fn close(&self) {
        *locked(&self.input) = None;
    }

    /// Ends the client and everything that it started: it can be a script that runs ssh. The host
    /// notices that the connection is gone.
    pub(super) fn kill(&self) {
        let mut client = locked(&self.client);
        if let Ok(None) = client.try_wait() {
            // The client leads its own process group, and keeps its number until it is waited for.
            let _ = sys::process::kill(client.id() as i32, libc::SIGKILL, true);
        }
    }
}

impl Drop for HostSession {
    fn drop(&mut self) {
        self.kill();
        let _ = locked(&self.client).wait();
    }
}

impl Errors {
    /// The last line that is not empty. The lines before it are greetings and warnings.
    fn last_line(&self) -> String {
        // Only the end is of interest, and it may not come.
        let _: Result<(), RecvTimeoutError> = locked(&self.open).recv_timeout(FINAL_OUTPUT);
        let text = locked(&self.text);
        let text = String::from_utf8_lossy(&text);
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        lines.next_back().unwrap_or_default().to_owned()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lines of a stream. What exceeds the limit is read but dropped, so that the client does not
/// block.
fn lines_of(stream: Option<impl Read + Send + 'static>) -> io::Result<Receiver<String>> {
    let (send, lines) = mpsc::channel();
    let read = move || {
        let Some(stream) = stream else { return };
        let mut stream = BufReader::new(stream.take(MOST_BYTES));
        let mut line = Vec::new();
        while stream.read_until(b'\n', &mut line).is_ok_and(|bytes| bytes > 0) {
            let text = String::from_utf8_lossy(&line).trim_end().to_owned();
            // Nobody waits for lines after the last step.
            let _ = send.send(text);
            line.clear();
        }
        drop(send);
        let _ = io::copy(&mut stream.into_inner().into_inner(), &mut io::sink());
    };
    std::thread::Builder::new().name("ssh-out".to_owned()).spawn(read)?;
    Ok(lines)
}

fn errors_of(stream: Option<impl Read + Send + 'static>) -> io::Result<Errors> {
    let text = Arc::new(Mutex::new(Vec::new()));
    let (send, open) = mpsc::channel();
    let kept = text.clone();
    let read = move || {
        let _open = send;
        let Some(mut stream) = stream else { return };
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = stream.read(&mut bytes) {
            let mut kept = locked(&kept);
            kept.extend_from_slice(&bytes[..count]);
            let too_many = kept.len().saturating_sub(MOST_BYTES as usize);
            kept.drain(..too_many);
        }
    };
    std::thread::Builder::new().name("ssh-err".to_owned()).spawn(read)?;
    Ok(Errors { text, open: Mutex::new(open) })
}

/// Reads where a host says that the connection comes from, after its system and architecture.
fn seen_from(line: &str) -> Result<IpAddr, String> {
    let mut words = line.split_whitespace();
    let theirs = [words.next().unwrap_or_default(), words.next().unwrap_or_default()].join(" ");
    let ours = format!("Linux {}", std::env::consts::ARCH);
    if theirs != ours {
        return Err(format!(
            "its architecture is {}, but this machine's is {ours}: all hosts must have the same \
             architecture",
            shown(&theirs)
        ));
    }
    let address = words.next().unwrap_or_default();
    address.parse().map_err(|_| {
        format!(
            "it does not say from which address this machine connects: SSH_CONNECTION is `{}`",
            shown(address)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::take_arguments;
    use crate::scratch::Scratch;

    /// A host that is a shell on this machine, whose temporary directory is `scratch`.
    fn host(scratch: &Scratch) -> HostSession {
        let mut command = Command::new("sh");
        command.args(["-c", &remote_command()]).env("TMPDIR", scratch.path());
        command.env("SSH_CONNECTION", "127.0.0.9 50000 127.0.0.8 22");
        HostSession::start(command, "h1", 1).expect("a shell")
    }

    fn payload(binary: &str) -> HostPayload {
        HostPayload::of(
            binary.as_bytes().to_vec(),
            &["compare".to_owned(), "it's\nx".to_owned()],
            None,
        )
    }

    fn is_empty(scratch: &Scratch) -> bool {
        scratch.path().read_dir().expect("a directory").next().is_none()
    }

    #[test]
    fn an_agent_runs_in_a_directory_that_is_removed() {
        let scratch = Scratch::new();
        let host = host(&scratch);
        let binary = "#!/bin/sh\n\
                      echo \"$TIEBREAK_RANK/$TIEBREAK_SIZE at $TIEBREAK_COORDINATOR\" >../seen\n\
                      cat \"$TIEBREAK_TOKEN_FILE\" >>../seen\n\
                      cp \"$2\" ../arguments\n\
                      ls >../files\n\
                      exit 7\n";
        assert_eq!(host.prepare(&payload(binary), 3), Ok([127, 0, 0, 9].into()));
        host.send(b"127.0.0.9:1\nthe-token\n").expect("it runs");
        host.wait(Duration::from_secs(60));
        assert_eq!(host.failure().as_deref(), Some("h1 (agent 1): exit code 7"));
        let seen = scratch.path().join("seen");
        let text = std::fs::read_to_string(&seen).expect("the agent wrote it");
        assert_eq!(text, "1/3 at 127.0.0.9:1\nthe-token\n");
        let arguments = scratch.path().join("arguments");
        let words = take_arguments(&arguments).expect("the agent copied it");
        assert_eq!(words, ["compare", "--agents", "env", "it's\nx"]);
        let files =
            std::fs::read_to_string(scratch.path().join("files")).expect("the agent wrote it");
        assert_eq!(files, "arguments\ntiebreak\n", "the token has no name");
        for file in ["seen", "files"] {
            std::fs::remove_file(scratch.path().join(file)).expect("ours");
        }
        assert!(is_empty(&scratch));
    }

    #[test]
    fn a_copy_that_differs_is_not_run() {
        let scratch = Scratch::new();
        let host = host(&scratch);
        let mut payload = payload("exit 0\n");
        payload.hash = "0".repeat(64);
        let why = host.prepare(&payload, 2).expect_err("another hash");
        assert_eq!(
            why,
            "h1 (agent 1): exit code 1: the copy of tiebreak differs from the original (SHA-256)"
        );
        assert!(is_empty(&scratch));
    }

    #[test]
    fn the_end_of_the_connection_ends_the_agent() {
        let scratch = Scratch::new();
        for steps in [0, 1] {
            let host = host(&scratch);
            // It ignores the signal, so it has to be killed.
            let binary = "#!/bin/sh\ntrap '' TERM\nwhile :; do sleep 0.1; done\n";
            host.prepare(&payload(binary), 2).expect("it is ready");
            if steps > 0 {
                host.send(b"127.0.0.9:1\nthe-token\n").expect("it runs");
            }
            host.close();
            host.wait(Duration::from_secs(60));
            assert!(host.failure().is_some(), "it did not end by itself");
            assert!(is_empty(&scratch));
        }
    }

    #[test]
    fn a_host_of_another_kind_is_refused() {
        let ours = format!("Linux {} 10.0.0.5 5000 10.0.0.6 22", std::env::consts::ARCH);
        assert_eq!(seen_from(&ours), Ok([10, 0, 0, 5].into()));
        let other = seen_from("Linux sparc64 10.0.0.5 5000 10.0.0.6 22").expect_err("another");
        assert!(other.contains("its architecture is Linux sparc64"), "{other}");
        let no_address = seen_from(&format!("Linux {}", std::env::consts::ARCH));
        assert!(no_address.expect_err("no address").contains("SSH_CONNECTION"));
    }
}
