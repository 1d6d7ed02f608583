//! From a [`Spec`] to a [`Plan`]: all defaults are applied, all names resolved and all limits
//! checked before the first target is contacted.

pub(super) mod candidates;

use crate::plan::contender::access::{ContenderAccess, Observed};
use crate::plan::contender::agents;
use crate::plan::contender::contender;
use crate::plan::contender::gather::{Candidate, Inputs, RequestedContender, TargetLocation};
use crate::plan::contender::{
    database, destructive, groups, local, messages, request, store, watched,
};
use crate::plan::experiment::Method;
use crate::plan::length::{blocks, launches, rule, warm_up};
use crate::plan::objectives;
use crate::plan::question::require::Requirement;
use crate::plan::question::{self, PlanFacts};
use crate::plan::settings::custom_presets;
use crate::plan::{Command, Spec};
use crate::plan::{settings, suite, workload};
use crate::protocols::PROTOCOLS;
use crate::system::cores;
use crate::system::remote::{RemoteError, Token};
use crate::targets::exec::Program;
use crate::targets::find::NamedProcess;
use crate::targets::launch::{Launch, Secret};
use crate::targets::sight::TargetProcesses;
use judge::stats::rounds;
use keeper::process::NotVisible;
use protocol::address::resolver::Resolver;
use protocol::address::{ConnectTo, resolver};
use protocol::address::{Url, harmless};
use protocol::{Access, Error, address};
use protocol::{Family, Protocol, Store, TargetKind, secrets};
use record::limits::{MOST_CONTENDERS, MOST_IN_A_ROUND, MOST_ROUNDS};
use record::{
    Address, Contender, ContenderQuestion, Host, Interleave, MessageSettings, Plan, RequestPlan,
    RequestSettings, Reuse, RunSweep, WarmUp, Workload,
};
use std::net::SocketAddr;
use std::time::Duration;
use text::units::{nanoseconds, show_ns, show_rate};
use wire::remote::watch::Description;

const PILOT: Duration = Duration::from_secs(2);
const ROUND: Duration = Duration::from_secs(1);
/// Length of a turn, unless `--round` is given: work that a server defers for a second or two must
/// fall into its own turn.
pub(super) const TURN: Duration = Duration::from_millis(2500);
const DURATION: Duration = Duration::from_secs(10);
/// `run -n` without `--duration` ends here at the latest.
const LONGEST_COUNTED_RUN: Duration = Duration::from_secs(3600);
const SHORTEST_ROUND: Duration = Duration::from_millis(10);
const SHORTEST_SLICE: Duration = Duration::from_millis(1);
/// Descriptors that are not connections: files, pollers, those of the process itself.
const OTHER_DESCRIPTORS: u64 = 64;
/// A caution is given above this share of the connection rate that local ports allow.
const PORT_CAUTION: f64 = 0.7;

/// Asks the watcher at an address, which has this token, what it watches.
pub type AskWatcher = fn(SocketAddr, &Token) -> Result<Description, RemoteError>;

/// The machine, as far as a plan depends on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its cores.
    pub cores: cores::Facts,
    /// Facts for the record, among them the limit of descriptors.
    pub host: Host,
    /// Looks for the processes behind an address.
    pub look: fn(&Address, &[NamedProcess]) -> Result<TargetProcesses, NotVisible>,
    /// Asks a watcher what it watches. None for an agent: the coordinator asks.
    pub watch: Option<AskWatcher>,
    /// The token of watchers for which no file is named, if the environment has one.
    pub watch_token: Option<Result<Token, String>>,
    /// A random seed, drawn when the process started, for plans that do not set one. It is the same
    /// for all load points of a sweep.
    pub drawn_seed: u64,
}

