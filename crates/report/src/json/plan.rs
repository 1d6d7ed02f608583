//! The plan's part of the report: what was requested, in seconds, and what the pilot chose.

use super::{groups, seconds};
use crate::{View, words};
use record::{
    Consistency, Contender, Interleave, Metric, PilotChoice, Question, Reuse, Sharding, Skew,
};
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct PlanData<'a> {
    hash: &'a str,
    seed: u64,
    command: &'a str,
    contenders: Vec<ContenderOrder<'a>>,
    interleave: Interleave,
    slice: Option<f64>,
    round: f64,
    rounds: u32,
    restarts: u32,
    interim_looks: &'a [u32],
    requirements: &'a [String],
    warm_up: f64,
    generator_cores: &'a [u32],
    question: QuestionData<'a>,
    pilot: Option<Pilot<'a>>,
}

/// One contender as requested.
#[derive(Serialize)]
struct ContenderOrder<'a> {
    name: &'a str,
    target: &'a str,
    launch: &'a [String],
    address: String,
    connections: u32,
    depth: u32,
    workload: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    database: Option<String>,
    skew: Option<Skew>,
    reuse: ReuseData,
    arrivals: &'static str,
    rate: Option<f64>,
    groups: Vec<groups::GroupOrder<'a>>,
    timeout: f64,
    operations: Option<u64>,
    method: Option<&'a str>,
    header_names: &'a [String],
    body_bytes: u64,
    expect: &'a [u16],
    #[serde(skip_serializing_if = "Option::is_none")]
    messages: Option<MessagesData>,
    tls: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    consistency: Option<Consistency>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replication: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sharding: Option<Sharding>,
    cpu_in_sight: Option<bool>,
    port_limit: Option<f64>,
}

#[derive(Serialize)]
struct MessagesData {
    kind: &'static str,
    bytes: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    members: Option<u32>,
}

/// As users write it: `always`, `never` or a number of operations; or the pool.
#[derive(Serialize)]
#[serde(untagged)]
enum ReuseData {
    Word(&'static str),
    Times(u32),
    Pool { pool: PoolData },
}

#[derive(Serialize)]
struct PoolData {
    max: u32,
    wait: f64,
    maintenance: record::Maintenance,
}

#[derive(Serialize)]
struct QuestionData<'a> {
    primary: &'static str,
    secondary: Vec<&'static str>,
    groups: Vec<GroupQuestionData<'a>>,
    requests: &'a [String],
    pairs: Vec<PairData<'a>>,
    alpha: f64,
    matters: f64,
    expect_different: bool,
    shares_core: bool,
}

#[derive(Serialize)]
struct GroupQuestionData<'a> {
    name: &'a str,
    metrics: Vec<&'static str>,
}

#[derive(Serialize)]
struct PairData<'a> {
    a: &'a str,
    b: &'a str,
}

#[derive(Serialize)]
struct Pilot<'a> {
    interleave: Interleave,
    slice: f64,
    round: f64,
    why: &'a [String],
    contenders: Vec<PilotFigures<'a>>,
}

#[derive(Serialize)]
struct PilotFigures<'a> {
    name: &'a str,
    burn_in: Option<f64>,
    throughput: f64,
    p50: f64,
    p99: f64,
    generator_idle: f64,
    cpu_at_rest: Option<f64>,
}

impl<'a> PlanData<'a> {
    pub(super) fn of(view: &View<'a>) -> Self {
        let plan = view.plan();
        let question = &plan.question;
        let numbered = plan.contenders.iter().enumerate();
        PlanData {
            hash: &view.header.plan_hash,
            seed: plan.seed,
            command: &plan.command,
            contenders: numbered.map(|(n, of)| ContenderOrder::of(of, n, question)).collect(),
            interleave: plan.interleave,
            slice: plan.slice_ns.map(seconds),
            round: seconds(plan.round_ns),
            rounds: plan.rounds,
            restarts: question.restarts,
            interim_looks: &question.interim_looks,
            requirements: &plan.requirements,
            warm_up: seconds(plan.warm_up_ns),
            generator_cores: &plan.generator_cores,
            question: QuestionData::of(question),
            pilot: view.pilot.map(|pilot| Pilot::of(pilot, question)),
        }
    }
}

