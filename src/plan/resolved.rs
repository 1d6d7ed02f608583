//! From a [`Spec`] to a [`Plan`]: every default settled, every name resolved,
//! every limit checked, before the first target is touched.

use crate::access::Access;
use crate::cores;
use crate::exec::Program;
use crate::exit::Error;
use crate::plan::contenders::{self, Gathered, Place, Wanted};
use crate::plan::experiment::{Launch, Secret};
use crate::plan::groups::{self, GroupGiven};
use crate::plan::question::{self, Given};
use crate::plan::require::Requirement;
use crate::plan::spec::{Command, Spec};
use crate::plan::units::{show_ns, show_rate};
use crate::plan::{Settings, database, destructive, local, names, own_presets, request, store};
use crate::secrets;
use crate::targets::attached::{self, Resolver};
use crate::targets::connect_to::ConnectTo;
use crate::targets::process::OutOfSight;
use crate::targets::sight::Sight;
use crate::targets::tls;
use crate::targets::url::{self, Protocol, Url, harmless};
use engine::{HttpAccess, TlsAccess};
use record::limits::{MOST_CONTENDERS, MOST_ROUNDS};
use record::{Address, Contender, Host, Interleave, Plan, Reuse};
use std::time::Duration;

pub(super) const CONNECTIONS: u32 = 64;
const TIMEOUT: Duration = Duration::from_secs(30);
const WARM_UP: Duration = Duration::from_secs(1);
const PILOT: Duration = Duration::from_secs(2);
const ROUND: Duration = Duration::from_secs(1);
/// One turn, unless `--round` is given: work that a server puts off for a
/// second or two must fall into its own turn.
pub(super) const TURN: Duration = Duration::from_millis(2500);
const DURATION: Duration = Duration::from_secs(10);
/// `run -n` without `--duration` ends here at the latest.
const LONGEST_COUNTED_RUN: Duration = Duration::from_secs(3600);
const SHORTEST_ROUND: Duration = Duration::from_millis(10);
const SHORTEST_SLICE: Duration = Duration::from_millis(1);
const LONGEST_RUN_NS: u64 = 86_400_000_000_000;
/// Descriptors that are no connections: files, pollers, the process's own.
const OTHER_DESCRIPTORS: u64 = 64;
/// Above this share of what local ports allow a caution (design.md).
const PORT_CAUTION: f64 = 0.7;

/// The machine, as far as a plan depends on it.
#[derive(Clone, Debug)]
pub struct Machine {
    /// Its cores.
    pub cores: cores::Facts,
    /// Facts for the record, among them the limit of descriptors.
    pub host: Host,
    /// Looks for the processes behind an address.
    pub look: fn(&Address, Option<u32>) -> Result<Sight, OutOfSight>,
    /// Drawn when the process started: the seed of a plan that names none. It is the
    /// same for all load points of a sweep.
    pub drawn_seed: u64,
}

/// What will be done, and the secrets that doing it takes. No `Debug`.
pub struct Resolved {
    /// What may be recorded.
    pub plan: Plan,
    /// How to get at each contender.
    pub ways: Vec<Way>,
    /// What can be foreseen to go wrong, in sentences.
    pub cautions: Vec<String>,
    /// Every secret of an experiment file, and all others that were declared.
    pub secrets: Vec<Secret>,
    /// Cores for targets that are launched.
    pub target_cores: Vec<u32>,
    spec: Spec,
}

/// How to get at a contender. No `Debug`: it holds secrets.
pub enum Way {
    /// Its target runs already.
    Attached {
        /// How to talk to it.
        access: Access,
        /// Its processes, or why they are out of sight.
        sight: Result<Sight, OutOfSight>,
    },
    /// Its target is launched.
    Launched {
        /// How.
        launch: Box<Launch>,
        /// How it is talked to.
        settings: Settings,
    },
    /// The generator works on its files.
    Files(local::Directory),
    /// It is run again and again.
    Program {
        /// What is run.
        program: Box<Program>,
    },
}

