//! Samples made by hand, to test the formatters with. Figures are invented but plausible.
//! Everything is computed from a seed, so all builds have the same samples.

mod agents;
mod capacities;
mod groups;
mod kinds;
mod launches;
mod ranked;
mod requests;
mod stores;
mod suites;
mod sweeps;

use super::View;
use judge::audit::RULES;
use judge::growth::Growth;
use judge::verdict::{
    Bearing, Checked, Comparison, ContenderSummary, Finding, GateSummary, Quantiles,
    RequirementStatus, Scope, Sent, TargetSummary, WatchSummary, Weight, Word,
};
use judge::verdict::{LoadPoint, Ranking, Suite};
use record::{
    Address, Arrivals, Contender, End, EndReason, Fact, Failure, Header, Histogram, Host,
    Intensity, Metric, Nodes, Outcomes, PilotChoice, PilotSeen, Plan, Programs, Published,
    RequestPlan, RequestSettings, Reuse, SingleRun, seen::Connections,
};

pub(super) use agents::agents;
pub(super) use capacities::{capacities_without_ratios, capacity_alone};
pub(super) use groups::groups;
pub(super) use kinds::kinds;
pub(super) use launches::{launched, looks, required, restarts};
pub(super) use ranked::ranked;
pub(super) use requests::requests;
pub(super) use stores::stores;
pub(super) use suites::{large_suite, large_suite_of, suite, suite_void};

/// The data that a [`View`] borrows.
#[derive(Clone)]
pub(super) struct Parts {
    pub(super) header: Header,
    pub(super) pilot: Option<PilotChoice>,
    pub(super) end: Option<End>,
    pub(super) contenders: Vec<ContenderSummary>,
    pub(super) comparisons: Vec<Comparison>,
    pub(super) findings: Vec<Finding>,
    pub(super) complete_rounds: u32,
    pub(super) gate: Option<GateSummary>,
    pub(super) scope: Scope,
    pub(super) ranking: Option<Ranking>,
    pub(super) run: String,
    pub(super) journal_note: Option<String>,
    pub(super) checked: Vec<Checked>,
    pub(super) growth: Option<Growth>,
    pub(super) load_points: Vec<LoadPoint>,
    pub(super) suite: Option<Suite>,
    pub(super) single_runs: Vec<SingleRun>,
}

impl Parts {
    pub(super) fn view(&self) -> View<'_> {
        View {
            header: &self.header,
            pilot: self.pilot.as_ref(),
            end: self.end.as_ref(),
            contenders: &self.contenders,
            comparisons: &self.comparisons,
            findings: &self.findings,
            void: match self.load_points.as_slice() {
                [] => self.findings.iter().any(|finding| finding.weight == Weight::Void),
                points => points.iter().all(LoadPoint::void),
            },
            complete_rounds: self.complete_rounds,
            rules_checked: 19,
            gate: self.gate.as_ref(),
            scope: self.scope,
            ranking: self.ranking.as_ref(),
            run: &self.run,
            journal_note: self.journal_note.as_deref(),
            checked: &self.checked,
            growth: self.growth.as_ref(),
            load_points: &self.load_points,
            suite: self.suite.as_ref(),
            single_runs: &self.single_runs,
        }
    }
}

/// All samples, by name.
pub(super) fn all() -> Vec<(&'static str, Parts)> {
    vec![
        ("faster", faster()),
        ("equivalent", equivalent()),
        ("undecided", undecided()),
        ("void", void()),
        ("run", run()),
        ("five", five()),
        ("twelve", twelve()),
        ("empty", empty()),
        ("crowded", crowded(false)),
        ("crowded-void", crowded(true)),
        ("launched", launched()),
        ("restarts", restarts()),
        ("looks", looks()),
        ("required", required()),
        ("stores", stores()),
        ("kinds", kinds()),
        ("groups", groups()),
        ("requests", requests()),
        ("ranked", ranked()),
        ("suite", suite()),
        ("suite-void", suite_void()),
        ("capacities", capacities::capacities()),
        ("capacities-without-ratios", capacities_without_ratios()),
        ("capacity-alone", capacity_alone()),
        ("agents", agents()),
        ("published", published()),
        ("loads", sweeps::loads()),
        ("loads-noisy", sweeps::loads_noisy()),
        ("loads-rates", sweeps::loads_rates()),
        ("sweep", sweeps::sweep()),
        ("sweep-value", sweeps::sweep_value()),
        ("sweep-hostile", sweeps::sweep_hostile()),
        ("hostile", hostile()),
    ]
}

