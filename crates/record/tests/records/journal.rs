//! Every event that a journal can hold reads back as it was written.

use proptest::prelude::*;
use record::{
    Address, AgentClock, AgentReady, AgentSeen, Arrivals, Case, CaseFigure, Cases, Consistency,
    Contender, ContenderQuestion, End, EndReason, Event, Fact, Failure, GroupQuestion, Header,
    Host, Intensity, Interleave, LaneOrder, LaneTask, LengthRule, LoadMethod, Loaded, Metric,
    Moments, Nodes, Objective, OnlyIn, Outcome, OwnCost, Pair, Percentile, Phase, PilotChoice,
    PilotSeen, Plan, ProgramRun, Question, Recorder, RequestPlan, RequestSettings, Reuse, Revision,
    Settled, ShardRule, Sharding, SingleRun, Skew, SliceStart, SqlProtocol, SqlSettings,
    StoreMoment, StoreReport, TargetDone, TargetReady, TrialRecord, WatchedSlice, WatcherReport,
    Withdrawn, Work, WorkTree, Workload, testing,
};

fn reads_back(event: &Event) {
    let line = serde_json::to_string(event).expect("serialisable");
    assert!(!line.contains('\n'), "one event is one line: {line}");
    let read: Event = serde_json::from_str(&line).expect("our own line");
    assert_eq!(&read, event, "{line}");
}

fn addresses() -> [Address; 4] {
    [
        Address::Tcp("127.0.0.1:8080".parse().expect("an address")),
        Address::Tcp("[::1]:443".parse().expect("an address")),
        Address::Unix("/run/a b/server.sock".to_owned()),
        Address::Nodes(
            ["127.0.0.1:9042", "127.0.0.2:9042"].map(|node| node.parse().expect("a node")).into(),
        ),
    ]
}

const REUSES: [Reuse; 3] = [Reuse::Always, Reuse::Never, Reuse::Times(100)];
const ARRIVALS: [Arrivals; 3] =
    [Arrivals::Closed, Arrivals::Constant(5000.0), Arrivals::Poisson(1.0 / 3.0)];
const PHASES: [Phase; 4] = [Phase::Ready, Phase::WarmUp, Phase::Pilot, Phase::Round];
const METRICS: [Metric; 4] =
    [Metric::Throughput, Metric::ResponseP50, Metric::ResponseP99, Metric::ResponseP999];

fn lane_order(i: usize) -> LaneOrder {
    LaneOrder {
        address: addresses()[i % 4].clone(),
        intensity: intensity(i),
        doing: record::LaneTask::Ask,
        reuse: REUSES[i % 3],
        timeout_ns: 30_000_000_000,
        burn_in_ns: 2_000_000,
        operations: (i % 2 == 1).then_some(u64::MAX),
        arrivals_seed: i as u32,
        groups: vec![intensity(i); i % 3],
    }
}

fn intensity(i: usize) -> Intensity {
    Intensity { connections: 64, depth: 1, arrivals: ARRIVALS[i % 3] }
}

/// Every kind of request to a contender.
fn asks() -> Vec<RequestPlan> {
    let request = RequestSettings {
        method: "POST".to_owned(),
        header_names: vec!["Accept".to_owned()],
        body_bytes: u64::MAX,
        expect: vec![200, 404],
        expect_empty: true,
    };
    let sql = SqlSettings {
        protocol: SqlProtocol::Prepared,
        table: Some("memory".to_owned()),
        reply_bytes: Some(u64::MAX),
        asks_own_server: true,
        library: "one socket to each node".to_owned(),
        repeats: 10,
    };
    let skew = Skew { hottest: 0.1 + 0.2, top_1_percent: 0.3, top_10_percent: 1.0 / 3.0 };
    let work = |skew| Work { workload: workload(), skew };
    vec![
        RequestPlan::Request(request.clone()),
        RequestPlan::Requests { request, work: work(None) },
        RequestPlan::Store(work(Some(skew))),
        RequestPlan::Statement { statement: "SELECT 'é'".to_owned(), sql: sql.clone() },
        RequestPlan::Database { sql, work: work(Some(skew)) },
        RequestPlan::Files(work(None)),
        RequestPlan::Program,
    ]
}

