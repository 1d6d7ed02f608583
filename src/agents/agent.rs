//! One agent, as its coordinator knows it: its connection, the model of its clock, and what it did.

use super::clock_model::{ClockModel, Exchange};
use super::link::MessageSink;
use crate::system::remote::RemoteError;
use engine::EngineError;
use record::limits::NUMBERS_BELOW;
use record::{AgentClock, AgentReady};
use text::shown::shown;
use wire::remote::agents::{FromCoordinator, Hello, Stamps};

/// A slice that starts this much later than it should was announced too late.
const LATE_NS: u64 = 1000;

/// An agent, as its coordinator knows it.
pub(super) struct Agent {
    pub(super) ready: AgentReady,
    pub(super) link: Box<dyn MessageSink<FromCoordinator>>,
    pub(super) model: ClockModel,
    /// Slices that were announced to it too late to start in time.
    late: u64,
    /// When the message that it answers next was sent.
    sent_ns: u64,
    pub(super) part: AgentPart,
}

/// What one agent did under the present order.
#[derive(Default)]
pub(super) struct AgentPart {
    /// When it was told to start, and when it started, on its clock.
    pub(super) announced_ns: u64,
    started_ns: u64,
    /// When it started each slice, on our clock, since the start of the part.
    pub(super) starts_ns: Vec<u64>,
    /// Trials that it recorded, once it has ended.
    pub(super) trials: Option<u64>,
}

impl Agent {
    /// An agent that has sent its hello, and of whose clock nothing is known yet.
    pub(super) fn new(hello: &Hello, link: Box<dyn MessageSink<FromCoordinator>>) -> Agent {
        let ready = AgentReady {
            rank: hello.rank,
            workers: hello.workers,
            machine: shown(&hello.machine),
            clock: shown(&hello.clock),
        };
        let (model, part) = (ClockModel::default(), AgentPart::default());
        Agent { ready, link, model, late: 0, sent_ns: 0, part }
    }

    /// What is known of its clock at our time `now`, for the journal.
    pub(super) fn clock(&self, now: u64) -> AgentClock {
        AgentClock {
            rank: self.ready.rank,
            offset_s: self.model.offset_ns(now) as f64 / 1e9,
            drift_ppm: self.model.drift() * 1e6,
            bound_ns: self.model.bound_ns(now).unwrap_or(0),
            round_trip_ns: self.model.round_trip_ns().unwrap_or(0),
            exchanges: self.model.exchanges(),
            late: self.late,
        }
    }

    pub(super) fn send(&mut self, now: u64, message: &FromCoordinator) -> Result<(), EngineError> {
        self.sent_ns = now;
        self.link.send(message).map_err(|error| self.lost_by(&error))
    }

    /// Adds the four time stamps of a message and its answer to the clock model.
    pub(super) fn answered(&mut self, stamps: Stamps, at: u64) {
        let Stamps { received_ns: received, answered_ns: answered } = stamps;
        self.model.add(&Exchange { sent: self.sent_ns, received, answered, back: at });
    }

    /// Notes when it started its last slice, on its clock. Returns true if the slice was announced
    /// too late.
    pub(super) fn started(&mut self, started_ns: u64, began_ns: u64) -> Result<bool, EngineError> {
        if started_ns == 0 || started_ns == self.part.started_ns {
            return Ok(false);
        }
        self.part.started_ns = started_ns;
        let ours = self.model.ours(started_ns).saturating_sub(began_ns);
        if ours >= NUMBERS_BELOW {
            return Err(self.lost("it reported a slice that starts years after the run"));
        }
        self.part.starts_ns.push(ours);
        let late = started_ns > self.part.announced_ns + LATE_NS;
        self.late += u64::from(late);
        Ok(late)
    }

    /// Notes that it has ended after this many trials, of `most` that were ordered.
    pub(super) fn ended(&mut self, trials: u64, most: u64) -> Result<(), EngineError> {
        if trials > most {
            return Err(self.lost("it reported more trials than were ordered"));
        }
        self.part.trials = Some(trials);
        Ok(())
    }

    pub(super) fn lost_by(&self, error: &RemoteError) -> EngineError {
        self.lost(&error.to_string())
    }

    /// It says that it cannot drive any more, because of the contender with this number if there is one.
    pub(super) fn failed(&self, lane: Option<u64>, why: &str) -> EngineError {
        match lane.map(u32::try_from) {
            Some(Ok(lane)) => {
                let why = format!("agent {}: {why}", self.ready.rank);
                EngineError::Lane { lane: Some(lane), why }
            }
            _ => self.lost(why),
        }
    }

    pub(super) fn lost(&self, why: &str) -> EngineError {
        EngineError::Helper(format!("agent {} is lost: {why}", self.ready.rank))
    }
}
