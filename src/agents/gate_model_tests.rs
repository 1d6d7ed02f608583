//! The gate in every order of events: the real coordinator and the real gates of agents, each as a
//! function of what it has received so far.
//!
//! A participant that waits does nothing until an event comes, and what it does then follows from
//! all events that it has had. So it is run again from the start with one more event, and whatever
//! it sends waits to be delivered at any later time. What has been received by all is the state.

use super::agent::Agent;
use super::coordinator::{Coordinator, GLANCE, Received};
use super::gate::{self, AgentGate, AgentLink, Outbox};
use super::link::{MessageSink, MessageSource};
use super::local_clock::{LocalClock, SimulatedClock};
use super::part::Slices;
use crate::plan::example;
use crate::system::remote::RemoteError;
use engine::{Gate, Stop};
use record::{DriveOrder, Event, Phase, Seen, Slice, TrialRecord};
use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::{self, Debug};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use wire::remote::agents::{FromAgent, FromCoordinator, Hello, Stamps};

/// Longer than any test: one that waits in vain is found as a deadlock.
const TIMEOUT: Duration = Duration::from_secs(3600);

/// An event of the coordinator or of an agent, which receives messages of type `M`.
#[derive(Clone)]
enum Incident<M> {
    /// A message, or the end of the connection. The coordinator is told whose it is.
    Message(usize, Option<M>),
    /// It is asked to stop.
    Signal,
    /// Nothing comes for a moment. Only the coordinator looks around then.
    Idle,
    /// Nothing can be sent to this agent any more.
    Cut(usize),
    /// The slice, or what is done between two rounds, has ended. Only agents do that.
    Ended,
}

/// A message without its bulk.
trait Short {
    fn short(&self) -> String;
}

impl Short for FromAgent {
    fn short(&self) -> String {
        match self {
            FromAgent::Ready { index, stops, .. } => format!("Ready {index} {stops}"),
            FromAgent::Done { started_ns, trials, .. } => format!("Done {started_ns} {trials}"),
            FromAgent::Piece(piece) => format!("Piece {}", piece.len()),
            FromAgent::PiecesEnd { bytes, .. } => format!("PiecesEnd {bytes}"),
            other => format!("{other:?}"),
        }
    }
}

impl Short for FromCoordinator {
    fn short(&self) -> String {
        match self {
            FromCoordinator::Order(_) => "Order".to_owned(),
            FromCoordinator::Start { index, .. } => format!("Start {index}"),
            other => format!("{other:?}"),
        }
    }
}

impl<M: Short> Debug for Incident<M> {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Incident::Message(from, Some(message)) => write!(to, "{from}: {}", message.short()),
            Incident::Message(from, None) => write!(to, "{from} is gone"),
            Incident::Signal => to.write_str("signal"),
            Incident::Idle => to.write_str("nothing"),
            Incident::Cut(agent) => write!(to, "cut from {agent}"),
            Incident::Ended => to.write_str("ended"),
        }
    }
}

/// What a participant waits for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Waits {
    /// A message, or for the coordinator a glance around.
    Glance,
    /// A message.
    Message,
    /// The end of the slice with this index.
    Driving(u64),
    /// The end of what is done between two rounds.
    Renewing,
}