fn workload() -> Workload {
    let workload = r#"{"prefix":"p:","keys":9,"distribution":{"zipf":0.3},"hot":1.0,
        "value":{"fixed":32},"compressible":false,"mix":[{"kind":"get","weight":0.1}],
        "verify":"all"}"#;
    serde_json::from_str(workload).expect("a workload")
}

fn contender(i: usize) -> Contender {
    Contender {
        name: format!("näme \"{i}\"\n"),
        target: "http://localhost/?q=…".to_owned(),
        address: addresses()[i % 4].clone(),
        watch: (i == 1).then(|| ([10, 0, 0, 5], 9310).into()),
        intensity: intensity(i),
        reuse: REUSES[i % 3],
        asks: asks().swap_remove(i),
        tls: (i == 1).then(|| "verified".to_owned()),
        consistency: (i == 1).then_some(Consistency::LocalQuorum),
        replication: (i == 1).then_some(3),
        sharding: (i == 1).then_some(Sharding {
            servers: 3,
            rule: ShardRule::Ketama,
            failover: true,
        }),
        revision: (i == 1).then(|| Revision {
            id: "3f2a1c9".repeat(5),
            short: "3f2a1c9".to_owned(),
            subject: "A subject".to_owned(),
            author: "Än Author".to_owned(),
            authored: "2026-11-28T10:00:00+01:00".to_owned(),
            work_tree: Some(WorkTree { changed_files: 2, untracked_files: 1 }),
            rebuilds: 3,
        }),
        ..testing::contender("")
    }
}

fn question() -> Question {
    Question {
        contenders: vec![
            ContenderQuestion { cpu_in_sight: true, ..ContenderQuestion::named("a") },
            ContenderQuestion {
                protocol: "HTTP".to_owned(),
                target_cores: vec![0, 1],
                bodiless: true,
                may_be_empty: true,
                port_limit: Some(14_115.5),
                ..ContenderQuestion::named("b")
            },
        ],
        primary: METRICS[0],
        secondary: METRICS[1..].to_vec(),
        groups: vec![GroupQuestion { name: "readers".to_owned(), metrics: METRICS.to_vec() }],
        requests: vec!["home".to_owned()],
        is_ranked: true,
        control: Some(Pair { a: 0, b: 1 }),
        load_points: vec!["rate-5".to_owned()],
        blocks: vec![vec![0, 1], vec![1]],
        objectives: vec![Objective::ResponseTime {
            percentile: Percentile::P99,
            limit_ns: 5_000_000,
        }],
        pairs: vec![Pair { a: 0, b: 1 }],
        expect_different: true,
        workers: 2,
        ..testing::question(&[], 10)
    }
}

fn header(interleave: Interleave) -> Header {
    let plan = Plan {
        seed: u64::MAX,
        interleave,
        slice_ns: Some(50_000_000),
        longest_warm_up_ns: 5_000_000_000,
        pilot_ns: 200_000_000,
        agents: 4,
        question: question(),
        host: Host { client_ports: (32_768, 60_999), ..Host::default() },
        ..testing::plan((0..asks().len()).map(contender).collect(), 10)
    };
    Header {
        plan_hash: "0123abcd".to_owned(),
        started: "2026-11-22T00:00:00Z".to_owned(),
        ..testing::header(plan)
    }
}

fn trial(i: usize) -> TrialRecord {
    let mut recorder = Recorder::new();
    recorder.begin_slice(&SliceStart {
        index: 3,
        after: (i != 1).then_some(1),
        engine_started: 0,
        starts: 1000,
        sends_until: 1000 + 150_000_000 * (1 + i as u64),
        burn_in_ns: 0,
    });
    let at = Moments { due: 2000, could: 2100, sent: 2200, asked: 2300, began: 9000, done: 9999 };
    recorder.replied(&at, 200, Outcome::Ok, 87);
    recorder.replied(&at, 404, Outcome::Unexpected, 0);
    recorder.digest(u64::MAX);
    recorder.given_up(Failure::Timeout, &at, true);
    Failure::ALL.iter().for_each(|failure| recorder.failed(*failure, 9999, false));
    if i == 3 {
        recorder.program(&program());
        recorder.program(&ProgramRun { failure: Some(Failure::Exit), ..program() });
    }
    recorder.slice_mut().target_cpu_ns = vec![Some(1), None];
    let watched = WatchedSlice { from_ns: 1, until_ns: 2, asked_ns: [3, 4], steal_ns: Some(5) };
    recorder.slice_mut().watched = vec![Some(watched), None];
    recorder.end_slice();
    TrialRecord {
        phase: PHASES[i % 4],
        round: i as u32,
        contender: 1,
        lane_order: lane_order(i),
        seen: recorder.take(),
        cut_short: i % 2 == 1,
        levelled: None,
        agents: vec![AgentSeen { rank: 1, operations: 7, ..AgentSeen::default() }; i % 3],
    }
}

