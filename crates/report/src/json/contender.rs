//! One contender's part of the report.

use super::figures::{Figure, OutcomesData, Round, Times, outcomes, round, times};
use super::groups::{self, GroupData};
use super::kinds::{self, KindData};
use super::seconds;
use super::store::StoreData;
use crate::{View, words::costs};
use judge::verdict::{AgentSummary, ContenderSummary, RequestSummary, Sent, WarmUps, WatchSummary};
use record::{Fact, Histogram, Programs, seen::Connections};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;

#[derive(Serialize)]
pub(super) struct ContenderData<'a> {
    name: &'a str,
    target: Option<&'a str>,
    operations: u64,
    sent: Sent,
    #[serde(skip_serializing_if = "Option::is_none")]
    warm_ups: Option<WarmUpsData>,
    unsent: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    unsent_times: Option<u64>,
    burn_in_excluded: u64,
    latency_samples: u64,
    without_latency: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    read_at_rest: Option<u64>,
    metrics: Metrics<'a>,
    kinds: Vec<KindData>,
    groups: Vec<GroupData<'a>>,
    requests: Vec<RequestData<'a>>,
    outcomes: OutcomesData,
    codes: &'a BTreeMap<u16, u64>,
    connections: &'a Connections,
    generator_idle: Option<f64>,
    target_cost: TargetCost<'a>,
    store: Option<StoreData<'a>>,
    rounds: Vec<Round>,
    latency_curve: Vec<CurvePoint>,
    slices: Vec<SlicePoint>,
    histogram: Option<&'a Histogram>,
    #[serde(skip_serializing_if = "<[AgentSummary]>::is_empty")]
    agents: &'a [AgentSummary],
}

#[derive(Serialize)]
struct Metrics<'a> {
    throughput: Figure,
    response_time: Times,
    service_time: Times,
    send_lag: Times,
    connect_time: Times,
    tls_time: Times,
    first_byte_time: Times,
    #[serde(skip_serializing_if = "Times::is_unknown")]
    acquire_time: Times,
    #[serde(skip_serializing_if = "Times::is_unknown")]
    log_in_time: Times,
    upgrade_time: Times,
    #[serde(skip_serializing_if = "Times::is_unknown")]
    prepare_time: Times,
    #[serde(skip_serializing_if = "Times::is_unknown")]
    fetch_time: Times,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    server_times: BTreeMap<&'a str, Times>,
    generator_cpu_per_operation: Figure,
    own_cpu_per_operation: Figure,
    own_cpu_measured_before: Figure,
    target_cpu_per_operation: Figure,
}

/// Not named `target`, which is its URL.
#[derive(Serialize)]
struct TargetCost<'a> {
    cpu_source: Option<&'a str>,
    cpu_unavailable: Option<&'a str>,
    cpu_at_rest: Option<f64>,
    busy: Option<f64>,
    cores: &'a [u32],
    shares_process_with: &'a [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    not_included: &'a [String],
    peak_memory_bytes: Option<u64>,
    memory_source: Option<&'a str>,
    launches: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    watch: Option<&'a WatchSummary>,
    runs: Option<Runs>,
    facts: &'a [Fact],
    #[serde(skip_serializing_if = "Option::is_none")]
    nodes: Option<NodeLists<'a>>,
}

/// The nodes of a target whose servers announce further ones.
#[derive(Serialize)]
struct NodeLists<'a> {
    driven: &'a [SocketAddr],
    not_dialled: &'a [SocketAddr],
}

/// Costs of whole programs, summed over the rounds.
#[derive(Serialize)]
struct Runs {
    count: u64,
    failed: u64,
    wall: f64,
    user: f64,
    system: f64,
    output_bytes: u64,
    left_behind: u64,
}

impl Runs {
    fn of(all: &Programs) -> Option<Runs> {
        let seconds = |ns: u64| ns as f64 / 1e9;
        (!all.is_empty()).then(|| Runs {
            count: all.runs,
            failed: all.failed,
            wall: seconds(all.wall_ns),
            user: seconds(all.user_ns),
            system: seconds(all.system_ns),
            output_bytes: all.output_bytes,
            left_behind: all.outlived,
        })
    }
}

/// A request in slices of its own.
#[derive(Serialize)]
struct RequestData<'a> {
    name: &'a str,
    operations: u64,
    throughput: Figure,
}

impl<'a> RequestData<'a> {
    fn of(of: &'a RequestSummary) -> Self {
        let throughput = Figure { value: of.throughput, unit: "1/s" };
        RequestData { name: &of.name, operations: of.operations, throughput }
    }
}