/// Two contenders, closed loop, a clear answer and one caution.
pub(super) fn faster() -> Parts {
    let mut parts = compare(&[("old", 23_400.0), ("new", 30_700.0)], 10);
    let ratios = [1.29, 1.33, 1.31, 1.36, 1.30, 1.27, 1.32, 1.31, 1.34, 1.28];
    parts.comparisons = vec![
        comparison("old", "new", Word::Faster, (1.314, 1.271, 1.358), &ratios),
        second(Metric::ResponseP50, Word::Faster, (0.762, 0.741, 0.779)),
        second(Metric::ResponseP99, Word::Faster, (0.76, 0.71, 0.81)),
    ];
    parts.findings = vec![finding(
        "one_launch",
        Weight::Caution,
        Some("new"),
        "from one launch of each: throughput 1.314x of new to old",
        "Servers settle differently at each start; restart them and run again.",
    )];
    parts
}

/// A published experiment, whose method could not be run on one contender.
pub(super) fn published() -> Parts {
    let mut parts = faster();
    parts.header.plan.published = Some(Published {
        question: "Which of two servers answers a page of 87 bytes faster?".into(),
        article:
            "A journal, 2012: 1000 requests over 500 connections, one run each, of 0.9 to 2.4 s."
                .into(),
        unit: "requests/s".into(),
        figures: [("old".to_owned(), 5555.0), ("new".to_owned(), 5207.5)].into(),
        scale: Some("full".into()),
    });
    let run = |contender, figure, trouble: &str| SingleRun {
        contender,
        command: "ab -n 1000 -c 500 {url}".into(),
        figure,
        trouble: trouble.into(),
    };
    parts.single_runs =
        vec![run(0, Some(21_345.6), ""), run(1, None, "it printed no `Requests per second:`")];
    parts
}

/// Two contenders that are equivalent.
pub(super) fn equivalent() -> Parts {
    let mut parts = compare(&[("a", 23_400.0), ("b", 23_440.0)], 10);
    let ratios = [1.001, 1.004, 0.999, 1.002, 1.0, 1.005, 0.998, 1.003, 1.002, 1.001];
    parts.comparisons = vec![
        comparison("a", "b", Word::Equivalent, (1.0015, 0.9992, 1.0034), &ratios),
        Comparison {
            a: "a".into(),
            b: "b".into(),
            ..second(Metric::ResponseP99, Word::Undecided, (1.01, 0.97, 1.06))
        },
    ];
    parts
}

