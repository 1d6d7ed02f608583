//! The servers and the engine of a real run.

use super::environment::{Each, Explanations, Halt, PendingWork, StoreAccess, TargetControl};
use super::looks::Looks;
use super::meter::TargetMeter;
use crate::agents::Coordinator;
use crate::plan::{ContenderAccess, Directory, MOST_COUNTERS, Method, Resolved, suite};
use crate::run::conformance::alone;
use crate::run::placement::Kept;
use crate::targets::cpu::Meter;
use crate::targets::exec;
use crate::targets::exec::{Exec, Program};
use crate::targets::launch::{Builds, Failed, Launch, LaunchContext, Launcher, Running};
use engine::{Driving, EngineError, LeftOut, MakeLane, Numbers, Stop, TargetClock, TargetReading};
use keeper::process::NotVisible;
use protocol::Access;
use protocol::address::tls::{self, NoTls};
use protocol::side_channel::SideChannel;
use protocol::{Error, Exit};
use record::{Address, Contender, DriveOrder, Fact, Nodes, SingleRun, TargetDone, TargetReady};
use std::time::{Duration, Instant};
use text::shown::shown;
use text::units::nanoseconds;

/// How long a store may take for the check of a login, and for what it is asked about itself before the first round: as
/// long as for a reply, within these limits. The check of the library that logs in is a part of it, and takes time of
/// this machine alone.
const SHORTEST_ANSWER: Duration = Duration::from_secs(1);
const LONGEST_ANSWER: Duration = Duration::from_secs(10);

pub(super) struct Targets<'a> {
    resolved: &'a Resolved,
    stop: &'a Stop,
    context: LaunchContext<'a>,
    builds: Builds<'a>,
    each: Vec<Target<'a>>,
    /// What is behind each target, once it was looked for.
    behind: Vec<Vec<String>>,
    /// The agents, if several machines drive.
    agents: Option<&'a mut Coordinator>,
    /// Shows what is driven.
    driving: Driving,
    /// The lanes that are left out of the rounds that follow.
    pub(super) left_out: LeftOut,
}

/// One target, if it exists yet.
#[derive(Default)]
struct Target<'a> {
    launcher: Option<Launcher<'a>>,
    facts: Vec<Fact>,
    /// How long its last launch took.
    took: Duration,
    running_target: Option<RunningTarget>,
}

impl<'a> Target<'a> {
    /// Launches the target. `hide` is called before anything of it is started for the first time.
    fn launch(
        &mut self,
        launch: &'a Launch,
        context: LaunchContext<'a>,
        builds: &mut Builds<'_>,
        hide: impl FnOnce(&mut Launcher<'a>),
    ) -> Result<Running, Halt> {
        if self.launcher.is_none() {
            let mut launcher = Launcher::new(launch, context)?;
            hide(&mut launcher);
            builds.run(launch)?;
            self.facts = launcher.prepare()?;
            self.launcher = Some(launcher);
        }
        let launcher = self.launcher.as_mut().expect("just made");
        let began = Instant::now();
        let running = launcher.launch()?;
        self.took = began.elapsed();
        Ok(running)
    }

    /// What was launched, while it is up.
    fn running(&mut self) -> Option<&mut Running> {
        self.running_target.as_mut()?.running.as_mut()
    }
}

/// A target that can be driven.
struct RunningTarget {
    launch: u32,
    address: Address,
    lane_access: LaneAccess,
    meter: Result<TargetMeter, NotVisible>,
    running: Option<Running>,
}

/// A launched target that another contender drives, too.
struct Shared {
    launch: u32,
    url: String,
    meter: Result<TargetMeter, NotVisible>,
}

fn meter(running: &Running) -> Result<TargetMeter, NotVisible> {
    Meter::of_launched(running.keeper() as u32, running.cgroup()).map(TargetMeter::here)
}

/// How to drive it.
enum LaneAccess {
    /// With the lanes of this access.
    Server(Box<dyn Access>),
    /// By running its program.
    Program(Exec),
}

impl LaneAccess {
    fn lanes(&self, order: &DriveOrder, lane: usize) -> Result<Vec<MakeLane>, EngineError> {
        match self {
            LaneAccess::Server(access) => Ok(access.lanes(order, lane)),
            LaneAccess::Program(exec) => exec.lanes(order, lane).map_err(EngineError::Helper),
        }
    }

