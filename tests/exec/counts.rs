//! Counts of programs that do their work.

use crate::Test;
use crate::common;
use crate::common::not_tested::{Lack, lacks};
use crate::drive::{SHORT_NS, drive, good, once_by, order, program, script, started};
use crate::programs;
use engine::Stop;
use judge::verdict::{Weight, Word};
use record::{Metric, Programs, Seen};
use tiebreak::targets::exec::Program;

pub(crate) const TESTS: &[Test] = &[
    ("counts::announced_operations_over_wall_time", announced),
    ("counts::every_turn_has_one_run_at_least", turns),
    ("counts::a_turn_has_as_many_runs_as_begin_in_it", many),
    ("counts::a_limit_of_operations_ends_the_turn", limited),
    ("counts::operations_that_are_given_need_no_announcement", given),
    ("counts::output_may_be_anything", outputs),
    ("counts::much_output_needs_little_memory", much),
    ("counts::other_workers_add_nothing", workers),
    ("counts::the_judge_compares_throughput_and_makes_up_no_latency", judged),
    ("counts::a_program_that_fails_fast_is_not_called_faster", failing_fast),
];

fn trials(programs: [&Program; 2], rounds: u32) -> Vec<record::TrialRecord> {
    let [a, b] = programs.map(started);
    let stop = Stop::new().expect("a descriptor");
    drive(&[&a, &b], &order(2, rounds, SHORT_NS), &stop).unwrap_or_else(|broken| panic!("{broken}"))
}

fn announced() {
    let a = script("echo some output; echo operations 5");
    let b = script("echo operations 1_000; sleep 0.02");
    for trial in trials([&a, &b], 3) {
        let (seen, each) = (&trial.seen, if trial.contender == 0 { 5 } else { 1000 });
        let (operations, wall_ns) = (seen.programs.runs * each, seen.programs.wall_ns);
        assert!(operations > 0);
        assert_eq!((seen.operations, seen.outcomes.ok), (operations, operations));
        assert_eq!((seen.sent, seen.codes.get(&0)), (operations, Some(&operations)));
        // No latency is known, and none is invented.
        assert_eq!((seen.without_latency, seen.burn_in_excluded), (operations, 0));
        assert_eq!((seen.response_time.len(), seen.service_time.len()), (0, 0));
        let [slice] = seen.slices.as_slice() else { panic!("one turn") };
        assert_eq!((slice.operations, slice.due), (operations, operations));
        assert_eq!((slice.took_ns, slice.windows.len()), (wall_ns, 0));
        assert_eq!(seen.throughput(), Some(operations as f64 * 1e9 / wall_ns as f64));
        assert_eq!((seen.connections.requested, seen.connections.established), (1, 1));
    }
}

fn turns() {
    let slow = script("sleep 0.05; echo operations 2");
    let trials = trials([&slow, &slow], 3);
    assert_eq!(trials.len(), 6);
    for trial in trials {
        assert_eq!((trial.seen.programs.runs, trial.seen.operations), (1, 2));
        assert!(trial.seen.slices[0].took_ns > trial.seen.slices[0].sending_ns);
    }
}

fn many() {
    let exec = started(&script("echo operations 1"));
    // So long that there is a single run only on a machine that stands still.
    let seen = once_by(&exec, &order(1, 1, 2_000_000_000));
    assert!(seen.programs.runs > 1, "{:?}", seen.programs);
    assert_eq!(seen.operations, seen.programs.runs);
}

fn limited() {
    let exec = started(&script("echo operations 10"));
    let mut order = order(1, 1, 60_000_000_000);
    order.lanes[0].operations = Some(15);
    let seen = once_by(&exec, &order);
    assert_eq!((seen.programs.runs, seen.operations), (2, 20), "a run is not divided");
    order.lanes[0].operations = Some(0);
    let seen = once_by(&exec, &order);
    assert_eq!((seen.programs.runs, seen.throughput()), (0, None));
}

fn given() {
    let quiet = Program { operations: Some(100_000), ..script("true") };
    let exec = started(&quiet);
    let seen = once_by(&exec, &order(1, 1, 1));
    assert_eq!((seen.operations, seen.outcomes.ok), (100_000, 100_000));
    assert_eq!(seen.body_bytes.quantile(0.5), Some(0));
    assert_eq!(seen.empty, 0, "an empty reply is no empty program");
}

