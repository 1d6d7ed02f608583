//! An agent's side of the gate.

use super::link::{Link, MessageSink, MessageSource};
use super::local_clock::LocalClock;
use super::records;
use crate::system::remote::{Connection, RemoteError};
use engine::{Gate, Stop, clock};
use std::io;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use wire::remote::agents::{FromAgent, FromCoordinator, Stamps};

/// How long after a late message a slice starts, so that all workers are awake.
const LATE_LEAD_NS: u64 = 20_000;
/// How far ahead a slice can be announced: a multiple of any network's round trip.
const FARTHEST_NS: u64 = 1_000_000_000;
/// How long the thread that merges the workers' parts may take for a trial.
const MERGING: Duration = Duration::from_secs(30);

/// The connection to the coordinator.
pub(crate) struct AgentLink {
    link: Box<dyn MessageSink<FromAgent>>,
    messages: Mutex<Box<dyn MessageSource<Received>>>,
    clock: LocalClock,
    /// Why a message could not be sent.
    send_error: Mutex<Option<RemoteError>>,
}

/// A message, and when it came.
pub(super) type Received = (u64, Result<FromCoordinator, RemoteError>);

/// What the thread that reads does with a message, or with the reason why no more come.
pub(super) fn received(
    message: Result<FromCoordinator, RemoteError>,
    clock: &LocalClock,
    stop: &Stop,
) -> Received {
    let at = clock.now();
    if matches!(message, Err(_) | Ok(FromCoordinator::End)) {
        stop.raise();
    }
    (at, message)
}

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
        let reads = clock.clone();
        let link = Link::start(connection, move |message| {
            send.send(received(message, &reads, &stop)).is_ok()
        })?;
        Ok(AgentLink::of(Box::new(link), Box::new(messages), clock))
    }

    /// A link that sends and receives by these.
    pub(super) fn of(
        link: Box<dyn MessageSink<FromAgent>>,
        messages: Box<dyn MessageSource<Received>>,
        clock: LocalClock,
    ) -> AgentLink {
        let (messages, send_error) = (Mutex::new(messages), Mutex::new(None));
        AgentLink { link, messages, clock, send_error }
    }

    /// Sends a message. If that fails, [`AgentLink::receive`] returns what the coordinator sent
    /// before, and then the error. So a coordinator that ended the run and was gone before the
    /// slice was over here is no error: its last message says so.
    pub(crate) fn send(&self, message: &FromAgent) {
        if let Err(error) = self.link.send(message) {
            self.send_error().get_or_insert(error);
            self.link.close();
        }
    }

    fn send_error(&self) -> MutexGuard<'_, Option<RemoteError>> {
        self.send_error.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for a message, and answers those that are only for the clock model.
    ///
    /// # Errors
    /// If none comes within the timeout, or the coordinator cannot be reached.
    pub(crate) fn receive(&self, timeout: Duration) -> Result<(u64, FromCoordinator), RemoteError> {
        let messages = self.messages.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let (at, message) = match messages.receive(timeout) {
                Ok((at, Ok(message))) => (at, message),
                Ok((_, Err(error))) => return Err(self.send_error().take().unwrap_or(error)),
                Err(RecvTimeoutError::Timeout) => return Err(RemoteError::TimedOut(timeout)),
                Err(RecvTimeoutError::Disconnected) => return Err(RemoteError::Closed),
            };
            match message {
                FromCoordinator::Ping => self.send(&FromAgent::Pong(self.stamps(at))),
                message => return Ok((at, message)),
            }
        }
    }

    /// Notes that a round is over, for a clock that simulates a step.
    pub(crate) fn round_ended(&self) {
        self.clock.round_ended();
    }

    /// The stamps of an answer that is sent now.
    pub(crate) fn stamps(&self, received_ns: u64) -> Stamps {
        Stamps { received_ns, answered_ns: self.clock.now() }
    }

    /// Sends what was recorded up to this number of trials.
    ///
    /// # Errors
    /// If the trials are not recorded, or not in time.
    pub(crate) fn send_records(&self, outbox: &Outbox, trials: u64) -> Result<(), RemoteError> {
        let why = || RemoteError::Io("its trials were not recorded in time".to_owned());
        records::send(&outbox.take(trials).ok_or_else(why)?, |message| self.send(message));
        Ok(())
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
pub(crate) struct AgentGate {
    link: Arc<AgentLink>,
    outbox: Arc<Outbox>,
    stop: Stop,
    timeout: Duration,
    state: Mutex<GateState>,
}

/// How the coordinator lets an agent go on.
enum GoOn {
    /// The slice starts at this time, on this agent's clock.
    Start(u64),
    /// Connections are renewed for the next round.
    Renew,
}

struct GateState {
    /// When the message that is answered next arrived.
    received_ns: u64,
    /// When the previous slice started.
    started_ns: u64,
    failed: Option<RemoteError>,
}

impl AgentGate {
    /// The gate of one order, which came at `received_ns`.
    pub(crate) fn new(
        link: Arc<AgentLink>,
        outbox: Arc<Outbox>,
        stop: Stop,
        timeout: Duration,
        received_ns: u64,
    ) -> AgentGate {
        let state = Mutex::new(GateState { received_ns, started_ns: 0, failed: None });
        AgentGate { link, outbox, stop, timeout, state }
    }

    /// Reports that the order was carried out, once no worker drives any more.
    ///
    /// # Errors
    /// If the coordinator could not be reached before.
    pub(crate) fn done(&self) -> Result<(), RemoteError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(failed) = state.failed.take() {
            return Err(failed);
        }
        self.link.send(&FromAgent::Done {
            stamps: self.link.stamps(state.received_ns),
            started_ns: state.started_ns,
            trials: self.outbox.count(),
        });
        Ok(())
    }

    /// Says that nothing is driven before the slice at `index`, and waits until the coordinator
    /// says how to go on. Returns None if the run ends.
    fn wait(&self, index: u64, state: &mut GateState) -> Result<Option<GoOn>, RemoteError> {
        self.link.send(&FromAgent::Ready {
            index,
            stamps: self.link.stamps(state.received_ns),
            started_ns: state.started_ns,
            stops: self.stop.raised(),
        });
        loop {
            let (at, message) = self.link.receive(self.timeout)?;
            state.received_ns = at;
            match message {
                FromCoordinator::Start { index: started_index, at_ns }
                    if started_index == index =>
                {
                    return Ok(Some(GoOn::Start(at_ns)));
                }
                FromCoordinator::Renew => return Ok(Some(GoOn::Renew)),
                FromCoordinator::Send { trials } => {
                    self.link.send_records(&self.outbox, trials)?;
                }
                FromCoordinator::End | FromCoordinator::Bye => return Ok(None),
                _ => return Err(out_of_turn()),
            }
        }
    }

    /// Keeps the error of a step for [`AgentGate::done`]. Returns None if the run ends.
    fn noted<T>(
        &self,
        step: impl FnOnce(&mut GateState) -> Result<Option<T>, RemoteError>,
    ) -> Option<T> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        step(&mut state).unwrap_or_else(|error| {
            state.failed = Some(error);
            None
        })
    }

    /// The start of a slice on the engine's clock.
    ///
    /// # Errors
    /// If it is so far ahead that a clock must have been set.
    fn start(&self, at_ns: u64, state: &mut GateState) -> Result<u64, RemoteError> {
        let clock = &self.link.clock;
        let wanted = clock.to_engine(at_ns).saturating_add(clock.skew_ns());
        let now = clock::now();
        if wanted > now + FARTHEST_NS {
            return Err(RemoteError::Io(
                "a slice was announced more than 1 s ahead: a clock was set".to_owned(),
            ));
        }
        let starts = wanted.max(now + LATE_LEAD_NS);
        state.started_ns =
            if starts == wanted { at_ns + clock.skew_ns() } else { clock.of_engine(starts) };
        Ok(starts)
    }
}

