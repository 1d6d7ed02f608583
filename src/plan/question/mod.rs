//! The question that the judge answers.

mod by;
pub(super) mod by_request;
pub mod hash;
pub mod require;

use crate::plan::contender::access::{ContenderAccess, Observed, Watcher};
use crate::plan::contender::local;
use crate::plan::length;
use crate::plan::length::rule::{self, ShortRoundsFacts};
use crate::plan::objectives;
use crate::plan::suite;
use crate::plan::{Command, Spec};
use crate::protocols::PROTOCOLS;
use crate::system::cores::Cores;
use crate::targets::find;
use judge::stats::quantile::fewest_samples;
use protocol::Error;
use record::{
    Address, Arrivals, Contender, ContenderQuestion, GroupQuestion, Kind, Metric, OperationText,
    Pair, Question, RequestPlan, Reuse, RunSweep, Workload,
};
use std::collections::BTreeMap;
use text::units::show_percent;

/// Default of `--confidence`.
const CONFIDENCE: f64 = 1.0 - judge::ALPHA;

pub(super) struct PlanFacts<'a> {
    pub(super) contenders: &'a [Contender],
    pub(super) accesses: &'a [ContenderAccess],
    pub(super) round_ns: u64,
    /// Where several launches are the default: the length of a round of one launch, which there is if
    /// several are too dear.
    pub(super) round_of_one_ns: Option<u64>,
    pub(super) client_ports: (u16, u16),
    pub(super) cores: &'a Cores,
    /// The load points, if the contenders are targets at several of them.
    pub(super) swept: Option<&'a RunSweep>,
}

/// Makes the question. Fails if so few rounds could never give a verdict.
pub(super) fn ask(spec: &Spec, given: &PlanFacts<'_>) -> Result<Question, Error> {
    let contenders = given.contenders;
    let width = given.swept.map_or(contenders.len(), RunSweep::width);
    let is_suite = suite::are_all(given.accesses);
    let control = suite::control(spec, contenders.len());
    let compared = contenders.len() - usize::from(control.is_some());
    let pairs = match spec.command {
        _ if is_suite => pairs(compared, compared, spec.run.all_pairs),
        Command::Run => neighbours(contenders.len() as u32),
        Command::Load => Vec::new(),
        _ => pairs(contenders.len(), width, spec.run.all_pairs || spec.run.rank),
    };
    let alpha = alpha(spec.run.confidence.unwrap_or(CONFIDENCE))?;
    let seeks_capacity = objectives::seeks_capacity(spec, contenders);
    let requests = if seeks_capacity { Vec::new() } else { by_request::names(spec, contenders)? };
    // Both families must be able to decide.
    let comparisons = pairs.len() * requests.len().max(1);
    let mut length = if seeks_capacity {
        length::of_capacities(spec, given.accesses, comparisons, alpha)?
    } else {
        length::of(spec, given.round_of_one_ns, comparisons, alpha)?
    };
    // Replies of one replicate are counted together.
    let counted_ns = given.round_ns.saturating_mul(length.rounds_of_a_replicate().into());
    let (primary, mut secondary) = if spec.command == Command::Run && given.swept.is_some() {
        // The question is whether throughput still grows, also for rates.
        (Metric::Throughput, vec![Metric::ResponseP50, Metric::ResponseP99])
    } else {
        metrics(contenders.iter().map(|c| c.intensity.arrivals), counted_ns)
    };
    let groups = groups(contenders, counted_ns);
    if !groups.is_empty() {
        // Latencies of readers and writers together describe neither: each group has its own.
        secondary.clear();
    }
    if local::any_program(contenders) {
        // A single operation inside a program cannot be observed.
        secondary.clear();
    }
    let mut questions: Vec<ContenderQuestion> =
        (contenders.iter().zip(given.accesses).zip(machines(given.accesses)))
            .map(|((contender, contender_access), machine)| {
                question_of(contender, contender_access, machine, given)
            })
            .collect();
    if questions.iter().all(|contender| contender.cpu_in_sight) {
        secondary.push(Metric::TargetCpu);
    }
    if seeks_capacity {
        secondary.clear();
        // The turns of a round are driven one by one, without the clocks of the targets.
        questions.iter_mut().for_each(|contender| contender.cpu_in_sight = false);
    }
    if is_suite {
        // Nothing but its cases is compared.
        secondary.clear();
    }
    let (primary, secondary) = match spec.run.by {
        _ if is_suite => (Metric::Cost, secondary),
        _ if seeks_capacity => (Metric::Capacity, secondary),
        Some(Metric::PeakMemory) => {
            by::check_memory(spec, given, &length)?;
            // The launch is the replicate whatever it costs.
            length.dear = None;
            (Metric::PeakMemory, std::iter::once(primary).chain(secondary).collect())
        }
        Some(by) => by::ranked(by, spec, primary, secondary)?,
        None => (primary, secondary),
    };
    let others = secondary.len() + groups.iter().map(|group| group.metrics.len()).sum::<usize>();
    let rule = rule::of(
        spec,
        &ShortRoundsFacts {
            contenders,
            accesses: given.accesses,
            primary,
            comparisons: comparisons.max(pairs.len() * others),
            alpha,
        },
    );
    let usual_matters = if is_suite { suite::MATTERS } else { judge::MATTERS };
    Ok(Question {
        primary,
        secondary,
        groups,
        requests,
        is_ranked: spec.run.rank,
        is_suite,
        control,
        load_points: given.swept.map_or(Vec::new(), RunSweep::names),
        blocks: Vec::new(),
        objectives: spec.run.slo.clone(),
        pairs,
        alpha,
        matters: matters(spec.run.matters.or(spec.run.see).unwrap_or(usual_matters))?,
        rounds: length.rounds,
        restarts: length.launches,
        dear: length.dear,
        interim_looks: length.looks,
        length: rule,
        sharing: sharing(given.accesses, width),
        generator_cores: given.cores.generator.clone(),
        allowed_cores: given.cores.allowed.clone(),
        one_target: one_target(contenders, width),
        expect_different: spec.run.expect_different,
        shares_core: questions.iter().any(|contender| has_only_our_cores(contender, given.cores)),
        contenders: questions,
        workers: given.cores.generator.len().max(1) as u32 * spec.agents.max(1),
    })
}

