//! An agent: drives its share when the coordinator says so, and records it in a journal of its own.

use super::said::make_harmless;
use super::targets::check_login;
use super::{header, orders, run_directory, workers};
use crate::agents::{
    AgentGate, AgentLink, LocalClock, Membership, Outbox, PartLane, PartOrder, SimulatedClock,
    out_of_turn,
};
use crate::plan::question::hash;
use crate::plan::{ContenderAccess, Resolved};
use crate::run::journal::Writer;
use crate::run::placement::Kept;
use crate::system::remote::{Connection, RemoteError, connect};
use crate::system::{host, signals};
use crate::targets::launch;
use engine::{EngineError, Stop, Together};
use protocol::{Access, Error, Exit};
use record::{
    Address, Contender, DialPolicy, DriveOrder, End, EndReason, Event, LaneOrder, Phase,
    TrialRecord,
};
use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use text::shown::shown;
use wire::remote::Purpose;
use wire::remote::agents::{FromAgent, FromCoordinator, Hello};

/// How long one attempt to connect may take, and the pause after it.
const ATTEMPT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(100);
/// How long the coordinator may take to answer.
const ANSWER: Duration = Duration::from_secs(30);
/// It may launch and load targets for this long between two orders.
const BETWEEN_ORDERS: Duration = Duration::from_secs(86_400);

/// Drives until the coordinator ends the run. Returns the directory of this agent.
///
/// # Errors
/// If the coordinator cannot be reached, rejects this agent, or is lost.
pub(crate) fn assist(
    resolved: &Resolved,
    stop: &Stop,
    out: Option<&Path>,
    this: &Membership,
    clock: SimulatedClock,
) -> Result<PathBuf, Error> {
    let clock = LocalClock::new(clock);
    let connection = join(resolved, stop, this)?;
    let named =
        |error: &dyn std::fmt::Display| Error::failed(format!("agent {}: {error}", this.rank));
    let link = AgentLink::start(connection, clock, stop.clone()).map_err(|error| named(&error))?;
    let now = SystemTime::now();
    let header = header(&resolved.plan, now);
    let out = out.map(|out| with_rank(out, this.rank));
    let (directory, journal) = run_directory::create(out.as_deref(), now, &header.plan_hash)?;
    let reached = resolved.accesses.iter().map(|_| None).collect();
    let mut agent = Agent { resolved, stop, link: Arc::new(link), journal, this, reached };
    let written = agent.journal.write(&Event::Header(Box::new(header)));
    written.map_err(|error| named(&error))?;
    let served = agent.serve();
    let end = match &served {
        Ok(()) => End { reason: EndReason::Complete, detail: String::new() },
        Err(failure) => {
            let why = shown(&failure.why);
            // The message cannot be sent if the coordinator is what cannot be reached.
            agent.link.send(&FromAgent::Failed { lane: failure.lane, why: why.clone() });
            End { reason: failure.reason(), detail: why }
        }
    };
    let ended = agent.journal.write(&Event::End(end)).and_then(|_| agent.journal.sync());
    served.map_err(|failure| Error { exit: failure.exit(), ..named(&failure.why) })?;
    ended.map_err(|error| named(&error))?;
    Ok(directory)
}

/// The directory of one agent, beside that of the run: all processes may share a file system.
fn with_rank(out: &Path, rank: u32) -> PathBuf {
    let directory: PathBuf = out.components().collect();
    let mut name = OsString::from(directory);
    name.push(format!("{}{rank}", run_directory::AGENT));
    name.into()
}