    /// How its server is asked. Returns None if it is a program.
    fn server(&self) -> Option<&dyn Access> {
        match self {
            LaneAccess::Server(access) => Some(&**access),
            LaneAccess::Program(_) => None,
        }
    }
}

impl<'a> Targets<'a> {
    pub(super) fn new(
        resolved: &'a Resolved,
        stop: &'a Stop,
        context: LaunchContext<'a>,
        mut agents: Option<&'a mut Coordinator>,
        driving: Driving,
    ) -> Self {
        let each = resolved.accesses.iter().map(|_| Target::default()).collect();
        let builds = Builds::new(context.secrets, context.stopped, &|_, _| {});
        if let Some(agents) = &mut agents {
            agents.driving = driving.clone();
        }
        let (behind, left_out) = (Vec::new(), LeftOut::default());
        Targets { resolved, stop, context, builds, each, behind, agents, driving, left_out }
    }

    /// The launched target of this contender, for others that drive it too. Returns None
    /// if it is not up.
    fn launched(&self, owner: usize) -> Option<Shared> {
        let running_target = self.up(owner)?;
        let running = running_target.running.as_ref()?;
        let (launch, url) = (running_target.launch, running.url().to_owned());
        Some(Shared { launch, url, meter: meter(running) })
    }

    fn lost_nodes(&self, contender: usize) -> Vec<String> {
        let owner = self.up(self.resolved.plan.target_of(contender));
        owner.and_then(|owner| owner.running.as_ref()).map_or(Vec::new(), Running::lost)
    }

    /// The target of this contender, if it is up.
    fn up(&self, contender: usize) -> Option<&RunningTarget> {
        self.each.get(contender)?.running_target.as_ref()
    }

    /// The target of this contender, which must be up.
    fn running_target(&self, contender: usize) -> Result<&RunningTarget, EngineError> {
        let not_up = || EngineError::order("the target to be driven is not up");
        self.up(contender).ok_or_else(not_up)
    }

    /// Reads the CPU time of these targets, which are up.
    fn clocks(&self, who: &[usize]) -> Vec<TargetClock> {
        who.iter().filter_map(|at| self.up(*at)).map(clock).collect()
    }

    /// Begins to look what is behind the targets, unless that was done.
    fn first_looks(&self, order: &DriveOrder) -> Option<Looks> {
        if !self.behind.is_empty() {
            return None;
        }
        let meters =
            self.each.iter().map(|target| target.running_target.as_ref()?.meter.as_ref().ok());
        Looks::begin(meters, order)
    }

    /// Drives an order with these contenders: on all agents, if there are agents.
    fn drive_lanes_together(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        is_pilot: bool,
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        if self.agents.is_none() {
            return self.drive_lanes(order, who, self.clocks(who), each);
        }
        let mut order = order.clone();
        let mut launches = Vec::with_capacity(order.lanes.len());
        for (contender, lane) in order.lanes.iter_mut().enumerate() {
            let running_target = self.running_target(contender)?;
            lane.address = running_target.address.clone();
            launches.push(running_target.launch);
        }
        let clocks = self.clocks(who);
        let _kept = Kept::on(&self.resolved.own_cores);
        let agents = self.agents.as_mut().expect("checked above");
        agents.drive(&order, &launches, is_pilot, clocks, self.stop, each)
    }