/// Returns what the judge needs to know about one contender.
fn question_of(
    contender: &Contender,
    contender_access: &ContenderAccess,
    machine: u32,
    given: &PlanFacts<'_>,
) -> ContenderQuestion {
    let protocol = PROTOCOLS.of_recorded(&contender.target);
    ContenderQuestion {
        name: contender.name.clone(),
        protocol: protocol.map_or("", |row| row.title).to_owned(),
        client: protocol.map_or("", |row| row.client).to_owned(),
        memory_setting: protocol.map_or("", |row| row.memory_setting).to_owned(),
        code_names: protocol.map_or_else(BTreeMap::new, |row| (row.codes)().into_iter().collect()),
        cpu_in_sight: in_sight(contender_access),
        target_cores: target_cores(contender_access, given.cores),
        machine,
        by_library: contender.asks.sql().is_some(),
        from_workload: contender.asks.is_store(),
        misses_asked: contender.asks.workload().is_some_and(asks_for_misses),
        consistency: contender.consistency,
        done_by_generator: matches!(contender.address, Address::Directory(_)),
        bodiless: bodiless(&contender.asks),
        may_be_empty: may_be_empty(&contender.asks),
        port_limit: port_limit(contender, given.client_ports),
    }
}

/// The pairs among each `width` contenders, which are those of one load point.
fn pairs(contenders: usize, width: usize, all: bool) -> Vec<Pair> {
    let firsts = if all { width } else { 1 };
    let of_point = move |begin: usize| {
        let pair = move |a: usize, b: usize| Pair { a: (begin + a) as u32, b: (begin + b) as u32 };
        (0..firsts).flat_map(move |a| (a + 1..width).map(move |b| pair(a, b)))
    };
    (0..contenders).step_by(width.max(1)).flat_map(of_point).collect()
}

/// Compares each load point of a sweep with the one before. Empty if there is one contender.
fn neighbours(contenders: u32) -> Vec<Pair> {
    (1..contenders).map(|b| Pair { a: b - 1, b }).collect()
}