/// The plan of a run, and the secrets that it requires. No `Debug`.
pub struct Resolved {
    /// What may be recorded.
    pub plan: Plan,
    /// How each contender is accessed.
    pub accesses: Vec<ContenderAccess>,
    /// Warnings about the plan, in sentences.
    pub cautions: Vec<String>,
    /// Every secret of an experiment file, and all others that were declared.
    pub secrets: Vec<Secret>,
    /// The method of the article that the experiment file repeats.
    pub method: Option<Method>,
    /// Cores for targets that are launched.
    pub target_cores: Vec<u32>,
    /// Cores for the threads of tiebreak that do not drive load.
    pub own_cores: Vec<u32>,
    /// The spec, merged with the experiment file.
    pub(crate) spec: Spec,
}

impl Resolved {
    /// Returns the address of a launched target, and its access.
    ///
    /// # Errors
    /// When its address cannot be dialled.
    pub fn reach(&self, contender: usize, url: &str) -> Result<(Address, Box<dyn Access>), Error> {
        let ContenderAccess::Launched { launch, settings } = &self.accesses[contender] else {
            unreachable!("an attached target is where the plan says");
        };
        let known = &self.plan.contenders[contender];
        let candidate = Candidate {
            name: known.name.clone(),
            url: PROTOCOLS.url(url).map_err(Error::usage)?,
            location: TargetLocation::Launched(launch.clone()),
            settings: (**settings).clone(),
            groups: Vec::new(),
            work: known.asks.work().cloned(),
        };
        let mut resolver = Resolver::new(false, &resolver::look_up, &resolver::accepts);
        let address = address(&candidate.url, &[], &mut resolver)?;
        let (_, mut access) = contender_at(&self.spec, &candidate, address.clone())?;
        give_table(self.plan.data_of(contender), known, &mut *access);
        Ok((address, access))
    }
}

/// Resolves a spec, and what was read for it, to a plan.
///
/// # Errors
/// When something is not valid or not possible; the message names the argument and the remedy.
pub fn resolve(
    spec: &Spec,
    inputs: Inputs,
    machine: &Machine,
    resolver: &mut Resolver<'_>,
) -> Result<Resolved, Error> {
    inputs.run.settings.refuse_in_file(spec.command).map_err(Error::usage)?;
    let spec = spec.over(&inputs.run);
    let spec = Spec { workload: spec.workload.expanded(), ..spec };
    rule::check(&spec)?;
    check_launches(&spec, &inputs)?;
    check_count(&spec, inputs.contenders.len())?;
    let rules = spec.connect_to.iter().map(|rule| ConnectTo::parse(rule));
    let rules = rules.collect::<Result<Vec<_>, _>>().map_err(Error::usage)?;
    let revisions: Vec<_> = inputs.contenders.iter().map(|of| of.revision.clone()).collect();
    let candidates = suite::of(&spec, candidates::all(&spec, inputs.contenders)?)?;
    let protocols: Vec<&Protocol> =
        candidates.iter().map(|candidate| candidate.url.protocol).collect();
    let (mut contenders, mut accesses) = (Vec::new(), Vec::new());
    for (number, candidate) in candidates.into_iter().enumerate() {
        let (contender, access) = located(&spec, number, candidate, &rules, machine, resolver)?;
        let revision = revisions.get(number).cloned().flatten();
        contenders.push(Contender { revision, ..contender });
        accesses.push(access);
    }
    workload::check(&spec, &protocols, &contenders)?;
    objectives::check(&spec, &contenders)?;
    destructive::check(&spec, &contenders)?;
    let spec = of_programs(spec, &contenders)?;
    let (plan, cores) = plan(&spec, machine, None, contenders, &accesses)?;
    let mut cautions = port_cautions(&plan);
    cautions.extend(objectives::caution(&plan));
    cautions.extend(plan.contenders.iter().filter_map(custom_presets::caution));
    cautions.extend(database::different_batches(&plan.contenders));
    let (published, method) = match inputs.article {
        Some(article) => (Some(article.published), article.method),
        None => (None, None),
    };
    let plan = without_secrets(Plan { published, ..plan });
    let (target_cores, own_cores) = (cores.others, cores.own);
    let mut secrets = inputs.secrets;
    secrets.extend(watched::tokens(&accesses));
    Ok(Resolved { plan, accesses, cautions, secrets, method, target_cores, own_cores, spec })
}

