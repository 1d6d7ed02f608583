//! Samples of launched targets, of restarts, looks and requirements.

use super::{Parts, checked, compare, comparison, faster, finding, noise, second};
use judge::verdict::{
    Charged, Checked, Comparison, RequirementStatus, Scope, TargetSummary, Weight, Word,
};
use record::{Address, DearLaunches, Fact, Launches, Metric};

/// Launched targets whose CPU can be read, with slices forced. One collects garbage at rest, so
/// there is a second ratio with that charged.
pub(crate) fn launched() -> Parts {
    let mut parts = compare(&[("lean", 21_300.0), ("garbage-heavy", 9_120.0)], 10);
    launch(&mut parts, "node");
    let ratios = [0.42, 0.44, 0.43, 0.41, 0.45, 0.43, 0.42, 0.44, 0.43, 0.42];
    let pair = |made: Comparison| between("lean", "garbage-heavy", made);
    parts.comparisons = vec![
        Comparison {
            charged: Some(Charged {
                ratio: 0.3587,
                interval: Some((0.3481, 0.3702)),
                verdict: Word::Slower,
            }),
            ..comparison("lean", "garbage-heavy", Word::Slower, (0.4304, 0.421, 0.439), &ratios)
        },
        pair(second(Metric::ResponseP99, Word::Slower, (2.61, 2.49, 2.75))),
        pair(second(Metric::TargetCpu, Word::Slower, (2.71, 2.63, 2.8))),
    ];
    // A launch of the second proved too dear for several.
    parts.header.plan.question.dear =
        Some(DearLaunches { launches: 8, rounds_of_one: 10, round_of_one_ns: 1_000_000_000 });
    let pilot = parts.pilot.as_mut().expect("compare has one");
    pilot.launches = Some(Launches { launches: 1, rounds: 10 });
    parts.contenders[0].target.launch_took = Some(0.4);
    parts.contenders[1].target.launch_took = Some(31.2);
    let target = &mut parts.contenders[1].target;
    target.cpu_per_operation = Some(121e-6);
    target.cpu_at_rest = Some(0.0824);
    target.busy = Some(0.981);
    target.peak_memory_bytes = Some(412_600_000);
    parts.findings = vec![
        finding(
            "carry_over",
            Weight::Caution,
            Some("garbage-heavy"),
            "its target used 8.2 % of a core while others were driven: work of its own that fell \
             into their time",
            "Let contenders take whole turns, in which each pays for its own work: \
             --interleave turns.",
        ),
        finding(
            "one_launch",
            Weight::Caution,
            Some("garbage-heavy"),
            "from one launch of each: throughput 0.430x, response_time.p99 2.610x and \
             target_cpu_per_operation 2.710x of garbage-heavy to lean",
            "Launch them several times: --launches 10.",
        ),
    ];
    parts
}

/// Ten launches of five rounds each; the CPU of one target cannot be read.
pub(crate) fn restarts() -> Parts {
    let mut parts = compare(&[("old", 23_400.0), ("new", 24_600.0)], 50);
    launch(&mut parts, "./server");
    parts.header.plan.question.restarts = 10;
    parts.scope = Scope::Programs;
    for (number, contender) in parts.contenders.iter_mut().enumerate() {
        contender.target.launches = 10;
        contender.target.cpu_at_rest = Some(0.0031 + 0.0002 * number as f64);
    }
    let target = &mut parts.contenders[1].target;
    *target = TargetSummary {
        cpu_unavailable: Some("process 4711 belongs to another user".into()),
        launches: 10,
        facts: target.facts.clone(),
        ..TargetSummary::default()
    };
    let ratios: Vec<f64> = noise(50).map(|u| 1.02 + 0.06 * u).collect();
    let made = comparison("old", "new", Word::Undecided, (1.049, 0.996, 1.098), &ratios);
    parts.comparisons = vec![
        Comparison { replicates: 10, fresh_rounds: Some((14, 22)), ..made },
        Comparison {
            replicates: 10,
            ..second(Metric::ResponseP99, Word::Undecided, (0.97, 0.9, 1.06))
        },
    ];
    for comparison in &mut parts.comparisons {
        comparison.scope = Scope::Programs;
        (comparison.launch_of_a, comparison.launch_of_b) = (false, false);
    }
    parts
}