    fn drive_lanes(
        &self,
        order: &DriveOrder,
        who: &[usize],
        clocks: Vec<TargetClock>,
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        let mut order = order.clone();
        let mut lane_accesses = Vec::with_capacity(who.len());
        for (lane, at) in order.lanes.iter_mut().zip(who) {
            let running_target = self.running_target(*at)?;
            lane.address = running_target.address.clone();
            lane_accesses.push(&running_target.lane_access);
        }
        let lanes =
            lane_accesses.iter().enumerate().map(|(lane, access)| access.lanes(&order, lane));
        let lanes = lanes.collect::<Result<_, _>>()?;
        // This thread merges, compresses and writes while the workers drive.
        let _kept = Kept::on(&self.resolved.own_cores);
        let driving = self.driving.of_lanes(who);
        engine::run_shown(&order, lanes, clocks, (self.stop, &driving, &self.left_out), each)
    }
}

fn side_channel(known: &Contender, running_target: &RunningTarget) -> Option<Box<dyn SideChannel>> {
    let table = known.asks.sql().and_then(|sql| sql.table.as_deref());
    running_target.lane_access.server()?.side_channel(&running_target.address, table)
}

/// Checks, before anything else is sent to a server, that its login does not reveal the password.
fn safe_log_in(known: &Contender, running_target: &RunningTarget) -> Result<(), Halt> {
    let Some(access) = running_target.lane_access.server() else { return Ok(()) };
    let checked = check_login(known, access, &running_target.address);
    checked.map_err(|why| Halt::Target(format!("`{}`: {why}", known.name)))
}

/// Checks whether a login at this address keeps the password safe. A server that does not answer in time passes: every
/// later login is guarded as well.
pub(super) fn check_login(
    known: &Contender,
    access: &dyn Access,
    address: &Address,
) -> Result<(), String> {
    access.check_login(address, first_answer_timeout(known.timeout_ns))
}

fn first_answer_timeout(of_replies_ns: u64) -> Duration {
    Duration::from_nanos(of_replies_ns).clamp(SHORTEST_ANSWER, LONGEST_ANSWER)
}

fn target_ready(
    contender: usize,
    known: &Contender,
    running_target: &RunningTarget,
    facts: &[Fact],
) -> Result<TargetReady, Halt> {
    let custom_words = side_channel(known, running_target)
        .map(|store| store.facts(first_answer_timeout(known.timeout_ns)));
    let custom_words =
        custom_words.transpose().map_err(|why| Halt::cannot_be_driven(known, &why))?;
    // After its facts, since only these connect to its nodes.
    let nodes = nodes(running_target);
    Ok(TargetReady {
        contender: contender as u32,
        launch: running_target.launch,
        cpu_source: match &running_target.lane_access {
            LaneAccess::Program(_) => Some(program_source(running_target).to_owned()),
            LaneAccess::Server(_) => running_target.meter.as_ref().ok().map(TargetMeter::source),
        },
        cpu_unavailable: match (&running_target.lane_access, &running_target.running) {
            (LaneAccess::Program(_), None) => None,
            _ => running_target.meter.as_ref().err().map(ToString::to_string),
        },
        watched: running_target.meter.as_ref().ok().and_then(TargetMeter::watched),
        // What a store reports, in addition to the facts of its launch.
        facts: facts.iter().cloned().chain(custom_words.unwrap_or_default()).collect(),
        nodes,
        ready_requests: running_target.running.as_ref().map_or(0, Running::ready_requests),
        took_ns: 0,
    })
}

/// Its nodes, as far as its client library met them.
fn nodes(running_target: &RunningTarget) -> Option<Nodes> {
    running_target.lane_access.server()?.nodes()
}

/// Where CPU time and memory of a program are read.
fn program_source(running_target: &RunningTarget) -> &'static str {
    if running_target.running.is_some() { exec::WITH_SERVERS } else { exec::SOURCE }
}

