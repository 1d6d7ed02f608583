//! An agent's side of the gate.

use super::link::Link;
use super::local_clock::LocalClock;
use super::records;
use crate::remote::{Connection, RemoteError};
use engine::{Gate, Stop, clock};
use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;
use wire::remote::agents::{FromAgent, FromCoordinator, Stamps};

/// How long after a late message a slice starts, so that all workers are awake.
const LATE_LEAD_NS: u64 = 20_000;
/// How long the thread that merges the workers' parts may take for a trial.
const MERGING: Duration = Duration::from_secs(30);

/// The connection to the coordinator.
pub(crate) struct AgentLink {
    link: Link,
    messages: Mutex<Receiver<Received>>,
    clock: LocalClock,
    /// The coordinator has ended the order, or the run.
    ended: Arc<AtomicBool>,
}

/// A message, and when it came.
type Received = (u64, Result<FromCoordinator, RemoteError>);

impl AgentLink {
    /// Starts to read. `stop` is raised when the coordinator ends the run or cannot be reached any
    /// more, so that a slice that is being driven ends soon.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(crate) fn start(
        connection: Connection,
        clock: LocalClock,
        stop: Stop,
    ) -> io::Result<AgentLink> {
        let (send, messages) = mpsc::channel();
        let ended = Arc::new(AtomicBool::new(false));
        let has_ended = Arc::clone(&ended);
        let link = Link::start(connection, move |message| {
            let at = clock.now();
            match message {
                Ok(FromCoordinator::Order(_)) => has_ended.store(false, Ordering::Release),
                Ok(FromCoordinator::End | FromCoordinator::Bye) => {
                    has_ended.store(true, Ordering::Release);
                }
                _ => {}
            }
            if matches!(message, Err(_) | Ok(FromCoordinator::End)) {
                stop.raise();
            }
            send.send((at, message)).is_ok()
        })?;
        Ok(AgentLink { link, messages: Mutex::new(messages), clock, ended })
    }

    /// Sends a message. A coordinator that has ended the order may be gone before the slice is over
    /// here, and then misses nothing. If it is gone too early, its next message does not come.
    ///
    /// # Errors
    /// If the coordinator cannot be reached, and has not ended the order.
    pub(crate) fn send(&self, message: &FromAgent) -> Result<(), RemoteError> {
        match self.link.send(message) {
            Err(_) if self.ended.load(Ordering::Acquire) => Ok(()),
            sent => sent,
        }
    }

    /// Waits for a message, and answers those that are only for the clock model.
    ///
    /// # Errors
    /// If none comes within the patience, or the coordinator cannot be reached.
    pub(crate) fn receive(
        &self,
        patience: Duration,
    ) -> Result<(u64, FromCoordinator), RemoteError> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (at, message) = match messages.recv_timeout(patience) {
                Ok((at, message)) => (at, message?),
                Err(RecvTimeoutError::Timeout) => return Err(RemoteError::TimedOut(patience)),
                Err(RecvTimeoutError::Disconnected) => return Err(RemoteError::Closed),
            };
            match message {
                FromCoordinator::Ping => self.send(&FromAgent::Pong(self.stamps(at)))?,
                message => return Ok((at, message)),
            }
        }
    }

    /// The stamps of an answer that is sent now.
    pub(crate) fn stamps(&self, received_ns: u64) -> Stamps {
        Stamps { received_ns, answered_ns: self.clock.now() }
    }

    /// Sends what was recorded up to this number of trials.
    ///
    /// # Errors
    /// If the coordinator cannot be reached, or the trials are not recorded, or not in time.
    pub(crate) fn send_records(&self, outbox: &Outbox, trials: u64) -> Result<(), RemoteError> {
        let why = || RemoteError::Io("its trials were not recorded".to_owned());
        records::send(&self.link, &outbox.take(trials).ok_or_else(why)?)
    }
}

/// Trials that were written to the journal and not sent yet.
#[derive(Default)]
pub(crate) struct Outbox {
    trials: Mutex<QueuedTrials>,
    more: Condvar,
}

#[derive(Default)]
struct QueuedTrials {
    count: u64,
    waiting: Vec<String>,
    /// No more trials can be written.
    failed: bool,
}

impl Outbox {
    /// Adds a trial, as it was written.
    pub(crate) fn add(&self, written: String) {
        let mut trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        trials.count += 1;
        trials.waiting.push(written);
        self.more.notify_all();
    }

    /// Ends every wait for trials, since no more can be written.
    pub(crate) fn fail(&self) {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner).failed = true;
        self.more.notify_all();
    }

    /// How many were written.
    pub(crate) fn count(&self) -> u64 {
        self.trials.lock().unwrap_or_else(PoisonError::into_inner).count
    }

    /// Waits until this many trials were written, and takes those that were not taken before.
    /// Returns None if that takes too long, or if no more can be written.
    fn take(&self, until: u64) -> Option<Vec<String>> {
        let trials = self.trials.lock().unwrap_or_else(PoisonError::into_inner);
        let missing = |trials: &mut QueuedTrials| trials.count < until && !trials.failed;
        let waited = self.more.wait_timeout_while(trials, MERGING, missing);
        let (mut trials, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (trials.count >= until).then(|| std::mem::take(&mut trials.waiting))
    }
}

