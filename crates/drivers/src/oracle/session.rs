//! One connection of the lane, on its own thread.

use super::quiet::unless_it_panics;
use super::trouble::trouble;
use crate::trouble::Trouble;
use engine::blocking::{Answer, Heard, Request, Tool};
use engine::clock;
use oracledb::{Config, Connection, Error, Row};
use record::{Failure, Reuse};
use std::time::Duration;

/// After a connect that failed: the first wait, and the longest. As in the event
/// loop.
const BACKOFF_NS: (u64, u64) = (10_000_000, 250_000_000);
/// How long a goodbye may take.
const GOODBYE_NS: u64 = 200_000_000;

/// A connection, or none yet, and how to come to one.
pub(super) struct Session {
    config: Config,
    query: String,
    reuse: Reuse,
    connection: Option<Connection>,
    /// Operations on it.
    served: u32,
    /// Its last operation is done.
    is_spent: bool,
    /// Connects in a row that failed.
    failures: u32,
    /// The last operation got no connection.
    unconnected: bool,
}

impl Session {
    pub(super) fn new(config: Config, query: &str, reuse: Reuse) -> Session {
        Session {
            config,
            query: query.to_owned(),
            reuse,
            connection: None,
            served: 0,
            is_spent: false,
            failures: 0,
            unconnected: false,
        }
    }

    /// One that goes nowhere, for a lane that says why and does not start.
    pub(super) fn of_nothing() -> Session {
        Session::new(Config::default(), "", Reuse::Always)
    }

    fn connect(&mut self, heard: &mut Heard) -> Result<(), Trouble> {
        let began = clock::now();
        self.unconnected = true;
        let connected = unless_it_panics(|| oracledb::connect(self.config.clone()));
        self.connection = Some(answered(connected)?);
        heard.connected(began);
        (self.served, self.failures, self.unconnected) = (0, 0, false);
        Ok(())
    }

    /// Asks the statement, and reads all of its rows. Returns how many they are, and
    /// their bytes.
    fn ask(&mut self, heard: &mut Heard) -> Result<(u32, u64), Trouble> {
        if self.connection.is_none() {
            heard.connects();
            self.connect(heard)?;
        }
        heard.asks();
        let (connection, query) = (self.connection.as_ref(), &self.query);
        let connection = connection.expect("it was opened just now");
        let asked = unless_it_panics(|| {
            let cursor = connection.query(query, &[])?;
            heard.begins();
            let (mut rows, mut bytes) = (0, 0);
            for row in cursor {
                rows += 1;
                bytes += bytes_of(&row?);
            }
            Ok((rows, bytes))
        });
        answered(asked)
    }
}

fn answered<T>(outcome: Option<Result<T, Error>>) -> Result<T, Trouble> {
    match outcome {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => Err(trouble(&error)),
        None => Err(Trouble::Failed(Failure::Protocol)),
    }
}

/// Bytes in all columns: text and numbers as text, RAW as it is. Others are not
/// counted: the library has no text for them.
fn bytes_of(row: &Row) -> u64 {
    let bytes = |column: usize| match row.get::<&str>(column) {
        Ok(text) => text.len(),
        Err(_) => match row.get::<String>(column) {
            Ok(text) => text.len(),
            Err(_) => row.get::<Vec<u8>>(column).map_or(0, |bytes| bytes.len()),
        },
    };
    (0..row.columns().len()).map(bytes).sum::<usize>() as u64
}

impl Tool for Session {
    const NAME: &'static str = "oracle";
    const GOODBYE_NS: u64 = GOODBYE_NS;

    fn another(&self) -> Session {
        Session::new(self.config.clone(), &self.query, self.reuse)
    }

    fn open(&mut self, heard: &mut Heard) -> bool {
        // Fresh connections belong to operations; there is nothing to keep open.
        let ready = self.reuse == Reuse::Never || self.connect(heard).is_ok();
        self.unconnected = false;
        ready
    }

    fn perform<'a>(
        &mut self,
        _request: &Request,
        gives_up: u64,
        _buffer: &'a mut Vec<u8>,
        heard: &mut Heard,
    ) -> Result<Answer<'a>, Failure> {
        let asked = self.ask(heard);
        self.served += 1;
        let over = match self.reuse {
            Reuse::Never => true,
            Reuse::Times(times) => self.served >= times,
            Reuse::Always | Reuse::Pool(_) => false,
        };
        self.is_spent = over || asked.is_err_and(Trouble::closes);
        match asked {
            Ok((rows, bytes)) => Ok(Answer::Rows { rows, bytes }),
            Err(Trouble::Told { code, .. }) => Ok(Answer::Error(code)),
            // Interrupted, the library says one thing or another.
            Err(Trouble::Failed(_)) if clock::now() >= gives_up => Err(Failure::Timeout),
            Err(Trouble::Failed(failure)) => Err(failure),
        }
    }

    fn settles_within(&self) -> Option<u64> {
        (self.is_spent || self.unconnected).then_some(GOODBYE_NS)
    }

    /// Says goodbye, and waits after a connect that failed: a refused one costs
    /// nothing, and would be counted ten thousand times a second.
    fn settle(&mut self) {
        let spent = self.connection.take_if(|_| self.is_spent);
        // One that does not end is interrupted.
        unless_it_panics(|| drop(spent));
        if self.unconnected {
            let wait = (BACKOFF_NS.0 << self.failures.min(8)).min(BACKOFF_NS.1);
            self.failures += 1;
            std::thread::sleep(Duration::from_nanos(wait));
        }
        (self.is_spent, self.unconnected) = (false, false);
    }
}