/// Connects to the coordinator, which may start later, and is accepted.
fn join(resolved: &Resolved, stop: &Stop, this: &Membership) -> Result<Connection, Error> {
    let at = this.coordinator;
    let named =
        |why: String| Error::failed(format!("agent {}: the coordinator at {at}: {why}", this.rank));
    let until = Instant::now() + this.gather;
    let refused = |error: RemoteError| named(error.to_string());
    let mut connection = loop {
        match connect(at, Purpose::Agent, &this.token, ATTEMPT) {
            Ok(connection) => break connection,
            // It has answered, and would answer the same again.
            Err(
                error @ (RemoteError::Message(_)
                | RemoteError::Refused(_)
                | RemoteError::WrongServer),
            ) => return Err(refused(error)),
            Err(error) if Instant::now() >= until => return Err(refused(error)),
            Err(_) if signals::caught() => return Err(named("stopped by a signal".into())),
            Err(_) => signals::pause(stop, PAUSE),
        }
    };
    let plan = &resolved.plan;
    let hello = Hello {
        rank: this.rank,
        size: this.size,
        workers: workers(plan),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        journal: record::journal::SCHEMA.to_owned(),
        plan_hash: hash::of(plan),
        machine: format!("{}, {}", plan.host.cpu, plan.host.kernel),
        clock: host::clock_discipline(),
    };
    connection.send(&FromAgent::Hello(hello), ANSWER).map_err(refused)?;
    match connection.receive(ANSWER).map_err(refused)? {
        FromCoordinator::Accepted => Ok(connection),
        FromCoordinator::Rejected(why) => {
            Err(Error::usage(format!("the coordinator at {at} rejected {}", shown(why))))
        }
        _ => Err(named("it sent a message that was not expected".to_owned())),
    }
}

/// Why an agent cannot go on.
struct Failure {
    /// The number of the contender that cannot be driven, if it is the cause.
    lane: Option<u64>,
    why: String,
}

impl Failure {
    fn reason(&self) -> EndReason {
        if self.lane.is_some() { EndReason::TargetFailed } else { EndReason::Failed }
    }

    fn exit(&self) -> Exit {
        if self.lane.is_some() { Exit::TargetFailed } else { Exit::Failed }
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Failure {
        Failure { lane: None, why }
    }
}

impl From<RemoteError> for Failure {
    fn from(error: RemoteError) -> Failure {
        error.to_string().into()
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        let lane = match &error {
            EngineError::Lane { lane, .. } => lane.map(u64::from),
            _ => None,
        };
        Failure { lane, why: error.to_string() }
    }
}

struct Agent<'a> {
    resolved: &'a Resolved,
    stop: &'a Stop,
    link: Arc<AgentLink>,
    journal: Writer<File>,
    this: &'a Membership,
    /// How each contender is reached, in which launch of its target: operations go on from one
    /// order to the next.
    reached: Vec<Option<Reached>>,
}

struct Reached {
    launch: u32,
    address: Address,
    access: Box<dyn Access>,
}

