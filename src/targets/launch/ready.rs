//! Waits until a process that was launched is ready, or will never be.

use crate::protocols::PROTOCOLS;
use crate::targets::find;
use crate::targets::launch::failed::{Failed, Refusal, named};
use crate::targets::launch::orders;
use crate::targets::launch::probe;
use crate::targets::launch::probe::{NO_ANSWER, ReadyAnswer, SHORTEST};
use crate::targets::launch::running::{Started, quoted};
use crate::targets::launch::{Launch, Process, ReadySign, Text, Values};
use crate::targets::ports;
use keeper::Keeper;
use keeper::logs;
use protocol::Error;
use protocol::address::Endpoint;
use std::collections::BTreeSet;
use std::io::Read;
use std::time::{Duration, Instant};
use text::shown::shown;
use text::units::{nanoseconds, show_ns};

/// The first and the longest pause between two checks. The first is short, because some servers
/// are ready after 15 ms.
const PAUSES: (Duration, Duration) = (Duration::from_millis(5), Duration::from_millis(100));

/// How long a command that checks whether a process is ready may take.
const ONE_LOOK: Duration = Duration::from_secs(10);

/// A request without an answer in less time than this does not show that the process answers nothing.
const TELLING: Duration = Duration::from_secs(1);

/// A launch in progress.
pub(super) struct Wait<'a> {
    pub(super) keeper: Keeper,
    pub(super) launch: &'a Launch,
    pub(super) secrets: &'a [String],
    pub(super) stopped: &'a dyn Fn() -> bool,
    /// Requests that a server may have in its log.
    pub(super) requests: u64,
}

/// What one check requests, and which reply it accepts.
struct Probe<'a> {
    path: Option<&'a Text>,
    expect: &'a [u16],
    bytes: Option<u64>,
    /// The end of the time in which the process must become ready.
    until: Instant,
}

enum CheckResult {
    Ready,
    /// Not ready; what was seen instead.
    NotYet(String),
    /// Another server answers on the port of the process.
    Stranger,
}