impl Resolved {
    /// The seed that a flag or the experiment file names. Returns None if none does: then
    /// the seed was drawn.
    pub fn named_seed(&self) -> Option<u64> {
        self.spec.seed
    }

    /// Where a launched target is dialled, and how it is talked to there.
    ///
    /// # Errors
    /// When its address cannot be dialled.
    pub fn reach(&self, contender: usize, url: &str) -> Result<(Address, Access), Error> {
        let Way::Launched { settings, .. } = &self.ways[contender] else {
            unreachable!("an attached target is where the plan says");
        };
        let url = Url::parse(url).map_err(Error::usage)?;
        let known = &self.plan.contenders[contender];
        let mut resolver = Resolver::new(false, &attached::look_up, &attached::accepts);
        let address = address(&url, &[], &mut resolver)?;
        let (_, mut access) =
            contender_at(&self.spec, &known.name, &url, address.clone(), settings)?;
        give_table(contender, known, &mut access);
        Ok((address, access))
    }
}

/// Settles a spec.
///
/// # Errors
/// Whatever cannot be understood or cannot be done, each naming the argument
/// and the remedy.
pub fn resolve(
    spec: &Spec,
    machine: &Machine,
    resolver: &mut Resolver<'_>,
) -> Result<Resolved, Error> {
    let gathered = contenders::gather(spec)?;
    let spec = spec.over(&gathered.run);
    let spec = Spec { workload: spec.workload.expanded(), ..spec };
    check_launches(&spec, &gathered)?;
    let wanted = gathered.contenders;
    check_count(spec.command, wanted.len())?;
    let urls = wanted.iter().map(|wanted| wanted.place.url()).collect::<Result<Vec<_>, _>>()?;
    let typed: Vec<_> =
        wanted.iter().zip(&urls).map(|(this, url)| (this.name.as_deref(), url.clone())).collect();
    let names = names::all(&typed).map_err(Error::usage)?;
    let mut groups: Vec<_> = wanted.iter().map(|wanted| wanted.groups(&spec)).collect();
    let settings = settings(&spec, &names, &wanted, &mut groups)?;
    groups::check_names(&names, &groups)?;
    let rules = spec.connect_to.iter().map(|rule| ConnectTo::parse(rule));
    let rules = rules.collect::<Result<Vec<_>, _>>().map_err(Error::usage)?;
    let (mut resolved, mut ways) = (Vec::new(), Vec::new());
    let each = wanted.into_iter().zip(&names).zip(&urls).zip(settings).zip(&groups);
    for (number, ((((wanted, name), url), settings), groups)) in each.enumerate() {
        let named = |error: Error| Error { text: format!("`{name}`: {}", error.text), ..error };
        let of_all = settings.clone();
        let (mut contender, way) = match wanted.place {
            Place::Attached { .. } if url.protocol == Protocol::Files => {
                let files = local::files_at(&spec, name, url, &settings).map_err(named)?;
                (files.0, Way::Files(files.1))
            }
            Place::Program(mut program) => {
                program.operations = spec.operations;
                let contender = local::program_at(&spec, name, url, &settings).map_err(named)?;
                let launch = program.outline();
                (Contender { launch, ..contender }, Way::Program { program })
            }
            Place::Attached { pid, .. } => {
                let address = address(url, &rules, resolver)?;
                let (contender, mut access) =
                    contender_at(&spec, name, url, address, &settings).map_err(named)?;
                give_table(number, &contender, &mut access);
                let sight = (machine.look)(&contender.address, pid);
                (contender, Way::Attached { access, sight })
            }
            Place::Launched(launch) => {
                let contender = to_be_launched(&spec, name, url, &launch, &settings, resolver);
                (contender.map_err(named)?, Way::Launched { launch, settings })
            }
        };
        groups::give(&spec, url, &of_all, groups, &mut contender).map_err(named)?;
        resolved.push(contender);
        ways.push(way);
    }
    store::give_workloads(&spec, &urls, &groups, &mut resolved)?;
    destructive::check(&spec, &resolved)?;
    let spec = match local::any_program(&resolved) {
        true => local::only_turns(&spec)?,
        false if spec.command == Command::Compare && spec.operations.is_some() => {
            return Err(Error::usage(
                "--operations says how many operations a run of a program does (exec:), and no \
                 contender is one: --rounds and --round say how long servers are driven",
            ));
        }
        false => spec,
    };
    let (plan, target_cores) = plan(&spec, machine, resolved, &ways)?;
    let mut cautions = port_cautions(&plan);
    cautions.extend(plan.contenders.iter().filter_map(own_presets::caution));
    let plan = without_secrets(plan);
    Ok(Resolved { plan, ways, cautions, secrets: gathered.secrets, target_cores, spec })
}