/// Open loop; the interval is too wide, and a longer run would decide.
pub(super) fn undecided() -> Parts {
    let mut parts = compare(&[("keep", 5000.0), ("fresh", 5000.0)], 10);
    for contender in &mut parts.header.plan.contenders {
        contender.intensity.arrivals = Arrivals::Poisson(5000.0);
    }
    parts.header.plan.contenders[1].reuse = Reuse::Never;
    parts.header.plan.question.primary = Metric::ResponseP99;
    let ratios = [1.08, 0.94, 1.02, 1.11, 0.97, 1.04, 0.99, 1.07, 1.03, 0.96];
    let primary = Comparison {
        metric: Metric::ResponseP99,
        because: vec![
            "keep: the standard error of response_time.p99 within a round is 4.1 %, more than the \
             1 % that matters"
                .into(),
        ],
        fresh_rounds: Some((34, 71)),
        ..comparison("keep", "fresh", Word::Undecided, (1.02, 0.9951, 1.06), &ratios)
    };
    parts.comparisons = vec![primary];
    parts.findings = vec![
        finding(
            "autocorrelated_rounds",
            Weight::Caution,
            None,
            "the difference itself changed during the run; ratio of fresh to keep in the \
             first and in the last third of the rounds: response_time.p99 0.974x and 1.068x \
             (lag 1: 0.41). The verdict is about the average over this run",
            "Warm up longer (--warm-up 30s), or look for what a target keeps.",
        ),
        finding(
            "carry_over",
            Weight::Note,
            Some("fresh"),
            "The CPU of the target is not visible, so work that it does while it rests could not \
             be ruled out.",
            "Use --interleave turns to compare without it.",
        ),
    ];
    parts
}

/// The audit refuses: one contender answers 404.
pub(super) fn void() -> Parts {
    let mut parts = compare(&[("old", 23_400.0), ("new", 61_200.0)], 10);
    let outcomes = &mut parts.contenders[1].outcomes;
    outcomes.unexpected.insert(404, outcomes.ok - 3);
    outcomes.ok = 0;
    outcomes.failed.insert(Failure::Reset, 3);
    parts.contenders[1].codes = [(404, 611_997)].into();
    let ratios = [2.6, 2.62, 2.58, 2.61, 2.63, 2.6, 2.59, 2.62, 2.64, 2.6];
    parts.comparisons = vec![
        comparison("old", "new", Word::Void, (2.61, 2.59, 2.62), &ratios),
        second(Metric::ResponseP99, Word::Void, (0.38, 0.37, 0.39)),
    ];
    parts.findings = vec![
        finding(
            "non_success",
            Weight::Void,
            Some("new"),
            "611 997 of 612 000 operations were answered 404, 3 were reset. Error pages are short, \
             so they look fast.",
            "Check the URL, or name the codes that you expect with --expect.",
        ),
        finding(
            "shares_core",
            Weight::Caution,
            None,
            "The generator and the targets share core 1.",
            "Move the targets, or keep the generator off their cores with --cores.",
        ),
    ];
    let why = "the audit refused the run";
    parts.checked = vec![checked("throughput >= 1", RequirementStatus::Undetermined, why)];
    parts
}

/// One contender, nothing compared, stopped early.
pub(super) fn run() -> Parts {
    let mut parts = compare(&[("127.0.0.1:8080", 1000.0)], 1);
    let plan = &mut parts.header.plan;
    plan.command = "run".into();
    plan.round_ns = 10_000_000_000;
    plan.question.pairs.clear();
    plan.contenders[0].intensity.arrivals = Arrivals::Constant(1000.0);
    parts.pilot = None;
    parts.comparisons.clear();
    parts.contenders[0].sent.pilot = 0;
    parts.contenders[0].burn_in_excluded = 0;
    parts.end = Some(End { reason: EndReason::Stopped, detail: "SIGINT after 7.2 s".into() });
    parts
}

/// Five contenders, each against the first, each with a different verdict.
pub(super) fn five() -> Parts {
    let named = [
        ("nginx 1.22", 23_400.0),
        ("nginx 1.26", 24_900.0),
        ("node", 9_120.0),
        ("caddy", 17_300.0),
        ("h2o", 26_800.0),
    ];
    let mut parts = compare(&named, 20);
    let words = [
        ("nginx 1.26", Word::Faster, (1.064, 1.041, 1.083), false),
        ("node", Word::Slower, (0.389, 0.375, 0.401), false),
        ("caddy", Word::Slower, (0.741, 0.722, 0.759), false),
        ("h2o", Word::Undecided, (1.145, 0.985, 1.17), true),
    ];
    for (name, word, ratio, at_least) in words {
        let rounds: Vec<f64> = noise(20).map(|u| ratio.0 * (0.97 + 0.06 * u)).collect();
        let because = if at_least {
            vec!["the generator was the slower part for both, so nothing can be said".into()]
        } else {
            Vec::new()
        };
        let fresh_rounds = at_least.then_some((48, 90));
        let made = comparison(named[0].0, name, word, ratio, &rounds);
        parts.comparisons.push(Comparison { because, fresh_rounds, confidence: 0.9875, ..made });
    }
    for (name, word, ratio, _) in words {
        let made = second(Metric::ResponseP99, word, (1.0 / ratio.0, 1.0 / ratio.2, 1.0 / ratio.1));
        let names = (named[0].0.to_owned(), name.to_owned());
        parts.comparisons.push(Comparison { a: names.0, b: names.1, confidence: 0.99375, ..made });
    }
    parts.comparisons[0].at_least = true;
    parts
}