/// Adjusts the spec to whether a contender is a program.
fn of_programs(spec: Spec, contenders: &[Contender]) -> Result<Spec, Error> {
    if local::any_program(contenders) {
        return local::only_turns(&spec);
    }
    if spec.command == Command::Compare && spec.run.operations.is_some() {
        return Err(Error::usage(
            "--operations applies only to programs (exec:), and no contender is one: set how \
             long servers are driven with --rounds and --round",
        ));
    }
    Ok(spec)
}

/// Makes the contender with this number, and finds its target.
///
/// # Errors
/// When it is not valid or cannot be reached; the message begins with its name.
fn located(
    spec: &Spec,
    number: usize,
    candidate: Candidate,
    rules: &[ConnectTo],
    machine: &Machine,
    resolver: &mut Resolver<'_>,
) -> Result<(Contender, ContenderAccess), Error> {
    let name = candidate.name.clone();
    let named = |error: Error| Error { text: format!("`{name}`: {}", error.text), ..error };
    settings::refuse(&candidate.settings, candidate.url.protocol)
        .map_err(Error::usage)
        .map_err(named)?;
    let (mut contender, access) = match &candidate.location {
        TargetLocation::Attached { .. }
            if matches!(candidate.url.protocol.family, Family::Files(_)) =>
        {
            let (contender, files) = local::files_at(spec, &candidate).map_err(named)?;
            (contender, ContenderAccess::Files(files))
        }
        TargetLocation::Program(program) => {
            let contender = local::program_at(spec, &candidate).map_err(named)?;
            let operations = spec.run.operations.or(program.operations);
            let program = Box::new(Program { operations, ..(**program).clone() });
            (
                Contender { launch: program.outline(), ..contender },
                ContenderAccess::Program { program },
            )
        }
        TargetLocation::Attached { .. } => {
            let address = address(&candidate.url, rules, resolver)?;
            attached(spec, number, &candidate, address, machine, resolver).map_err(named)?
        }
        TargetLocation::Launched(launch) => {
            watched::refuse(&candidate.settings).map_err(named)?;
            let address = launched_address(&candidate.url, resolver).map_err(named)?;
            let contender = to_be_launched(spec, &candidate, address, launch).map_err(named)?;
            let (launch, settings) = (launch.clone(), candidate.settings.clone());
            (contender, ContenderAccess::Launched { launch, settings: Box::new(settings) })
        }
    };
    groups::set(spec, &candidate, &mut contender).map_err(named)?;
    Ok((contender, access))
}

/// Makes a contender whose target is already running.
fn attached(
    spec: &Spec,
    number: usize,
    candidate: &Candidate,
    address: Address,
    machine: &Machine,
    resolver: &mut Resolver<'_>,
) -> Result<(Contender, ContenderAccess), Error> {
    let (mut contender, mut access) = contender_at(spec, candidate, address)?;
    give_table(number, &contender, &mut *access);
    let watcher = watched::by(&candidate.settings, machine, resolver)?;
    contender.watch = watcher.as_ref().map(|watcher| watcher.address);
    let sight = match watcher {
        Some(watcher) => Ok(Observed::Watched(Box::new(watcher))),
        None => (machine.look)(&contender.address, &candidate.settings.named_processes())
            .map(Observed::Here),
    };
    Ok((contender, ContenderAccess::Attached { access, sight }))
}

/// Removes the secrets from a plan, except those that the engine needs to drive it: the journal
/// leaves these out when it is written.
fn without_secrets(plan: Plan) -> Plan {
    let mut bare = secrets::without_secrets(plan.clone());
    for (bare, whole) in bare.contenders.iter_mut().zip(plan.contenders) {
        bare.address = whole.address;
        bare.asks = as_driven(&bare.asks, whole.asks);
    }
    bare
}

