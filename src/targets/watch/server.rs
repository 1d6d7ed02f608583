//! The watcher's side: connections, and answers to what is asked on them.
//!
//! Each connection has a thread and a place. Every wait is bounded, and a stranger leaves if another
//! connection needs its place, so that nobody can keep clients from being answered.

use super::{TIMEOUT, WatchedTarget};
use crate::system::remote;
use crate::system::remote::{Connection, Place, Places, RemoteError, Token};
use engine::Stop;
use std::io::{self, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};
use sys::net::keep_alive;
use wire::remote::Purpose;
use wire::remote::handshake::Refusal;
use wire::remote::watch::{Answer, WatchQuestion};

/// How long an admitted client may be silent: as long as the longest run.
const LONGEST_SILENCE: Duration = Duration::from_secs(86_400);
/// When the system asks a silent peer whether it still exists, how often, and how many times.
const KEEPALIVE: (Duration, Duration, u32) = (Duration::from_secs(30), Duration::from_secs(10), 3);
/// How often refusals are reported at most: a stranger must not fill a disk with them.
const REPORTS: Duration = Duration::from_secs(1);

/// How many connections there may be.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// In the handshake.
    pub strangers: usize,
    /// Admitted.
    pub clients: usize,
    /// How long each step of the handshake may take.
    pub timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { strangers: 64, clients: 64, timeout: TIMEOUT }
    }
}

/// What all connections share.
struct Shared {
    watched: Mutex<WatchedTarget>,
    token: Token,
    timeout: Duration,
    places: Arc<Places>,
    reports: Mutex<Reports>,
}

/// Refusals that were reported, and how many were not.
struct Reports {
    last: Option<Instant>,
    silent: u64,
}

/// Answers questions until `stop` is raised.
///
/// # Errors
/// If the listener cannot be used.
pub fn serve(
    listener: &TcpListener,
    watched: WatchedTarget,
    token: Token,
    limits: Limits,
    stop: &Stop,
) -> io::Result<()> {
    let shared = Arc::new(Shared {
        watched: Mutex::new(watched),
        token,
        timeout: limits.timeout,
        places: Places::new(limits.strangers, limits.clients),
        reports: Mutex::new(Reports { last: None, silent: 0 }),
    });
    remote::accept(listener, stop, |accepted| match accepted {
        Ok((stream, peer)) => shared.begin(stream, peer),
        Err(error) => shared.report(&format!("a connection cannot be accepted: {error}")),
    })
}

impl Shared {
    /// Handles a new connection in a thread of its own.
    fn begin(self: &Arc<Self>, stream: TcpStream, peer: SocketAddr) {
        // A client whose machine is gone sends nothing, and must not keep its admission. Without this
        // the connection merely ends later.
        let (idle, interval, times) = KEEPALIVE;
        let _ = keep_alive(&stream, idle, interval, times);
        // One that cannot be used has been closed by the other side.
        let Ok(connection) = Connection::of(stream) else { return };
        let place = self.places.take(&connection, peer);
        let shared = Arc::clone(self);
        let serve_client = move || {
            if let Err(error) = shared.serve_client(connection, &place) {
                shared.report(&format!("{peer}: {}", ended(&error)));
            }
        };
        if let Err(error) = thread::Builder::new().name("watch".to_owned()).spawn(serve_client) {
            self.report(&format!("{peer}: no thread could be started for its connection: {error}"));
        }
    }

    fn serve_client(&self, mut connection: Connection, place: &Place) -> Result<(), RemoteError> {
        remote::admit(&mut connection, Purpose::Watch, &self.token, place, self.timeout)?;
        loop {
            match connection.receive(LONGEST_SILENCE) {
                Ok(question) => connection.send(&self.answer(question), self.timeout)?,
                // A client that has read all it wants leaves.
                Err(RemoteError::Closed) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
    }

    fn answer(&self, question: WatchQuestion) -> Answer {
        // A reading that panicked has not changed what the next one needs.
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        match question {
            WatchQuestion::Describe => Answer::Description(watched.description().clone()),
            WatchQuestion::Read { number, fully } => Answer::Reading(watched.read(number, fully)),
        }
    }

    /// Writes a line to stderr, unless there was one a moment ago.
    fn report(&self, what: &str) {
        let mut reports = self.reports.lock().unwrap_or_else(PoisonError::into_inner);
        if reports.last.is_some_and(|last| last.elapsed() < REPORTS) {
            reports.silent += 1;
            return;
        }
        let silent = match std::mem::take(&mut reports.silent) {
            0 => String::new(),
            more => format!(" (and {more} more that were not reported)"),
        };
        reports.last = Some(Instant::now());
        // There is nobody to tell if nobody reads this.
        let _ = writeln!(io::stderr(), "{what}{silent}");
    }
}

/// Why a connection ended, for the person who runs the watcher.
fn ended(error: &RemoteError) -> String {
    match error {
        RemoteError::Refused(Refusal::Token) => "refused: it does not know the token".to_owned(),
        RemoteError::Refused(Refusal::Purpose) => {
            "refused: it is an agent, and this is a watcher".to_owned()
        }
        RemoteError::Refused(Refusal::Busy) => "refused: there are too many connections".to_owned(),
        other => other.to_string(),
    }
}