/// The plan without secrets, but for what is driven by it: there the engine needs them,
/// and the journal leaves them out when it is written.
fn without_secrets(plan: Plan) -> Plan {
    let mut bare = secrets::without_secrets(plan.clone());
    for (bare, whole) in bare.contenders.iter_mut().zip(plan.contenders) {
        bare.address = whole.address;
        bare.workload = whole.workload;
        bare.sql = whole.sql;
    }
    bare
}

/// What is refused before anything else is looked at.
fn check_launches(spec: &Spec, gathered: &Gathered) -> Result<(), Error> {
    let program = |wanted: &Wanted| matches!(wanted.place, Place::Program(_));
    if spec.restarts.is_some() && gathered.contenders.iter().any(program) {
        return Err(Error::usage(
            "--restarts launches servers afresh, and a program (exec:) starts afresh in every \
             turn: leave it out",
        ));
    }
    let attached = |wanted: &&Wanted| matches!(wanted.place, Place::Attached { .. });
    if let (Some(_), Some(this)) = (spec.restarts, gathered.contenders.iter().find(attached)) {
        let name = this.name.as_deref().map_or(String::new(), |name| format!(" `{name}`"));
        return Err(Error::usage(format!(
            "--restarts launches every target afresh, and the contender{name} runs already: let \
             tiebreak launch it (a recipe, or an experiment file)"
        )));
    }
    Ok(())
}

fn check_count(command: Command, count: usize) -> Result<(), Error> {
    match (command, count) {
        (Command::Run, 1) => Ok(()),
        (Command::Load, 1..=MOST_CONTENDERS) => Ok(()),
        (Command::Run, _) => Err(Error::usage(
            "`tiebreak run` drives one contender; to compare several use `tiebreak compare`",
        )),
        (_, 0 | 1) => Err(Error::usage(
            "a comparison needs at least two contenders; for one use `tiebreak run URL`",
        )),
        (_, many) if many > MOST_CONTENDERS => Err(Error::usage(format!(
            "{many} contenders are too many for one braid: at most {MOST_CONTENDERS}"
        ))),
        _ => Ok(()),
    }
}

/// `--set` wins over flags, and flags win over the experiment file.
fn settings(
    spec: &Spec,
    names: &[String],
    wanted: &[Wanted],
    groups: &mut [Vec<GroupGiven>],
) -> Result<Vec<Settings>, Error> {
    let mut own = vec![Settings::default(); names.len()];
    for set in &spec.sets {
        let (at, key, value) = names::split_set(set, names)
            .map_err(|message| Error::usage(format!("--set: {message}")))?;
        let set = groups::set(&mut groups[at], key, value);
        set.unwrap_or_else(|| own[at].set(key, value)).map_err(|message| {
            Error::usage(format!("--set {}.{}: {message}", names[at], crate::shown::shown(key)))
        })?;
    }
    let all = own.into_iter().zip(wanted);
    Ok(all.map(|(own, wanted)| own.over(&spec.common).over(&wanted.settings)).collect())
}