/// Keeps what is driven. Of a request, only the part that may be shown is kept.
fn as_driven(bare: &RequestPlan, whole: RequestPlan) -> RequestPlan {
    let shown = |request: RequestSettings| bare.request().cloned().unwrap_or(request);
    match whole {
        RequestPlan::Request(request) => RequestPlan::Request(shown(request)),
        RequestPlan::Requests { request, work } => {
            RequestPlan::Requests { request: shown(request), work }
        }
        RequestPlan::Messages(messages) => {
            let header_names = bare.header_names().to_vec();
            RequestPlan::Messages(MessageSettings { header_names, ..messages })
        }
        driven => driven,
    }
}

/// Refuses what can be refused before anything else is examined.
fn check_launches(spec: &Spec, inputs: &Inputs) -> Result<(), Error> {
    let program =
        |wanted: &RequestedContender| matches!(wanted.location, TargetLocation::Program(_));
    if spec.run.launches.is_some_and(|n| n > 1) && inputs.contenders.iter().any(program) {
        return Err(Error::usage(
            "--launches launches servers anew, and a program (exec:) starts anew in every turn: \
             leave it out",
        ));
    }
    // Files are opened anew for each launch.
    let attached = |wanted: &&RequestedContender| {
        let is_file = |url: Url| matches!(url.protocol.family, Family::Files(_));
        matches!(wanted.location, TargetLocation::Attached { .. })
            && !wanted.location.url().is_ok_and(is_file)
    };
    if let (Some(2..), Some(this)) = (spec.run.launches, inputs.contenders.iter().find(attached)) {
        let name = this.name.as_deref().map_or(String::new(), |name| format!(" `{name}`"));
        return Err(Error::usage(format!(
            "--launches launches every target anew, but the contender{name} is already running: \
             let tiebreak launch it (with a recipe or an experiment file)"
        )));
    }
    Ok(())
}

fn check_count(spec: &Spec, count: usize) -> Result<(), Error> {
    match (spec.command, count) {
        (Command::Run, 1) => Ok(()),
        (Command::Load, 1..=MOST_CONTENDERS) => Ok(()),
        (Command::Run, _) => Err(Error::usage(
            "`tiebreak run` drives one contender; to compare several use `tiebreak compare`",
        )),
        (_, 0 | 1) => Err(Error::usage(
            "a comparison requires at least two contenders; for one use `tiebreak run URL`",
        )),
        (_, many) if many > MOST_CONTENDERS => Err(Error::usage(format!(
            "{many} contenders cannot be interleaved: at most {MOST_IN_A_ROUND}, or {MOST_CONTENDERS} in a ranking"
        ))),
        (_, many) if many > MOST_IN_A_ROUND && !spec.run.rank => Err(Error::usage(format!(
            "{many} contenders cannot be interleaved: at most {MOST_IN_A_ROUND}; `tiebreak rank` ranks up to \
             {MOST_CONTENDERS}"
        ))),
        _ => Ok(()),
    }
}

fn address(url: &Url, rules: &[ConnectTo], resolver: &mut Resolver<'_>) -> Result<Address, Error> {
    match &url.endpoint {
        address::Endpoint::Unix(path) => Ok(Address::Unix(path.clone())),
        address::Endpoint::Host { .. } => {
            let dial = |(host, port): (&str, u16)| {
                let (host, port) = ConnectTo::apply(rules, host, port);
                resolver.dial(resolver::of_this_machine(&host), port)
            };
            url.nodes().into_iter().map(dial).collect::<Result<_, _>>().map(Address::of_nodes)
        }
        address::Endpoint::Directory(_) | address::Endpoint::Program(_) => {
            let servers = PROTOCOLS.written_as(|row| row.schemes[0].to == TargetKind::Host);
            Err(Error::usage(format!(
                "tiebreak can launch and drive only servers: give one of these addresses: {servers}"
            )))
        }
    }
}

/// Returns the address of a target before its port is known.
fn launched_address(url: &Url, resolver: &mut Resolver<'_>) -> Result<Address, Error> {
    let mut address = address(url, &[], resolver)?;
    address.forget_ports();
    Ok(address)
}