/// Twelve contenders with long names, all compared with the first; the ratios span two decades.
pub(super) fn twelve() -> Parts {
    let names: Vec<String> = (0..12)
        .map(|n| format!("http://127.0.0.1:{}/a/rather/long/path/variant-{n}", 8080 + n))
        .collect();
    let named: Vec<(&str, f64)> = names
        .iter()
        .enumerate()
        .map(|(n, name)| (name.as_str(), 40_000.0 / (n + 1) as f64))
        .collect();
    let mut parts = compare(&named, 80);
    for (n, name) in names.iter().enumerate().skip(1) {
        let ratio = 1.0 / (n + 1) as f64;
        let rounds: Vec<f64> = noise(80).map(|u| ratio * (0.95 + 0.1 * u)).collect();
        let bounds = (ratio, ratio * 0.98, ratio * 1.02);
        parts.comparisons.push(comparison(&names[0], name, Word::Slower, bounds, &rounds));
    }
    parts.findings = vec![finding(
        "one_launch",
        Weight::Caution,
        Some(&names[1]),
        "from one launch of each: throughput 0.500x",
        "Servers settle differently at each start; restart them and run again.",
    )];
    parts
}

/// The journal ends before a round is complete.
pub(super) fn empty() -> Parts {
    let mut parts = compare(&[("old", 0.0), ("new", 0.0)], 10);
    parts.complete_rounds = 0;
    parts.end = None;
    parts.pilot = None;
    parts.journal_note = Some("the last line (17) was torn and is left out".into());
    for contender in &mut parts.contenders {
        *contender = ContenderSummary { name: contender.name.clone(), ..Default::default() };
    }
    parts.comparisons = vec![Comparison {
        ratio: None,
        low: None,
        high: None,
        p: None,
        t_interval: None,
        interim_looks: None,
        charged: None,
        beyond_generator: None,
        client_share: None,
        replicates: 0,
        rounds: Vec::new(),
        ..comparison("old", "new", Word::Void, (1.0, 1.0, 1.0), &[])
    }];
    parts.findings = vec![finding(
        "interrupted",
        Weight::Void,
        None,
        "No round is complete.",
        "Run it again; what is there cannot be judged.",
    )];
    parts
}

/// Every rule objects to both contenders, and the verdict has reasons, too. Without `void`, no
/// finding is more than a caution.
pub(super) fn crowded(void: bool) -> Parts {
    let mut parts = required();
    // That rule looks at suites alone.
    for rule in RULES.iter().filter(|rule| rule.name != "control") {
        for name in ["old", "new"] {
            let weight = if void { rule.weight } else { rule.weight.min(Weight::Caution) };
            let made = finding(rule.name, weight, Some(name), rule.why, rule.remedy);
            parts.findings.push(Finding { figure: Some("12.3 %".into()), ..made });
        }
    }
    parts.findings.sort_by_key(|finding| std::cmp::Reverse(finding.weight));
    let primary = &mut parts.comparisons[0];
    primary.verdict = if void { Word::Void } else { Word::Undecided };
    primary.because = RULES[..5].iter().map(|rule| rule.why.to_owned()).collect();
    primary.fresh_rounds = Some((1593, 3437));
    parts
}