impl Wait<'_> {
    pub(super) fn until_ready(
        &mut self,
        number: usize,
        started: &[Started],
        values: &Values,
    ) -> Result<(), Refusal> {
        let (process, this) = (&self.launch.processes[number], &started[number]);
        let until = Instant::now() + process.ready.timeout;
        let mut pause = PAUSES.0;
        let mut earlier = None;
        loop {
            let begun = Instant::now();
            let look = match self.look(number, this, values, until)? {
                CheckResult::Ready => by_logs(this, &process.ready.also_log, values),
                other => other,
            };
            // After the check, because a process that answers and then ends is not ready.
            self.nobody_ended(started)?;
            let seen = match look {
                CheckResult::Ready => return Ok(()),
                CheckResult::Stranger => return Err(self.stranger(this, values.port)),
                CheckResult::NotYet(seen) => seen,
            };
            if (self.stopped)() {
                return Err(Failed::Stopped.into());
            }
            let seen = telling(earlier.take(), seen, begun.elapsed());
            if Instant::now() >= until {
                return Err(self.late(process, this, values, &seen));
            }
            earlier = Some(seen);
            std::thread::sleep(pause);
            pause = (pause * 2).min(PAUSES.1);
        }
    }

    fn look(
        &mut self,
        number: usize,
        this: &Started,
        values: &Values,
        until: Instant,
    ) -> Result<CheckResult, Refusal> {
        let process = &self.launch.processes[number];
        match &process.ready.sign {
            ReadySign::Reply { path, expect, bytes } => {
                let probe = Probe { path: path.as_ref(), expect, bytes: *bytes, until };
                Ok(self.by_probing(number, &probe, values))
            }
            ReadySign::Log(text) => Ok(by_log(this, &text.fill(values))),
            ReadySign::Run(command) => {
                let log = this.log.with_extension("ready.log");
                let order = orders::command(self.launch, command, &process.context, values, log);
                let left = until.saturating_duration_since(Instant::now());
                let longest = left.clamp(SHORTEST, ONE_LOOK);
                match self.keeper.run(&order, longest, self.stopped) {
                    Ok(Some(how)) if how.good() => Ok(CheckResult::Ready),
                    Ok(Some(how)) => Ok(CheckResult::NotYet(format!("`{command}` {how}"))),
                    Ok(None) => {
                        Ok(CheckResult::NotYet(format!("`{command}` did not finish in time")))
                    }
                    Err(keeper::Error::Stopped) => Err(Failed::Stopped.into()),
                    Err(error) => Err(self.error(&error.to_string()).into()),
                }
            }
        }
    }

    fn by_probing(&mut self, number: usize, probe: &Probe<'_>, values: &Values) -> CheckResult {
        let driven = number + 1 == self.launch.processes.len() || !self.launch.nodes.is_empty();
        let text = if driven {
            orders::url(self.launch, values)
        } else {
            format!("http://127.0.0.1:{}/", values.port)
        };
        let url = match PROTOCOLS.url(&text) {
            Ok(url) if self.launch.nodes.is_empty() => url,
            Ok(url) => url.of_node(number),
            Err(message) => return CheckResult::NotYet(message),
        };
        let path = probe.path.map_or_else(|| url.request_target(), |path| path.fill(values));
        let answer = probe::ask(&url, &path, probe::deadline(probe.until, self.stopped));
        if let ReadyAnswer::Reply { .. } | ReadyAnswer::Nothing { sent: true, .. } = answer {
            self.requests += 1;
        }
        match answer {
            ReadyAnswer::Nothing { why, .. } => return CheckResult::NotYet(why),
            ReadyAnswer::Reply { status, words, .. } if !expected(status, probe.expect) => {
                let words = words.map(|words| self.quoted(words)).unwrap_or_default();
                return CheckResult::NotYet(format!("it answers with status {status}{words}"));
            }
            ReadyAnswer::Reply { bytes: got, .. }
                if probe.bytes.is_some_and(|bytes| bytes != got) =>
            {
                return CheckResult::NotYet(format!("its reply has {got} bytes"));
            }
            ReadyAnswer::Reply { .. } | ReadyAnswer::Listens => {}
        }
        let port = match url.endpoint {
            Endpoint::Host { port, .. } => port,
            _ => return CheckResult::Ready,
        };
        match find::listens(port, &self.keeper.processes()) {
            Some(false) => CheckResult::Stranger,
            _ => CheckResult::Ready,
        }
    }

    /// What a server said, without the secrets that it may repeat.
    fn quoted(&self, words: String) -> String {
        format!(": it says \"{}\"", logs::last_lines(words.into(), self.secrets).concat())
    }

    fn nobody_ended(&mut self, started: &[Started]) -> Result<(), Refusal> {
        let exits = self.keeper.exits().map(<[_]>::to_vec);
        let exits = exits.map_err(|error| self.error(&error.to_string()))?;
        let Some((pid, how)) = exits.first() else { return Ok(()) };
        let this = started.iter().find(|this| this.pid == *pid).unwrap_or(&started[0]);
        let lines = logs::tail(&this.log, this.from, self.secrets);
        let hint = if how.good() {
            "; a target must stay in the foreground (nginx: `daemon off;`)"
        } else {
            ""
        };
        let quoted = quoted(&this.log, this.from, self.secrets);
        let who = this.who(&self.launch.name);
        let failed = self.error(&format!("{who}{how} before it was ready{hint}{quoted}"));
        if ports::says_taken(&lines) {
            Err(Refusal::PortTaken(failed))
        } else {
            Err(Refusal::Other(failed))
        }
    }

    fn stranger(&self, this: &Started, port: u16) -> Refusal {
        let quoted = quoted(&this.log, this.from, self.secrets);
        let text = format!("another server answers on port {port}, which was free before{quoted}");
        Refusal::PortTaken(self.error(&text))
    }

    fn late(&self, process: &Process, this: &Started, values: &Values, seen: &str) -> Refusal {
        let time = show_ns(nanoseconds(process.ready.timeout));
        let quoted = quoted(&this.log, this.from, self.secrets);
        let who = this.who(&self.launch.name);
        let elsewhere = other_port(values, &find::listening_ports(&self.keeper.processes()));
        let text = format!("{who}was not ready within {time}: {seen}{elsewhere}{quoted}");
        Refusal::Other(self.error(&text))
    }

    fn error(&self, text: &str) -> Failed {
        Failed::Error(Error::target(named(self.launch, text)))
    }
}