/// Starts every slice when the coordinator says so.
pub(crate) struct AgentGate<'a> {
    link: &'a AgentLink,
    outbox: &'a Outbox,
    stop: &'a Stop,
    patience: Duration,
    state: Mutex<GateState>,
}

struct GateState {
    /// When the message that is answered next arrived.
    received_ns: u64,
    /// When the previous slice started.
    started_ns: u64,
    failed: Option<RemoteError>,
}

impl<'a> AgentGate<'a> {
    /// The gate of one order, which came at `received_ns`.
    pub(crate) fn new(
        link: &'a AgentLink,
        outbox: &'a Outbox,
        stop: &'a Stop,
        patience: Duration,
        received_ns: u64,
    ) -> AgentGate<'a> {
        let state = Mutex::new(GateState { received_ns, started_ns: 0, failed: None });
        AgentGate { link, outbox, stop, patience, state }
    }

    /// Reports that the order was carried out, once no worker drives any more.
    ///
    /// # Errors
    /// If the coordinator could not be reached, now or before.
    pub(crate) fn done(self) -> Result<(), RemoteError> {
        let state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some(failed) = state.failed {
            return Err(failed);
        }
        self.link.send(&FromAgent::Done {
            stamps: self.link.stamps(state.received_ns),
            started_ns: state.started_ns,
            trials: self.outbox.count(),
        })
    }

    fn wait(&self, index: u64, state: &mut GateState) -> Result<Option<u64>, RemoteError> {
        self.link.send(&FromAgent::Ready {
            index,
            stamps: self.link.stamps(state.received_ns),
            started_ns: state.started_ns,
            stops: self.stop.raised(),
        })?;
        loop {
            let (at, message) = self.link.receive(self.patience)?;
            state.received_ns = at;
            match message {
                FromCoordinator::Start { index: of, at_ns } if of == index => {
                    return Ok(Some(self.start(at_ns, state)));
                }
                FromCoordinator::Send { trials } => {
                    self.link.send_records(self.outbox, trials)?;
                }
                FromCoordinator::End | FromCoordinator::Bye => return Ok(None),
                _ => {
                    return Err(RemoteError::Io(
                        "the coordinator started another slice".to_owned(),
                    ));
                }
            }
        }
    }

    /// The start of a slice on the engine's clock.
    fn start(&self, at_ns: u64, state: &mut GateState) -> u64 {
        let clock = self.link.clock;
        let wanted = clock.to_engine(at_ns) + clock.skew_ns();
        let starts = wanted.max(clock::now() + LATE_LEAD_NS);
        state.started_ns =
            if starts == wanted { at_ns + clock.skew_ns() } else { clock.of_engine(starts) };
        starts
    }
}

impl Gate for AgentGate<'_> {
    fn next(&self, index: u64) -> Option<u64> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match self.wait(index, &mut state) {
            Ok(starts) => starts,
            Err(error) => {
                state.failed = Some(error);
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::local_clock::SimulatedClock;
    use std::net::TcpListener;

    const SECOND: Duration = Duration::from_secs(1);

    /// An agent and its coordinator, which has sent these messages and is gone.
    fn left_with(messages: &[FromCoordinator]) -> (AgentLink, Stop) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("its address");
        let agent = Connection::open(address, SECOND).expect("it listens");
        let stop = Stop::new().expect("a descriptor");
        let mut coordinator = Connection::of(listener.accept().expect("a connection").0);
        let coordinator = coordinator.as_mut().expect("a connection");
        for message in messages {
            coordinator.send(message, SECOND).expect("it is read");
        }
        let clock = LocalClock::new(SimulatedClock::default());
        let link = AgentLink::start(agent, clock, stop.clone()).expect("a thread");
        (link, stop)
    }

    /// Sends until the kernel has noticed that nobody reads: the first messages are still taken.
    fn answers(link: &AgentLink) -> Result<(), RemoteError> {
        (0..50).try_for_each(|_| {
            std::thread::sleep(Duration::from_millis(1));
            link.send(&FromAgent::Failed("an answer".to_owned()))
        })
    }

    #[test]
    fn a_coordinator_that_ends_the_run_need_not_wait_for_the_last_slice() {
        let (link, stop) = left_with(&[FromCoordinator::End, FromCoordinator::Bye]);
        let outbox = Outbox::default();
        let gate = AgentGate::new(&link, &outbox, &stop, SECOND, 0);
        assert_eq!(gate.next(0), None, "the order is ended");
        answers(&link).expect("nobody waits for them");
        gate.done().expect("nobody waits for it");
        assert!(matches!(link.receive(SECOND), Ok((_, FromCoordinator::Bye))));
    }

    #[test]
    fn a_coordinator_that_is_gone_without_a_word_is_an_error() {
        let (link, stop) = left_with(&[]);
        let outbox = Outbox::default();
        answers(&link).expect_err("nobody reads them");
        assert!(stop.raised());
        let gate = AgentGate::new(&link, &outbox, &stop, SECOND, 0);
        assert_eq!(gate.next(0), None);
        gate.done().expect_err("it cannot be reached");
        // It has ended the order, and is gone before the run is over.
        let (link, _) = left_with(&[FromCoordinator::End]);
        assert!(matches!(link.receive(SECOND), Ok((_, FromCoordinator::End))));
        link.receive(SECOND).expect_err("it cannot be reached");
    }
}