impl TargetControl for Targets<'_> {
    fn launch_target(&mut self, launch: u32, contender: usize) -> Result<TargetReady, Halt> {
        let known = &self.resolved.plan.contenders[contender];
        let owner = self.resolved.plan.target_of(contender);
        let shared = (owner != contender).then(|| self.launched(owner)).flatten();
        let target = &mut self.each[contender];
        let running_target = match &self.resolved.accesses[contender] {
            ContenderAccess::Attached { access, sight } => {
                let meter = match sight {
                    Ok(observed) => TargetMeter::of(observed),
                    Err(why) => Err(why.clone()),
                };
                let address = known.address.clone();
                let lane_access = LaneAccess::Server(access.clone());
                RunningTarget { launch: 0, address, lane_access, meter, running: None }
            }
            ContenderAccess::Files(Directory { path, settings, files }) => {
                let access = (files.open)(path, settings, Numbers::new(MOST_COUNTERS))
                    .map_err(|error| Halt::Target(error.to_string()))?;
                let facts = (files.facts)(path, settings)
                    .map_err(|error| Halt::Broken(error.to_string()))?;
                let facts = facts.into_iter();
                target.facts =
                    facts.map(|(command, line)| Fact { command, line: Some(line) }).collect();
                local(known.address.clone(), LaneAccess::Server(access))
            }
            ContenderAccess::Program { program: how } => {
                let mut program = Program::clone(how);
                let mut running = None;
                if let Some(servers) = &how.servers {
                    running = Some(target.launch(
                        &servers.launch,
                        self.context,
                        &mut self.builds,
                        |_| {},
                    )?);
                    let values = target.launcher.as_ref().expect("it was used").values();
                    program = servers.with_values(&program, &values);
                }
                if program.snapshot.is_none() {
                    self.builds.run_in(&known.name, &program.directory, &program.build)?;
                }
                program = program.built();
                if program.cores.is_empty() {
                    program.cores.clone_from(&self.resolved.target_cores);
                }
                let exec = Exec::start(&program).map_err(Halt::Target)?;
                let running_target = local(known.address.clone(), LaneAccess::Program(exec));
                match running {
                    None => running_target,
                    Some(running) => {
                        let meter = meter(&running);
                        RunningTarget { launch, meter, running: Some(running), ..running_target }
                    }
                }
            }
            ContenderAccess::Launched { .. } if owner != contender => {
                let Some(Shared { launch, url, meter }) = shared else {
                    return Err(Halt::Broken("the target to be shared is not up".to_owned()));
                };
                let (address, access) = self.resolved.reach(contender, &url)?;
                let lane_access = LaneAccess::Server(access);
                RunningTarget { launch, address, lane_access, meter, running: None }
            }
            ContenderAccess::Launched { launch: how, settings } => {
                let hide = |launcher: &mut Launcher<'_>| {
                    launcher.hide(&settings.headers, settings.body.as_deref());
                };
                if !how.rebuilt.is_empty() {
                    // Another build is prepared and launched from its own directory.
                    target.launcher = None;
                }
                let how = how.at(launch);
                let running = target.launch(how, self.context, &mut self.builds, hide)?;
                let (address, access) = self.resolved.reach(contender, running.url())?;
                let meter = meter(&running);
                let lane_access = LaneAccess::Server(access);
                RunningTarget { launch, address, lane_access, meter, running: Some(running) }
            }
        };
        safe_log_in(known, &running_target)?;
        let ready = target_ready(contender, known, &running_target, &target.facts)?;
        let took_ns = nanoseconds(target.took);
        let ready = TargetReady { took_ns, ..ready };
        target.running_target = Some(running_target);
        Ok(ready)
    }

    fn drive(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        // What one of several contenders is asked alone is not compared.
        let clocks = if who.len() == self.each.len() { self.clocks(who) } else { Vec::new() };
        self.drive_lanes(order, who, clocks, each)
    }

    fn drive_together(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        is_pilot: bool,
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        let Some(mut looks) = self.first_looks(order) else {
            return self.drive_lanes_together(order, who, is_pilot, each);
        };
        let driven = self.drive_lanes_together(order, who, is_pilot, &mut |trial| {
            looks.trial(&trial);
            each(trial)
        });
        self.behind = looks.end();
        driven
    }

    fn runs_cases_alone(&self) -> bool {
        suite::is_case_by_case(&self.resolved.accesses)
    }

    fn set_cases(&mut self, cases: &[String]) -> Result<(), Halt> {
        for target in self.each.iter().filter_map(|target| target.running_target.as_ref()) {
            if let LaneAccess::Program(exec) = &target.lane_access {
                exec.set_cases(cases).map_err(Halt::Usage)?;
            }
        }
        Ok(())
    }

    fn shorter_runs(&self) -> Option<String> {
        suite::shorter_runs(&self.resolved.accesses)
    }

    fn coordinator(&self) -> Option<&Coordinator> {
        self.agents.as_deref()
    }

    fn drive_null(
        &mut self,
        order: &DriveOrder,
        who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        let plain = |at: &usize| {
            let running_target = self.up(*at)?;
            let lane = running_target.lane_access.server()?.null_lane()?;
            Some((lane.access, running_target.address.clone()))
        };
        let Some(plain) = who.iter().map(plain).collect::<Option<Vec<_>>>() else {
            return Err(EngineError::order("the target that the null server replaces is not up"));
        };
        let (accesses, addresses): (Vec<_>, Vec<_>) = plain.into_iter().unzip();
        let mut order = order.clone();
        for (lane, address) in order.lanes.iter_mut().zip(addresses) {
            lane.address = address;
        }
        let core = self.resolved.target_cores.first().copied();
        alone::drive(order, &accesses, core, self.stop, each)
    }

    fn plain_protocol(&self, contender: usize) -> Option<String> {
        self.up(contender)?.lane_access.server()?.null_lane()?.name
    }

    fn ended_targets(&mut self) -> Vec<(usize, String)> {
        let each = self.each.iter_mut().enumerate();
        let ended =
            each.filter_map(|(at, target)| Some((at, target.running()?.check().err()?.text)));
        ended.collect()
    }

    fn continue_without_ended_nodes(&mut self) -> Vec<String> {
        let mut outages = Vec::new();
        for (known, target) in self.resolved.plan.contenders.iter().zip(&mut self.each) {
            let running = target.running();
            let lost = running.map_or(Vec::new(), Running::continue_without_ended_nodes);
            let message = |how| {
                format!("`{}`: its node {how}; the run continues with the others", known.name)
            };
            outages.extend(lost.into_iter().map(message));
        }
        outages
    }

    fn stop_targets(&mut self, which: &dyn Fn(usize) -> bool) -> Vec<TargetDone> {
        let mut done = Vec::new();
        let lost_nodes: Vec<_> = (0..self.each.len()).map(|at| self.lost_nodes(at)).collect();
        // Read before any target is ended, since several contenders may share one.
        let peaks: Vec<_> = self
            .each
            .iter_mut()
            .map(|target| peak_memory(target.running_target.as_mut()?))
            .collect();
        let known = peaks.into_iter().zip(lost_nodes);
        for ((contender, target), (peak, lost_nodes)) in self.each.iter_mut().enumerate().zip(known)
        {
            if !which(contender) {
                continue;
            }
            let running_target = target.running_target.take();
            let watched = running_target.as_ref().and_then(|running_target| {
                running_target.meter.as_ref().ok().and_then(TargetMeter::report)
            });
            let launch = running_target.as_ref().map_or(0, |running_target| running_target.launch);
            let was_up = running_target.is_some();
            let nodes = running_target.as_ref().and_then(nodes);
            if let Some(running) = running_target.and_then(|running_target| running_target.running)
            {
                // Even if this fails, nothing of it keeps running.
                let _ = running.stop();
            }
            let launcher = target.launcher.as_ref();
            let log_troubles = launcher.map_or(Vec::new(), Launcher::take_log_troubles);
            // A target that was never up can have left a log, too.
            if was_up || !log_troubles.is_empty() {
                done.push(TargetDone {
                    contender: contender as u32,
                    launch,
                    peak_memory_bytes: peak.map(|(bytes, _)| bytes),
                    memory_source: peak.map_or(String::new(), |(_, source)| source.to_owned()),
                    log_troubles,
                    lost_nodes,
                    behind: self.behind.get(contender).cloned().unwrap_or_default(),
                    nodes,
                    watched,
                });
            }
        }
        done
    }

    fn single_run(&mut self, contender: usize) -> Option<SingleRun> {
        let method = self.resolved.method.as_ref()?;
        let known = &self.resolved.plan.contenders[contender];
        let running_target = self.up(contender)?;
        let (command, outcome) =
            match (method, &self.resolved.accesses[contender], &running_target.lane_access) {
                (Method::Command(method), ContenderAccess::Launched { .. }, _) => {
                    let url = running_target.running.as_ref()?.url();
                    (method.command.to_string(), method.run(&known.name, url, self.context))
                }
                (Method::Command(method), ContenderAccess::Files(directory), _) => {
                    let url = format!("file://{}", directory.path.display());
                    (method.command.to_string(), method.run(&known.name, &url, self.context))
                }
                (
                    Method::OneRun,
                    ContenderAccess::Program { program },
                    LaneAccess::Program(exec),
                ) => {
                    let timeout = Duration::from_nanos(known.timeout_ns);
                    (program.command.shown(), exec.run_once(timeout, self.stop))
                }
                _ => return None,
            };
        let (figure, trouble) = match outcome {
            Ok(figure) => (Some(figure), String::new()),
            Err(why) => (None, why),
        };
        let command = shown(command);
        Some(SingleRun { contender: contender as u32, command, figure, trouble })
    }
}