/// Text that no part of a report may interpret, pass on unescaped, or break at.
pub(super) const HOSTILE: &str =
    "</script><script>alert(1)</script>\"'&|@team[x](y)\u{202e}\u{1b}[31m\u{9b}2J\u{200b}";

/// Hostile text everywhere where text comes from a user, a file or a server.
pub(super) fn hostile() -> Parts {
    let (a, b) = (format!("a{HOSTILE}"), format!("שלום{HOSTILE}{}", "W".repeat(200)));
    let mut parts = compare(&[(&a, 23_400.0), (&b, 30_700.0)], 10);
    let bad = || HOSTILE.to_owned();
    parts.header.plan_hash = bad();
    parts.header.started = bad();
    parts.header.version = bad();
    let plan = &mut parts.header.plan;
    plan.command = bad();
    plan.host = Host { kernel: bad(), cpu: bad(), clock: bad(), ..plan.host.clone() };
    for contender in &mut plan.contenders {
        contender.target = bad();
        contender.address = Address::Unix(bad());
        contender.asks = RequestPlan::Request(RequestSettings {
            method: bad(),
            header_names: vec![bad()],
            body_bytes: 9,
            expect: Vec::new(),
            expect_empty: false,
        });
        contender.tls = Some(bad());
        contender.launch = vec![bad(), bad()];
    }
    plan.requirements = vec![bad()];
    for contender in &mut parts.contenders {
        contender.target = hostile_target();
    }
    parts.pilot.as_mut().expect("compare has one").why = vec![bad()];
    parts.end = Some(End { reason: EndReason::TargetFailed, detail: bad() });
    parts.run = bad();
    parts.journal_note = Some(bad());
    let ratios = [1.3, 1.31, 1.29];
    let mut made = comparison(&a, &b, Word::Faster, (1.3, 1.2, 1.4), &ratios);
    made.because = vec![bad()];
    parts.comparisons = vec![made];
    parts.findings = vec![
        finding(HOSTILE, Weight::Caution, Some(&b), HOSTILE, HOSTILE),
        finding(HOSTILE, Weight::Note, None, HOSTILE, HOSTILE),
    ];
    parts.checked = vec![Checked { a, b, ..checked(HOSTILE, RequirementStatus::NotMet, HOSTILE) }];
    parts
}

/// Hostile text in everything that a target or a keeper can report.
fn hostile_target() -> TargetSummary {
    let bad = || HOSTILE.to_owned();
    let line = |line| Fact { command: bad(), line };
    TargetSummary {
        cpu_source: Some(bad()),
        cpu_unavailable: Some(bad()),
        cpu_per_operation: Some(f64::NAN),
        cpu_at_rest: Some(7.0),
        busy: Some(1e-9),
        shares_process_with: vec![bad(), bad()],
        peak_memory_bytes: Some(u64::MAX),
        middle_peak_memory: Some(f64::NAN),
        memory_source: Some(bad()),
        launches: u32::MAX,
        launch_took: Some(f64::INFINITY),
        programs: Programs { runs: u64::MAX, ..Programs::default() },
        facts: vec![line(Some(bad())), line(Some("W".repeat(500))), line(None)],
        watch: Some(WatchSummary {
            what: bad(),
            lost_from: Some(u32::MAX),
            lost: Some(bad()),
            questions: u64::MAX,
            median: Some(f64::NAN),
            longest: Some(f64::INFINITY),
            stolen: Some(-1.0),
            load: Some(1e300),
        }),
        log_troubles: vec![bad()],
        lost_nodes: vec![bad()],
        nodes: Some(Nodes {
            driven: vec![([10, 0, 0, 1], 9042).into(), ([10, 0, 0, 2], 9042).into()],
            not_dialled: vec![([203, 0, 113, 7], 9042).into()],
        }),
        behind: vec![bad(), bad()],
    }
}

