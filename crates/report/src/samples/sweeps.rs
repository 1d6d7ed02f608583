//! Sweeps made by hand.

use super::{HOSTILE, Parts, comparison, finding, hostile};
use crate::sweep::{PointView, SweepView};
use judge::bend::{Bend, Sign};
use judge::verdict::{Weight, Word};
use record::sweep::SCHEMA;
use record::{Arrivals, End, EndReason, Factor, LoadPoint, Metric, Sweep};

/// The data that a [`SweepView`] borrows.
#[derive(Clone)]
pub(crate) struct SweepParts {
    pub(crate) sweep: Sweep,
    pub(crate) points: Vec<Option<Parts>>,
    pub(crate) bends: Vec<Bend>,
    pub(crate) run: String,
}

impl SweepParts {
    pub(crate) fn view(&self) -> SweepView<'_> {
        let points = self.sweep.points.iter().zip(&self.points);
        let points =
            points.map(|(at, parts)| PointView { at, view: parts.as_ref().map(Parts::view) });
        let (sweep, bends, run) = (&self.sweep, self.bends.as_slice(), self.run.as_str());
        SweepView { sweep, points: points.collect(), bends, run }
    }
}

/// All sweeps, by name.
pub(crate) fn sweeps() -> Vec<(&'static str, SweepParts)> {
    vec![
        ("sweep", connections()),
        ("sweep-rate", rate()),
        ("sweep-value", value()),
        ("sweep-nothing", nothing()),
        ("sweep-hostile", of_hostile()),
    ]
}

fn sweep(factor: Factor, points: &[(f64, u32)]) -> Sweep {
    let point = |&(value, turn): &(f64, u32)| {
        let directory = factor.directory(value);
        LoadPoint { value, directory, turn }
    };
    Sweep {
        schema: SCHEMA.into(),
        version: "0.1.0".into(),
        started: "2026-03-01T09:30:00Z".into(),
        factor,
        points: points.iter().map(point).collect(),
    }
}

fn parts(sweep: Sweep, points: Vec<Option<Parts>>, bends: Vec<Bend>) -> SweepParts {
    SweepParts { sweep, points, bends, run: "tiebreak-runs/20260301T093000Z-5f3c9a1b".into() }
}

/// One load point of old against new.
fn point(old: f64, new: f64, word: Word, rounds: u32) -> Parts {
    let mut parts = super::compare(&[("old", old), ("new", new)], rounds);
    let ratio = new / old;
    let bounds = (ratio, ratio * 0.97, ratio * 1.03);
    let ratios: Vec<f64> =
        super::noise(rounds as usize).map(|u| ratio * (0.97 + 0.06 * u)).collect();
    parts.comparisons = vec![comparison("old", "new", word, bounds, &ratios)];
    parts
}

fn gain(value: f64, next: f64, by: f64) -> Bend {
    let sign = Sign::Gain { next, more: next / value, by };
    Bend::At { value, sign, generator_limited: false, or_before: false }
}

/// Closed loop; the highest point is void, the one before it held back.
fn connections() -> SweepParts {
    let mut void = point(30_000.0, 71_000.0, Word::Void, 10);
    void.findings = vec![finding(
        "non_success",
        Weight::Void,
        Some("new"),
        "4 711 of 710 000 operations were reset.",
        "Look at the server's log.",
    )];
    let points = vec![
        Some(point(3_100.0, 3_080.0, Word::Equivalent, 10)),
        Some(point(19_400.0, 22_700.0, Word::Faster, 10)),
        Some(point(23_400.0, 41_000.0, Word::Faster, 10)),
        Some(void),
    ];
    let held = Bend::At {
        value: 8.0,
        sign: Sign::Gain { next: 32.0, more: 4.0, by: 1.81 },
        generator_limited: true,
        or_before: true,
    };
    let sweep = sweep(Factor::Connections, &[(1.0, 3), (8.0, 1), (32.0, 4), (128.0, 2)]);
    parts(sweep, points, vec![gain(8.0, 32.0, 1.21), held])
}

/// Open loop, stopped before its last point; the verdicts rest on different metrics.
fn rate() -> SweepParts {
    let at = |rate: f64, word| {
        let mut point = point(rate, rate, word, 10);
        for contender in &mut point.header.plan.contenders {
            contender.intensity.arrivals = Arrivals::Constant(rate);
        }
        let metric = if rate < 2000.0 { Metric::ResponseP50 } else { Metric::ResponseP99 };
        point.header.plan.question.primary = metric;
        point.comparisons[0].metric = metric;
        point
    };
    let mut cut = at(12_345.0, Word::Undecided);
    cut.end = Some(End { reason: EndReason::Stopped, detail: "stopped by a signal".into() });
    let points =
        vec![Some(at(500.0, Word::Equivalent)), Some(at(5000.0, Word::Slower)), Some(cut), None];
    let tail = Bend::At {
        value: 5000.0,
        sign: Sign::Tail { times: 3.2, lowest: 500.0 },
        generator_limited: false,
        or_before: false,
    };
    let behind = Bend::At {
        value: 12_345.0,
        sign: Sign::Behind { driven: 9_870.0 },
        generator_limited: false,
        or_before: false,
    };
    let sweep = sweep(Factor::Rate, &[(500.0, 1), (5000.0, 2), (12_345.0, 3), (20_000.0, 4)]);
    parts(sweep, points, vec![tail, behind])
}

/// Sixteen points at equal distances, some of them without an answer.
fn value() -> SweepParts {
    let values: Vec<(f64, u32)> = (1..=16).map(|n| (f64::from(n) * 1024.0, n)).collect();
    let points = (1..=16).map(|n| {
        let rate = 40_000.0 - 1500.0 * f64::from(n);
        Some(point(rate, rate * 1.3, Word::Undecided, 6))
    });
    let points = points.collect();
    parts(sweep(Factor::Value, &values), points, vec![Bend::NotUpTo(16_384.0), Bend::Undetermined])
}

/// Nothing was driven.
fn nothing() -> SweepParts {
    let sweep = sweep(Factor::Depth, &[(1.0, 2), (16.0, 1)]);
    parts(sweep, vec![None, None], Vec::new())
}

/// Hostile text everywhere where a sweep has text.
fn of_hostile() -> SweepParts {
    let mut all = parts(
        sweep(Factor::Depth, &[(1.0, 2), (16.0, 1)]),
        vec![Some(hostile()), Some(hostile())],
        vec![Bend::NotSought, gain(1.0, 16.0, 1.5)],
    );
    all.sweep.version = HOSTILE.into();
    all.sweep.started = HOSTILE.into();
    all.run = HOSTILE.into();
    all
}