fn program() -> ProgramRun {
    ProgramRun {
        operations: 100_000,
        wall_ns: 250_000_000,
        user_ns: 200_000_000,
        system_ns: 30_000_000,
        peak_memory_bytes: 48 << 20,
        output_bytes: 12,
        output_digest: u64::MAX - 1,
        outlived: 1,
        failure: None,
        figures: vec![CaseFigure {
            case: "päge \"1\"\n".to_owned(),
            value: 0.1 + 0.2,
            unit: "MB/s".to_owned(),
            larger_is_better: true,
        }],
    }
}

#[test]
fn only_trials_of_programs_hold_programs() {
    for i in 0..4 {
        let line = serde_json::to_string(&trial(i)).expect("serialisable");
        assert_eq!(line.contains("\"programs\""), i == 3, "{line}");
    }
    let programs = trial(3).seen.programs;
    assert_eq!((programs.runs, programs.failed, programs.outputs.total()), (2, 1, 1));
    assert_eq!((programs.wall_ns, programs.peak_memory_bytes), (500_000_000, 48 << 20));
}

#[test]
fn headers_read_back() {
    for interleave in [Interleave::Auto, Interleave::Slices, Interleave::Turns] {
        reads_back(&Event::Header(Box::new(header(interleave))));
    }
}

#[test]
fn choices_of_the_pilot_read_back() {
    reads_back(&Event::Pilot(PilotChoice {
        looks: vec![record::InterimLook { replicates: 8, level: 0.01 }],
        rounds: Some(58),
        run_length: Some("-benchtime".to_owned()),
        load_points_apart: true,
        load_point_orders: vec![vec![1, 0], vec![0, 1]],
        interleave: Interleave::Turns,
        burn_in_ns: vec![2_000_000, 0],
        why: vec!["p99 of b".to_owned()],
        saw: vec![PilotSeen {
            throughput: 0.1 + 0.2,
            generator_idle: 0.07,
            ..PilotSeen::default()
        }],
        ..testing::pilot(2, 2_500_000_000, 2_500_000_000)
    }));
}

#[test]
fn a_second_stage_reads_back() {
    let stage = record::SecondStage { replicates: 39, deviation: 0.1 + 0.2, sees: 0.0199 };
    reads_back(&Event::SecondStage(stage));
    for length in [LengthRule::See(0.02), LengthRule::WithinNs(120_000_000_000)] {
        let mut header = header(Interleave::Auto);
        header.plan.question.length = length;
        header.words = vec!["compare".to_owned(), "a=http://127.0.0.1:1/".to_owned()];
        reads_back(&Event::Header(Box::new(header)));
    }
}

fn nodes() -> Nodes {
    let mut nodes = Nodes::default();
    nodes.drives(([127, 0, 0, 1], 9042).into());
    nodes.refuses(([203, 0, 113, 7], 9042).into());
    nodes
}