fn address(url: &Url, rules: &[ConnectTo], resolver: &mut Resolver<'_>) -> Result<Address, Error> {
    match &url.place {
        url::Place::Unix(path) => Ok(Address::Unix(path.clone())),
        url::Place::Host { host, port } => {
            let (host, port) = ConnectTo::apply(rules, host, *port);
            resolver.dial(&host, port).map(Address::Tcp)
        }
        url::Place::Directory(_) | url::Place::Program(_) => Err(Error::usage(
            "what tiebreak launches and drives is a server: give its http://, memcached://, \
             redis://, postgres:// or mysql:// address",
        )),
    }
}

/// A contender whose target has no port yet.
fn to_be_launched(
    spec: &Spec,
    name: &str,
    url: &Url,
    launch: &Launch,
    settings: &Settings,
    resolver: &mut Resolver<'_>,
) -> Result<Contender, Error> {
    let mut address = address(url, &[], resolver)?;
    if let Address::Tcp(tcp) = &mut address {
        tcp.set_port(0);
    }
    let (contender, _) = contender_at(spec, name, url, address, settings)?;
    let target = harmless(&launch.url.to_string());
    Ok(Contender { target, launch: launch.outline(), ..contender })
}

fn give_table(number: usize, contender: &Contender, access: &mut Access) {
    if let Some(sql) = &contender.sql {
        access.keep_rows_in(&database::table(number, sql));
    }
}

fn contender_at(
    spec: &Spec,
    name: &str,
    url: &Url,
    address: Address,
    settings: &Settings,
) -> Result<(Contender, Access), Error> {
    match url.protocol {
        Protocol::Http => http_at(spec, name, url, address, settings),
        Protocol::Memcached | Protocol::Redis => store_at(spec, name, url, address, settings),
        Protocol::Postgres | Protocol::Mysql | Protocol::Oracle => {
            database::database_at(spec, name, url, address, settings)
        }
        Protocol::Files | Protocol::Program => unreachable!("these have no address to be at"),
    }
}

/// What contenders of all protocols have in common.
pub(super) fn contender(
    spec: &Spec,
    name: &str,
    url: &Url,
    address: Address,
    settings: &Settings,
) -> Result<Contender, Error> {
    let timeout = settings.timeout.unwrap_or(TIMEOUT);
    Ok(Contender {
        name: name.to_owned(),
        target: url.recorded(),
        launch: Vec::new(),
        address,
        connections: settings.connections.unwrap_or(CONNECTIONS),
        reuse: settings.databases.reuse(settings.reuse, timeout).map_err(Error::usage)?,
        arrivals: settings.arrivals().map_err(Error::usage)?,
        timeout_ns: ns(timeout),
        // `compare --operations` is about programs.
        operations: spec.operations.filter(|_| spec.command == Command::Run),
        request: None,
        workload: None,
        skew: None,
        sql: None,
        depth: settings.depth.unwrap_or(1),
        expect: Vec::new(),
        tls: None,
        groups: Vec::new(),
    })
}

fn http_at(
    spec: &Spec,
    name: &str,
    url: &Url,
    address: Address,
    settings: &Settings,
) -> Result<(Contender, Access), Error> {
    if settings.depth.is_some_and(|depth| depth > 1) || settings.dialect.is_some() {
        return Err(Error::usage("depth and dialect belong to stores (memcached://, redis://)"));
    }
    local::refuse_file_settings(settings)?;
    database::refuse_elsewhere(settings)?;
    let built = request::build(url, settings).map_err(Error::usage)?;
    let tls = match (&url.place, url.tls) {
        (url::Place::Host { host, .. }, true) => Some(TlsAccess {
            config: spec.trust.config(&[b"http/1.1"])?,
            name: tls::server_name(host)?,
        }),
        _ => None,
    };
    let expect = settings.expect.clone().unwrap_or_default();
    let head_only = built.asked.method == "HEAD";
    let requests = spec.workload.own.requests_to(url, settings, store::MOST_PLACES);
    let requests = requests.map_err(Error::usage)?;
    let contender = Contender {
        request: Some(built.asked),
        expect: expect.clone(),
        tls: tls.is_some().then(|| spec.trust.words()),
        ..contender(spec, name, url, address, settings)?
    };
    let access =
        HttpAccess { head: built.head, body: built.body, head_only, expect, tls, requests };
    Ok((contender, Access::Engine(engine::Access::Http(access))))
}

