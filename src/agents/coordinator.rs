//! The coordinator's side: starts every slice on all agents, and merges what they record.

use super::agent::{Agent, AgentPart};
use super::lead::Lead;
use super::link::{Link, MessageSource};
use super::local_clock::LocalClock;
use super::part::{PartOrder, Slices};
use super::records::{AgentTrials, Incoming, merge_all};
use super::target_times::TargetTimes;
use crate::system::remote::{Connection, RemoteError};
use engine::{Driving, EngineError, Stop, TargetClock};
use record::{AgentClock, AgentReady, DriveOrder, TrialRecord};
use std::io;
use std::ops::ControlFlow;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};
use text::lists;
use text::shown::shown;
use text::units::{nanoseconds, show_ns};
use wire::remote::agents::{FromAgent, FromCoordinator, Hello};

/// Exchanges for the clock model before each part of a run, and between two rounds.
const PINGS: u32 = 32;
const PINGS_BETWEEN_ROUNDS: u32 = 4;
/// How long an agent may take for an answer that requires no driving.
const ANSWER: Duration = Duration::from_secs(30);
/// How long the end may take after it was requested.
const ENDING: Duration = Duration::from_secs(30);
/// How long after an agent was asked to stop the coordinator may be asked, too.
const SAME_SIGNAL: Duration = Duration::from_secs(1);
pub(super) const GLANCE: Duration = Duration::from_millis(20);
/// The most messages of all agents that wait to be handled.
const QUEUED: usize = 1024;

/// The function that takes each merged trial.
type Each<'a> = dyn FnMut(TrialRecord) -> ControlFlow<()> + 'a;

/// All agents of a run.
pub(crate) struct Coordinator {
    agents: Vec<Agent>,
    messages: Box<dyn MessageSource<Received>>,
    clock: LocalClock,
    lead: Lead,
    /// Shows whether a slice waits for replies.
    pub(crate) driving: Driving,
}

/// A message of an agent, the index of that agent, and when the message arrived.
pub(super) struct Received {
    pub(super) agent: usize,
    pub(super) at: u64,
    pub(super) message: Result<FromAgent, RemoteError>,
}

struct RunPart<'a, 'b> {
    slices: Slices,
    timeout: Duration,
    /// When it began, on our clock.
    began_ns: u64,
    targets: TargetTimes,
    /// Trials that were merged.
    merged: u64,
    stop: &'a Stop,
    each: &'a mut Each<'b>,
}

impl Coordinator {
    /// Starts to read from all connections.
    ///
    /// # Errors
    /// If the system starts no thread.
    pub(super) fn start(
        connections: impl Iterator<Item = (Connection, Hello)>,
        clock: LocalClock,
    ) -> io::Result<Coordinator> {
        // A full queue makes an agent wait that sends more than it was asked for.
        let (send, messages) = mpsc::sync_channel(QUEUED);
        let agents = connections.enumerate().map(|(agent, (connection, hello))| {
            let (send, reads) = (send.clone(), clock.clone());
            let link = Link::start(connection, move |message| {
                send.send(Received { agent, at: reads.now(), message }).is_ok()
            })?;
            Ok(Agent::new(&hello, Box::new(link)))
        });
        let agents = agents.collect::<io::Result<Vec<Agent>>>()?;
        Ok(Coordinator::of(agents, Box::new(messages), clock))
    }

    /// The coordinator of these agents, which receives what they send.
    pub(super) fn of(
        agents: Vec<Agent>,
        messages: Box<dyn MessageSource<Received>>,
        clock: LocalClock,
    ) -> Coordinator {
        Coordinator { agents, messages, clock, lead: Lead::new(), driving: Driving::default() }
    }

    /// The agents, for the journal.
    pub(crate) fn agents(&self) -> Vec<AgentReady> {
        self.agents.iter().map(|agent| agent.ready.clone()).collect()
    }

    /// Their clock models, for the journal.
    pub(crate) fn clocks(&self) -> Vec<AgentClock> {
        let now = self.clock.now();
        self.agents.iter().map(|agent| agent.clock(now)).collect()
    }

    /// Tells all agents that the run is over.
    pub(crate) fn dismiss(self) {
        for agent in &self.agents {
            // One that is gone knows it already.
            let _ = agent.link.send(&FromCoordinator::Bye);
        }
    }