#[test]
fn events_of_targets_read_back() {
    let fact = |line: Option<&str>| Fact {
        command: "server --version".to_owned(),
        line: line.map(str::to_owned),
    };
    for facts in [Vec::new(), vec![fact(None), fact(Some("1.0 \u{202e}"))]] {
        reads_back(&Event::Target(TargetReady {
            contender: 1,
            launch: 3,
            cpu_source: Some("cgroup_v2".to_owned()),
            watched: Some("process 4711 (nginx)".into()),
            facts,
            nodes: Some(nodes()),
            ready_requests: 2,
            ..TargetReady::default()
        }));
    }
    for peak_memory_bytes in [None, Some(u64::MAX)] {
        let memory_source = peak_memory_bytes.map_or(String::new(), |_| "processes".to_owned());
        let log_troubles = peak_memory_bytes.map_or(Vec::new(), |_| vec!["a link".to_owned()]);
        let done = TargetDone {
            peak_memory_bytes,
            memory_source,
            log_troubles,
            lost_nodes: vec!["`node3` ended".to_owned()],
            watched: peak_memory_bytes.map(|_| WatcherReport {
                lost: Some("the connection was closed".to_owned()),
                over_ns: 5,
                steal_ns: Some(4),
                load_milli: Some(1500),
                questions: 3,
                median_ns: 2,
                longest_ns: 1,
            }),
            ..TargetDone::default()
        };
        reads_back(&Event::TargetDone(done));
    }
}

#[test]
fn a_cost_that_an_earlier_run_measured_reads_back() {
    let cpu_per_operation_ns = 4999.875;
    reads_back(&Event::OwnCost(OwnCost { contender: 1, cpu_per_operation_ns, age_s: 86_399 }));
}

#[test]
fn agents_and_their_clocks_read_back() {
    let machine = "a processor, Linux 6.1".to_owned();
    for clock in [String::new(), "chrony".to_owned()] {
        let agent = AgentReady { rank: 1, workers: 2, machine: machine.clone(), clock };
        reads_back(&Event::Agents(vec![AgentReady { rank: 2, ..agent.clone() }, agent]));
    }
    reads_back(&Event::Clocks(vec![AgentClock {
        rank: 1,
        offset_s: -31_536_000.000_000_5,
        drift_ppm: -12.5,
        bound_ns: 8000,
        round_trip_ns: 14_000,
        exchanges: 1000,
        late: 3,
    }]));
}

#[test]
fn results_of_an_articles_method_read_back() {
    let run = SingleRun {
        contender: 1,
        command: "ab -n 1000 {url}".to_owned(),
        figure: Some(5555.25),
        trouble: String::new(),
    };
    reads_back(&Event::SingleRun(run.clone()));
    let trouble = "it printed no number after `Requests per second:`".to_owned();
    reads_back(&Event::SingleRun(SingleRun { figure: None, trouble, ..run }));
}

#[test]
fn cases_read_back() {
    let case = |name: &str, unit: &str, larger_is_better| Case {
        name: name.to_owned(),
        unit: unit.to_owned(),
        larger_is_better,
    };
    let cases = Cases {
        compared: vec![case("päge \"1\"\n", "MB/s", true), case("parse", "", false)],
        only_in: vec![OnlyIn { contender: 1, cases: vec!["new".to_owned()] }],
        left_out: vec!["long".to_owned()],
        replicates: 14,
    };
    reads_back(&Event::Cases(Box::new(cases)));
    let figure = program().figures.swap_remove(0);
    assert_eq!(trial(3).seen.programs.figures, [figure], "those of a run that failed do not count");
}

#[test]
fn who_left_a_ranking_reads_back() {
    let why = "it was killed by signal 9".to_owned();
    let withdrawn = Withdrawn { contender: 3, launch: 2, round: 7, why };
    reads_back(&Event::Withdrawn(withdrawn.clone()));
    reads_back(&Event::Withdrawn(Withdrawn { launch: 0, round: 0, ..withdrawn }));
}

#[test]
fn events_of_stores_read_back() {
    for when in [StoreMoment::LoadBegins, StoreMoment::RoundsEnd] {
        let known = StoreReport {
            contender: 1,
            launch: 2,
            when,
            items: Some(u64::MAX),
            bytes: Some(1),
            evictions: Some(0),
            server: Some(0),
            durable: Some(true),
            unreachable: None,
        };
        reads_back(&Event::Store(known.clone()));
        let unreachable = Some("it did not answer".to_owned());
        reads_back(&Event::Store(StoreReport { items: None, server: None, unreachable, ..known }));
    }
    let why = || "it does not tell".to_owned();
    for (how, settled) in [
        (LoadMethod::Found, None),
        (LoadMethod::Resumed, Some(Settled::Compactions { left: 2, nodes: 3, took_ns: 6 })),
        (LoadMethod::Written, Some(Settled::Unseen { why: why() })),
        (
            LoadMethod::Written,
            Some(Settled::Cpu { why: why(), permille: 4, limit: 60, took_ns: 6 }),
        ),
    ] {
        let (why, ended_at) =
            ((how != LoadMethod::Found).then(|| "it is dirty".to_owned()), Some(7));
        reads_back(&Event::Loaded(Loaded {
            contender: 0,
            launch: 0,
            how,
            why,
            keys: 10,
            are_columns: how == LoadMethod::Found,
            from: 3,
            written: 3,
            failed: 1,
            ended_at,
            took_ns: 5,
            settled,
        }));
    }
}

