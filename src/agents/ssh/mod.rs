//! Starts an agent on each of several hosts by ssh, and leaves nothing there.
//!
//! One connection to each host carries everything through standard input: the script `agent.sh`,
//! the binary of this process, the experiment file, and finally the address of the coordinator and
//! the token. The agent reads its arguments from a file. So no argument that others on the host can
//! see contains a secret, and the end of the connection ends the agent.

mod names;
mod payload;
mod session;

use crate::system::remote::Token;
use engine::Stop;
pub(crate) use names::hosts;
use payload::HostPayload;
pub(crate) use payload::{EXPERIMENT, ExperimentFile, take_arguments};
use protocol::Error;
use session::{HostSession, remote_command};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::process::Command;
use std::sync::mpsc::{self, Receiver};
use std::time::{Duration, Instant};
use text::shell_words;
use text::shown::shown;
use text::units::{nanoseconds, show_ns};

/// The variable that replaces the program ssh, as words of a shell.
const PROGRAM: &str = "TIEBREAK_SSH";
/// Options with which ssh asks nothing, allocates no terminal, forwards nothing, and leaves no
/// client running for later connections.
const OPTIONS: [&str; 6] =
    ["-T", "-a", "-x", "-oBatchMode=yes", "-oClearAllForwardings=yes", "-oControlMaster=no"];

const GLANCE: Duration = Duration::from_millis(20);
/// How long the hosts may take to remove what they hold, after their agents have ended.
const ENDING: Duration = Duration::from_secs(10);
/// How long after the loss of an agent its host may take to report the reason.
const LOSS: Duration = Duration::from_millis(500);

/// All hosts. What runs there ends with this value.
pub(crate) struct Hosts(Vec<HostSession>);

impl Hosts {
    /// Connects to all hosts, and copies to them what their agents need: this binary, the arguments
    /// of this process and the experiment file.
    ///
    /// # Errors
    /// If a host cannot be reached, cannot run the agent, or is not ready within `timeout`.
    pub(crate) fn prepare(
        names: &[String],
        arguments: &[String],
        experiment: Option<&ExperimentFile>,
        timeout: Duration,
        stop: &Stop,
    ) -> Result<(Hosts, IpAddr), Error> {
        let until = Instant::now() + timeout;
        let payload = HostPayload::new(arguments, experiment)?;
        let program = program(std::env::var(PROGRAM).ok())?;
        let mut sessions = Vec::new();
        for (rank, name) in (1..).zip(names) {
            let session = HostSession::start(client(&program, name), name, rank);
            sessions.push(session.map_err(|error| not_started(&program[0], &error))?);
        }
        let hosts = Hosts(sessions);
        let size = names.len() as u32 + 1;
        let (send, results) = mpsc::channel();
        let seen = std::thread::scope(|scope| {
            for (at, session) in hosts.0.iter().enumerate() {
                let (send, payload) = (send.clone(), &payload);
                // Nobody waits any more if another host has failed.
                scope.spawn(move || send.send((at, session.prepare(payload, size))).ok());
            }
            let seen = hosts.all_prepared(&results, until, timeout, stop);
            if seen.is_err() {
                // So that the threads end.
                hosts.0.iter().for_each(HostSession::kill);
            }
            seen
        })?;
        let address = hosts.one_address(&seen)?;
        Ok((hosts, address))
    }

    fn all_prepared(
        &self,
        results: &Receiver<(usize, Result<IpAddr, String>)>,
        until: Instant,
        timeout: Duration,
        stop: &Stop,
    ) -> Result<Vec<IpAddr>, Error> {
        let mut seen: Vec<Option<IpAddr>> = self.0.iter().map(|_| None).collect();
        while let Some(missing) = seen.iter().position(Option::is_none) {
            if let Ok((at, result)) = results.recv_timeout(GLANCE) {
                seen[at] = Some(result.map_err(Error::failed)?);
            } else if stop.raised() {
                return Err(Error::failed("stopped by a signal while preparing the hosts"));
            } else if Instant::now() >= until {
                return Err(Error::failed(format!(
                    "{}: it was not ready within {}; give it more time with --gather",
                    self.0[missing].name(),
                    show_ns(nanoseconds(timeout))
                )));
            }
        }
        Ok(seen.into_iter().flatten().collect())
    }

    /// The address of this machine, which must be the same for all hosts.
    fn one_address(&self, seen: &[IpAddr]) -> Result<IpAddr, Error> {
        let first = seen[0];
        match seen.iter().zip(&self.0).find(|(address, _)| **address != first) {
            None => Ok(first),
            Some((other, session)) => Err(Error::usage(format!(
                "{} sees this machine at {first}, and {} at {other}: all agents must reach it at \
                 one address; start them with --agents env",
                self.0[0].host, session.host
            ))),
        }
    }

    pub(super) fn start(&self, at: SocketAddr, token: &Token) -> Result<(), Error> {
        let line = format!("{at}\n{}\n", token.reveal());
        for session in &self.0 {
            session.send(line.as_bytes()).map_err(Error::failed)?;
        }
        Ok(())
    }

    /// Why a host has no agent any more.
    pub(super) fn lost(&self) -> Option<String> {
        self.0.iter().find(|session| session.ended().is_some()).map(|session| {
            let ended = || format!("{}: the agent ended", session.name());
            session.failure().unwrap_or_else(ended)
        })
    }

    pub(super) fn name(&self, rank: u32) -> Option<&str> {
        let session = self.0.iter().find(|session| session.rank == rank);
        session.map(|session| session.host.as_str())
    }

    /// Waits until all hosts have removed what they held. If the run failed, agents may wait for an
    /// order that does not come, so they are ended. Returns what failed on which host.
    pub(crate) fn end(&self, has_failed: bool) -> Vec<String> {
        let wait = |at_most: Duration| {
            let until = Instant::now() + at_most;
            for session in &self.0 {
                session.wait(until.saturating_duration_since(Instant::now()));
            }
        };
        wait(if has_failed { LOSS } else { ENDING });
        let failures = self.0.iter().filter_map(HostSession::failure).collect();
        self.0.iter().for_each(HostSession::close);
        wait(ENDING);
        failures
    }
}

/// The program ssh and its first arguments.
fn program(variable: Option<String>) -> Result<Vec<String>, Error> {
    let Some(text) = variable else { return Ok(vec!["ssh".to_owned()]) };
    match shell_words::split(&text) {
        Ok(words) if !words.is_empty() => Ok(words),
        _ => Err(Error::usage(format!(
            "{PROGRAM} must be a program and its arguments, such as `ssh -p 2222`, not `{}`",
            shown(&text)
        ))),
    }
}

fn client(program: &[String], host: &str) -> Command {
    let mut command = Command::new(&program[0]);
    command.args(&program[1..]).args(OPTIONS).arg(host).arg(remote_command());
    command
}

fn not_started(program: &str, error: &io::Error) -> Error {
    Error::usage(format!(
        "{} cannot be started: {error}; --agents ssh requires an ssh client, and {PROGRAM} may \
         name another one",
        shown(program)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_client_may_have_arguments() {
        let parsed = |text: &str| program(Some(text.to_owned())).map_err(|error| error.text);
        assert_eq!(parsed("ssh -F 'my config'").expect("words"), ["ssh", "-F", "my config"]);
        assert_eq!(program(None).map_err(|error| error.text), Ok(vec!["ssh".to_owned()]));
        for bad in ["", "ssh 'x", "ssh | x"] {
            assert!(parsed(bad).expect_err(bad).starts_with("TIEBREAK_SSH must be"), "{bad}");
        }
    }
}