impl StoreAccess for Targets<'_> {
    fn store(&mut self, contender: usize) -> Result<Box<dyn SideChannel + '_>, String> {
        let known = self.resolved.plan.contenders.get(contender);
        let store = known.zip(self.up(contender)).and_then(|(known, up)| side_channel(known, up));
        store.ok_or_else(|| "it has no side channel".to_owned())
    }

    fn pending_work(&mut self, contender: usize) -> Option<PendingWork> {
        let why = match self.store(contender).ok()?.work_left()? {
            Ok(left) => return Some(PendingWork::Tasks { left: left.tasks, nodes: left.nodes }),
            Err(why) => why,
        };
        let running_target = self.each.get_mut(contender)?.running_target.as_mut()?;
        let nodes = running_target.address.nodes().len() as u32;
        Some(match running_target.meter.as_ref().map(TargetMeter::read) {
            Ok(Some(reading)) => PendingWork::Cpu { why, cpu_ns: reading.cpu_ns, nodes },
            Ok(None) => PendingWork::Unseen(format!("{why}; its watcher cannot be asked any more")),
            Err(unseen) => PendingWork::Unseen(format!(
                "{why}; its processes cannot be read either: {unseen}",
            )),
        })
    }
}

impl Explanations for Targets<'_> {
    fn why_no_tls(&self, contender: usize) -> Option<NoTls> {
        let running_target = self.up(contender)?;
        let access = running_target.lane_access.server()?;
        match access.tls() {
            Some(tls) => {
                let nodes = running_target.address.nodes();
                nodes.iter().find_map(|node| tls::why_no_handshake(*node, tls))
            }
            // A database starts TLS within its own protocol.
            None => access.why_unreached(&running_target.address).map(NoTls::Failed),
        }
    }

    fn why_refused(&self, contender: usize) -> Option<String> {
        let running_target = self.up(contender)?;
        let statement = self.resolved.plan.contenders.get(contender)?.asks.statement()?;
        running_target.lane_access.server()?.why_refused(&running_target.address, statement)
    }

    fn why_not_driven(&self, contender: usize) -> Option<String> {
        let running_target = self.up(contender)?;
        let workload = self.resolved.plan.contenders.get(contender)?.asks.workload()?;
        running_target.lane_access.server()?.why_not_usable(&running_target.address, workload)
    }

    fn program_error(&self, contender: usize) -> Option<String> {
        match &self.up(contender)?.lane_access {
            LaneAccess::Program(exec) => exec.failure_message(),
            LaneAccess::Server(_) => None,
        }
    }
}