/// The events of a participant, as it meets them, and what it sent: to whom, and what.
struct Script<In, Out> {
    left: Mutex<VecDeque<Incident<In>>>,
    /// Messages that have arrived while it did something else.
    queue: Mutex<VecDeque<(usize, Option<In>)>>,
    sent: Mutex<Vec<(usize, Out)>>,
    cut: Mutex<HashSet<usize>>,
    /// An agent has said that the part ends.
    ending: Mutex<bool>,
    stop: Stop,
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<In, Out> Script<In, Out> {
    fn new(events: Vec<Incident<In>>) -> Arc<Self> {
        Arc::new(Script {
            left: Mutex::new(events.into()),
            queue: Mutex::default(),
            sent: Mutex::default(),
            cut: Mutex::default(),
            ending: Mutex::default(),
            stop: Stop::new().expect("a descriptor"),
        })
    }

    /// The next event; if there is none, this run ends here.
    fn next(&self, waits: Waits) -> Incident<In> {
        let next = lock(&self.left).pop_front();
        next.unwrap_or_else(|| resume_unwind(Box::new(waits)))
    }

    /// The next message, with its sender. Returns None if nothing comes for a moment. `arrives` is
    /// called for a message that has arrived while it was waited for.
    fn message(&self, waits: Waits) -> Option<(usize, Option<In>)> {
        loop {
            if let Some(message) = lock(&self.queue).pop_front() {
                return Some(message);
            }
            match self.next(waits) {
                Incident::Message(from, message) => return Some((from, message)),
                Incident::Signal => self.stop.raise(),
                Incident::Cut(agent) => drop(lock(&self.cut).insert(agent)),
                Incident::Idle => return None,
                Incident::Ended => unreachable!("it drives nothing"),
            }
        }
    }
}

/// What a participant has done, and whether it has ended.
#[derive(Clone)]
struct Done<Out, T> {
    sent: Vec<(usize, Out)>,
    now: Result<T, Waits>,
}

fn run<In, Out: Clone, T>(
    script: &Script<In, Out>,
    participant: impl FnOnce() -> T,
) -> Done<Out, T> {
    let now = catch_unwind(AssertUnwindSafe(participant)).map_err(|payload| {
        match payload.downcast::<Waits>() {
            Ok(waits) => *waits,
            Err(panic) => resume_unwind(panic),
        }
    });
    Done { sent: lock(&script.sent).clone(), now }
}

type OfCoordinator = Script<FromAgent, FromCoordinator>;
type OfAgent = Script<FromCoordinator, FromAgent>;

/// The coordinator's connection to one agent.
struct ToAgent(Arc<OfCoordinator>, usize, Case);

impl MessageSink<FromCoordinator> for ToAgent {
    fn send(&self, message: &FromCoordinator) -> Result<(), RemoteError> {
        let ToAgent(script, agent, case) = self;
        if lock(&script.cut).contains(agent) {
            return Err(RemoteError::Closed);
        }
        let send = |message: &FromCoordinator| lock(&script.sent).push((*agent, message.clone()));
        match message {
            // Every agent waits: it answers at once, and nothing else can be noticed meanwhile.
            FromCoordinator::Ping => {
                let pong = FromAgent::Pong(Stamps::default());
                lock(&script.queue).push_back((*agent, Some(pong)));
            }
            FromCoordinator::Start { index, .. } => {
                let start = |index| send(&FromCoordinator::Start { index, at_ns: 0 });
                match case.planted {
                    Some(Planted::StartsEarly) if *agent == 0 && *index == 0 => {
                        (0..2).for_each(start);
                    }
                    Some(Planted::StartsEarly) if *agent == 0 => {}
                    _ => start(*index),
                }
            }
            FromCoordinator::End if case.planted == Some(Planted::LosesEnd) => {}
            FromCoordinator::Send { .. } => {
                // An agent that was signalled ends the part. The signal of the same launcher comes
                // here at last now, so that the test need not wait for it.
                if case.signalled.is_some() && *lock(&script.ending) {
                    script.stop.raise();
                }
                send(message);
            }
            _ => send(message),
        }
        Ok(())
    }

    fn close(&self) {}
}

struct FromAgents(Arc<OfCoordinator>);

impl MessageSource<Received> for FromAgents {
    fn receive(&self, at_most: Duration) -> Result<Received, RecvTimeoutError> {
        let waits = if at_most <= GLANCE { Waits::Glance } else { Waits::Message };
        let (agent, message) = self.0.message(waits).ok_or(RecvTimeoutError::Timeout)?;
        let ends = |it: &FromAgent| {
            matches!(it, FromAgent::Done { .. } | FromAgent::Ready { stops: true, .. })
        };
        *lock(&self.0.ending) |= message.as_ref().is_some_and(ends);
        Ok(Received { agent, at: 0, message: message.ok_or(RemoteError::Closed) })
    }
}

struct ToCoordinator(Arc<OfAgent>);

impl MessageSink<FromAgent> for ToCoordinator {
    fn send(&self, message: &FromAgent) -> Result<(), RemoteError> {
        let message = match message.clone() {
            // Times differ from run to run.
            FromAgent::Ready { index, stops, .. } => {
                let started_ns = index;
                FromAgent::Ready { index, stamps: Stamps::default(), started_ns, stops }
            }
            FromAgent::Done { started_ns, trials, .. } => {
                let driven = lock(&self.0.sent).iter().filter(|(_, sent)| is_ready(sent)).count();
                let started_ns = if started_ns == 0 { 0 } else { driven as u64 };
                FromAgent::Done { stamps: Stamps::default(), started_ns, trials }
            }
            other => other,
        };
        lock(&self.0.sent).push((0, message));
        Ok(())
    }