fn outputs() {
    for (text, bytes) in [
        ("printf \"operations 7\"", 0),
        ("printf \"\\377\\376\\000\\noperations 7\\n\\n\"", 4),
        ("echo operations 6; echo operations 7", 13),
        ("echo operations 7; echo loud >&2", 0),
        ("echo operations 6 >&2; printf \"x\\r\\n operations 7\\r\\n\"", 3),
    ] {
        let exec = started(&script(text));
        let seen: Seen = once_by(&exec, &order(1, 1, 1));
        assert_eq!(exec.failure_message(), None, "{text}");
        assert_eq!((seen.operations, seen.programs.output_bytes), (7, bytes), "{text}");
        assert_eq!(seen.body_bytes.quantile(0.5), Some(bytes), "{text}");
    }
    let digests = |text: &str| good(&script(text)).outputs.kept().to_vec();
    assert_eq!(digests("echo same; echo operations 1"), digests("echo same; echo operations 2"));
    assert_ne!(digests("echo same; echo operations 1"), digests("echo Same; echo operations 1"));
}

fn much() {
    let amount = 100_000_000;
    let exec = started(&program(&programs::text("zeros", amount)));
    let seen = once_by(&exec, &order(1, 1, 1));
    assert_eq!((seen.operations, seen.programs.output_bytes), (amount, amount + 1));
    let status = std::fs::read_to_string(format!("/proc/{}/status", exec.keeper()));
    let status = status.expect("the keeper runs");
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("Linux");
    let kib: u64 = peak.trim().trim_end_matches(" kB").parse().expect("a number");
    assert!(kib < 64 * 1024, "{kib} KiB for {amount} bytes");
}

fn workers() {
    let cores = sys::affinity::allowed_cores(std::process::id()).expect("Linux");
    if lacks(Lack::SecondCore) {
        return;
    }
    let [first, .., last] = cores.as_slice() else { panic!("two cores") };
    let exec = started(&script("echo operations 3"));
    let mut order = order(1, 1, 300_000_000);
    order.cores = vec![*first, *last];
    let seen = once_by(&exec, &order);
    let Programs { runs, wall_ns, .. } = seen.programs;
    assert_eq!((seen.operations, seen.connections.requested), (3 * runs, 1));
    let [slice] = seen.slices.as_slice() else { panic!("one turn") };
    assert_eq!((slice.took_ns, slice.windows.len()), (wall_ns, 0));
}

const ROUNDS: u32 = 8;

fn judged() {
    // Ten times as long. Beside other tests a shell took up to 250 ms to run a sleep of 5 ms.
    let [slow, fast] = ["0.5", "0.05"]
        .map(|seconds| script(&format!("echo done; sleep {seconds}; echo operations 1000")));
    let verdict = common::judged(&trials([&slow, &fast], ROUNDS), ROUNDS);
    assert!(!verdict.void(), "{:?}", verdict.findings());
    for compared in verdict.comparisons() {
        match compared.metric {
            Metric::Throughput => assert_eq!(compared.verdict, Word::Faster, "{compared:?}"),
            _ => assert_eq!((compared.ratio, &compared.rounds), (None, &Vec::new())),
        }
    }
}

fn failing_fast() {
    let directory = common::TestDirectory::new();
    let slow = script("sleep 0.02; echo operations 1000");
    // Succeeds in its first run, and then gives up at once.
    let text = "[ ! -e mark ] && touch mark && sleep 0.02 && echo operations 1000";
    let fails = Program { cwd: directory.path().to_owned(), ..script(text) };
    let verdict = common::judged(&trials([&slow, &fails], ROUNDS), ROUNDS);
    let void = verdict.findings().iter().find(|finding| finding.weight == Weight::Void);
    let void = void.unwrap_or_else(|| panic!("{:?}", verdict.findings()));
    assert_eq!((void.rule.as_str(), void.contender.as_deref()), ("non_success", Some("b")));
    assert!(void.evidence.contains(" exit"), "{}", void.evidence);
    assert!(verdict.comparisons().iter().all(|compared| compared.verdict == Word::Void));
}