    /// Drives an order on all agents: its lanes are all contenders of the plan, in these launches
    /// of their targets. `clocks` read the CPU time of the targets, and `each` gets every trial,
    /// merged, when its round has ended.
    ///
    /// # Errors
    /// If an agent is lost or fails.
    pub(crate) fn drive(
        &mut self,
        order: &DriveOrder,
        launches: &[u32],
        is_pilot: bool,
        clocks: Vec<TargetClock>,
        stop: &Stop,
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        let order = (Slices::of(order), PartOrder::new(order, launches, is_pilot));
        let driven = self.conduct(&order, clocks, stop, each);
        self.driving.over();
        if driven.is_err() {
            for agent in &self.agents {
                // The others end as well. One of them may be the one that is lost.
                let _ = agent.link.send(&FromCoordinator::End);
            }
        }
        driven
    }

    fn conduct(
        &mut self,
        (slices, order): &(Slices, PartOrder),
        clocks: Vec<TargetClock>,
        stop: &Stop,
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        self.synchronise(PINGS)?;
        let timeout = Duration::from_nanos(order.timeout_ns);
        let began_ns = self.clock.now();
        let targets = TargetTimes::new(clocks);
        let mut part =
            RunPart { slices: *slices, timeout, began_ns, targets, merged: 0, stop, each };
        let order = serde_json::to_vec(order)
            .map_err(|error| EngineError::Helper(format!("an order cannot be written: {error}")))?;
        for agent in &mut self.agents {
            agent.part = AgentPart::default();
            agent.send(self.clock.now(), &FromCoordinator::Order(order.clone()))?;
        }
        let ended = self.slices(&mut part)?;
        self.end(&mut part, &ended)?;
        let trials = self.agents.iter().filter_map(|agent| agent.part.trials).min();
        // Nothing follows, whatever `each` returns for the last trials.
        let _ = self.merge(&mut part, trials.unwrap_or(0))?;
        if let Ended::ByAgent(agent) = ended {
            // A launcher signals all processes, and our signal may come a little later.
            crate::system::signals::pause(stop, SAME_SIGNAL);
            if !stop.raised() {
                return Err(self.agents[agent].lost("it was asked to stop"));
            }
        }
        Ok(())
    }

    /// Refreshes the clock models while nothing is driven.
    fn synchronise(&mut self, pings: u32) -> Result<(), EngineError> {
        for agent in 0..self.agents.len() {
            for _ in 0..pings {
                self.agents[agent].send(self.clock.now(), &FromCoordinator::Ping)?;
                match self.next(Instant::now() + ANSWER)? {
                    Some((from, at, FromAgent::Pong(stamps))) if from == agent => {
                        self.agents[agent].answered(stamps, at);
                    }
                    Some((from, _, _)) => return Err(self.agents[from].lost(OUT_OF_TURN)),
                    None => return Err(self.agents[agent].lost("it did not answer")),
                }
            }
        }
        Ok(())
    }

    /// Drives all slices.
    fn slices(&mut self, part: &mut RunPart<'_, '_>) -> Result<Ended, EngineError> {
        for index in 0..part.slices.count() {
            let late = match self.all_ready(part, index)? {
                ControlFlow::Continue(late) => late,
                ControlFlow::Break(ended) => return Ok(ended),
            };
            self.driving.over();
            if index > 0 {
                self.lead.adjust(late);
                part.targets.slice_ended();
            }
            let trials = part.slices.trials_before(index).unwrap_or(0);
            if trials > 0 {
                if self.merge(part, trials)?.is_break() {
                    return Ok(Ended::ByUs);
                }
                if part.slices.renews_before(index)
                    && let ControlFlow::Break(ended) = self.renew(part, index)?
                {
                    return Ok(ended);
                }
                self.synchronise(PINGS_BETWEEN_ROUNDS)?;
            }
            part.targets.slice_begins();
            self.start_slice(index)?;
            self.driving.begin(None, engine::clock::now() + part.slices.sending_ns(index));
        }
        Ok(Ended::Complete)
    }

    /// Lets all agents renew their connections, since all of them have ended the round. Returns why
    /// the part ends, if it does.
    fn renew(
        &mut self,
        part: &RunPart<'_, '_>,
        index: u64,
    ) -> Result<ControlFlow<Ended, bool>, EngineError> {
        for agent in &mut self.agents {
            agent.send(self.clock.now(), &FromCoordinator::Renew)?;
        }
        self.all_ready(part, index)
    }