    fn close(&self) {}
}

fn is_ready(message: &FromAgent) -> bool {
    matches!(message, FromAgent::Ready { .. })
}

struct FromTheCoordinator(Arc<OfAgent>, LocalClock);

impl MessageSource<gate::Received> for FromTheCoordinator {
    fn receive(&self, _at_most: Duration) -> Result<gate::Received, RecvTimeoutError> {
        let message = self.0.message(Waits::Message).expect("agents do not look around").1;
        Ok(gate::received(message.ok_or(RemoteError::Closed), &self.1, &self.0.stop))
    }
}

/// A gate that is broken on purpose.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Planted {
    /// Agent 0 is told to start its second slice before all others have ended their first.
    StartsEarly,
    /// No agent is told that the part has ended.
    LosesEnd,
}

/// What happens besides driving, at any time.
#[derive(Clone, Copy, Debug, Default)]
struct Case {
    agents: usize,
    contenders: u32,
    rounds: u32,
    /// The coordinator is asked to stop.
    stopped: bool,
    /// This agent is asked to stop, and later the coordinator.
    signalled: Option<usize>,
    /// This agent is gone.
    lost: Option<usize>,
    /// The coordinator is gone.
    left_alone: bool,
    planted: Option<Planted>,
}

/// The trials that reached the journal, or why the part failed.
type Conducted = Result<Vec<(u32, u32)>, String>;
type Assisted = Result<(), String>;

impl Case {
    fn order(&self) -> DriveOrder {
        DriveOrder {
            seed: 1,
            rounds: self.rounds,
            first_round: 1,
            round_ns: 1,
            slice_ns: 1,
            lanes: vec![example::lane_order(); self.contenders as usize],
            ..DriveOrder::default()
        }
    }

    fn all_trials(&self) -> Vec<(u32, u32)> {
        let of_round = |round| (0..self.contenders).map(move |contender| (round, contender));
        (1..=self.rounds).flat_map(of_round).collect()
    }

    /// The coordinator after these events.
    fn conduct(&self, events: Vec<Incident<FromAgent>>) -> Done<FromCoordinator, Conducted> {
        let script = Script::new(events);
        let agent = |index: usize| {
            let hello = Hello {
                rank: index as u32 + 1,
                size: self.agents as u32 + 1,
                workers: 1,
                version: String::new(),
                journal: String::new(),
                plan_hash: String::new(),
                machine: String::new(),
                clock: String::new(),
            };
            Agent::new(&hello, Box::new(ToAgent(script.clone(), index, *self)))
        };
        let clock = LocalClock::new(SimulatedClock::default());
        let agents = (0..self.agents).map(agent).collect();
        let mut coordinator = Coordinator::of(agents, Box::new(FromAgents(script.clone())), clock);
        let order = self.order();
        let mut trials = Vec::new();
        run(&script, || {
            let each = &mut |trial: TrialRecord| {
                trials.push((trial.round, trial.contender));
                ControlFlow::Continue(())
            };
            let launches = vec![0; order.lanes.len()];
            let driven =
                coordinator.drive(&order, &launches, false, Vec::new(), &script.stop, each);
            coordinator.dismiss();
            driven.map_err(|error| error.to_string())?;
            Ok(trials)
        })
    }

    /// An agent after these events. It does what `runner::agent` does with messages, and what the
    /// engine does with a gate.
    fn assist(&self, events: Vec<Incident<FromCoordinator>>) -> Done<FromAgent, Assisted> {
        let script = Script::new(events);
        let clock = LocalClock::new(SimulatedClock::default());
        let messages = Box::new(FromTheCoordinator(script.clone(), clock.clone()));
        let link = AgentLink::of(Box::new(ToCoordinator(script.clone())), messages, clock.clone());
        let link = Arc::new(link);
        run(&script, || self.serve(&link, &script, &clock).map_err(|error| error.to_string()))
    }