/// A requirement of new against old as it might have been checked.
fn checked(requirement: &str, status: RequirementStatus, why: &str) -> Checked {
    Checked {
        requirement: requirement.to_owned(),
        a: "old".to_owned(),
        b: "new".to_owned(),
        status,
        why: why.to_owned(),
    }
}

fn compare(named: &[(&str, f64)], rounds: u32) -> Parts {
    let named: Vec<(&str, f64)> = named.to_vec();
    Parts {
        header: Header {
            plan_hash: "5f3c9a1be07d4462".into(),
            started: "2026-03-01T09:30:00Z".into(),
            ..record::testing::header(plan(&named, rounds))
        },
        pilot: Some(pilot(&named)),
        end: Some(End { reason: EndReason::Complete, detail: String::new() }),
        contenders: named.iter().map(|(name, rate)| contender(name, *rate, rounds)).collect(),
        comparisons: Vec::new(),
        findings: Vec::new(),
        complete_rounds: rounds,
        gate: None,
        scope: Scope::Launches,
        ranking: None,
        run: "tiebreak-runs/20260301T093000Z-5f3c9a1b".into(),
        journal_note: None,
        checked: Vec::new(),
        growth: None,
        load_points: Vec::new(),
        suite: None,
        single_runs: Vec::new(),
    }
}

fn plan(named: &[(&str, f64)], rounds: u32) -> Plan {
    let contenders = (8080..).zip(named).map(|(port, (name, _))| asked(name, port)).collect();
    Plan {
        warm_up_ns: 1_000_000_000,
        host: Host {
            kernel: "Linux 6.1.0-18-amd64".into(),
            cpu: "AMD EPYC 7B13".into(),
            cores: vec![0, 1],
            memory_bytes: 25_276_514_304,
            clock: "tsc".into(),
            descriptors: 1_048_576,
            client_ports: (32_768, 60_999),
        },
        ..record::testing::plan(contenders, rounds)
    }
}

fn asked(name: &str, port: u16) -> Contender {
    Contender {
        target: format!("http://127.0.0.1:{port}/"),
        address: Address::Tcp(([127, 0, 0, 1], port).into()),
        intensity: Intensity { connections: 64, depth: 1, arrivals: Arrivals::Closed },
        timeout_ns: 30_000_000_000,
        asks: RequestPlan::Request(RequestSettings {
            method: "GET".into(),
            header_names: Vec::new(),
            body_bytes: 0,
            expect: Vec::new(),
            expect_empty: false,
        }),
        ..record::testing::contender(name)
    }
}

fn pilot(named: &[(&str, f64)]) -> PilotChoice {
    let seen = |(_, rate): &(&str, f64)| PilotSeen {
        throughput: *rate,
        p50_ns: 2_050_000,
        p99_ns: 4_100_000,
        generator_idle: 0.31,
        cpu_at_rest: None,
    };
    PilotChoice {
        burn_in_ns: vec![4_100_000; named.len()],
        why: vec![
            "20 × the p99 of old (4.10 ms) is 82 ms, more than 50 ms and 25 × its p50.".into(),
            "The generator was idle 31 % of its time, so the targets were the slower part.".into(),
        ],
        saw: named.iter().map(seen).collect(),
        ..record::testing::pilot(named.len(), 82_000_000, 1_000_000_000)
    }
}

