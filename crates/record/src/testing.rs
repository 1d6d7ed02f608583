//! What tests of several crates are made from.

use crate::{
    Address, Arrivals, Contender, ContenderQuestion, Header, Host, Intensity, Interleave,
    LaneOrder, LengthRule, Metric, Pair, Phase, PilotChoice, Plan, Question, RequestPlan, Reuse,
    Seen, TrialRecord, journal::SCHEMA,
};

/// A contender of this name that runs a program, one operation at a time.
pub fn contender(name: &str) -> Contender {
    Contender {
        name: name.to_owned(),
        target: String::new(),
        revision: None,
        launch: Vec::new(),
        address: Address::Unix(String::new()),
        watch: None,
        asks: RequestPlan::Program,
        intensity: Intensity { connections: 1, depth: 1, arrivals: Arrivals::Closed },
        reuse: Reuse::Always,
        timeout_ns: 1,
        operations: None,
        tls: None,
        consistency: None,
        replication: None,
        sharding: None,
        groups: Vec::new(),
    }
}

/// A plan that compares these contenders in rounds of one second, without a warm-up.
pub fn plan(contenders: Vec<Contender>, rounds: u32) -> Plan {
    let names: Vec<&str> = contenders.iter().map(|of| of.name.as_str()).collect();
    Plan {
        command: "compare".to_owned(),
        question: question(&names, rounds),
        contenders,
        seed: 7,
        interleave: Interleave::Auto,
        slice_ns: None,
        round_ns: 1_000_000_000,
        rounds,
        warm_up_ns: 0,
        longest_warm_up_ns: 0,
        pilot_ns: 2_000_000_000,
        generator_cores: vec![1],
        agents: 0,
        sweep: None,
        requirements: Vec::new(),
        published: None,
        host: Host::default(),
    }
}

/// A trial that was driven to its end, by one process alone.
pub fn trial(
    phase: Phase,
    round: u32,
    contender: u32,
    lane_order: LaneOrder,
    seen: Seen,
) -> TrialRecord {
    let (cut_short, levelled, agents) = (false, None, Vec::new());
    TrialRecord { phase, round, contender, lane_order, seen, cut_short, levelled, agents }
}

/// The header of a journal of this plan.
pub fn header(plan: Plan) -> Header {
    Header {
        schema: SCHEMA.to_owned(),
        version: "0.1.0".to_owned(),
        plan_hash: String::new(),
        plan,
        started: String::new(),
        words: Vec::new(),
    }
}

/// A choice of slices of this length, of rounds of that length, without burn-in.
pub fn pilot(contenders: usize, slice_ns: u64, round_ns: u64) -> PilotChoice {
    PilotChoice {
        interleave: Interleave::Slices,
        slice_ns,
        round_ns,
        burn_in_ns: vec![0; contenders],
        ..PilotChoice::default()
    }
}

/// The question whether any of these contenders differs in throughput from the first one, in rounds of one launch.
/// All metrics together have an error rate of 5 %, and a difference of 1 % matters.
pub fn question(names: &[&str], rounds: u32) -> Question {
    Question {
        contenders: names.iter().map(|name| ContenderQuestion::named(name)).collect(),
        primary: Metric::Throughput,
        secondary: vec![Metric::ResponseP50, Metric::ResponseP99],
        groups: Vec::new(),
        requests: Vec::new(),
        is_ranked: false,
        is_suite: false,
        control: None,
        load_points: Vec::new(),
        blocks: Vec::new(),
        objectives: Vec::new(),
        pairs: (1..).zip(names.iter().skip(1)).map(|(b, _)| Pair { a: 0, b }).collect(),
        alpha: 0.05,
        matters: 0.01,
        rounds,
        restarts: 0,
        dear: None,
        interim_looks: Vec::new(),
        length: LengthRule::Fixed,
        sharing: Vec::new(),
        generator_cores: Vec::new(),
        allowed_cores: Vec::new(),
        one_target: Vec::new(),
        expect_different: false,
        shares_core: false,
        workers: 1,
    }
}