    /// Waits until all agents are ready for the slice at `index`. Returns why the part ends, or
    /// whether the slice before was announced too late to some agent.
    fn all_ready(
        &mut self,
        part: &RunPart<'_, '_>,
        index: u64,
    ) -> Result<ControlFlow<Ended, bool>, EngineError> {
        let until = Instant::now() + part.timeout;
        let mut ready = vec![false; self.agents.len()];
        let mut late = false;
        while ready.contains(&false) {
            if part.stop.raised() {
                return Ok(ControlFlow::Break(Ended::ByUs));
            }
            let Some((from, at, message)) = self.glance()? else {
                if Instant::now() >= until {
                    return Err(self.silent(&ready, part.timeout));
                }
                continue;
            };
            let agent = &mut self.agents[from];
            match message {
                FromAgent::Ready { index: started_index, stamps, started_ns, stops }
                    if started_index == index =>
                {
                    agent.answered(stamps, at);
                    late |= agent.started(started_ns, part.began_ns)?;
                    ready[from] = true;
                    if stops {
                        return Ok(ControlFlow::Break(Ended::ByAgent(from)));
                    }
                }
                FromAgent::Done { stamps, started_ns, trials } => {
                    agent.answered(stamps, at);
                    agent.started(started_ns, part.began_ns)?;
                    agent.ended(trials, part.slices.trials())?;
                    return Ok(ControlFlow::Break(Ended::ByAgent(from)));
                }
                _ => return Err(agent.lost(OUT_OF_TURN)),
            }
        }
        Ok(ControlFlow::Continue(late))
    }

    fn start_slice(&mut self, index: u64) -> Result<(), EngineError> {
        let slowest = self.agents.iter().filter_map(|agent| agent.model.round_trip_ns()).max();
        let at = self.clock.now() + self.lead.ns() + slowest.unwrap_or(0);
        for agent in &mut self.agents {
            agent.part.announced_ns = agent.model.theirs(at);
            let start = FromCoordinator::Start { index, at_ns: agent.part.announced_ns };
            agent.send(self.clock.now(), &start)?;
        }
        Ok(())
    }

    /// Waits until all agents have ended, after the last slice or earlier.
    fn end(&mut self, part: &mut RunPart<'_, '_>, ended: &Ended) -> Result<(), EngineError> {
        let early = !matches!(ended, Ended::Complete);
        for agent in self.agents.iter().filter(|agent| early && agent.part.trials.is_none()) {
            agent.link.send(&FromCoordinator::End).map_err(|error| agent.lost_by(&error))?;
        }
        let mut notified = early;
        let until = Instant::now() + if early { ENDING } else { part.timeout };
        while self.agents.iter().any(|agent| agent.part.trials.is_none()) {
            if part.stop.raised() && !notified {
                notified = true;
                for agent in &self.agents {
                    agent
                        .link
                        .send(&FromCoordinator::End)
                        .map_err(|error| agent.lost_by(&error))?;
                }
            }
            let Some((from, at, message)) = self.glance()? else {
                if Instant::now() >= until {
                    let done: Vec<bool> =
                        self.agents.iter().map(|agent| agent.part.trials.is_some()).collect();
                    return Err(self.silent(&done, ENDING));
                }
                continue;
            };
            let agent = &mut self.agents[from];
            match message {
                FromAgent::Done { stamps, started_ns, trials } => {
                    // The message that it answers may be that of the end, which has no stamps.
                    if !notified {
                        agent.answered(stamps, at);
                    }
                    agent.started(started_ns, part.began_ns)?;
                    agent.ended(trials, part.slices.trials())?;
                }
                FromAgent::Ready { started_ns, .. } => {
                    agent.started(started_ns, part.began_ns)?;
                }
                _ => return Err(agent.lost(OUT_OF_TURN)),
            }
        }
        part.targets.slice_ended();
        Ok(())
    }

