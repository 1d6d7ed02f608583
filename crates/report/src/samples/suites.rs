//! Suites: programs whose runs give the figures of several cases.

use super::{Parts, compare, comparison, finding, noise};
use judge::verdict::{
    Comparison, Control, FailedCase, Middle, OnlyIn, Scope, Suite, SuitePair, Weight, Word,
};
use record::{Case, Interleave, Metric, Pair};

/// A case: its name and unit, its figure in `old`, its verdict and its ratio of cost.
type Row<N = &'static str> = (N, &'static str, f64, Word, (f64, f64, f64));

const CASES: [Row; 8] = [
    ("encode/throughput", "MB/s", 812.4, Word::Slower, (1.056, 1.036, 1.077)),
    ("hash", "ns/op", 34.1, Word::Equivalent, (1.002, 0.991, 1.013)),
    ("new|[case](http://example.org) @you", "ns/op", 9.1, Word::Equivalent, (1.0, 0.99, 1.01)),
    ("parse/large", "ns/op", 12_080_000.0, Word::Slower, (1.12, 1.08, 1.15)),
    ("parse/small", "ns/op", 1_214.0, Word::Faster, (0.911, 0.892, 0.933)),
    ("read", "", 1_042_000.0, Word::Undecided, (1.014, 0.983, 1.041)),
    ("sort", "ns/op", 88.0, Word::Undecided, (1.0, 1.0, 1.0)),
    ("write", "ns/op", 5_120.0, Word::Equivalent, (0.998, 0.985, 1.012)),
];

fn case(name: &str, unit: &str) -> Case {
    let larger_is_better = unit == "MB/s";
    Case { name: name.to_owned(), unit: unit.to_owned(), larger_is_better }
}

fn compared(row: &Row<String>, family: usize) -> Comparison {
    let (name, unit, figure, word, ratio) = row;
    let rounds: Vec<f64> = noise(14).map(|u| ratio.0 * (0.99 + 0.02 * u)).collect();
    let b = if *unit == "MB/s" { figure / ratio.0 } else { figure * ratio.0 };
    Comparison {
        metric: Metric::Cost,
        case: Some(name.clone()),
        scope: Scope::Programs,
        launch_of_a: false,
        launch_of_b: false,
        confidence: 1.0 - 0.05 / family as f64,
        middle: Some(Middle { a: *figure, b, of_launches: false }),
        fresh_rounds: (*word == Word::Undecided).then_some((32, 61)),
        ..comparison("old", "new", *word, *ratio, &rounds)
    }
}

fn pair(a: &str, b: &str, comparisons: &[Comparison], failed: Vec<FailedCase>) -> SuitePair {
    let count = |word| comparisons.iter().filter(|of| of.verdict == word).count() as u32;
    SuitePair {
        a: a.to_owned(),
        b: b.to_owned(),
        slower: count(Word::Slower),
        faster: count(Word::Faster),
        equivalent: count(Word::Equivalent),
        undecided: count(Word::Undecided) - failed.len() as u32,
        void: count(Word::Void),
        failed,
        comparisons: 0..comparisons.len(),
    }
}

fn of_rows(rows: &[Row<String>]) -> Parts {
    let mut parts = compare(&[("old", 1.0), ("new", 1.0)], 14);
    parts.scope = Scope::Programs;
    parts.header.plan.warm_up_ns = 0;
    let pilot = parts.pilot.as_mut().expect("compare has one");
    pilot.interleave = Interleave::Turns;
    pilot.burn_in_ns = vec![0, 0];
    pilot.why = vec!["contenders take turns case by case".to_owned()];
    let question = &mut parts.header.plan.question;
    (question.is_suite, question.primary, question.matters) = (true, Metric::Cost, 0.03);
    question.secondary.clear();
    parts.comparisons = rows.iter().map(|row| compared(row, rows.len())).collect();
    parts.suite = Some(Suite {
        cases: rows.iter().map(|row| case(&row.0, row.1)).collect(),
        pairs: vec![pair("old", "new", &parts.comparisons, Vec::new())],
        only_in: Vec::new(),
        left_out: Vec::new(),
        control: None,
    });
    parts
}