    fn serve(
        &self,
        link: &Arc<AgentLink>,
        script: &OfAgent,
        clock: &LocalClock,
    ) -> Result<(), RemoteError> {
        let outbox = Arc::new(Outbox::default());
        loop {
            match link.receive(TIMEOUT)? {
                (at, FromCoordinator::Order(_)) => {
                    let (link_of_gate, stop) = (link.clone(), script.stop.clone());
                    let gate = AgentGate::new(link_of_gate, outbox.clone(), stop, TIMEOUT, at);
                    self.drive(&gate, script, &outbox, clock);
                    gate.done().inspect_err(|why| {
                        link.send(&FromAgent::Failed { lane: None, why: why.to_string() });
                    })?;
                }
                (_, FromCoordinator::Send { trials }) => link.send_records(&outbox, trials)?,
                (_, FromCoordinator::End) => {}
                (_, FromCoordinator::Bye) => return Ok(()),
                _ => return Err(gate::out_of_turn()),
            }
        }
    }

    fn drive(&self, gate: &AgentGate, script: &OfAgent, outbox: &Outbox, clock: &LocalClock) {
        let contenders = u64::from(self.contenders);
        let slices = Slices::of(&self.order());
        for index in 0..slices.count() {
            if slices.renews_before(index) {
                if script.stop.raised() || !gate.round_ended(index) {
                    return;
                }
                script.busy(Waits::Renewing, clock);
            }
            let round = index / contenders;
            let goes_on = !script.stop.raised() && gate.next(index).is_some();
            if goes_on {
                script.busy(Waits::Driving(index), clock);
            }
            let cut_short = !goes_on || script.stop.raised();
            if cut_short || (index + 1) % contenders == 0 {
                let driven = round * contenders..index + u64::from(goes_on);
                (0..self.contenders).for_each(|contender| {
                    let trial = self.trial(round as u32 + 1, contender, driven.clone(), cut_short);
                    let text = serde_json::to_string(&Event::Trial(Box::new(trial)));
                    outbox.add(text.expect("JSON"));
                });
            }
            if cut_short {
                return;
            }
        }
    }

    /// What an agent records of a round of which it has driven these slices.
    fn trial(
        &self,
        round: u32,
        contender: u32,
        driven: std::ops::Range<u64>,
        cut_short: bool,
    ) -> TrialRecord {
        let mine =
            driven.filter(|index| index % u64::from(self.contenders) == u64::from(contender));
        let slices = mine.map(|index| Slice { index, took_ns: 1, ..Slice::default() }).collect();
        TrialRecord {
            phase: Phase::Round,
            round,
            contender,
            lane_order: self.order().lanes.remove(0),
            seen: Seen { slices, ..Seen::default() },
            cut_short,
            levelled: None,
            agents: Vec::new(),
        }
    }
}

impl OfAgent {
    /// Does something until it ends, while messages arrive.
    fn busy(&self, waits: Waits, clock: &LocalClock) {
        loop {
            match self.next(waits) {
                Incident::Ended => return,
                Incident::Signal => self.stop.raise(),
                Incident::Message(from, message) => {
                    let arrived = message.clone().ok_or(RemoteError::Closed);
                    let _ = gate::received(arrived, clock, &self.stop);
                    lock(&self.queue).push_back((from, message));
                }
                Incident::Idle | Incident::Cut(_) => unreachable!("the coordinator's"),
            }
        }
    }
}

/// The events of all participants so far.
#[derive(Clone, Debug, Default)]
struct State {
    coordinator: Vec<Incident<FromAgent>>,
    /// How many messages the coordinator had sent before each event.
    sent_before: Vec<usize>,
    agents: Vec<Vec<Incident<FromCoordinator>>>,
    /// The coordinator is gone.
    left_alone: bool,
    lost: bool,
}

/// The runs of all participants in a state.
struct Runs {
    coordinator: Done<FromCoordinator, Conducted>,
    agents: Vec<Done<FromAgent, Assisted>>,
}

impl State {
    /// What distinguishes this state. In which order the coordinator received messages between two
    /// of its own has no influence any more, if it has sent the same.
    fn key(&self, runs: &Runs) -> String {
        let mut events: Vec<(usize, String)> = self
            .sent_before
            .iter()
            .copied()
            .zip(self.coordinator.iter().map(|event| format!("{event:?}")))
            .collect();
        events.sort();
        let sent = runs.coordinator.sent.iter().map(|(to, sent)| (to, sent.short()));
        let sent: Vec<_> = sent.collect();
        let (now, agents) = (&runs.coordinator.now, &self.agents);
        format!("{events:?} {sent:?} {now:?} {agents:?} {} {}", self.left_alone, self.lost)
    }
}

