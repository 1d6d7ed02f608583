//! From a [`Spec`] to a [`Plan`]: every default settled, every name resolved,
//! every limit checked, before the first target is touched.

use crate::cores;
use crate::exit::Error;
use crate::plan::question::{self, Given};
use crate::plan::spec::{Command, Spec};
use crate::plan::units::{show_ns, show_rate};
use crate::plan::{Settings, names, request};
use crate::targets::attached::Resolver;
use crate::targets::connect_to::ConnectTo;
use crate::targets::tls;
use crate::targets::url::{Place, Url};
use engine::{HttpAccess, TlsAccess};
use record::{Address, Contender, Host, Interleave, Plan, Reuse};
use std::time::Duration;

const CONNECTIONS: u32 = 64;
const TIMEOUT: Duration = Duration::from_secs(30);
const WARM_UP: Duration = Duration::from_secs(1);
const ROUND: Duration = Duration::from_secs(1);
/// One turn, unless `--round` is given: work that a server puts off for a
/// second or two must fall into its own turn.
pub(super) const TURN: Duration = Duration::from_millis(2500);
const DURATION: Duration = Duration::from_secs(10);
/// `run -n` without `--duration` ends here at the latest.
const LONGEST_COUNTED_RUN: Duration = Duration::from_secs(3600);
const SEED: u64 = 1;
const MOST_CONTENDERS: usize = 16;
const MOST_ROUNDS: u32 = 10_000;
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
}

/// What will be done, and the secrets that doing it takes. No `Debug`.
pub struct Resolved {
    /// What may be recorded.
    pub plan: Plan,
    /// How to talk to each contender.
    pub accesses: Vec<HttpAccess>,
    /// What can be foreseen to go wrong, in sentences.
    pub cautions: Vec<String>,
}

struct Typed<'a> {
    name: Option<&'a str>,
    url: Url,
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
    let typed = contenders(spec)?;
    let pairs: Vec<_> = typed.iter().map(|typed| (typed.name, typed.url.clone())).collect();
    let names = names::all(&pairs).map_err(Error::usage)?;
    let settings = settings(spec, &names)?;
    let rules = spec.connect_to.iter().map(|rule| ConnectTo::parse(rule));
    let rules = rules.collect::<Result<Vec<_>, _>>().map_err(Error::usage)?;
    let mut resolved = Vec::new();
    let mut accesses = Vec::new();
    for ((typed, name), settings) in typed.iter().zip(&names).zip(&settings) {
        let address = address(&typed.url, &rules, resolver)?;
        let (contender, access) = contender(spec, name, &typed.url, address, settings)
            .map_err(|error| Error { text: format!("`{name}`: {}", error.text), ..error })?;
        resolved.push(contender);
        accesses.push(access);
    }
    let plan = plan(spec, machine, resolved)?;
    let cautions = port_cautions(&plan);
    Ok(Resolved { plan, accesses, cautions })
}

fn contenders(spec: &Spec) -> Result<Vec<Typed<'_>>, Error> {
    match (spec.command, spec.contenders.len()) {
        (Command::Run, 1) => {}
        (Command::Run, _) => {
            return Err(Error::usage(
                "`tiebreak run` drives one contender; to compare several use `tiebreak compare`",
            ));
        }
        (_, 0 | 1) => {
            return Err(Error::usage(
                "a comparison needs at least two contenders; for one use `tiebreak run URL`",
            ));
        }
        (_, many) if many > MOST_CONTENDERS => {
            return Err(Error::usage(format!(
                "{many} contenders are too many for one braid: at most {MOST_CONTENDERS}"
            )));
        }
        _ => {}
    }
    let parse = |(at, argument)| {
        let (name, url) = names::split(argument);
        let url = Url::parse(url).map_err(|message| match (spec.command, name) {
            (Command::Run, _) => Error::usage(message),
            (_, Some(name)) => Error::usage(format!("`{}`: {message}", crate::shown::shown(name))),
            (_, None) => Error::usage(format!("contender {}: {message}", at + 1)),
        })?;
        Ok(Typed { name, url })
    };
    spec.contenders.iter().map(String::as_str).enumerate().map(parse).collect()
}

fn settings(spec: &Spec, names: &[String]) -> Result<Vec<Settings>, Error> {
    let mut own = vec![Settings::default(); names.len()];
    for set in &spec.sets {
        let (at, key, value) = names::split_set(set, names)
            .map_err(|message| Error::usage(format!("--set: {message}")))?;
        own[at].set(key, value).map_err(|message| {
            Error::usage(format!("--set {}.{}: {message}", names[at], crate::shown::shown(key)))
        })?;
    }
    Ok(own.into_iter().map(|settings| settings.over(&spec.common)).collect())
}

fn address(url: &Url, rules: &[ConnectTo], resolver: &mut Resolver<'_>) -> Result<Address, Error> {
    match &url.place {
        Place::Unix(path) => Ok(Address::Unix(path.clone())),
        Place::Host { host, port } => {
            let (host, port) = ConnectTo::apply(rules, host, *port);
            resolver.dial(&host, port).map(Address::Tcp)
        }
    }
}

fn contender(
    spec: &Spec,
    name: &str,
    url: &Url,
    address: Address,
    settings: &Settings,
) -> Result<(Contender, HttpAccess), Error> {
    let built = request::build(url, settings).map_err(Error::usage)?;
    let tls = match (&url.place, url.tls) {
        (Place::Host { host, .. }, true) => {
            Some(TlsAccess { config: spec.trust.config()?, name: tls::server_name(host)? })
        }
        _ => None,
    };
    let expect = settings.expect.clone().unwrap_or_default();
    let contender = Contender {
        name: name.to_owned(),
        target: url.recorded(),
        launch: Vec::new(),
        address,
        connections: settings.connections.unwrap_or(CONNECTIONS),
        reuse: settings.reuse.unwrap_or(Reuse::Always),
        arrivals: settings.arrivals().map_err(Error::usage)?,
        timeout_ns: ns(settings.timeout.unwrap_or(TIMEOUT)),
        operations: spec.operations,
        request: built.asked,
        expect: expect.clone(),
        tls: tls.is_some().then(|| spec.trust.words()),
    };
    let head_only = contender.request.method == "HEAD";
    Ok((contender, HttpAccess { head: built.head, body: built.body, head_only, expect, tls }))
}

fn plan(spec: &Spec, machine: &Machine, contenders: Vec<Contender>) -> Result<Plan, Error> {
    let (interleave, slice, round) = turns(spec)?;
    let fewest_connections = contenders.iter().map(|c| c.connections).min().unwrap_or(1);
    let cores = generator_cores(spec, machine, fewest_connections)?;
    let given = Given {
        contenders: &contenders,
        round_ns: ns(round),
        client_ports: machine.host.client_ports,
        cores: &cores,
    };
    let question = question::ask(spec, &given)?;
    let plan = Plan {
        command: match spec.command {
            Command::Compare => "compare",
            Command::Run => "run",
            Command::Demo => "demo",
        }
        .to_owned(),
        contenders,
        seed: spec.seed.unwrap_or(SEED),
        interleave,
        slice_ns: slice.map(ns),
        round_ns: ns(round),
        rounds: question.rounds,
        warm_up_ns: ns(spec.warm_up.unwrap_or(WARM_UP)),
        generator_cores: cores.generator,
        requirements: Vec::new(),
        question,
        host: machine.host.clone(),
    };
    check_descriptors(&plan)?;
    check_length(&plan)?;
    Ok(plan)
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
    let needed = connections + OTHER_DESCRIPTORS + 4 * workers * plan.contenders.len() as u64;
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