impl Agent<'_> {
    /// Carries out orders until the end.
    fn serve(&mut self) -> Result<(), Failure> {
        let mut outbox = Arc::new(Outbox::default());
        loop {
            let (at, message) = self.link.receive(BETWEEN_ORDERS)?;
            match message {
                FromCoordinator::Order(order) => {
                    outbox = Arc::default();
                    self.drive(&order, at, &outbox)?;
                }
                FromCoordinator::Send { trials } => {
                    self.link.send_records(&outbox, trials)?;
                }
                FromCoordinator::Bye => return Ok(()),
                FromCoordinator::End => {}
                _ => return Err(out_of_turn().into()),
            }
        }
    }

    fn drive(&mut self, order: &[u8], at: u64, outbox: &Arc<Outbox>) -> Result<(), Failure> {
        let order: PartOrder = serde_json::from_slice(order)
            .map_err(|error| format!("the order cannot be read: {}", shown(error.to_string())))?;
        let (drive_order, accesses) = self.drive_order(&order)?;
        let lanes =
            accesses.iter().enumerate().map(|(lane, access)| access.lanes(&drive_order, lane));
        let lanes = lanes.collect();
        let timeout = Duration::from_nanos(order.timeout_ns);
        let (link, stop) = (self.link.clone(), self.stop.clone());
        let gate = Arc::new(AgentGate::new(link, outbox.clone(), stop, timeout, at));
        let (rank, size) = (self.this.rank as usize - 1, self.this.agents() as usize);
        let together = Together { rank, size, gate: gate.clone() };
        let _kept = Kept::on(&self.resolved.own_cores);
        let mut written = Ok(());
        let (journal, link) = (&mut self.journal, &self.link);
        let each = &mut |trial: TrialRecord| {
            if trial.phase == Phase::Round && !order.is_pilot {
                link.round_ended();
            }
            match record(journal, &order, trial) {
                Ok(text) => {
                    outbox.add(text);
                    ControlFlow::Continue(())
                }
                Err(error) => {
                    outbox.fail();
                    written = Err(format!("its journal cannot be written: {error}"));
                    ControlFlow::Break(())
                }
            }
        };
        let driven = engine::run_together(&drive_order, lanes, self.stop, together, each);
        // An error here is the cause of any error of the engine.
        written?;
        driven?;
        Ok(gate.done()?)
    }

    /// The order for the engine: all that the coordinator did not send follows from the plan.
    fn drive_order(
        &mut self,
        order: &PartOrder,
    ) -> Result<(DriveOrder, Vec<Box<dyn Access>>), String> {
        let resolved = self.resolved;
        let plan = &resolved.plan;
        if order.lanes.len() != plan.contenders.len() {
            return Err("the order does not match the contenders of the plan".to_owned());
        }
        order.check()?;
        let (mut lanes, mut accesses) = (Vec::new(), Vec::new());
        for (contender, lane) in order.lanes.iter().enumerate() {
            let known = self.reached[contender].take().filter(|known| known.launch == lane.launch);
            let reached = match known {
                Some(known) => known,
                None => self.reach(contender, lane)?,
            };
            let address = reached.address.clone();
            accesses.push(reached.access.clone());
            self.reached[contender] = Some(reached);
            lanes.push(LaneOrder { address, ..orders::lane(plan, contender, lane.burn_in_ns) });
        }
        let drive_order = DriveOrder {
            seed: order.seed,
            cores: plan.generator_cores.clone(),
            warm_up: record::WarmUp::fixed(order.warm_up_ns),
            rounds: order.rounds,
            first_round: order.first_round,
            round_ns: order.round_ns,
            slice_ns: order.slice_ns,
            requests: 0,
            lanes,
        };
        Ok((drive_order, accesses))
    }

    /// How a contender is reached. The coordinator knows where a launched target is, but no order
    /// can make an agent drive a public address.
    fn reach(&self, contender: usize, lane: &PartLane) -> Result<Reached, String> {
        let known: &Contender = &self.resolved.plan.contenders[contender];
        let (address, access) = match &self.resolved.accesses[contender] {
            ContenderAccess::Attached { access, .. } => (known.address.clone(), access.clone()),
            ContenderAccess::Launched { launch, .. } => {
                let nodes = lane.address.nodes();
                let Some(first) = nodes.first() else {
                    return Err(format!("`{}` is not reached over TCP", known.name));
                };
                if !nodes.iter().all(|node| DialPolicy::default().allows(node.ip())) {
                    return Err(format!("`{}` is at a public address", known.name));
                }
                let url = launch::address_at(launch, first.port());
                let reached = self.resolved.reach(contender, &url);
                let (_, access) = reached.map_err(|error| error.text)?;
                (lane.address.clone(), access)
            }
            ContenderAccess::Files(_) | ContenderAccess::Program { .. } => {
                return Err(format!("`{}` is not driven over a network", known.name));
            }
        };
        check_login(known, &*access, &address)?;
        Ok(Reached { launch: lane.launch, address, access })
    }
}

/// Writes a trial, and syncs once a round. Returns it as it was written.
fn record(
    journal: &mut Writer<File>,
    order: &PartOrder,
    mut trial: TrialRecord,
) -> io::Result<String> {
    let (is_pilot, contenders) = (order.is_pilot, order.lanes.len());
    if is_pilot && trial.phase == Phase::Round {
        (trial.phase, trial.round) = (Phase::Pilot, 0);
    }
    make_harmless(&mut trial.seen);
    let ends_round = trial.contender as usize + 1 == contenders;
    let written = journal.write(&Event::Trial(Box::new(trial)))?;
    if ends_round {
        journal.sync()?;
    }
    Ok(written)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_on_one_file_system_have_directories_of_their_own() {
        assert_eq!(with_rank(Path::new("runs/a/"), 2), Path::new("runs/a.agent-2"));
    }
}