/// Makes a contender whose target is launched.
fn to_be_launched(
    spec: &Spec,
    candidate: &Candidate,
    address: Address,
    launch: &Launch,
) -> Result<Contender, Error> {
    let (contender, _) = contender_at(spec, candidate, address)?;
    let target = harmless(&launch.url.to_string());
    Ok(Contender { target, launch: launch.outline(), ..contender })
}

pub(super) fn give_table(number: usize, contender: &Contender, access: &mut dyn Access) {
    let kind = contender.asks.sql().and_then(|sql| sql.table.as_deref());
    let is_wide = contender.asks.workload().is_some_and(Workload::is_wide);
    access.keep_rows_in(&database::table(number, kind, is_wide), is_wide);
}

fn contender_at(
    spec: &Spec,
    candidate: &Candidate,
    address: Address,
) -> Result<(Contender, Box<dyn Access>), Error> {
    match &candidate.url.protocol.family {
        Family::Requests(row) => request::requests_at(spec, row, candidate, address),
        Family::Messages(row) => messages::messages_at(spec, row, candidate, address),
        Family::Store(store) => store_at(spec, store, candidate, address),
        Family::Sql(sql) => database::database_at(spec, sql, candidate, address),
        Family::Files(_) | Family::Program => unreachable!("these have no address to be at"),
    }
}

/// Makes a contender whose operations follow from a workload.
fn store_at(
    spec: &Spec,
    store: &Store,
    candidate: &Candidate,
    address: Address,
) -> Result<(Contender, Box<dyn Access>), Error> {
    let Candidate { url, settings, work, .. } = candidate;
    let asks = RequestPlan::Store(work.clone().expect("a store has a workload"));
    let contender = contender(spec, candidate, address, asks)?;
    if contender.intensity.depth > 1 && contender.reuse != Reuse::Always {
        return Err(Error::usage(
            "a depth above 1 requires persistent connections: --reuse always",
        ));
    }
    if contender.intensity.depth > 1 && contender.sharding.is_some() {
        return Err(Error::usage(
            "a client of several servers has one operation in flight; leave out depth",
        ));
    }
    let feeds = &spec.workload.custom.feeds;
    Ok((contender, store::access(url, store, settings, feeds).map_err(Error::usage)?))
}