/// Says which ports the target listens on if its own is not among them. Empty if it is, or if it listens on none.
fn other_port(values: &Values, listening: &BTreeSet<u16>) -> String {
    let others = listening.iter().filter(|port| !values.ports.values().any(|own| own == *port));
    let others: Vec<String> = others.map(u16::to_string).collect();
    if others.is_empty() || listening.contains(&values.port) {
        return String::new();
    }
    format!("; it listens on port {} instead of {} (`{{port}}`)", others.join(" and "), values.port)
}

/// What to say of a process that is not ready: what the last check saw after this time, or the one before.
/// The end of the time leaves the last request little time to get an answer.
fn telling(earlier: Option<String>, seen: String, after: Duration) -> String {
    match earlier {
        Some(earlier) if seen == NO_ANSWER && after < TELLING => earlier,
        _ => seen,
    }
}

fn expected(status: u16, expect: &[u16]) -> bool {
    expect.contains(&status) || (expect.is_empty() && (200..300).contains(&status))
}

fn by_logs(this: &Started, texts: &[Text], values: &Values) -> CheckResult {
    let mut looks = texts.iter().map(|text| by_log(this, &text.fill(values)));
    looks.find(|look| !matches!(look, CheckResult::Ready)).unwrap_or(CheckResult::Ready)
}

fn by_log(this: &Started, text: &str) -> CheckResult {
    let is_there = || -> std::io::Result<bool> {
        let mut bytes = Vec::new();
        logs::open_at(&this.log, this.from)?.take(16 << 20).read_to_end(&mut bytes)?;
        Ok(bytes.windows(text.len().max(1)).any(|window| window == text.as_bytes()))
    };
    match is_there() {
        Ok(true) => CheckResult::Ready,
        _ => CheckResult::NotYet(format!("its log does not contain `{}`", shown(text))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_on_another_port_is_seen() {
        let values = Values {
            port: 10_001,
            ports: [("proxy".to_owned(), 10_001), ("app".to_owned(), 10_002)].into(),
            ..Values::default()
        };
        let said = |listening: &[u16]| other_port(&values, &listening.iter().copied().collect());
        let other = "; it listens on port 8080 instead of 10001 (`{port}`)";
        assert_eq!(said(&[8080]), other);
        assert_eq!(said(&[8080, 10_002]), other);
        assert_eq!(said(&[8080, 10_001]), "");
        assert_eq!(said(&[10_002]), "");
        assert_eq!(said(&[]), "");
    }

    #[test]
    fn a_last_request_without_time_hides_nothing() {
        let said = |earlier: Option<&str>, seen: &str, after: Duration| {
            telling(earlier.map(str::to_owned), seen.to_owned(), after)
        };
        let (short, long) = (Duration::from_millis(150), TELLING);
        assert_eq!(
            said(Some("it reset the connection"), NO_ANSWER, short),
            "it reset the connection"
        );
        assert_eq!(said(Some("it reset the connection"), NO_ANSWER, long), NO_ANSWER);
        assert_eq!(
            said(Some(NO_ANSWER), "it answers with status 503", short),
            "it answers with status 503"
        );
        assert_eq!(said(None, NO_ANSWER, short), NO_ANSWER);
    }
}