/// A target without a server.
fn local(address: Address, lane_access: LaneAccess) -> RunningTarget {
    let why = "the generator reads and writes the files itself".to_owned();
    RunningTarget { launch: 0, address, lane_access, meter: Err(NotVisible(why)), running: None }
}

/// Bytes, and the source of the figure.
fn peak_memory(running_target: &RunningTarget) -> Option<(u64, &'static str)> {
    match &running_target.lane_access {
        LaneAccess::Program(exec) => {
            let own = exec.peak_memory()?;
            let of_servers = match &running_target.running {
                Some(_) => running_target.meter.as_ref().ok()?.peak_memory()?.0,
                None => 0,
            };
            Some((own + of_servers, program_source(running_target)))
        }
        LaneAccess::Server(_) => running_target.meter.as_ref().ok()?.peak_memory(),
    }
}

fn clock(running_target: &RunningTarget) -> TargetClock {
    let meter = running_target.meter.as_ref().ok().cloned();
    if let LaneAccess::Program(exec) = &running_target.lane_access {
        let mut own = exec.clock();
        if running_target.running.is_none() {
            return own;
        }
        return Box::new(move || {
            let of_servers = meter.as_ref()?.read()?;
            Some(TargetReading { cpu_ns: own()?.cpu_ns + of_servers.cpu_ns, ..of_servers })
        });
    }
    Box::new(move || meter.as_ref()?.read())
}

impl From<Failed> for Halt {
    fn from(failed: Failed) -> Halt {
        match failed {
            Failed::Stopped => Halt::Stopped,
            Failed::Error(error) => error.into(),
        }
    }
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        match error.exit {
            Exit::Failed => Halt::Broken(error.text),
            _ => Halt::Target(error.text),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A silent database once kept every run waiting for 10 s at each contender, whatever the timeout.
    #[test]
    fn the_first_answers_take_no_longer_than_a_reply_may() {
        let seconds = [100, 2_000, 30_000].map(|ms| first_answer_timeout(ms * 1_000_000).as_secs());
        assert_eq!(seconds, [1, 2, 10]);
    }
}