/// A contender whose operations follow from a workload.
fn store_at(
    spec: &Spec,
    name: &str,
    url: &Url,
    address: Address,
    settings: &Settings,
) -> Result<(Contender, Access), Error> {
    store::refuse_requests(settings).map_err(Error::usage)?;
    local::refuse_file_settings(settings)?;
    database::refuse_elsewhere(settings)?;
    let contender = contender(spec, name, url, address, settings)?;
    if contender.depth > 1 && contender.reuse != Reuse::Always {
        return Err(Error::usage("a depth above 1 needs persistent connections: --reuse always"));
    }
    let feeds = &spec.workload.own.feeds;
    Ok((contender, Access::Engine(store::access(url, settings, feeds).map_err(Error::usage)?)))
}

fn plan(
    spec: &Spec,
    machine: &Machine,
    contenders: Vec<Contender>,
    ways: &[Way],
) -> Result<(Plan, Vec<u32>), Error> {
    let (interleave, slice, round) = turns(spec)?;
    let fewest_connections = contenders.iter().map(groups::fewest_connections).min().unwrap_or(1);
    let cores = generator_cores(spec, machine, fewest_connections)?;
    let given = Given {
        contenders: &contenders,
        ways,
        round_ns: ns(round),
        client_ports: machine.host.client_ports,
        cores: &cores,
    };
    let question = question::ask(spec, &given)?;
    for text in &spec.requirements {
        Requirement::parse(text, &question).map_err(Error::usage)?;
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
        seed: spec.seed.unwrap_or(machine.drawn_seed),
        interleave,
        slice_ns: slice.map(ns),
        round_ns: ns(round),
        rounds: question.rounds,
        warm_up_ns: ns(spec.warm_up.unwrap_or(WARM_UP)),
        pilot_ns: pilot_ns(spec)?,
        generator_cores: cores.generator,
        requirements: spec.requirements.clone(),
        question,
        host: machine.host.clone(),
    };
    check_descriptors(&plan)?;
    check_length(&plan)?;
    Ok((plan, cores.others))
}

/// Slices or turns, the slice's length, the round's (of `run`: the duration).
fn turns(spec: &Spec) -> Result<(Interleave, Option<Duration>, Duration), Error> {
    if spec.command == Command::Run {
        let default = if spec.operations.is_some() { LONGEST_COUNTED_RUN } else { DURATION };
        let duration = spec.duration.unwrap_or(default);
        at_least("--duration", duration, SHORTEST_ROUND)?;
        return Ok((Interleave::Turns, None, duration));
    }
    let interleave = match (spec.interleave, spec.slice) {
        (Some(Interleave::Turns), Some(_)) => {
            return Err(Error::usage(
                "--slice has no meaning with --interleave turns: leave one of them out",
            ));
        }
        (None, Some(_)) => Interleave::Slices,
        (asked, _) => asked.unwrap_or(Interleave::Auto),
    };
    let default = if interleave == Interleave::Turns { TURN } else { ROUND };
    let round = spec.round.unwrap_or(default);
    at_least("--round", round, SHORTEST_ROUND)?;
    if let Some(slice) = spec.slice {
        at_least("--slice", slice, SHORTEST_SLICE)?;
        if slice > round {
            return Err(Error::usage(format!(
                "--slice {} is longer than a round of {}: give a longer --round, or --interleave \
                 turns",
                show_ns(ns(slice)),
                show_ns(ns(round))
            )));
        }
    }
    Ok((interleave, spec.slice, round))
}