/// A run until decided: one pair is decided at the second look, the other never.
pub(crate) fn looks() -> Parts {
    let mut parts = compare(&[("a", 23_400.0), ("b", 24_900.0), ("c", 23_500.0)], 60);
    parts.header.plan.question.interim_looks = vec![10, 16, 26, 40, 60];
    let rounds = |ratio: f64| noise(60).map(move |u| ratio * (0.97 + 0.06 * u)).collect::<Vec<_>>();
    let decided = comparison("a", "b", Word::Faster, (1.064, 1.031, 1.093), &rounds(1.064));
    let open = comparison("a", "c", Word::Undecided, (1.004, 0.988, 1.021), &rounds(1.004));
    parts.comparisons = vec![
        Comparison { interim_looks: Some(2), replicates: 16, confidence: 0.99375, ..decided },
        Comparison {
            interim_looks: Some(5),
            replicates: 60,
            confidence: 0.99375,
            fresh_rounds: Some((180, 260)),
            ..open
        },
    ];
    // Persistent and fresh connections to the same server.
    let of_one_process = &mut parts.comparisons[1];
    (of_one_process.launch_of_a, of_one_process.launch_of_b) = (false, false);
    for (number, other) in [(0, "c"), (2, "a")] {
        parts.contenders[number].target = TargetSummary {
            cpu_source: Some("process_clocks".into()),
            cpu_per_operation: Some(33.1e-6),
            busy: Some(0.934),
            shares_process_with: vec![other.into()],
            peak_memory_bytes: Some(11_300_000),
            memory_source: Some("processes".into()),
            ..TargetSummary::default()
        };
    }
    parts
}

/// Requirements as in CI: one is met, one is not, one cannot be decided, and one cannot be read
/// by this version.
pub(crate) fn required() -> Parts {
    let mut parts = faster();
    launch(&mut parts, "./server");
    parts.comparisons.push(second(Metric::TargetCpu, Word::Faster, (0.71, 0.66, 0.75)));
    let p999 = second(Metric::ResponseP999, Word::Undecided, (0.9, 0.71, 1.2));
    parts.comparisons.push(Comparison { low: None, high: None, ..p999 });
    let future = "this version of tiebreak cannot read it: --require `p99 <= 5 sigma`: `5sigma` is \
                  no ratio";
    parts.checked = vec![
        checked("new/old throughput >= 0.97", RequirementStatus::Met, MET),
        checked("p99 <= 0.8x", RequirementStatus::NotMet, NOT_MET),
        checked(
            "p99.9 <= 1.05x",
            RequirementStatus::Undetermined,
            "there is no interval to judge by",
        ),
        Checked {
            a: String::new(),
            b: String::new(),
            ..checked("p99 <= 5 sigma", RequirementStatus::Undetermined, future)
        },
    ];
    parts.header.plan.requirements =
        parts.checked.iter().map(|checked| checked.requirement.clone()).collect();
    parts
}

const MET: &str = "throughput of new is 1.314x that of old (1.271x to 1.358x at 95 %): the whole \
                   interval is >= 0.970x";
const NOT_MET: &str = "p99 of new is 0.760x that of old (0.710x to 0.810x at 97.5 %): not shown to \
                       be <= 0.800x, it may be as high as 0.810x";

/// Turns the targets into launched ones whose CPU and memory can be read.
fn launch(parts: &mut Parts, program: &str) {
    let plan = &mut parts.header.plan;
    for asked in &mut plan.question.contenders {
        asked.cpu_in_sight = true;
        asked.target_cores = vec![0];
    }
    for contender in &mut plan.contenders {
        contender.launch = vec![format!("{program} --variant {} --port {{port}}", contender.name)];
        contender.address = Address::Tcp(([127, 0, 0, 1], 0).into());
    }
    for contender in &mut parts.contenders {
        contender.target = TargetSummary {
            cpu_source: Some("cgroup_v2".into()),
            cpu_per_operation: Some(0.96 / contender.throughput.unwrap_or(1.0)),
            cpu_at_rest: Some(0.0012),
            busy: Some(0.962),
            peak_memory_bytes: Some(61_440_000),
            memory_source: Some("processes".into()),
            launches: 1,
            facts: vec![Fact {
                command: format!("{program} --version"),
                line: Some("v22.3.0".into()),
            }],
            ..TargetSummary::default()
        };
    }
}

fn between(a: &str, b: &str, made: Comparison) -> Comparison {
    Comparison { a: a.to_owned(), b: b.to_owned(), ..made }
}