    /// Gets the records up to this number of trials, and hands over those that were not handed over
    /// before.
    fn merge(
        &mut self,
        part: &mut RunPart<'_, '_>,
        trials: u64,
    ) -> Result<ControlFlow<()>, EngineError> {
        if trials < part.merged {
            let counts = |agent: &&Agent| agent.part.trials == Some(trials);
            let agent = self.agents.iter().find(counts).unwrap_or(&self.agents[0]);
            return Err(agent.lost("it reported fewer trials than it has sent"));
        }
        let records = self.records(trials, (trials - part.merged) as usize)?;
        for (agent, trials_of_one) in self.agents.iter().zip(&records) {
            if !trials_of_one.iter().all(|trial| part.slices.include(trial)) {
                return Err(agent.lost("it sent a trial that was not ordered"));
            }
        }
        part.merged = trials;
        let now = self.clock.now();
        let agents = self.agents.iter().zip(records).map(|(agent, trials)| AgentTrials {
            rank: agent.ready.rank,
            bound_ns: agent.model.bound_ns(now).unwrap_or(0),
            starts_ns: &agent.part.starts_ns,
            trials,
        });
        let merged = merge_all(agents.collect(), &part.targets.used);
        // As in one process, what was recorded is handed over even if the run ends with it.
        let mut flow = ControlFlow::Continue(());
        for trial in merged.map_err(EngineError::Helper)? {
            if (part.each)(trial).is_break() {
                flow = ControlFlow::Break(());
            }
        }
        Ok(flow)
    }

    /// Requests the records up to this number of trials, of which so many are new.
    fn records(&mut self, trials: u64, new: usize) -> Result<Vec<Vec<TrialRecord>>, EngineError> {
        for agent in &mut self.agents {
            agent.send(self.clock.now(), &FromCoordinator::Send { trials })?;
        }
        let mut incoming: Vec<Incoming> = self.agents.iter().map(|_| Incoming::default()).collect();
        let mut all: Vec<Option<Vec<TrialRecord>>> = self.agents.iter().map(|_| None).collect();
        while all.iter().any(Option::is_none) {
            let Some((from, _, message)) = self.next(Instant::now() + ANSWER)? else {
                let done: Vec<bool> = all.iter().map(Option::is_some).collect();
                return Err(self.silent(&done, ANSWER));
            };
            let lost = |why: String| self.agents[from].lost(&why);
            match message {
                FromAgent::Piece(piece) => incoming[from].add(&piece).map_err(lost)?,
                FromAgent::PiecesEnd { bytes, digest } => {
                    let whole = std::mem::take(&mut incoming[from]);
                    all[from] = Some(whole.finish(bytes, &digest, new).map_err(lost)?);
                }
                _ => return Err(self.agents[from].lost(OUT_OF_TURN)),
            }
        }
        Ok(all.into_iter().flatten().collect())
    }

    /// Waits for the next message. Returns None if none comes in time.
    ///
    /// # Errors
    /// If an agent cannot be reached any more, or says that it has failed.
    fn next(&self, until: Instant) -> Result<Option<(usize, u64, FromAgent)>, EngineError> {
        let left = until.saturating_duration_since(Instant::now());
        match self.messages.receive(left) {
            Ok(Received { agent, at, message }) => match message {
                Ok(FromAgent::Failed { lane, why }) => {
                    Err(self.agents[agent].failed(lane, &shown(why)))
                }
                Ok(message) => Ok(Some((agent, at, message))),
                Err(error) => Err(self.agents[agent].lost_by(&error)),
            },
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                Err(EngineError::helper("no agent can be reached any more"))
            }
        }
    }

    /// Waits briefly, so that a signal is noticed.
    fn glance(&self) -> Result<Option<(usize, u64, FromAgent)>, EngineError> {
        self.next(Instant::now() + GLANCE)
    }

    fn silent(&self, answered: &[bool], timeout: Duration) -> EngineError {
        let silent = self.agents.iter().zip(answered).filter(|(_, answered)| !**answered);
        let ranks: Vec<String> = silent.map(|(agent, _)| agent.ready.rank.to_string()).collect();
        EngineError::Helper(absent(&ranks, "answer", timeout))
    }
}

/// Says that agents did not do something in time: `agents 1 and 3 did not connect within 5 s`.
pub(super) fn absent(agents: &[String], what: &str, time: Duration) -> String {
    let word = if agents.len() == 1 { "agent" } else { "agents" };
    let time = show_ns(nanoseconds(time));
    format!("{word} {} did not {what} within {time}", lists::listed(agents))
}

/// Why a part of the run ended.
enum Ended {
    Complete,
    /// We were asked to stop.
    ByUs,
    /// The agent with this index was asked to stop.
    ByAgent(usize),
}

const OUT_OF_TURN: &str = "it sent a message that was not expected";