/// The error of a message that may not come now.
pub(crate) fn out_of_turn() -> RemoteError {
    RemoteError::Io("the coordinator sent a message that was not expected".to_owned())
}

impl Gate for AgentGate {
    fn next(&self, index: u64) -> Option<u64> {
        self.noted(|state| match self.wait(index, state)? {
            Some(GoOn::Start(at_ns)) => self.start(at_ns, state).map(Some),
            Some(GoOn::Renew) => Err(out_of_turn()),
            None => Ok(None),
        })
    }

    fn round_ended(&self, index: u64) -> bool {
        let goes_on = self.noted(|state| match self.wait(index, state)? {
            Some(GoOn::Renew) => Ok(Some(())),
            Some(GoOn::Start(_)) => Err(out_of_turn()),
            None => Ok(None),
        });
        goes_on.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agents::local_clock::SimulatedClock;
    use std::net::TcpListener;

    const SECOND: Duration = Duration::from_secs(1);

    /// An agent and its coordinator, which has sent these messages and is gone.
    fn left_with(messages: &[FromCoordinator]) -> (Arc<AgentLink>, Stop) {
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
        (Arc::new(link), stop)
    }

    /// Sends until sending fails: the kernel still takes the first messages.
    fn send_until_it_fails(link: &AgentLink) {
        while link.send_error().is_none() {
            link.send(&FromAgent::Failed { lane: None, why: "an answer".to_owned() });
        }
    }

    #[test]
    fn a_coordinator_that_ends_the_run_need_not_wait_for_the_last_slice() {
        let asks_for_records = FromCoordinator::Send { trials: 0 };
        let (end, bye) = (FromCoordinator::End, FromCoordinator::Bye);
        for messages in [vec![end.clone(), bye.clone()], vec![asks_for_records, end, bye]] {
            let (link, stop) = left_with(&messages);
            send_until_it_fails(&link);
            let gate = AgentGate::new(link.clone(), Arc::default(), stop, SECOND, 0);
            assert_eq!(gate.next(0), None, "the order is ended");
            gate.done().expect("nobody waits for it");
            assert!(matches!(link.receive(SECOND), Ok((_, FromCoordinator::Bye))));
        }
    }

    #[test]
    fn a_coordinator_that_is_gone_without_a_word_is_an_error() {
        let (link, stop) = left_with(&[]);
        let gate = AgentGate::new(link, Arc::default(), stop.clone(), SECOND, 0);
        assert_eq!(gate.next(0), None);
        assert!(stop.raised());
        gate.done().expect_err("it cannot be reached");
        // It has ended the order, and is gone before the run is over.
        let (link, _) = left_with(&[FromCoordinator::End]);
        assert!(matches!(link.receive(SECOND), Ok((_, FromCoordinator::End))));
        link.receive(SECOND).expect_err("it cannot be reached");
    }
}