/// How long the pilot drives each contender.
fn pilot_ns(spec: &Spec) -> Result<u64, Error> {
    let pilot = spec.pilot.unwrap_or(PILOT);
    at_least("--pilot", pilot, SHORTEST_ROUND)?;
    Ok(ns(pilot))
}

fn at_least(flag: &str, given: Duration, least: Duration) -> Result<(), Error> {
    match given < least {
        true => Err(Error::usage(format!(
            "{flag} {} is too short to measure anything: at least {}",
            show_ns(ns(given)),
            show_ns(ns(least))
        ))),
        false => Ok(()),
    }
}

/// No more workers than the contender with the fewest connections can keep
/// busy: one without a connection would only wait.
fn generator_cores(
    spec: &Spec,
    machine: &Machine,
    connections: u32,
) -> Result<cores::Cores, Error> {
    let cores = cores::share_out(&machine.cores, spec.cores)?;
    match spec.cores {
        _ if cores.generator.len() as u32 <= connections => Ok(cores),
        None => cores::share_out(&machine.cores, Some(connections)),
        Some(asked) => Err(Error::usage(format!(
            "--cores {asked}: a core without a connection would idle, and one contender has \
             {connections}"
        ))),
    }
}

/// All contenders' connections are open at once.
fn check_descriptors(plan: &Plan) -> Result<(), Error> {
    let connections: u64 = plan.contenders.iter().map(|c| u64::from(c.connections)).sum();
    let workers = plan.generator_cores.len().max(1) as u64;
    let needed = connections
        + local::descriptors(&plan.contenders)
        + OTHER_DESCRIPTORS
        + 4 * workers * plan.contenders.len() as u64;
    let limit = plan.host.descriptors;
    match needed > limit {
        true => Err(Error::usage(format!(
            "{connections} connections in all need about {needed} descriptors, and this process \
             may have {limit}: use fewer --connections, or raise the hard limit (ulimit -Hn)"
        ))),
        false => Ok(()),
    }
}

fn check_length(plan: &Plan) -> Result<(), Error> {
    if plan.rounds > MOST_ROUNDS {
        return Err(Error::usage(format!(
            "--rounds {}: at most {MOST_ROUNDS}; longer rounds (--round) say more",
            plan.rounds
        )));
    }
    let driven = (plan.round_ns.saturating_mul(u64::from(plan.rounds)))
        .saturating_add(plan.warm_up_ns)
        .saturating_mul(plan.contenders.len() as u64);
    match driven > LONGEST_RUN_NS {
        true => Err(Error::usage(format!(
            "this would take more than a day ({}): use fewer or shorter rounds",
            show_ns(driven)
        ))),
        false => Ok(()),
    }
}

/// Fresh connections at a rate that local ports can hardly serve. In closed
/// loop nothing can be foreseen; the audit looks at what was reached.
fn port_cautions(plan: &Plan) -> Vec<String> {
    let caution = |(contender, limit): (&Contender, &Option<f64>)| {
        let per_connection = match contender.reuse {
            Reuse::Times(operations) => f64::from(operations),
            _ => 1.0,
        };
        let connects = contender.arrivals.rate()? / per_connection;
        let limit = (*limit)?;
        (connects > PORT_CAUTION * limit).then(|| {
            format!(
                "`{}` will open {} connections, and local ports last for about {}: lower its \
                 rate, or widen net.ipv4.ip_local_port_range",
                contender.name,
                show_rate(connects),
                show_rate(limit)
            )
        })
    };
    plan.contenders.iter().zip(&plan.question.port_limit).filter_map(caution).collect()
}

fn ns(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[path = "resolved_tests.rs"]
mod tests;