/// Eight cases of two programs: one is faster, two are slower, one failed.
pub(crate) fn suite() -> Parts {
    let mut parts = of_rows(
        &CASES
            .map(|(name, unit, figure, word, ratio)| (name.to_owned(), unit, figure, word, ratio)),
    );
    let of_sort = &mut parts.comparisons[6];
    (of_sort.ratio, of_sort.low, of_sort.high, of_sort.middle) = (None, None, None, None);
    (of_sort.t_interval, of_sort.p, of_sort.fresh_rounds) = (None, None, None);
    (of_sort.replicates, of_sort.rounds) = (0, Vec::new());
    of_sort.because = vec!["new: a run failed in round 3".to_owned()];
    let failed = FailedCase {
        case: "sort".into(),
        contender: "new".into(),
        round: 3,
        why: "a run failed".into(),
    };
    let suite = parts.suite.as_mut().expect("a suite");
    suite.pairs = vec![pair("old", "new", &parts.comparisons, vec![failed])];
    let only_in = |contender: &str, cases: &[&str]| OnlyIn {
        contender: contender.to_owned(),
        cases: cases.iter().map(|name| (*name).to_owned()).collect(),
    };
    suite.only_in = vec![
        only_in("old", &["legacy"]),
        only_in("new", &["a", "b", "c", "d", "e", "f/with a long name"]),
    ];
    suite.left_out = vec!["huge".into()];
    parts
}

/// The same with a control that differs from itself.
pub(crate) fn suite_void() -> Parts {
    let mut parts = suite();
    parts.header.plan.question.control = Some(Pair { a: 1, b: 2 });
    parts.findings = vec![finding(
        "control",
        Weight::Void,
        None,
        "the control, the same program against itself, differs in 1 of 8 cases: parse/small 0.911x",
        "Run again.",
    )];
    let suite = parts.suite.as_mut().expect("a suite");
    let of_control = |of: &Comparison| {
        let (a, b) = ("new".to_owned(), "new again".to_owned());
        let verdict = if of.verdict == Word::Slower { Word::Equivalent } else { of.verdict };
        Comparison { a, b, verdict, ..of.clone() }
    };
    let comparisons: Vec<Comparison> = parts.comparisons.iter().map(of_control).collect();
    let pair_of_control = pair("new", "new again", &comparisons, Vec::new());
    suite.control = Some(Control { pair: pair_of_control, comparisons });
    for comparison in &mut parts.comparisons {
        comparison.verdict = Word::Void;
        comparison.because.push("the audit refused: control".to_owned());
    }
    let failed = suite.pairs[0].failed.clone();
    suite.pairs = vec![SuitePair {
        void: parts.comparisons.len() as u32 - 1,
        undecided: 0,
        ..pair("old", "new", &parts.comparisons, Vec::new())
    }];
    suite.pairs[0].failed = failed;
    parts
}

/// As many cases as a suite may have, of which every tenth is slower.
pub(crate) fn large_suite() -> Parts {
    large_suite_of(|at| format!("group {}/case {at:04} of a suite", at / 100))
}

/// The same with cases of these names.
pub(crate) fn large_suite_of(name: impl Fn(usize) -> String) -> Parts {
    let rows = (0..record::figures::MOST_CASES).map(|at| {
        let name = name(at);
        if at % 10 == 0 {
            (name, "ns", 1e6, Word::Slower, (1.2, 1.1, 1.3))
        } else {
            (name, "ns", 1e6, Word::Equivalent, (1.0, 0.99, 1.01))
        }
    });
    of_rows(&rows.collect::<Vec<_>>())
}