fn messages<M>(events: &[Incident<M>], agent: usize) -> usize {
    events
        .iter()
        .filter(|it| matches!(it, Incident::Message(from, Some(_)) if *from == agent))
        .count()
}

fn met<M>(events: &[Incident<M>], what: impl Fn(&Incident<M>) -> bool) -> bool {
    events.iter().any(what)
}

impl Case {
    /// All states that can follow.
    fn after(&self, state: &State, runs: &Runs) -> Vec<State> {
        let mut next = Vec::new();
        let mut coordinator = |event: Incident<FromAgent>| {
            let mut state = state.clone();
            state.coordinator.push(event);
            state.sent_before.push(runs.coordinator.sent.len());
            next.push(state);
        };
        let events = &state.coordinator;
        let lost = |agent| state.lost && self.lost == Some(agent);
        if runs.coordinator.now.is_err() && !state.left_alone {
            for (agent, run) in runs.agents.iter().enumerate() {
                let is_cut =
                    met(events, |it| matches!(it, Incident::Cut(other) if *other == agent));
                let knows = met(
                    events,
                    |it| matches!(it, Incident::Message(other, None) if *other == agent),
                );
                match run.sent.get(messages(events, agent)) {
                    Some((_, message)) => {
                        coordinator(Incident::Message(agent, Some(message.clone())));
                    }
                    None if lost(agent) && !knows => coordinator(Incident::Message(agent, None)),
                    None => {}
                }
                if lost(agent) && !is_cut {
                    coordinator(Incident::Cut(agent));
                }
            }
            let signals = self.stopped || self.signalled.is_some();
            if signals && !met(events, |it| matches!(it, Incident::Signal)) {
                coordinator(Incident::Signal);
            }
            if matches!(events.last(), Some(Incident::Signal))
                && runs.coordinator.now == Err(Waits::Glance)
            {
                coordinator(Incident::Idle);
            }
        }
        for (agent, run) in runs.agents.iter().enumerate() {
            let Err(waits) = run.now else { continue };
            if lost(agent) {
                continue;
            }
            let mut agent_meets = |event: Incident<FromCoordinator>| {
                let mut state = state.clone();
                state.agents[agent].push(event);
                next.push(state);
            };
            let events = &state.agents[agent];
            let mut sent = runs.coordinator.sent.iter().filter(|(to, _)| *to == agent);
            let gone = state.left_alone || runs.coordinator.now.is_ok();
            match sent.nth(messages(events, 0)) {
                Some((_, message)) => agent_meets(Incident::Message(0, Some(message.clone()))),
                None if gone && !met(events, |it| matches!(it, Incident::Message(_, None))) => {
                    agent_meets(Incident::Message(0, None));
                }
                None => {}
            }
            if matches!(waits, Waits::Driving(_) | Waits::Renewing) {
                agent_meets(Incident::Ended);
            }
            let begun = !events.is_empty();
            let signalled = met(events, |it| matches!(it, Incident::Signal));
            if self.signalled == Some(agent) && begun && !signalled {
                agent_meets(Incident::Signal);
            }
        }
        if self.lost.is_some() && !state.lost {
            next.push(State { lost: true, ..state.clone() });
        }
        if self.left_alone && !state.left_alone && runs.coordinator.now.is_err() {
            next.push(State { left_alone: true, ..state.clone() });
        }
        next
    }

    /// What must hold at any time.
    fn check(&self, state: &State, runs: &Runs) -> Result<(), String> {
        let here = |agent: &usize| !(state.lost && self.lost == Some(*agent));
        let busy: Vec<(usize, Waits)> = (0..self.agents)
            .filter(here)
            .filter_map(|agent| Some((agent, runs.agents[agent].now.as_ref().err().copied()?)))
            .filter(|(_, waits)| matches!(waits, Waits::Driving(_) | Waits::Renewing))
            .collect();
        if busy.windows(2).any(|two| two[0].1 != two[1].1) {
            return Err(format!("different things are done at the same time: {busy:?}"));
        }
        for (agent, waits) in &busy {
            let Waits::Driving(index) = waits else { continue };
            let ready = |run: &Done<FromAgent, Assisted>| {
                let mut sent = run.sent.iter().map(|(_, sent)| sent);
                sent.any(|it| matches!(it, FromAgent::Ready { index: ready_index, .. } if ready_index >= index))
            };
            if !runs.agents.iter().all(ready) {
                return Err(format!("agent {agent} drives slice {index} before all are ready"));
            }
        }
        let records = runs.coordinator.now == Err(Waits::Message);
        if records && !state.left_alone && !busy.is_empty() {
            return Err(format!("records are requested while {busy:?}"));
        }
        Ok(())
    }