/// 1 − confidence, rounded to remove the binary error of the subtraction.
fn alpha(confidence: f64) -> Result<f64, Error> {
    match confidence {
        0.5..=0.9999 => Ok(((1.0 - confidence) * 1e9).round() / 1e9),
        _ => Err(Error::usage(format!(
            "--confidence {}: must be from 50% to 99.99%, such as 95%",
            show_percent(confidence)
        ))),
    }
}

fn matters(share: f64) -> Result<f64, Error> {
    match share {
        0.0001..=0.5 => Ok(share),
        _ => Err(Error::usage(format!(
            "--matters {}: must be from 0.01% to 50%, such as 1%",
            show_percent(share)
        ))),
    }
}

fn in_sight(contender_access: &ContenderAccess) -> bool {
    match contender_access {
        ContenderAccess::Attached { sight, .. } => sight.is_ok(),
        ContenderAccess::Launched { .. } | ContenderAccess::Program { .. } => true,
        ContenderAccess::Files(_) => false,
    }
}

/// Returns groups of contenders whose targets share a process. A launched target always has its own
/// processes, which it shares with its other load points. Each of these has `width` contenders.
fn sharing(accesses: &[ContenderAccess], width: usize) -> Vec<Vec<u32>> {
    let observed = |contender_access: &ContenderAccess| match contender_access {
        ContenderAccess::Attached { sight: Ok(observed), .. } => Some(observed.clone()),
        _ => None,
    };
    let observed: Vec<_> = accesses.iter().map(observed).collect();
    let groups = find::groups(&observed, Observed::shares_process_with).into_iter();
    let launched =
        (0..width).filter(|of| matches!(accesses[*of], ContenderAccess::Launched { .. }));
    let launched = launched.map(|of| (of..accesses.len()).step_by(width).collect());
    let several = groups.chain(launched).filter(|group: &Vec<usize>| group.len() > 1);
    several.map(|group| group.into_iter().map(|number| number as u32).collect()).collect()
}

/// Returns the number of the machine of each target: 0 is this one, and others are counted from 1.
fn machines(accesses: &[ContenderAccess]) -> Vec<u32> {
    let mut others: Vec<&Watcher> = Vec::new();
    let number = |contender_access| {
        let Some(watcher) = elsewhere(contender_access) else { return 0 };
        let known = others.iter().position(|other| other.same_machine(watcher));
        let at = known.unwrap_or_else(|| {
            others.push(watcher);
            others.len() - 1
        });
        at as u32 + 1
    };
    accesses.iter().map(number).collect()
}

/// The watcher of a target on another machine.
fn elsewhere(contender_access: &ContenderAccess) -> Option<&Watcher> {
    match contender_access {
        ContenderAccess::Attached { sight: Ok(Observed::Watched(watcher)), .. } => {
            Some(&**watcher).filter(|watcher| watcher.found.is_none())
        }
        _ => None,
    }
}

/// Returns the cores that a target may use; if it has several processes, those of the one that is
/// driven.
fn target_cores(contender_access: &ContenderAccess, cores: &Cores) -> Vec<u32> {
    let left =
        || if cores.others.is_empty() { cores.allowed.clone() } else { cores.others.clone() };
    match contender_access {
        ContenderAccess::Attached { sight, .. } => {
            sight.as_ref().map_or(Vec::new(), |observed| observed.cores().to_vec())
        }
        ContenderAccess::Launched { launch, .. } => {
            let driven = launch.processes.last().expect("a launch has a process");
            driven.cores.clone().unwrap_or_else(left)
        }
        ContenderAccess::Program { program } if program.cores.is_empty() => left(),
        ContenderAccess::Program { program } => program.cores.clone(),
        ContenderAccess::Files(_) => Vec::new(),
    }
}

/// Whether a target may use only the generator's cores. If its cores are not known, it is assumed
/// to use others, if there are any.
fn has_only_our_cores(contender: &ContenderQuestion, cores: &Cores) -> bool {
    let target = &contender.target_cores;
    if contender.machine != 0 {
        false
    } else if target.is_empty() {
        cores.others.is_empty()
    } else {
        target.iter().all(|core| cores.generator.contains(core))
    }
}