/// Makes the plan of these contenders, which are targets at load points if something is swept.
pub(super) fn plan(
    spec: &Spec,
    machine: &Machine,
    swept: Option<RunSweep>,
    contenders: Vec<Contender>,
    accesses: &[ContenderAccess],
) -> Result<(Plan, cores::Cores), Error> {
    let several = launches::are_several(spec, accesses);
    let is_suite = suite::are_all(accesses);
    // One run before round 1, which lists the cases, is their warm-up and their pilot.
    let warm_up =
        if is_suite { WarmUp::default() } else { warm_up::of(spec, &contenders, accesses) };
    let (interleave, slice, round) = if objectives::seeks_capacity(spec, &contenders) {
        let before_ns = warm_up.least_ns.saturating_add(pilot_ns(spec)?);
        (Interleave::Turns, None, objectives::round(spec, contenders.len(), before_ns)?)
    } else {
        turns(spec, several)?
    };
    let fewest_connections = contenders.iter().map(groups::fewest_connections).min().unwrap_or(1);
    let cores = generator_cores(spec, machine, fewest_connections / spec.agents.max(1))?;
    agents::check(spec.agents, &contenders, cores.generator.len(), fewest_connections)?;
    let given = PlanFacts {
        contenders: &contenders,
        accesses,
        round_ns: nanoseconds(round),
        round_of_one_ns: several.then(|| nanoseconds(round_of_one(spec))),
        client_ports: machine.host.client_ports,
        cores: &cores,
        swept: swept.as_ref(),
    };
    let question = question::ask(spec, &given)?;
    for text in &spec.run.requirements {
        Requirement::parse(text, &question).map_err(Error::usage)?;
    }
    if question.restarts == 0 && launches::are_possible(spec, accesses) {
        launches::refuse_requirements(spec, &question)?;
    }
    let plan = Plan {
        command: match spec.command {
            Command::Compare => "compare",
            Command::Run => "run",
            Command::Demo => "demo",
            Command::Load => "load",
        }
        .to_owned(),
        contenders,
        seed: spec.run.seed.unwrap_or(machine.drawn_seed),
        interleave,
        slice_ns: slice.map(nanoseconds),
        // How long a round of a suite takes is known after its cases were listed.
        round_ns: if is_suite { 0 } else { nanoseconds(round) },
        rounds: question.rounds,
        warm_up_ns: warm_up.least_ns,
        longest_warm_up_ns: if warm_up.is_by_test() { warm_up.most_ns } else { 0 },
        pilot_ns: if is_suite { 0 } else { pilot_ns(spec)? },
        generator_cores: cores.generator.clone(),
        agents: spec.agents,
        sweep: swept,
        requirements: spec.run.requirements.clone(),
        published: None,
        question,
        host: machine.host.clone(),
    };
    let plan = blocks::divided(spec, plan)?;
    check_descriptors(&plan)?;
    check_length(&plan)?;
    if is_suite {
        // How many cases there are, and how long they take, is known after their listing.
        return Ok((plan, cores));
    }
    let fewest = rounds::fewest(plan.question.compared(), plan.question.alpha);
    let least_ns = plan.clone().with_replicates(fewest).least_ns();
    rule::check_time(&plan.question.length, fewest, least_ns)?;
    Ok((plan, cores))
}

/// Returns slices or turns, the length of a slice, and that of a round (for `run` the duration).
/// `several` says that it has several launches by default.
fn turns(spec: &Spec, several: bool) -> Result<(Interleave, Option<Duration>, Duration), Error> {
    if spec.command == Command::Run && spec.sweep.is_some() {
        // A round visits every load point once: a slice with many connections begins with a burst,
        // which short slices would add to its p99 many times.
        let round = spec.run.round.unwrap_or(TURN);
        at_least("--round", round, SHORTEST_ROUND)?;
        return Ok((Interleave::Turns, None, round));
    }
    if spec.command == Command::Run {
        let default = if spec.run.operations.is_some() { LONGEST_COUNTED_RUN } else { DURATION };
        let duration = spec.run.duration.unwrap_or(default);
        at_least("--duration", duration, SHORTEST_ROUND)?;
        return Ok((Interleave::Turns, None, duration));
    }
    let interleave = match (spec.run.interleave, spec.run.slice) {
        (Some(Interleave::Turns), Some(_)) => {
            return Err(Error::usage(
                "--slice has no meaning with --interleave turns: leave one of them out",
            ));
        }
        (None, Some(_)) => Interleave::Slices,
        (requested, _) => requested.unwrap_or(Interleave::Auto),
    };
    // The two rounds of a launch are as long as the round of a single launch.
    let halved = several || spec.run.launches.is_some_and(|n| n > 1) && spec.run.rounds.is_none();
    let round = match (spec.run.round, interleave) {
        (None, Interleave::Auto | Interleave::Slices) if halved => ROUND / 2,
        _ => round_of_one(spec),
    };
    at_least("--round", round, SHORTEST_ROUND)?;
    if let Some(slice) = spec.run.slice {
        at_least("--slice", slice, SHORTEST_SLICE)?;
        if slice > round {
            return Err(Error::usage(format!(
                "--slice {} is longer than a round of {}: give a longer --round, or --interleave \
                 turns",
                show_ns(nanoseconds(slice)),
                show_ns(nanoseconds(round))
            )));
        }
    }
    Ok((interleave, spec.run.slice, round))
}

/// The length of a round where there is one launch.
fn round_of_one(spec: &Spec) -> Duration {
    let turns = spec.run.interleave == Some(Interleave::Turns);
    spec.run.round.unwrap_or(if turns { TURN } else { ROUND })
}