    /// What must hold when nothing can happen any more.
    fn check_end(&self, state: &State, runs: &Runs) -> Result<(), String> {
        for (agent, run) in runs.agents.iter().enumerate() {
            let is_lost = state.lost && self.lost == Some(agent);
            match &run.now {
                Err(waits) if !is_lost => return Err(format!("agent {agent} waits: {waits:?}")),
                Ok(Err(why)) if !state.left_alone => return Err(format!("agent {agent}: {why}")),
                _ => {}
            }
        }
        if state.left_alone {
            return Ok(());
        }
        match &runs.coordinator.now {
            Err(waits) => Err(format!("the coordinator waits: {waits:?}")),
            Ok(Err(why)) => match self.lost {
                Some(agent) if why.starts_with(&format!("agent {} is lost", agent + 1)) => Ok(()),
                _ => Err(format!("the coordinator failed: {why}")),
            },
            Ok(Ok(trials)) => {
                let all = self.all_trials();
                let disturbed = self.stopped || self.signalled.is_some();
                if all.starts_with(trials) && (disturbed || trials.len() == all.len()) {
                    return Ok(());
                }
                Err(format!("the trials are {trials:?}"))
            }
        }
    }

    /// Checks every state. Returns how many there are, or what is wrong in which of them.
    fn explore(&self) -> Result<usize, String> {
        let first = State { agents: vec![Vec::new(); self.agents], ..State::default() };
        let mut known: HashSet<String> = HashSet::new();
        let (mut conducted, mut assisted) = (HashMap::new(), HashMap::new());
        let mut left = VecDeque::from([first]);
        while let Some(state) = left.pop_front() {
            let assist = |events: &Vec<Incident<FromCoordinator>>,
                          known: &mut HashMap<_, Done<_, _>>| {
                let run = known.entry(format!("{events:?}"));
                run.or_insert_with(|| self.assist(events.clone())).clone()
            };
            let agents = state.agents.iter().map(|events| assist(events, &mut assisted)).collect();
            let run = conducted.entry(format!("{:?}", state.coordinator));
            let coordinator =
                run.or_insert_with(|| self.conduct(state.coordinator.clone())).clone();
            let runs = Runs { coordinator, agents };
            if !known.insert(state.key(&runs)) {
                continue;
            }
            let next = self.after(&state, &runs);
            let checked = self.check(&state, &runs).and_then(|()| {
                if next.is_empty() { self.check_end(&state, &runs) } else { Ok(()) }
            });
            checked.map_err(|wrong| format!("{self:?}: {wrong}\nafter {state:?}"))?;
            left.extend(next);
        }
        Ok(known.len())
    }
}

#[test]
fn the_gate_holds_in_every_order_of_events() {
    let two = Case { agents: 2, contenders: 1, rounds: 2, ..Case::default() };
    let wide = Case { contenders: 2, rounds: 1, ..two };
    let cases = [
        two,
        wide,
        Case { stopped: true, ..two },
        Case { signalled: Some(0), ..two },
        Case { lost: Some(1), ..two },
        Case { left_alone: true, ..two },
        Case { agents: 3, rounds: 1, ..two },
        Case { agents: 3, rounds: 1, lost: Some(1), ..two },
    ];
    for case in cases {
        let states = case.explore().unwrap_or_else(|wrong| panic!("{wrong}"));
        assert!(states > 20, "{case:?} has only {states} states");
    }
}

#[test]
fn a_broken_gate_is_found() {
    let two = Case { agents: 2, contenders: 2, rounds: 1, ..Case::default() };
    for (case, why) in [
        (
            Case { planted: Some(Planted::StartsEarly), ..two },
            "agent 0 drives slice 1 before all are ready",
        ),
        (Case { planted: Some(Planted::LosesEnd), lost: Some(1), ..two }, "agent 0: "),
    ] {
        let wrong = case.explore().expect_err(why);
        assert!(wrong.contains(why), "{wrong}");
    }
}