#[derive(Serialize)]
struct CurvePoint {
    share: f64,
    response_time: f64,
}

#[derive(Serialize)]
struct SlicePoint {
    start: f64,
    throughput: f64,
}

/// Warm-ups that were ended by a test, in seconds.
#[derive(Serialize)]
struct WarmUpsData {
    number: u32,
    first: f64,
    longest: f64,
    not_levelled: u32,
}

impl WarmUpsData {
    fn of(warm_ups: &WarmUps) -> Option<WarmUpsData> {
        (warm_ups.number > 0).then(|| WarmUpsData {
            number: warm_ups.number,
            first: seconds(warm_ups.first_ns),
            longest: seconds(warm_ups.longest_ns),
            not_levelled: warm_ups.cold,
        })
    }
}

impl<'a> ContenderData<'a> {
    pub(super) fn of(view: &View<'a>, of: &'a ContenderSummary) -> Self {
        let planned = view.plan().contenders.iter().find(|planned| planned.name == of.name);
        ContenderData {
            name: &of.name,
            target: planned.map(|planned| planned.target.as_str()),
            operations: of.operations,
            sent: of.sent,
            warm_ups: WarmUpsData::of(&of.warm_ups),
            unsent: of.unsent,
            unsent_times: Some(of.unsent_times).filter(|many| *many > 0),
            burn_in_excluded: of.burn_in_excluded,
            latency_samples: of.histogram.len(),
            without_latency: of.without_latency,
            read_at_rest: Some(of.read_at_rest).filter(|many| *many > 0),
            metrics: metrics(of),
            kinds: kinds::of(view, of, &of.kinds),
            groups: groups::of(view, of),
            requests: of.requests.iter().map(RequestData::of).collect(),
            outcomes: outcomes(&of.outcomes, view.code_names(of)),
            codes: &of.codes,
            connections: &of.connections,
            generator_idle: of.generator_idle,
            target_cost: target_cost(view, of),
            store: of.store.as_ref().map(StoreData::of),
            rounds: of.rounds.iter().map(round).collect(),
            latency_curve: of
                .latency_curve
                .iter()
                .map(|&(share, response_time)| CurvePoint { share, response_time })
                .collect(),
            slices: of
                .slices
                .iter()
                .map(|&(start, throughput)| SlicePoint { start, throughput })
                .collect(),
            histogram: (!of.histogram.is_empty()).then_some(&of.histogram),
            agents: &of.agents,
        }
    }
}

fn metrics(of: &ContenderSummary) -> Metrics<'_> {
    Metrics {
        throughput: Figure { value: of.throughput, unit: "1/s" },
        response_time: times(of.response_time),
        service_time: times(of.service_time),
        send_lag: times(of.send_lag),
        connect_time: times(of.connect_time),
        tls_time: times(of.tls_time),
        first_byte_time: times(of.first_byte_time),
        acquire_time: times(of.phases.acquire),
        log_in_time: times(of.phases.log_in),
        upgrade_time: times(of.phases.upgrade),
        prepare_time: times(of.phases.prepare),
        fetch_time: times(of.phases.fetch),
        server_times: of
            .phases
            .server
            .iter()
            .map(|(part, took)| (part.as_str(), times(*took)))
            .collect(),
        generator_cpu_per_operation: Figure { value: of.generator_cpu_per_operation, unit: "s" },
        own_cpu_per_operation: Figure { value: of.own_cpu_per_operation, unit: "s" },
        own_cpu_measured_before: Figure {
            value: of.own_cost_age_s.map(|seconds| seconds as f64),
            unit: "s",
        },
        target_cpu_per_operation: Figure { value: of.target.cpu_per_operation, unit: "s" },
    }
}

fn target_cost<'a>(view: &View<'a>, of: &'a ContenderSummary) -> TargetCost<'a> {
    let target = &of.target;
    TargetCost {
        cpu_source: target.cpu_source.as_deref(),
        cpu_unavailable: target.cpu_unavailable.as_deref(),
        cpu_at_rest: target.cpu_at_rest,
        busy: target.busy,
        cores: costs::cores(view, of),
        shares_process_with: &target.shares_process_with,
        not_included: &target.behind,
        peak_memory_bytes: target.peak_memory_bytes,
        memory_source: target.memory_source.as_deref().filter(|source| !source.is_empty()),
        launches: target.launches,
        watch: target.watch.as_ref(),
        runs: Runs::of(&target.programs),
        facts: &target.facts,
        nodes: target
            .nodes
            .as_ref()
            .map(|nodes| NodeLists { driven: &nodes.driven, not_dialled: &nodes.not_dialled }),
    }
}