#[test]
fn a_load_reads_back_and_so_does_one_of_an_older_version() {
    let workload = r#"{"prefix":"p:","keys":9,"distribution":{"zipf":0.3},"hot":1.0,
        "value":{"fixed":32},"compressible":false,"mix":[{"kind":"get","weight":0.1}],
        "verify":"all"}"#;
    let old: LaneTask = serde_json::from_str(&format!(r#"{{"load":{workload}}}"#)).expect("a load");
    let LaneTask::Load(mut loading) = old else { panic!("a load: {old:?}") };
    assert_eq!((loading.from, loading.workload.keys), (0, 9));
    loading.from = 1 << 60;
    let line = serde_json::to_string(&LaneTask::Load(loading.clone())).expect("serialisable");
    let read: LaneTask = serde_json::from_str(&line).expect("our own line");
    assert_eq!(read, LaneTask::Load(loading), "{line}");
}

#[test]
fn what_is_asked_of_a_contender_is_either_of_http_or_of_a_database() {
    let requests: Vec<_> = asks()
        .iter()
        .map(|of| {
            let (request, sql) = (of.request().is_some(), of.sql().is_some());
            (request, sql, of.statement().is_some(), of.workload().is_some(), of.is_store())
        })
        .collect();
    let wanted = [
        (true, false, false, false, false),
        (true, false, false, true, false),
        (false, false, false, true, true),
        (false, true, true, false, false),
        (false, true, false, true, true),
        (false, false, false, true, true),
        (false, false, false, false, false),
    ];
    assert_eq!(requests, wanted);
}

#[test]
fn an_order_has_the_intensity_and_omits_a_depth_of_one() {
    let mut json = serde_json::to_value(lane_order(1)).expect("serialisable");
    assert_eq!((&json["connections"], &json["depth"]), (&64.into(), &1.into()));
    json.as_object_mut().expect("an object").remove("depth");
    assert_eq!(serde_json::from_value::<LaneOrder>(json).expect("an order"), lane_order(1));
}

#[test]
fn trials_read_back() {
    (0..4).for_each(|i| reads_back(&Event::Trial(Box::new(trial(i)))));
}

#[test]
fn ends_read_back() {
    let reasons =
        [EndReason::Complete, EndReason::Stopped, EndReason::TargetFailed, EndReason::Failed];
    for reason in reasons {
        for detail in ["", "connection refused \u{202e}"] {
            reads_back(&Event::End(End { reason, detail: detail.to_owned() }));
        }
    }
}

#[test]
fn fields_that_a_later_version_adds_are_ignored() {
    let line = r#"{"end":{"reason":"complete","later":{"x":[1]}}}"#;
    let read: Event = serde_json::from_str(line).expect("unknown fields are ignored");
    assert_eq!(read, Event::End(End { reason: EndReason::Complete, detail: String::new() }));
}

proptest! {
    /// Every bit of a figure survives, so that the report from a journal is the
    /// report of the run. Without serde_json's feature `float_roundtrip`
    /// some figures are read back with another last bit.
    #[test]
    fn figures_read_back_to_the_last_bit(
        rate in prop::num::f64::POSITIVE | prop::num::f64::NORMAL,
        idle in 0.0f64..1.0,
    ) {
        let saw = PilotSeen { throughput: rate, generator_idle: idle, ..PilotSeen::default() };
        let json = serde_json::to_string(&saw).expect("serialisable");
        let read: PilotSeen = serde_json::from_str(&json).expect("our own JSON");
        prop_assert_eq!(read.throughput.to_bits(), rate.to_bits());
        prop_assert_eq!(read.generator_idle.to_bits(), idle.to_bits());
    }
}