fn contender(name: &str, rate: f64, rounds: u32) -> ContenderSummary {
    let operations = (rate * f64::from(rounds)) as u64;
    let histogram = histogram(64.0 / rate.max(1.0), 4000);
    let response_time = quantiles(&histogram);
    let outcomes = Outcomes { ok: operations, ..Outcomes::default() };
    ContenderSummary {
        name: name.to_owned(),
        operations,
        sent: Sent {
            ready: 1,
            load: 0,
            warm_up: rate as u64,
            pilot: 2 * rate as u64,
            operations,
            unfinished: 0,
        },
        burn_in_excluded: 4000,
        throughput: Some(rate),
        response_time,
        service_time: response_time,
        send_lag: Quantiles::default(),
        connect_time: Quantiles { p50: Some(41e-6), max: Some(182e-6), ..Quantiles::default() },
        first_byte_time: response_time,
        generator_cpu_per_operation: Some(4.13e-6),
        own_cpu_per_operation: Some(3.2e-6),
        generator_idle: Some(0.3125),
        outcomes,
        codes: [(200, operations)].into(),
        latency_curve: curve(&histogram),
        histogram,
        connections: Connections {
            requested: 64,
            established: 64,
            opened: 64,
            ..Connections::default()
        },
        slices: noise(12 * rounds.min(20) as usize)
            .enumerate()
            .map(|(at, u)| (3.0 + at as f64 * 0.164, rate * (0.96 + 0.08 * u)))
            .collect(),
        rounds: (1..=rounds)
            .zip(noise(rounds as usize))
            .map(|(round, u)| {
                (round, rate * (0.98 + 0.04 * u), response_time.p50, response_time.p99)
            })
            .collect(),
        ..ContenderSummary::default()
    }
}

fn comparison(a: &str, b: &str, word: Word, ratio: (f64, f64, f64), rounds: &[f64]) -> Comparison {
    Comparison {
        launch_of_a: true,
        launch_of_b: true,
        ratio: Some(ratio.0),
        low: Some(ratio.1),
        high: Some(ratio.2),
        replicates: rounds.len() as u32,
        p: Some(0.001953125),
        t_interval: Some((ratio.1 * 1.001, ratio.2 * 0.999)),
        verdict: word,
        rounds: (1..).zip(rounds.iter().copied()).collect(),
        ..Comparison::undecided(a, b, Metric::Throughput, 0.95)
    }
}

fn second(metric: Metric, word: Word, ratio: (f64, f64, f64)) -> Comparison {
    let rounds: Vec<f64> = noise(10).map(|u| ratio.0 * (0.97 + 0.06 * u)).collect();
    let made = comparison("old", "new", word, ratio, &rounds);
    Comparison { metric, primary: false, confidence: 0.975, ..made }
}

pub(super) fn finding(
    rule: &str,
    weight: Weight,
    of: Option<&str>,
    evidence: &str,
    remedy: &str,
) -> Finding {
    let known = RULES.iter().find(|known| known.name == rule);
    Finding {
        rule: rule.to_owned(),
        weight,
        contender: of.map(str::to_owned),
        evidence: evidence.to_owned(),
        remedy: remedy.to_owned(),
        short: known.map_or(rule, |known| known.short).to_owned(),
        figure: None,
        hint: known.map_or(remedy, |known| known.hint).to_owned(),
        bearing: Bearing::default(),
    }
}

/// Response times around `typical` seconds, with a long tail.
fn histogram(typical: f64, samples: usize) -> Histogram {
    let mut histogram = Histogram::new();
    for u in noise(samples) {
        let time = typical * (0.6 + 0.5 * u + 0.02 / (1.0002 - u));
        histogram.record((time * 1e9) as u64);
    }
    histogram
}

fn quantiles(of: &Histogram) -> Quantiles {
    let at = |q: f64| of.quantile(q).map(|ns| ns as f64 / 1e9);
    Quantiles {
        p50: at(0.5),
        p90: at(0.9),
        p99: at(0.99),
        p999: at(0.999),
        max: at(1.0),
        at_least_from: None,
    }
}

fn curve(of: &Histogram) -> Vec<(f64, f64)> {
    let shares = [0.0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 0.995, 0.999, 0.9995, 1.0];
    let at = |share: f64| of.quantile(share).map(|ns| (share, ns as f64 / 1e9));
    shares.into_iter().filter_map(at).collect()
}

/// Numbers between 0 and 1 that look random but are always the same.
fn noise(n: usize) -> impl Iterator<Item = f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    (0..n).map(move |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    })
}
