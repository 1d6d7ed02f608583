//! The side that asks a watcher.

use super::TIMEOUT;
use crate::system::remote;
use crate::system::remote::{Connection, RemoteError, Token};
use crate::targets::cpu::MemorySource;
use engine::{TargetReading, WatchedReading, clock};
use record::limits::NUMBERS_BELOW;
use record::{Histogram, WatcherReport};
use std::net::SocketAddr;
use wire::remote::watch::{Answer, Description, Reading, WatchQuestion};
use wire::remote::{FrameError, Purpose};

/// Asks a watcher what it watches.
///
/// # Errors
/// If it cannot be reached, or refuses.
pub fn describe(address: SocketAddr, token: &Token) -> Result<Description, RemoteError> {
    let mut connection = remote::join(address, Purpose::Watch, token, TIMEOUT)?;
    description(&mut connection)
}

fn description(connection: &mut Connection) -> Result<Description, RemoteError> {
    connection.send(&WatchQuestion::Describe, TIMEOUT)?;
    match connection.receive(TIMEOUT)? {
        Answer::Description(description) => Ok(description),
        Answer::Reading(_) => Err(out_of_turn()),
    }
}

fn out_of_turn() -> RemoteError {
    RemoteError::Message(FrameError::Malformed(wire::remote::UNKNOWN_KIND))
}

/// Reads one target through its watcher. Once a reading fails, all later ones are missing: what
/// happened in between is not known, and a new connection would not tell.
#[derive(Debug)]
pub struct Client {
    connection: Result<Connection, String>,
    description: Description,
    readings: Readings,
    /// Peak memory in bytes, and the name of its source.
    peak: Option<(u64, &'static str)>,
}

/// What is known of the readings so far.
#[derive(Debug, Default)]
struct Readings {
    questions: u32,
    /// From question to answer, in nanoseconds.
    took: Histogram,
    first: Option<Reading>,
    last: Option<Reading>,
    load_milli: Option<u64>,
}

impl Readings {
    /// Whether all that is recorded of a reading is a number that a journal can hold: what changed since
    /// the first reading, and what is shown as it is.
    fn can_be_recorded(&self, reading: &Reading) -> bool {
        let first = self.first.unwrap_or(*reading);
        let grew = |figure: fn(&Reading) -> Option<u64>| {
            Some(figure(reading)?.saturating_sub(figure(&first)?))
        };
        let numbers = [
            grew(|reading| Some(reading.at_ns)),
            grew(|reading| reading.cpu_ns),
            grew(|reading| reading.steal_ns),
            reading.peak_memory_bytes,
            reading.load_milli,
        ];
        numbers.into_iter().flatten().all(|number| number < NUMBERS_BELOW)
    }
}

impl Client {
    /// Connects to a watcher that returned this description of its target. If it cannot be reached
    /// any more, all readings are missing.
    pub fn connect(address: SocketAddr, token: &Token, description: Description) -> Client {
        let connection = remote::join(address, Purpose::Watch, token, TIMEOUT)
            .map_err(|error| error_text(&error));
        let mut client =
            Client { connection, description, readings: Readings::default(), peak: None };
        client.ask(true);
        client
    }

    /// What is watched.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Reads the CPU time. Returns None from the first failure on.
    pub fn read(&mut self) -> Option<TargetReading> {
        self.ask(false)
    }

    /// Peak memory in bytes, and the name of its source in the journal. Returns the last known peak
    /// if the watcher cannot be asked any more.
    pub fn peak_memory(&mut self) -> Option<(u64, &'static str)> {
        self.ask(true);
        self.peak
    }

    /// What is recorded about the readings.
    pub fn report(&self) -> WatcherReport {
        let Readings { took, first, last, load_milli, .. } = &self.readings;
        let between = |figure: fn(&Reading) -> Option<u64>| {
            let (first, last) = (first.as_ref().and_then(figure)?, last.as_ref().and_then(figure)?);
            last.checked_sub(first)
        };
        WatcherReport {
            lost: self.connection.as_ref().err().cloned(),
            over_ns: between(|reading| Some(reading.at_ns)).unwrap_or(0),
            steal_ns: between(|reading| reading.steal_ns),
            load_milli: *load_milli,
            questions: took.len(),
            median_ns: took.quantile(0.5).unwrap_or(0),
            longest_ns: took.max().unwrap_or(0),
        }
    }

    fn ask(&mut self, fully: bool) -> Option<TargetReading> {
        let connection = self.connection.as_mut().ok()?;
        let started = clock::now();
        let number = self.readings.questions;
        self.readings.questions = number.wrapping_add(1);
        let reading = match question(connection, number, fully) {
            Ok(reading) => reading,
            Err(error) => return self.lose(error_text(&error)),
        };
        let took_ns = clock::now() - started;
        let Some(cpu_ns) = reading.cpu_ns else {
            return self.lose("the watched process ended".to_owned());
        };
        if self
            .readings
            .last
            .is_some_and(|last| Some(cpu_ns) < last.cpu_ns || reading.at_ns < last.at_ns)
        {
            return self.lose("the watcher's readings decreased".to_owned());
        }
        if !self.readings.can_be_recorded(&reading) {
            return self.lose("the watcher's readings are larger than those of any run".to_owned());
        }
        self.keep(reading, took_ns);
        let watched =
            WatchedReading { at_ns: reading.at_ns, asked_ns: took_ns, steal_ns: reading.steal_ns };
        Some(TargetReading { cpu_ns, watched: Some(watched) })
    }

    fn keep(&mut self, reading: Reading, took_ns: u64) {
        self.readings.took.record(took_ns);
        self.readings.first.get_or_insert(reading);
        self.readings.last = Some(reading);
        self.readings.load_milli = reading.load_milli.or(self.readings.load_milli);
        let of_cgroup = reading.memory_of_cgroup;
        let source = if of_cgroup { MemorySource::Cgroup } else { MemorySource::Processes };
        self.peak = reading.peak_memory_bytes.map(|bytes| (bytes, source.name())).or(self.peak);
    }

    fn lose(&mut self, why: String) -> Option<TargetReading> {
        self.connection = Err(why);
        None
    }
}

fn question(connection: &mut Connection, number: u32, fully: bool) -> Result<Reading, RemoteError> {
    connection.send(&WatchQuestion::Read { number, fully }, TIMEOUT)?;
    match connection.receive(TIMEOUT)? {
        Answer::Reading(reading) if reading.number == number => Ok(reading),
        Answer::Reading(_) | Answer::Description(_) => Err(out_of_turn()),
    }
}

/// Why a watcher cannot be asked any more, for a sentence.
fn error_text(error: &RemoteError) -> String {
    match error {
        RemoteError::Closed => "the connection to the watcher was closed".to_owned(),
        RemoteError::TimedOut(after) => format!(
            "the watcher did not answer within {}",
            text::units::show_ns(after.as_nanos() as u64)
        ),
        other => format!("the connection to the watcher failed: {other}"),
    }
}