/// Returns groups of contenders that have the same target: the same address, and the same host in
/// their URLs, since one address can serve several hosts. Any other target, which may be launched, belongs
/// to one contender at each load point. Each of these has `width` contenders.
fn one_target(contenders: &[Contender], width: usize) -> Vec<Vec<u32>> {
    let attached = |contender: &Contender| {
        contender.launch.is_empty()
            && (matches!(contender.address, Address::Unix(_))
                || !contender.address.nodes().is_empty())
    };
    let target = |number: usize| {
        let of = &contenders[number];
        let of_address = attached(of).then(|| (&of.address, host_of(&of.target)));
        (of_address, of_address.is_none().then(|| number % width))
    };
    let targets: Vec<_> = (0..contenders.len()).map(target).collect();
    let first = |number: &usize| !targets[..*number].contains(&targets[*number]);
    let group = |number: usize| {
        (0..).zip(&targets).filter(|(_, of)| **of == targets[number]).map(|(of, _)| of).collect()
    };
    let groups = (0..targets.len()).filter(first).map(group);
    groups.filter(|numbers: &Vec<u32>| numbers.len() > 1).collect()
}

/// Returns host and port of a URL without a login.
fn host_of(url: &str) -> &str {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    rest.split(['/', '?']).next().unwrap_or_default()
}

/// Closed loop: throughput. Open loop: the p99 of response time, or its p50 if a round cannot hold
/// the samples that a p99 needs.
fn metrics(arrivals: impl Iterator<Item = Arrivals>, round_ns: u64) -> (Metric, Vec<Metric>) {
    let rates: Option<Vec<f64>> = arrivals.map(|arrivals| arrivals.rate()).collect();
    let Some(rates) = rates else {
        return (Metric::Throughput, vec![Metric::ResponseP50, Metric::ResponseP99]);
    };
    let slowest = rates.into_iter().fold(f64::INFINITY, f64::min);
    if slowest * round_ns as f64 / 1e9 < fewest_samples(0.99) as f64 {
        (Metric::ResponseP50, vec![Metric::ResponseP99])
    } else {
        (Metric::ResponseP99, vec![Metric::ResponseP50, Metric::ResponseP999])
    }
}

/// Returns the metrics of each group: those of a contender that has only this group, except the
/// p99.9 of a rate, for which most rounds have too few samples.
fn groups(contenders: &[Contender], round_ns: u64) -> Vec<GroupQuestion> {
    let names = contenders.first().into_iter().flat_map(|first| &first.groups).enumerate();
    let asks = names.map(|(at, group)| {
        let arrivals = contenders.iter().map(|contender| contender.groups[at].intensity.arrivals);
        let (primary, more) = metrics(arrivals, round_ns);
        let few = primary == Metric::ResponseP50;
        let kept = |metric: &Metric| match metric {
            Metric::ResponseP999 => false,
            Metric::ResponseP99 => !few,
            _ => true,
        };
        let metrics = [primary].into_iter().chain(more).filter(kept).collect();
        GroupQuestion { name: group.name.clone(), metrics }
    });
    asks.collect()
}

/// Whether the workload causes misses by removing keys.
fn asks_for_misses(workload: &Workload) -> bool {
    // What a user-defined command finds is not known; a statement declares it.
    let is_command = |number: u32| {
        matches!(workload.custom.operations[number as usize].says, OperationText::Command(_))
    };
    let asks = |kind: Kind| match kind {
        Kind::Delete | Kind::Command(_) => true,
        Kind::Custom(number) => is_command(number),
        _ => false,
    };
    workload.mix.iter().any(|share| asks(share.kind))
}

/// Whether replies may be without a body: because the request changes something in place of reading it, or
/// because it is meant.
fn may_be_empty(asks: &RequestPlan) -> bool {
    asks.request().is_some_and(|request| request.method != "GET" || request.expect_empty)
}

