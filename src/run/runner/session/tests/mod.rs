mod capacities;
mod suites;
mod sweeps;

use super::*;
use crate::plan::example;
use crate::run::journal::Reader;
use crate::run::progress::ProgressStyle;
use crate::run::runner::environment::{Each, Explanations, StoreAccess, TargetControl};
use crate::scratch::Scratch;
use engine::EngineError;
use protocol::Exit;
use protocol::side_channel::SideChannel;
use record::{
    DearLaunches, Failure, Launches, Seen, Slice, TargetDone, TargetReady, WarmUp, Withdrawn,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::rc::Rc;

/// A disk with space for `room` bytes.
#[derive(Clone)]
struct Disk {
    bytes: Rc<RefCell<Vec<u8>>>,
    room: usize,
    syncs: Rc<Cell<u32>>,
}

impl Disk {
    fn new(room: usize) -> Disk {
        Disk { bytes: Rc::default(), room, syncs: Rc::default() }
    }

    fn sync(&self) -> io::Result<()> {
        self.syncs.set(self.syncs.get() + 1);
        Ok(())
    }

    fn events(&self) -> Vec<Event> {
        let bytes = self.bytes.borrow();
        let mut reader = Reader::new(bytes.as_slice(), "J".to_owned());
        let mut events = Vec::new();
        while let Some(event) = reader.next_event().expect("readable") {
            events.push(event);
        }
        events
    }
}

impl Write for Disk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.bytes.borrow_mut();
        match bytes.len().min(self.room - written.len()) {
            0 if !bytes.is_empty() => Err(io::ErrorKind::StorageFull.into()),
            fits => {
                written.extend_from_slice(&bytes[..fits]);
                Ok(fits)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What the contenders of the simulated engine do.
#[derive(Clone, Copy, Default)]
struct Script {
    /// How often contender 1 refuses when it is asked whether it is ready.
    refusals: u32,
    /// The failure of contender 1 when it is asked, instead of a refusal.
    fails_with: Option<Failure>,
    /// From this round on contender 1 refuses.
    dies_in: Option<u32>,
    /// A signal comes in this round.
    stopped_in: Option<u32>,
    /// How long a launch of contender 1 takes.
    launch_ns: u64,
    /// How long contender 1 is warmed up.
    warm_up_ns: u64,
    /// How long the replies of a slice take, if they are slow: all of them are due in the burn-in.
    reply_ns: u64,
    /// Contender 1 ends while it is launched for the nth time.
    falls_in_launch: Option<u32>,
    /// Contender 0, when it is driven alone, refuses connections from some point in its turn on.
    dies_alone: bool,
    /// The engine fails in this round.
    breaks_in: Option<u32>,
    /// The capacities of both contenders, which decide what they answer at a rate. 0 where no rates are driven.
    capacities: [f64; 2],
    /// A signal comes in the first turn of this round.
    stopped_in_turn: Option<u32>,
    /// The directory in which the lanes' own costs are kept.
    costs_in: Option<&'static Path>,
    /// The cases that both contenders have, if they are suites.
    suite: Option<suites::SuiteScript>,
}

impl Script {
    /// How contender 1 fails when it is asked for the `time`-th time.
    fn answer(&self, time: u32) -> Option<Failure> {
        self.fails_with.or((time <= self.refusals).then_some(Failure::Refused))
    }

    /// How contender 1 fails in a round of the comparison.
    fn driven(&self, phase: Phase, order: &DriveOrder, round: u32) -> Option<Failure> {
        let dead = self.dies_in.is_some_and(|dies| round >= dies);
        let compared = phase == Phase::Round && (order.rounds > 1 || order.first_round > 1);
        (dead && compared).then_some(Failure::Refused)
    }
}

fn seen(failure: Option<Failure>) -> Seen {
    let mut seen = Seen { operations: 5, ..Seen::default() };
    // Replies came before sending was over: the target is not slow.
    let (sending_ns, took_ns) = (1001, 1000);
    seen.slices.push(Slice { sending_ns, took_ns, operations: 5, ..Slice::default() });
    match failure {
        Some(failure) => seen.outcomes.failed.insert(failure, 5),
        None => seen.codes.insert(200, 5),
    };
    seen
}

/// An engine that drives a [`Script`].
#[derive(Default)]
struct FakeEngine {
    world: Script,
    orders: Vec<DriveOrder>,
    /// How often contender 1 was asked whether it is ready.
    questions: u32,
    stopped: Rc<Cell<bool>>,
    launch: u32,
    died: bool,
    left_out: LeftOut,
    /// The cases that were set, each time.
    cases: Vec<Vec<String>>,
}

impl TargetControl for FakeEngine {
    fn launch_target(&mut self, launch: u32, contender: usize) -> Result<TargetReady, Halt> {
        if self.world.falls_in_launch == Some(launch) && contender == 1 {
            return Err(Halt::Target("`b`: it exited with 1".to_owned()));
        }
        self.launch = launch;
        Ok(TargetReady {
            took_ns: if contender == 1 { self.world.launch_ns } else { 0 },
            contender: contender as u32,
            launch,
            ..TargetReady::default()
        })
    }

    fn ended_targets(&mut self) -> Vec<(usize, String)> {
        Vec::new()
    }

    fn runs_cases_alone(&self) -> bool {
        self.world.suite.is_some_and(|suite| suite.alone)
    }

    fn set_cases(&mut self, cases: &[String]) -> Result<(), Halt> {
        self.cases.push(cases.to_vec());
        Ok(())
    }

    fn stop_targets(&mut self, which: &dyn Fn(usize) -> bool) -> Vec<TargetDone> {
        if !which(1) {
            return Vec::new();
        }
        let memory_source = String::new();
        let launch = self.launch;
        vec![TargetDone { contender: 1, launch, memory_source, ..TargetDone::default() }]
    }

    fn plain_protocol(&self, _: usize) -> Option<String> {
        self.world.costs_in.map(|_| "HTTP".to_owned())
    }

    fn drive_null(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        for round in 1..=order.rounds {
            for (contender, lane) in (0u32..).zip(who) {
                let lane_order = order.lanes[contender as usize].clone();
                let operations = 100 + *lane as u64;
                let slice = Slice { operations, generator_cpu_ns: 100_000, ..Slice::default() };
                let mut seen = Seen { operations, slices: vec![slice], ..Seen::default() };
                seen.outcomes.ok = operations;
                let trial =
                    record::testing::trial(Phase::Round, round, contender, lane_order, seen);
                if each(trial).is_break() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn drive(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        self.orders.push(order.clone());
        if order.warm_up.most_ns > 0 && self.trials(order, who, (Phase::WarmUp, 0), each).is_break()
        {
            return Ok(());
        }
        for round in (order.first_round..).take(order.rounds as usize) {
            let now = |in_round: Option<u32>| in_round == Some(round) && order.rounds > 1;
            if now(self.world.breaks_in) {
                return Err(EngineError::order("no thread"));
            }
            if now(self.world.stopped_in) || self.world.stopped_in_turn == Some(round) {
                self.stopped.set(true);
            }
            let flow = self.trials(order, who, (Phase::Round, round), each);
            if flow.is_break() || self.stopped.get() {
                return Ok(());
            }
        }
        Ok(())
    }
}

impl StoreAccess for FakeEngine {
    fn store(&mut self, _contender: usize) -> Result<Box<dyn SideChannel + '_>, String> {
        Err("no store among these contenders".to_owned())
    }
}

impl Explanations for FakeEngine {
    fn why_no_tls(&self, contender: usize) -> Option<NoTls> {
        (contender == 1).then(|| NoTls::Failed("because".to_owned()))
    }

    fn program_error(&self, _: usize) -> Option<String> {
        None
    }
}

impl FakeEngine {
    /// The trials of one round, of every lane: `Break` comes too late for the
    /// others, as in the engine.
    fn trials(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        (phase, round): (Phase, u32),
        each: &mut Each<'_>,
    ) -> ControlFlow<()> {
        let mut flow = ControlFlow::Continue(());
        let left_out = self.left_out.lanes();
        let driven = |(lane, _): &(usize, &usize)| !left_out.has(*lane as u32);
        for (lane, contender) in who.iter().enumerate().filter(driven) {
            let lane_order = order.lanes[lane].clone();
            let failure = match contender {
                1 if lane_order.operations == Some(1) => {
                    self.questions += 1;
                    self.world.answer(self.questions)
                }
                1 => self.world.driven(phase, order, round),
                _ => None,
            };
            let (mut seen, cut_short) = (seen(failure), self.stopped.get());
            if self.world.reply_ns > 0 {
                seen.slices[0].took_ns = self.world.reply_ns;
            }
            if phase == Phase::WarmUp && *contender == 1 {
                seen.slices[0].took_ns = self.world.warm_up_ns;
            }
            match (self.world.dies_alone, lane_order.operations == Some(1)) {
                (true, true) if self.died => seen = self::seen(Some(Failure::Refused)),
                (true, false) if phase == Phase::Round => {
                    seen.outcomes.failed.insert(Failure::Refused, 2);
                    self.died = true;
                }
                _ => {}
            }
            if let Some(suite) = self.world.suite.filter(|_| failure.is_none()) {
                let alone = self.cases.last().map_or(&[][..], Vec::as_slice);
                seen = suite.seen(*contender, alone);
            }
            if let Some(rate) = lane_order.intensity.arrivals.rate()
                && self.world.capacities[0] > 0.0
            {
                let capacity = self.world.capacities[*contender];
                seen = capacities::at_rate(rate, capacity, order.round_ns);
            }
            let contender = lane as u32;
            let next = each(TrialRecord {
                phase,
                round,
                contender,
                lane_order,
                seen,
                cut_short,
                levelled: None,
                agents: Vec::new(),
            });
            flow = if flow.is_break() { flow } else { next };
        }
        flow
    }
}

/// The outcome of a run.
struct SessionOutcome {
    end: Result<End, Error>,
    disk: Disk,
    pauses: Vec<Duration>,
    orders: Vec<DriveOrder>,
    cases: Vec<Vec<String>>,
}

/// Conducts `plan` with this script, on this disk.
fn conduct(plan: &Plan, world: Script, disk: Disk) -> SessionOutcome {
    let mut journal = Writer::new(disk.clone(), Disk::sync);
    let header = record::testing::header(plan.clone());
    journal.write(&Event::Header(Box::new(header))).expect("room for the header");
    let own_costs =
        world.costs_in.map(|directory| OwnCosts::made_up(directory.to_owned())).unwrap_or_default();
    let mut engine = FakeEngine { world, ..FakeEngine::default() };
    let (stopped, left_out) = (engine.stopped.clone(), engine.left_out.clone());
    let pauses = RefCell::new(Vec::new());
    let progress = Progress::start(ProgressStyle::Silent, &plan.question.names());
    let session = RunSession {
        plan,
        writer: TrialWriter::new(journal, &progress, plan, false),
        environment: &mut engine,
        stores: Stores::default(),
        own_costs,
        left_out,
        stopped: &|| stopped.get(),
        pause: &|pause| pauses.borrow_mut().push(pause),
        only_first_stage: false,
        began: std::time::Instant::now(),
    };
    let end = session.conduct();
    SessionOutcome {
        end,
        disk,
        pauses: pauses.into_inner(),
        orders: engine.orders,
        cases: engine.cases,
    }
}

const ROOMY: usize = 1 << 24;

/// A comparison of a length that was given.
fn ten_rounds() -> Plan {
    example::plan(|spec| spec.run.rounds = Some(10))
}

fn outcome(world: Script) -> SessionOutcome {
    conduct(&ten_rounds(), world, Disk::new(ROOMY))
}

fn reason(outcome: &SessionOutcome) -> EndReason {
    outcome.end.as_ref().expect("an end").reason
}

/// `ready 0, ready 1, warm_up 0, …`: what is in the journal after the header, without messages
/// about launches.
fn journal_lines(disk: &Disk) -> Vec<String> {
    let of_launches = |line: &String| line.contains(" up ") || line.contains(" down ");
    all_lines(disk).into_iter().filter(|line| !of_launches(line)).collect()
}

fn all_lines(disk: &Disk) -> Vec<String> {
    let name = |event: &Event| match event {
        Event::Header(_) => "header".to_owned(),
        Event::Target(ready) => format!("{} is up in launch {}", ready.contender, ready.launch),
        Event::TargetDone(done) => {
            format!("{} is down after launch {}", done.contender, done.launch)
        }
        Event::SingleRun(run) => format!("single run of {}", run.contender),
        Event::Cases(cases) => format!("{} cases", cases.compared.len()),
        Event::Withdrawn(of) => format!("{} leaves in round {}", of.contender, of.round),
        Event::OwnCost(kept) => format!("own cost of {}", kept.contender),
        Event::Store(_) | Event::Loaded(_) => unreachable!("no store among these contenders"),
        Event::Agents(_) | Event::Clocks(_) => unreachable!("no agents drive"),
        Event::Pilot(_) => "pilot chose".to_owned(),
        Event::SecondStage(stage) => format!("{} replicates", stage.replicates),
        Event::Trial(trial) => {
            let cut = if trial.cut_short { " cut" } else { "" };
            format!("{:?} {} of {}{cut}", trial.phase, trial.round, trial.contender)
        }
        Event::End(end) => format!("{:?}", end.reason),
    };
    disk.events().iter().map(name).collect()
}

#[test]
fn a_comparison_from_ready_to_end() {
    let outcome = outcome(Script::default());
    assert_eq!(reason(&outcome), EndReason::Complete);
    let journal_lines = journal_lines(&outcome.disk);
    let start = [
        "header",
        "Ready 0 of 0",
        "Ready 0 of 1",
        "Null 0 of 0",
        "Null 0 of 1",
        "WarmUp 0 of 0",
        "WarmUp 0 of 1",
        // Fresh sockets before the pilot, and before the rounds.
        "WarmUp 0 of 0",
        "WarmUp 0 of 1",
        "Pilot 0 of 0",
        "Pilot 0 of 1",
        "pilot chose",
        "WarmUp 0 of 0",
        "WarmUp 0 of 1",
        "Round 1 of 0",
        "Round 1 of 1",
    ];
    assert_eq!(journal_lines[..start.len()], start);
    assert_eq!(
        journal_lines[journal_lines.len() - 3..],
        ["Round 10 of 0", "Round 10 of 1", "Complete"]
    );
    assert_eq!(journal_lines.len(), start.len() + 18 + 1);
    // There is a sync for each of two targets that are up, the pilot's choice, ten rounds, one
    // target that is down, and the end.
    assert_eq!(outcome.disk.syncs.get(), 15);
    assert!(outcome.pauses.is_empty());
}

#[test]
fn the_orders_follow_plan_and_pilot() {
    let ms = 1_000_000;
    let [ready_a, ready_b, warm_up, pilot, rounds] =
        outcome(Script::default()).orders.try_into().expect("five");
    for (ready, port) in [(&ready_a, 1), (&ready_b, 2)] {
        assert_eq!((ready.lanes.len(), ready.rounds, ready.warm_up.most_ns), (1, 1, 0));
        assert_eq!(ready.cores.len(), 1);
        let lane = &ready.lanes[0];
        assert_eq!((lane.intensity.connections, lane.operations), (1, Some(1)));
        assert_eq!(lane.address, record::Address::Tcp(([127, 0, 0, 1], port).into()));
    }
    let by_test = WarmUp { least_ns: 1000 * ms, most_ns: 5000 * ms };
    assert_eq!((warm_up.warm_up, warm_up.rounds), (by_test, 0));
    assert_eq!((pilot.warm_up, pilot.rounds), (WarmUp::fixed(50 * ms), 1));
    assert_eq!((pilot.round_ns, pilot.slice_ns), (2000 * ms, 50 * ms));
    assert_eq!((rounds.warm_up, rounds.rounds), (WarmUp::fixed(50 * ms), 10));
    assert_eq!((rounds.round_ns, rounds.slice_ns), (1000 * ms, 50 * ms));
    assert_eq!(rounds.lanes[1].burn_in_ns, 2 * ms);
    assert_eq!(rounds.lanes[1].intensity.connections, 64);
    let open = example::plan(|spec| spec.common.rate = Some(5000.0));
    let open = conduct(&open, Script::default(), Disk::new(ROOMY)).orders;
    assert_eq!(open[3].slice_ns, 250 * ms);
    // A warm-up of a fixed length is part of the pilot's order.
    let fixed = example::plan(|spec| spec.run.warm_up = Some(Duration::from_secs(2)));
    let fixed = conduct(&fixed, Script::default(), Disk::new(ROOMY)).orders;
    assert_eq!((fixed[2].warm_up, fixed[2].rounds), (WarmUp::fixed(2000 * ms), 1));
}

fn one_contender() -> Plan {
    example::plan(|spec| {
        spec.command = crate::plan::Command::Run;
        spec.contenders.truncate(1);
        spec.run.operations = Some(100);
    })
}

#[test]
fn one_contender_is_driven_without_pilot_and_burn_in() {
    let plan = one_contender();
    let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
    assert_eq!(
        journal_lines(&outcome.disk),
        ["header", "Ready 0 of 0", "Null 0 of 0", "WarmUp 0 of 0", "Round 1 of 0", "Complete"]
    );
    let order = &outcome.orders[1];
    assert_eq!((order.rounds, order.slice_ns), (1, order.round_ns));
    assert_eq!((order.lanes[0].burn_in_ns, order.lanes[0].operations), (0, Some(100)));
}

#[test]
fn a_target_that_comes_late_is_asked_again() {
    let outcome = outcome(Script { refusals: 2, ..Script::default() });
    assert_eq!(reason(&outcome), EndReason::Complete);
    assert_eq!(outcome.pauses, [500, 1500].map(Duration::from_millis));
    assert_eq!(
        journal_lines(&outcome.disk).iter().filter(|line| *line == "Ready 0 of 1").count(),
        3
    );
}

#[test]
fn a_target_that_is_not_there_is_named_with_what_was_seen() {
    let refused = outcome(Script { refusals: 3, ..Script::default() });
    let end = refused.end.as_ref().expect("an end");
    assert_eq!(end.reason, EndReason::TargetFailed);
    assert_eq!(end.detail, "`b` (http://127.0.0.1:2/) is not ready: it refused the connection");
    assert_eq!(journal_lines(&refused.disk).last().map(String::as_str), Some("TargetFailed"));
    let tls = outcome(Script { fails_with: Some(Failure::Tls), ..Script::default() });
    assert!(tls.pauses.is_empty(), "asking again does not help");
    assert_eq!(
        tls.end.expect("an end").detail,
        "`b` (http://127.0.0.1:2/) is not ready: the TLS handshake failed (because); use --cacert \
         FILE to trust another authority or --insecure to accept any certificate"
    );
    let ours = outcome(Script { fails_with: Some(Failure::NoPort), ..Script::default() });
    assert_eq!(reason(&ours), EndReason::Failed);
}

#[test]
fn a_target_that_dies_ends_the_run_and_what_was_seen_is_kept() {
    let outcome = outcome(Script { dies_in: Some(4), ..Script::default() });
    let end = outcome.end.as_ref().expect("an end");
    assert_eq!(end.reason, EndReason::TargetFailed);
    assert_eq!(
        end.detail,
        "`b` (http://127.0.0.1:2/) stopped answering: no operation in round 4 got a reply (5 \
         refused)"
    );
    let journal_lines = journal_lines(&outcome.disk);
    assert_eq!(
        journal_lines[journal_lines.len() - 3..],
        ["Round 4 of 0", "Round 4 of 1", "TargetFailed"]
    );
}

#[test]
fn a_round_in_which_all_connections_wait_does_not_end_the_run() {
    let plan = ten_rounds();
    let mut trial = example::trial(Phase::Round, 0, seen(Some(Failure::Timeout)));
    assert!(Silence::new(&plan).add(&plan, &trial).is_some());
    let mut silence = Silence::new(&plan);
    trial.seen.slices[0].operations = 0;
    // A slice of 1 µs of each of two contenders.
    trial.lane_order.timeout_ns = 5000;
    for round in 1..=2 {
        assert_eq!(silence.add(&plan, &trial), None, "they began in an earlier round than {round}");
    }
    assert!(silence.add(&plan, &trial).is_some(), "nobody waits longer than the timeout");
    let answered = TrialRecord { seen: seen(None), ..trial.clone() };
    assert_eq!(silence.add(&plan, &answered), None);
    assert_eq!(silence.add(&plan, &trial), None, "the silence begins anew");
}

#[test]
fn a_signal_ends_the_run_with_what_is_there() {
    let outcome = outcome(Script { stopped_in: Some(3), ..Script::default() });
    assert_eq!(reason(&outcome), EndReason::Stopped);
    let journal_lines = journal_lines(&outcome.disk);
    assert_eq!(
        journal_lines[journal_lines.len() - 3..],
        ["Round 3 of 0 cut", "Round 3 of 1 cut", "Stopped"]
    );
}

#[test]
fn a_broken_engine_is_our_failure() {
    let outcome = outcome(Script { breaks_in: Some(2), ..Script::default() });
    let end = outcome.end.as_ref().expect("an end");
    assert_eq!((end.reason, end.detail.as_str()), (EndReason::Failed, "no thread"));
}

#[test]
fn a_full_disk_ends_the_run_at_once_wherever_it_comes() {
    let plan = example::plan(|spec| spec.run.rounds = Some(6));
    let whole = conduct(&plan, Script::default(), Disk::new(ROOMY)).disk.bytes.borrow().clone();
    let header = whole.iter().position(|byte| *byte == b'\n').expect("a line") + 1;
    for room in (header..whole.len()).step_by(2503) {
        let outcome = conduct(&plan, Script::default(), Disk::new(room));
        let error = outcome.end.expect_err("a full disk");
        assert_eq!(error.exit, Exit::Failed);
        assert!(error.text.starts_with("the journal cannot be written: "), "{}", error.text);
        // Nothing was written after the incomplete line, and the rest can be read back.
        assert_eq!(outcome.disk.bytes.borrow().as_slice(), &whole[..room]);
        assert!(!outcome.disk.events().iter().any(|event| matches!(event, Event::End(_))));
    }
}

#[test]
fn only_a_trial_without_any_reply_means_death() {
    let plan = ten_rounds();
    let lane_order = orders::ready(&plan, 0).lanes[0].clone();
    let trial = |phase, cut_short, change: fn(&mut Seen)| {
        let mut seen = seen(Some(Failure::Timeout));
        change(&mut seen);
        TrialRecord {
            phase,
            round: 2,
            contender: 0,
            lane_order: lane_order.clone(),
            seen,
            cut_short,
            levelled: None,
            agents: Vec::new(),
        }
    };
    let died = |trial| Silence::new(&plan).add(&plan, &trial).is_some();
    assert!(died(trial(Phase::Round, false, |_| {})));
    assert!(died(trial(Phase::Pilot, false, |_| {})));
    assert!(!died(trial(Phase::WarmUp, false, |_| {})));
    assert!(!died(trial(Phase::Round, true, |_| {})), "cut short");
    assert!(
        !died(trial(Phase::Round, false, |seen| {
            seen.codes.insert(503, 1);
        })),
        "answers"
    );
    assert!(
        !died(trial(Phase::Round, false, |seen| {
            seen.outcomes.failed.insert(Failure::NoPort, 1);
        })),
        "our fault"
    );
    assert!(!died(trial(Phase::Round, false, |seen| seen.outcomes.failed.clear())), "nothing due");
}

/// Six launches of two rounds.
fn six_launches() -> Plan {
    let mut plan = ten_rounds();
    (plan.rounds, plan.question.rounds, plan.question.restarts) = (12, 12, 6);
    plan
}

fn restarts(world: Script) -> SessionOutcome {
    conduct(&six_launches(), world, Disk::new(ROOMY))
}

#[test]
fn with_restarts_every_segment_has_its_own_launch() {
    let outcome = restarts(Script::default());
    let journal_lines = all_lines(&outcome.disk);
    assert_eq!(reason(&outcome), EndReason::Complete);
    let ups = journal_lines.iter().filter(|line| line.contains(" up "));
    let firsts: Vec<&str> = ups.map(|line| &line[..1]).collect();
    assert_eq!(firsts.len(), 12);
    // The order is random and follows from the seed.
    let leading: Vec<&str> = firsts.chunks(2).map(|pair| pair[0]).collect();
    assert!(leading.contains(&"0") && leading.contains(&"1"), "{leading:?}");
    let rounds: Vec<&String> = journal_lines
        .iter()
        .filter(|line| line.starts_with("Round") && line.ends_with("of 0"))
        .collect();
    assert_eq!(rounds.len(), 12);
    assert_eq!((rounds[0].as_str(), rounds[11].as_str()), ("Round 1 of 0", "Round 12 of 0"));
    let second =
        journal_lines.iter().position(|line| line.ends_with("up in launch 2")).expect("a launch");
    assert_eq!(journal_lines[second - 1], "1 is down after launch 1");
    assert_eq!(journal_lines[second - 2], "Round 2 of 1");
    assert!(
        journal_lines[second + 2].starts_with("Ready")
            && journal_lines[second + 4].starts_with("WarmUp")
    );
    assert_eq!(journal_lines[journal_lines.len() - 2], "1 is down after launch 6");
}

/// In launches of many runs, who is launched first and who is asked first whether it is ready.
#[test]
fn launches_and_readiness_have_orders_of_their_own() {
    let mut patterns: BTreeMap<(bool, bool), u32> = BTreeMap::new();
    for seed in 1..=80 {
        let plan = Plan { seed, ..six_launches() };
        let lines = all_lines(&conduct(&plan, Script::default(), Disk::new(ROOMY)).disk);
        let launched = lines.iter().filter(|line| line.contains(" up ")).step_by(2);
        let asked = lines.iter().filter(|line| line.starts_with("Ready")).step_by(2);
        for (launched, asked) in launched.zip(asked) {
            let firsts = (launched.starts_with('0'), asked.ends_with("of 0"));
            *patterns.entry(firsts).or_default() += 1;
        }
    }
    assert_eq!(patterns.values().sum::<u32>(), 480);
    // 120 of each are expected; the standard deviation is 9.5.
    assert!(
        patterns.len() == 4 && patterns.values().all(|many| (72..168).contains(many)),
        "{patterns:?}"
    );
}

#[test]
fn later_launches_are_warmed_up_for_as_long_as_the_first_one() {
    let ms = 1_000_000;
    let warm_up_ns = 800 * ms;
    let outcome = restarts(Script { warm_up_ns, ..Script::default() });
    let asked: Vec<WarmUp> = outcome.orders.iter().map(|order| order.warm_up).collect();
    let driven: Vec<WarmUp> = asked.into_iter().filter(|warm_up| warm_up.most_ns > 0).collect();
    // The warm-up, the pilot, the rounds of the first launch, and those of the others.
    let later = WarmUp { least_ns: 800 * ms, most_ns: 1200 * ms };
    let first = WarmUp { least_ns: 1000 * ms, most_ns: 5000 * ms };
    // The only slice of the warm-up took so long that the pilot takes turns.
    let [before_pilot, before_rounds] = [1000 * ms, 50 * ms].map(WarmUp::fixed);
    assert_eq!(driven, [&[first, before_pilot, before_rounds][..], &[later; 5]].concat());
    let found = outcome.disk.events().into_iter().find_map(|event| match event {
        Event::Pilot(choice) => choice.warm_up_ns,
        _ => None,
    });
    assert_eq!(found, Some(warm_up_ns));
}

#[test]
fn a_pilot_that_saw_too_few_replies_is_driven_again() {
    let ms = 1_000_000;
    let plan = example::plan(|spec| spec.run.warm_up = Some(Duration::ZERO));
    let world = Script { reply_ns: 200 * ms, ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    let slices: Vec<u64> = outcome.orders.iter().skip(2).map(|order| order.slice_ns / ms).collect();
    assert_eq!(slices[..2], [50, 800]);
    assert_eq!(slices.len(), 3, "then come the rounds");
    let lines = journal_lines(&outcome.disk);
    assert_eq!(lines.iter().filter(|line| *line == "Pilot 0 of 1").count(), 2);
}

/// Which contender comes first in each of three launches, for targets that are launched and that are
/// asked whether they are ready.
fn firsts(seed: u64) -> [String; 2] {
    let mut plan = ten_rounds();
    (plan.rounds, plan.question.rounds, plan.question.restarts) = (6, 6, 3);
    plan.seed = seed;
    let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
    let lines = all_lines(&outcome.disk);
    let ups: Vec<&str> =
        lines.iter().filter(|line| line.contains(" up ")).map(|line| &line[..1]).collect();
    let asked = lines.iter().filter(|line| line.starts_with("Ready "));
    let asked: Vec<&str> = asked.map(|line| &line[line.len() - 1..]).collect();
    [ups, asked].map(|all| {
        assert_eq!(all.len(), 6, "each of two contenders in each of three launches: {all:?}");
        all.chunks(2).map(|pair| pair[0]).collect()
    })
}

/// An order that is drawn once for all launches of a run has only two patterns.
#[test]
fn contenders_that_swap_their_positions_are_launched_and_asked_in_the_same_orders() {
    let mut patterns = [(); 2].map(|()| std::collections::BTreeMap::<String, i64>::new());
    for seed in 1..=400 {
        for (patterns, pattern) in patterns.iter_mut().zip(firsts(seed)) {
            *patterns.entry(pattern).or_default() += 1;
        }
    }
    for patterns in patterns {
        assert_eq!(patterns.len(), 8, "{patterns:?}");
        for (pattern, times) in &patterns {
            let swap = |first: char| if first == '0' { '1' } else { '0' };
            let swapped: String = pattern.chars().map(swap).collect();
            // The standard deviation of the difference of two counts of 50 is 10.
            assert!((times - patterns[&swapped]).abs() < 50, "{pattern}: {patterns:?}");
        }
    }
}

/// Ten launches of two rounds, eight if they are dear, one of ten rounds if they are too dear.
fn launches_by_cost(launch_ns: u64, warm_up_ns: u64) -> SessionOutcome {
    let mut plan = ten_rounds();
    (plan.rounds, plan.question.rounds, plan.question.restarts) = (20, 20, 10);
    let round_of_one_ns = 1_500_000_000;
    plan.question.dear = Some(DearLaunches { launches: 8, rounds_of_one: 10, round_of_one_ns });
    conduct(&plan, Script { launch_ns, warm_up_ns, ..Script::default() }, Disk::new(ROOMY))
}

#[test]
fn the_first_launch_of_the_dearest_contender_decides_how_many_follow() {
    for (launch_ms, warm_up_ms, launches, rounds, round_ms) in [
        (500, 900, 10, 20, 1000),
        (500, 1100, 8, 16, 1000),
        (2000, 500, 8, 16, 1000),
        (9000, 1100, 1, 10, 1500),
    ] {
        let outcome = launches_by_cost(launch_ms * 1_000_000, warm_up_ms * 1_000_000);
        assert_eq!(reason(&outcome), EndReason::Complete);
        let lines = all_lines(&outcome.disk);
        let ups = lines.iter().filter(|line| line.starts_with("1 is up")).count();
        assert_eq!(ups, launches, "{launch_ms} ms");
        let driven = lines.iter().filter(|line| line.starts_with("Round")).count();
        assert_eq!(driven, 2 * rounds, "{launch_ms} ms");
        assert_eq!(outcome.orders.last().map(|order| order.round_ns / 1_000_000), Some(round_ms));
        let chosen = outcome.disk.events().into_iter().find_map(|event| match event {
            Event::Pilot(choice) => choice.launches,
            _ => None,
        });
        let each = (rounds / launches) as u32;
        assert_eq!(chosen, Some(Launches { launches: launches as u32, rounds: each }));
    }
}

#[test]
fn slices_go_on_from_segment_to_segment() {
    let outcome = restarts(Script::default());
    let mut indices = Vec::new();
    for event in outcome.disk.events() {
        let Event::Trial(trial) = event else { continue };
        if trial.phase == Phase::Round && trial.contender == 0 {
            indices.extend(trial.seen.slices.iter().map(|slice| (slice.index, slice.starts_ns)));
        }
    }
    // The engine of this test gives every slice of a segment the same index.
    assert_eq!(indices[0], (0, 0));
    assert_eq!((indices[2], indices[11]), ((1, 1000), (5, 5000)));
}

#[test]
fn a_target_that_falls_in_a_later_launch_ends_the_run() {
    let outcome = restarts(Script { falls_in_launch: Some(3), ..Script::default() });
    let end = outcome.end.as_ref().expect("an end");
    assert_eq!(
        (end.reason, end.detail.as_str()),
        (EndReason::TargetFailed, "`b`: it exited with 1")
    );
    assert!(journal_lines(&outcome.disk).contains(&"Round 4 of 1".to_owned()));
    assert_eq!(outcome.disk.events().len(), all_lines(&outcome.disk).len());
}

#[test]
fn a_single_target_that_died_in_its_long_turn_is_asked_again() {
    let plan = one_contender();
    let outcome =
        conduct(&plan, Script { dies_alone: true, ..Script::default() }, Disk::new(ROOMY));
    let end = outcome.end.as_ref().expect("an end");
    assert_eq!(end.reason, EndReason::TargetFailed);
    assert!(end.detail.starts_with("a target died during the run: "), "{}", end.detail);
}

#[test]
fn a_run_that_is_decided_at_a_look_ends_there() {
    let plan = example::plan(|spec| spec.run.until_decided = true);
    assert_eq!(plan.rounds, 60);
    // Both are alike in every round, so they are equivalent at the first look.
    let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let journal_lines = journal_lines(&outcome.disk);
    assert_eq!(
        journal_lines[journal_lines.len() - 3..],
        ["Round 10 of 0", "Round 10 of 1", "Complete"]
    );
    // One segment of the first ten rounds, in one launch.
    let rounds: Vec<u32> = outcome.orders.iter().map(|order| order.rounds).collect();
    assert_eq!(rounds[rounds.len() - 2..], [1, 10]);
}

#[test]
fn a_run_of_short_rounds_ends_at_a_look_if_all_is_decided() {
    let rounds_of = |required: Option<&str>| {
        let plan = example::plan(|spec| {
            spec.run.requirements.extend(required.map(str::to_owned));
        });
        let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
        assert_eq!(reason(&outcome), EndReason::Complete);
        let lines = journal_lines(&outcome.disk);
        let last = lines[lines.len() - 2].clone();
        let orders: Vec<(u32, u32)> =
            outcome.orders.iter().map(|order| (order.first_round, order.rounds)).collect();
        (last, orders.last().copied().expect("an order"))
    };
    // Both are alike in every round, so their throughput is plainly equivalent at the first look.
    assert_eq!(rounds_of(None), ("Round 9 of 1".to_owned(), (1, 9)));
    assert_eq!(rounds_of(Some("throughput >= 0.97")), ("Round 9 of 1".to_owned(), (1, 9)));
    // Nothing is known of the p99, because there are too few replies.
    assert_eq!(rounds_of(Some("p99 <= 1.05")), ("Round 32 of 1".to_owned(), (17, 16)));
}

#[test]
fn a_first_stage_is_recorded_before_any_further_round() {
    let plan = example::plan(|spec| spec.run.see = Some(0.02));
    // Rounds that do not vary need no second stage.
    let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
    let journal_lines = journal_lines(&outcome.disk);
    assert_eq!(
        journal_lines[journal_lines.len() - 4..],
        ["Round 10 of 0", "Round 10 of 1", "10 replicates", "Complete"]
    );
}

#[test]
fn what_a_lane_costs_is_measured_once_a_day() {
    let scratch = Scratch::new();
    let costs_in = scratch.path().join("own-costs").into_boxed_path();
    let costs_in: Option<&'static Path> = Some(Box::leak(costs_in));
    let plan = ten_rounds();
    let drive = |plan: &Plan| {
        let world = Script { costs_in, ..Script::default() };
        journal_lines(&conduct(plan, world, Disk::new(ROOMY)).disk)
    };
    let count = |journal_lines: &[String], what: &str| {
        journal_lines.iter().filter(|line| line.starts_with(what)).count()
    };
    let first = drive(&plan);
    assert_eq!((count(&first, "Null"), count(&first, "own cost")), (2, 0));
    let second = drive(&plan);
    assert_eq!((count(&second, "Null"), count(&second, "own cost")), (0, 2));
    // One of the lanes has changed, and only that one is measured.
    let mut other = plan.clone();
    other.contenders[1].intensity.connections = 5;
    let third = drive(&other);
    assert!(third.contains(&"own cost of 0".to_owned()), "{third:?}");
    assert_eq!((count(&third, "Null"), count(&third, "own cost")), (1, 1));
    assert!(third.contains(&"Null 0 of 1".to_owned()), "{third:?}");
}

#[test]
fn the_time_is_announced_with_what_makes_it_longer() {
    let words = |interleave| {
        let plan = example::plan(|spec| {
            spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
            spec.run.interleave = interleave;
        });
        foreseen_of_one(&plan)
    };
    let auto = words(None);
    let longer = " and the launches; longer if replies take more than 31.2 ms";
    assert!(auto.starts_with("about ") && auto.ends_with(longer), "{auto}");
    let turns = words(Some(record::Interleave::Turns));
    assert!(turns.ends_with(" and the launches"), "{turns}");
}

/// A ranking of so many contenders in eight rounds.
fn ranking(contenders: usize, change: impl FnOnce(&mut crate::plan::Spec)) -> Plan {
    example::plan(|spec| {
        (spec.run.rank, spec.run.rounds) = (true, Some(8));
        spec.contenders =
            (1..=contenders).map(|at| format!("c{at}=http://127.0.0.1:{at}/")).collect();
        change(spec);
    })
}

/// The rounds in which each contender has a trial.
fn rounds_of(disk: &Disk, contenders: usize) -> Vec<Vec<u32>> {
    let mut rounds = vec![Vec::new(); contenders];
    for event in disk.events() {
        if let Event::Trial(trial) = event
            && trial.phase == Phase::Round
        {
            rounds[trial.contender as usize].push(trial.round);
        }
    }
    rounds
}

#[test]
fn one_that_dies_leaves_the_ranking_and_the_others_lose_no_round() {
    let world = Script { dies_in: Some(3), ..Script::default() };
    let outcome = conduct(&ranking(4, |_| {}), world, Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let rounds = rounds_of(&outcome.disk, 4);
    let all: Vec<u32> = (1..=8).collect();
    assert_eq!(rounds, [&all[..], &[1, 2, 3], &all, &all]);
    let withdrawn: Vec<record::Withdrawn> = (outcome.disk.events().into_iter())
        .filter_map(|event| match event {
            Event::Withdrawn(of) => Some(of),
            _ => None,
        })
        .collect();
    let [of] = &withdrawn[..] else { panic!("{withdrawn:?}") };
    assert_eq!((of.contender, of.round, of.launch), (1, 3, 0));
    assert!(
        of.why.contains("stopped answering: no operation in round 3 got a reply"),
        "{}",
        of.why
    );
    // A comparison ends where a ranking goes on.
    let compared = Plan { question: not_ranked(ranking(4, |_| {}).question), ..ranking(4, |_| {}) };
    let compared = conduct(&compared, world, Disk::new(ROOMY));
    assert_eq!(reason(&compared), EndReason::TargetFailed);
}

fn not_ranked(question: record::Question) -> record::Question {
    record::Question { is_ranked: false, ..question }
}

#[test]
fn one_that_is_never_ready_is_not_driven() {
    let world = Script { refusals: u32::MAX, ..Script::default() };
    let outcome = conduct(&ranking(3, |_| {}), world, Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    assert_eq!(rounds_of(&outcome.disk, 3).iter().map(Vec::len).collect::<Vec<_>>(), [8, 0, 8]);
    let lines = journal_lines(&outcome.disk);
    assert!(lines.contains(&"1 leaves in round 0".to_owned()), "{lines:?}");
    let driven = |line: &&String| line.ends_with("of 1") && !line.starts_with("Ready");
    assert_eq!(lines.iter().find(driven), None);
}

#[test]
fn fewer_than_two_end_the_run() {
    let world = Script { refusals: u32::MAX, ..Script::default() };
    let outcome = conduct(&ranking(2, |_| {}), world, Disk::new(ROOMY));
    let end = outcome.end.as_ref().expect("an end");
    assert_eq!(end.reason, EndReason::TargetFailed);
    assert!(end.detail.starts_with("fewer than two contenders remain: "), "{}", end.detail);
}

#[test]
fn one_that_falls_in_a_later_launch_leaves() {
    let mut plan = ranking(3, |_| {});
    (plan.rounds, plan.question.rounds, plan.question.restarts) = (12, 12, 6);
    let world = Script { falls_in_launch: Some(3), ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let rounds: Vec<usize> = rounds_of(&outcome.disk, 3).iter().map(Vec::len).collect();
    assert_eq!(rounds, [12, 4, 12]);
}

#[test]
fn a_round_of_a_block_drives_those_that_it_holds() {
    let plan = ranking(17, |spec| spec.run.rounds = Some(13));
    let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let rounds = rounds_of(&outcome.disk, 17);
    for (contender, rounds) in (0..).zip(&rounds) {
        let held: Vec<u32> =
            (1..=plan.rounds).filter(|round| plan.question.holds(*round, contender)).collect();
        assert_eq!(rounds, &held, "{contender}");
    }
    // One that dies leaves the blocks that follow.
    let world = Script { dies_in: Some(5), ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    let after = rounds_of(&outcome.disk, 17);
    let first = rounds[1].iter().position(|round| *round >= 5).expect("a round");
    assert_eq!(after[1], rounds[1][..=first]);
    assert_eq!([&after[0], &after[16]], [&rounds[0], &rounds[16]]);
}

/// A ranking of 17 launched servers in blocks of launches, the first of which does not hold contender 1.
fn blocks_of_launches() -> Plan {
    let plans = (1..).map(|seed| {
        ranking(17, |spec| {
            (spec.run.rounds, spec.run.launches, spec.run.seed) = (None, Some(13), Some(seed));
            spec.contenders = (1..=17).map(|at| format!("c{at}=nginx")).collect();
        })
    });
    plans.into_iter().find(|plan| !plan.question.holds(1, 1)).expect("one of many")
}

/// Whose targets were launched in this launch.
fn launched_in(lines: &[String], launch: u32) -> Vec<u32> {
    let is_up = format!(" is up in launch {launch}");
    let who = lines.iter().filter_map(|line| line.strip_suffix(&is_up)?.parse().ok());
    let mut who: Vec<u32> = who.collect();
    who.sort_unstable();
    who
}

#[test]
fn a_launch_of_a_block_launches_those_that_it_holds() {
    let plan = blocks_of_launches();
    let question = &plan.question;
    let held = |launch: u32| (0..17).filter(move |at| question.holds(2 * launch - 1, *at));
    let outcome = conduct(&plan, Script::default(), Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let lines = all_lines(&outcome.disk);
    assert_eq!(launched_in(&lines, 1), (0..17).collect::<Vec<u32>>(), "for the pilot");
    for launch in 2..=question.restarts {
        assert_eq!(launched_in(&lines, launch), held(launch).collect::<Vec<u32>>(), "{launch}");
    }
    let rounds = rounds_of(&outcome.disk, 17);
    for (contender, rounds) in (0..).zip(&rounds) {
        let wanted: Vec<u32> =
            (1..=plan.rounds).filter(|round| question.holds(*round, contender)).collect();
        assert_eq!(rounds, &wanted, "{contender}");
    }
    // The target that the first block does not hold is ended before its rounds.
    let at = |wanted: &str| lines.iter().position(|line| line.starts_with(wanted));
    let (pilot, down, first) = (at("pilot chose"), at("1 is down after launch 1"), at("Round 1 "));
    assert!(pilot < down && down < first && first.is_some(), "{pilot:?} {down:?} {first:?}");
    // One that falls is not launched again, and the others lose no round.
    let falls = (2..).find(|launch| held(*launch).any(|at| at == 1)).expect("a launch");
    let world = Script { falls_in_launch: Some(falls), ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    assert_eq!(reason(&outcome), EndReason::Complete);
    let lines = all_lines(&outcome.disk);
    for launch in falls..=question.restarts {
        let wanted: Vec<u32> = held(launch).filter(|at| *at != 1).collect();
        assert_eq!(launched_in(&lines, launch), wanted, "{launch}");
    }
    let after = rounds_of(&outcome.disk, 17);
    assert_eq!((&after[1], &after[0], &after[16]), (&Vec::new(), &rounds[0], &rounds[16]));
}

#[test]
fn launches_of_blocks_cost_what_those_that_they_hold_cost() {
    let plan = blocks_of_launches();
    with_writer(&plan, false, |writer| {
        writer.launch_costs_ns = (0..17).map(|at| 1 << at).collect();
        let last = segments::of(&plan.question).pop().expect("a launch");
        let before = Segment { first_round: last.first_round - 2, ..last };
        let held = (0..17).filter(|at| plan.question.holds(last.first_round, *at));
        let wanted: u64 = held.map(|at| 1 << at).sum();
        assert_eq!(writer.later_launches_ns(&plan.question, &before), wanted);
        assert_eq!(writer.later_launches_ns(&plan.question, &last), 0);
        // Without blocks each launch is one of all.
        let all = record::Question { blocks: Vec::new(), ..plan.question.clone() };
        assert_eq!(writer.later_launches_ns(&all, &before), (1 << 17) - 1);
    });
}

/// Makes the writer of such a run.
fn with_writer(
    plan: &Plan,
    only_first_stage: bool,
    check: impl FnOnce(&mut TrialWriter<'_, Disk>),
) {
    let journal = Writer::new(Disk::new(ROOMY), Disk::sync);
    let progress = Progress::start(ProgressStyle::Silent, &plan.question.names());
    check(&mut TrialWriter::new(journal, &progress, plan, only_first_stage));
}

#[test]
fn trials_are_kept_only_for_a_judgement_before_the_end() {
    let within = example::plan(|spec| spec.run.within = Some(Duration::from_secs(60)));
    with_writer(&within, false, |writer| assert!(writer.judge().is_none()));
    with_writer(&within, true, |writer| assert!(writer.judge().is_some()));
    with_writer(&ten_rounds(), false, |writer| assert!(writer.judge().is_none()));
    let see = example::plan(|spec| spec.run.see = Some(0.02));
    with_writer(&see, false, |writer| {
        writer.keep_judge_for(&see.question);
        assert!(writer.judge().is_some());
    });
    let short = example::plan(|_| {});
    with_writer(&short, false, |writer| {
        let left = Withdrawn { contender: 0, launch: 0, round: 0, why: String::new() };
        writer.note_for_judge(&Event::Withdrawn(left)).expect("room");
        assert_eq!(writer.unjudged.len(), 1, "its pilot may choose looks");
        // It chose none.
        writer.keep_judge_for(&ten_rounds().question);
        assert!(writer.judge.is_none() && writer.unjudged.is_empty());
    });
}

#[test]
fn launches_of_those_that_left_cost_nothing() {
    with_writer(&ten_rounds(), false, |writer| {
        writer.launch_costs_ns = vec![3, 500];
        assert_eq!((writer.launch_ns(), writer.costs_ns().max()), (503, Some(500)));
        writer.has_left[1] = true;
        assert_eq!((writer.launch_ns(), writer.costs_ns().max()), (3, Some(3)));
    });
}

#[test]
fn a_time_gives_no_more_rounds_than_there_may_be() {
    let day = Some(Duration::from_secs(86_400));
    let plan = example::plan(|spec| {
        spec.contenders = vec!["nginx".to_owned(), "node".to_owned()];
        spec.run.within = day;
    });
    let world = Script { stopped_in: Some(1), ..Script::default() };
    let outcome = conduct(&plan, world, Disk::new(ROOMY));
    let launches = outcome.disk.events().into_iter().find_map(|event| match event {
        Event::Pilot(choice) => choice.launches,
        _ => None,
    });
    let most = Launches { launches: record::limits::MOST_ROUNDS / 2, rounds: 2 };
    assert_eq!(launches, Some(most));
}