/// How long the pilot drives each contender.
fn pilot_ns(spec: &Spec) -> Result<u64, Error> {
    let pilot = spec.run.pilot.unwrap_or(PILOT);
    at_least("--pilot", pilot, SHORTEST_ROUND)?;
    Ok(nanoseconds(pilot))
}

fn at_least(flag: &str, given: Duration, least: Duration) -> Result<(), Error> {
    if given < least {
        Err(Error::usage(format!(
            "{flag} {} is too short to measure anything: it must be at least {}",
            show_ns(nanoseconds(given)),
            show_ns(nanoseconds(least))
        )))
    } else {
        Ok(())
    }
}

/// Uses no more workers than the contender with the fewest connections can keep busy: a worker
/// without a connection would be idle.
fn generator_cores(
    spec: &Spec,
    machine: &Machine,
    connections: u32,
) -> Result<cores::Cores, Error> {
    let cores = cores::share_out(&machine.cores, spec.run.cores)?;
    match spec.run.cores {
        _ if cores.generator.len() as u32 <= connections => Ok(cores),
        None => cores::share_out(&machine.cores, Some(connections)),
        Some(requested) => Err(Error::usage(format!(
            "--cores {requested}: a core without a connection would be idle, and one contender has \
             only {connections}: lower --cores"
        ))),
    }
}

/// Checks the limit of descriptors: the connections of all contenders are open at the same time.
fn check_descriptors(plan: &Plan) -> Result<(), Error> {
    let connections: u64 = plan.contenders.iter().map(|c| u64::from(c.intensity.connections)).sum();
    let workers = plan.generator_cores.len().max(1) as u64;
    let needed = connections
        + local::descriptors(&plan.contenders)
        + OTHER_DESCRIPTORS
        + 4 * workers * plan.contenders.len() as u64;
    let limit = plan.host.descriptors;
    if needed > limit {
        Err(Error::usage(format!(
            "{connections} connections in total need about {needed} descriptors, but this process \
             may open {limit}: use fewer --connections, or raise the hard limit (ulimit -Hn)"
        )))
    } else {
        Ok(())
    }
}

fn check_length(plan: &Plan) -> Result<(), Error> {
    if plan.rounds > MOST_ROUNDS {
        return Err(Error::usage(format!(
            "--rounds {}: at most {MOST_ROUNDS} are supported; use longer rounds (--round) instead",
            plan.rounds
        )));
    }
    let warm_ups_ns = plan.warm_up_ns.saturating_mul(plan.contenders.len() as u64);
    let driven = plan.driven_in_rounds_ns().saturating_add(warm_ups_ns);
    if driven > rule::LONGEST_RUN_NS {
        Err(Error::usage(format!(
            "this would take more than a day ({}): use fewer or shorter rounds",
            show_ns(driven)
        )))
    } else {
        Ok(())
    }
}

/// Warns about fresh connections at a rate that local ports can hardly serve. In closed loop the
/// rate is not known in advance; the audit checks the rate that was reached.
fn port_cautions(plan: &Plan) -> Vec<String> {
    let caution = |(contender, question): (&Contender, &ContenderQuestion)| {
        let per_connection = match contender.reuse {
            Reuse::Times(operations) => f64::from(operations),
            _ => 1.0,
        };
        // All members of a room connect together.
        let connections = f64::from(contender.asks.members());
        let connects = connections * contender.intensity.arrivals.rate()? / per_connection;
        let limit = question.port_limit?;
        (connects > PORT_CAUTION * limit).then(|| {
            format!(
                "`{}` will open {} connections, but local ports suffice for about {}: lower its \
                 rate or widen net.ipv4.ip_local_port_range",
                contender.name,
                show_rate(connects),
                show_rate(limit)
            )
        })
    };
    plan.contenders.iter().zip(&plan.question.contenders).filter_map(caution).collect()
}

#[cfg(test)]
mod tests;

#[cfg(test)]
mod used_tests;