/// Whether replies have no body by definition: those to HEAD, and those with 204 or 304.
fn bodiless(asks: &RequestPlan) -> bool {
    let has_no_body = |code: &u16| matches!(code, 204 | 304);
    match asks.request() {
        Some(request) => {
            let expect = &request.expect;
            request.method == "HEAD" || !expect.is_empty() && expect.iter().all(has_no_body)
        }
        // A database answers with rows.
        None => asks.sql().is_some(),
    }
}

/// Linux assigns half of the client ports per (source, destination), and reuses each after a
/// second. Every node is a destination of its own.
fn port_limit(contender: &Contender, (first, last): (u16, u16)) -> Option<f64> {
    let nodes = contender.address.nodes();
    if nodes.is_empty() || contender.reuse == Reuse::Always {
        return None;
    }
    let ports = (f64::from(last) - f64::from(first) + 1.0).max(2.0) / 2.0;
    let of_node = |node: &std::net::SocketAddr| match node.ip() {
        std::net::IpAddr::V4(v4) if v4.is_loopback() => ports * f64::from(engine::LOOPBACK_SOURCES),
        _ => ports,
    };
    Some(nodes.iter().map(of_node).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::{Intensity, RequestSettings};

    fn request(method: &str, expect: &[u16]) -> RequestPlan {
        RequestPlan::Request(RequestSettings {
            method: method.to_owned(),
            header_names: Vec::new(),
            body_bytes: 0,
            expect: expect.to_vec(),
            expect_empty: false,
        })
    }

    fn contender(address: &str, reuse: Reuse, arrivals: Arrivals) -> Contender {
        Contender {
            address: match address.parse() {
                Ok(address) => Address::Tcp(address),
                Err(_) if address.contains(',') => {
                    let node = |node: &str| node.parse().expect("an address");
                    Address::Nodes(address.split(',').map(node).collect())
                }
                Err(_) => Address::Unix(address.to_owned()),
            },
            intensity: Intensity { connections: 64, depth: 1, arrivals },
            reuse,
            asks: request("GET", &[]),
            ..record::testing::contender(address)
        }
    }

    #[test]
    fn pairs_with_the_first_or_all() {
        let numbers = |pairs: Vec<Pair>| pairs.iter().map(|p| (p.a, p.b)).collect::<Vec<_>>();
        assert_eq!(numbers(pairs(3, 3, false)), [(0, 1), (0, 2)]);
        assert_eq!(numbers(pairs(3, 3, true)), [(0, 1), (0, 2), (1, 2)]);
        assert_eq!(numbers(pairs(6, 3, false)), [(0, 1), (0, 2), (3, 4), (3, 5)]);
        assert_eq!(numbers(pairs(4, 2, true)), [(0, 1), (2, 3)]);
    }

    #[test]
    fn levels_are_clean_and_bounded() {
        assert_eq!(alpha(0.95), Ok(0.05));
        assert_eq!(alpha(0.99), Ok(0.01));
        assert_eq!(
            alpha(0.3).unwrap_err().text,
            "--confidence 30 %: must be from 50% to 99.99%, such as 95%"
        );
        assert_eq!(matters(0.01), Ok(0.01));
        assert!(matters(0.0).is_err() && matters(0.6).is_err());
    }

    #[test]
    fn the_primary_metric_follows_the_arrivals() {
        use Metric::*;
        let metrics_of = |arrivals: &[Arrivals]| {
            let contenders: Vec<_> = arrivals
                .iter()
                .map(|arrivals| contender("127.0.0.1:1", Reuse::Always, *arrivals))
                .collect();
            metrics(contenders.iter().map(|contender| contender.intensity.arrivals), 500_000_000)
        };
        let closed = (Throughput, vec![ResponseP50, ResponseP99]);
        assert_eq!(metrics_of(&[Arrivals::Closed, Arrivals::Closed]), closed);
        assert_eq!(metrics_of(&[Arrivals::Closed, Arrivals::Constant(1e6)]), closed);
        let p99 = (ResponseP99, vec![ResponseP50, ResponseP999]);
        assert_eq!(metrics_of(&[Arrivals::Constant(2000.0), Arrivals::Poisson(9000.0)]), p99);
        let p50 = (ResponseP50, vec![ResponseP99]);
        assert_eq!(metrics_of(&[Arrivals::Constant(1999.0), Arrivals::Poisson(9000.0)]), p50);
    }

    #[test]
    fn local_ports_bound_the_rate_of_fresh_connections() {
        let limit = |address, reuse| {
            port_limit(&contender(address, reuse, Arrivals::Closed), (32768, 60999))
        };
        assert_eq!(limit("10.0.0.1:80", Reuse::Always), None);
        assert_eq!(limit("10.0.0.1:80", Reuse::Never), Some(14_116.0));
        assert_eq!(limit("[::1]:80", Reuse::Times(5)), Some(14_116.0));
        assert_eq!(limit("127.0.0.1:80", Reuse::Never), Some(14_116.0 * 64.0));
        assert_eq!(limit("/run/x.sock", Reuse::Never), None);
        let nodes = "127.0.0.1:80,127.0.0.2:80,10.0.0.1:80";
        assert_eq!(limit(nodes, Reuse::Never), Some(14_116.0 * 129.0));
    }

    #[test]
    fn ways_of_talking_to_one_target_have_its_address_and_host() {
        let given = |address: &str, target: &str, launched: bool| {
            let mut contender = contender(address, Reuse::Always, Arrivals::Closed);
            contender.target = target.to_owned();
            contender.launch = if launched { vec!["start".to_owned()] } else { Vec::new() };
            contender
        };
        let all = [
            given("127.0.0.1:80", "http://a.test:80/", false),
            given("127.0.0.1:81", "http://a.test:81/", false),
            given("127.0.0.1:80", "http://a.test:80/page?k=…", false),
            // Another host behind the same address may be another target.
            given("127.0.0.1:80", "http://b.test:80/", false),
            given("/run/x.sock", "http+unix://%2Frun%2Fx.sock/", false),
            given("/run/x.sock", "http+unix://%2Frun%2Fx.sock/page", false),
            given("127.0.0.1:0", "http://127.0.0.1:{port}/", true),
            given("127.0.0.1:0", "http://127.0.0.1:{port}/", true),
        ];
        assert_eq!(one_target(&all, 8), [vec![0, 2], vec![4, 5]]);
        // At two load points, launched targets are the same ones, too.
        assert_eq!(one_target(&all[6..], 1), [vec![0, 1]]);
        let twice = [&all[6..], &all[6..]].concat();
        assert_eq!(one_target(&twice, 2), [vec![0, 2], vec![1, 3]]);
        let title =
            |contender: &Contender| PROTOCOLS.of_recorded(&contender.target).map(|row| row.title);
        assert_eq!((title(&all[0]), title(&all[4])), (Some("HTTP"), Some("HTTP")));
    }

    #[test]
    fn a_target_on_other_cores_shares_none() {
        // tiebreak itself is confined to one core.
        let confined = Cores { allowed: vec![1], generator: vec![1], ..Cores::default() };
        for (target, shares) in [(&[0][..], false), (&[1], true), (&[0, 1], false), (&[], true)] {
            let contender =
                ContenderQuestion { target_cores: target.to_vec(), ..ContenderQuestion::default() };
            assert_eq!(has_only_our_cores(&contender, &confined), shares, "{target:?}");
            let elsewhere = ContenderQuestion { machine: 1, ..contender };
            assert!(!has_only_our_cores(&elsewhere, &confined), "another machine has other cores");
        }
    }

    #[test]
    fn replies_that_may_be_without_a_body() {
        assert!(!bodiless(&request("GET", &[])));
        assert!(bodiless(&request("GET", &[204, 304])));
        assert!(!bodiless(&request("GET", &[200, 304])));
        assert!(bodiless(&request("HEAD", &[200, 304])));
        assert!(!bodiless(&request("PUT", &[])) && may_be_empty(&request("PUT", &[])));
        let mut meant = request("GET", &[]);
        assert!(!may_be_empty(&meant));
        if let RequestPlan::Request(request) = &mut meant {
            request.expect_empty = true;
        }
        assert!(may_be_empty(&meant));
        assert!(!bodiless(&RequestPlan::Program));
    }
}