impl<'a> ContenderOrder<'a> {
    fn of(of: &'a Contender, number: usize, question: &Question) -> Self {
        let (request, workload) = (of.asks.request(), of.asks.workload());
        let known = question.contenders.get(number);
        ContenderOrder {
            name: &of.name,
            target: &of.target,
            launch: &of.launch,
            address: of.address.to_string(),
            connections: of.intensity.connections,
            depth: of.intensity.depth,
            workload: workload.map(|workload| words::workload(workload, of.intensity.depth)),
            database: words::database(&of.asks),
            skew: of.asks.skew().copied(),
            reuse: match of.reuse {
                Reuse::Always => ReuseData::Word("always"),
                Reuse::Never => ReuseData::Word("never"),
                Reuse::Times(n) => ReuseData::Times(n),
                Reuse::Pool(pool) => {
                    let (max, wait, maintenance) =
                        (pool.max, seconds(pool.wait_ns), pool.maintenance);
                    ReuseData::Pool { pool: PoolData { max, wait, maintenance } }
                }
            },
            arrivals: groups::arrivals(of.intensity.arrivals),
            rate: of.intensity.arrivals.rate(),
            groups: groups::orders(of),
            timeout: seconds(of.timeout_ns),
            operations: of.operations,
            method: request.map(|request| request.method.as_str()),
            header_names: of.asks.header_names(),
            body_bytes: request.map_or(0, |request| request.body_bytes),
            expect: request.map_or(&[][..], |request| &request.expect),
            messages: of.asks.messages().map(|of| MessagesData {
                kind: of.kind.name(),
                bytes: of.bytes,
                members: of.members,
            }),
            tls: of.tls.as_deref(),
            consistency: of.consistency,
            replication: of.replication,
            sharding: of.sharding,
            cpu_in_sight: known.map(|known| known.cpu_in_sight),
            port_limit: known.and_then(|known| known.port_limit),
        }
    }
}

impl<'a> QuestionData<'a> {
    fn of(of: &'a Question) -> Self {
        let name = |number: u32| of.name_of(number);
        QuestionData {
            primary: of.primary.path(),
            secondary: paths(&of.secondary),
            groups: of.groups.iter().map(GroupQuestionData::of).collect(),
            requests: &of.requests,
            pairs: of.pairs.iter().map(|p| PairData { a: name(p.a), b: name(p.b) }).collect(),
            alpha: of.alpha,
            matters: of.matters,
            expect_different: of.expect_different,
            shares_core: of.shares_core,
        }
    }
}

impl<'a> GroupQuestionData<'a> {
    fn of(of: &'a record::GroupQuestion) -> Self {
        GroupQuestionData { name: &of.name, metrics: paths(&of.metrics) }
    }
}

fn paths(metrics: &[Metric]) -> Vec<&'static str> {
    metrics.iter().map(|metric| metric.path()).collect()
}

impl<'a> Pilot<'a> {
    fn of(of: &'a PilotChoice, question: &'a Question) -> Self {
        let saw = of.saw.iter().zip(&question.contenders).enumerate();
        Pilot {
            interleave: of.interleave,
            slice: seconds(of.slice_ns),
            round: seconds(of.round_ns),
            why: &of.why,
            contenders: saw
                .map(|(number, (saw, asked))| PilotFigures {
                    name: &asked.name,
                    burn_in: of.burn_in_ns.get(number).copied().map(seconds),
                    throughput: saw.throughput,
                    p50: seconds(saw.p50_ns),
                    p99: seconds(saw.p99_ns),
                    generator_idle: saw.generator_idle,
                    cpu_at_rest: saw.cpu_at_rest,
                })
                .collect(),
        }
    }
}
