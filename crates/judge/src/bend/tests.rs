use super::*;
use crate::verdict::{ContenderSummary, TargetSummary};
use Factor::*;
use proptest::prelude::*;

/// Rounds that scatter by 2 % without any pattern.
const SCATTER: [f64; 10] = [0.98, 1.02, 0.99, 1.01, 1.0, 0.98, 1.02, 1.01, 0.99, 1.0];

/// One load point of value, throughput and p99. Each has its own order of the scatter.
fn load(number: usize, (value, throughput, p99): (f64, f64, f64)) -> Load {
    let rounds = SCATTER.iter().enumerate().map(|(at, _)| {
        let scatter = SCATTER[(at * (2 * (number % 5) + 1) + number) % 10];
        (at as u32 + 1, throughput * scatter, Some(p99), Some(p99 * scatter))
    });
    Load::new(value, &with_replies(rounds.collect(), 1000), 1)
}

/// A contender with so many replies in each of its rounds.
fn with_replies(
    rounds: Vec<(u32, f64, Option<f64>, Option<f64>)>,
    replies: u64,
) -> ContenderSummary {
    let mut of = ContenderSummary { rounds, ..ContenderSummary::default() };
    of.histogram.record_many(1_000_000, replies * of.rounds.len() as u64);
    of
}

#[test]
fn a_p99_of_few_replies_makes_no_bend() {
    let at = |(value, p99): (f64, f64), replies| {
        let rounds = (1..=10).map(|round| {
            let scatter = SCATTER[round as usize - 1];
            (round, value * scatter.min(1.0), Some(1e-3), Some(p99 * scatter))
        });
        Load::new(value, &with_replies(rounds.collect(), replies), 1)
    };
    let bends =
        |replies| bend(Rate, true, &[at((1000.0, 1e-3), 1000), at((2000.0, 9e-3), replies)]);
    assert!(matches!(bends(1000), Bend::At { value: 2000.0, sign: Sign::Tail { .. }, .. }));
    assert_eq!(bends(999), Bend::Undetermined);
    // A replicate of two rounds has the replies of both.
    let rounds = (1..=10).map(|round| (round, 1e3, Some(1e-3), Some(1e-3))).collect();
    let of = with_replies(rounds, 500);
    assert_eq!([1, 2].map(|replicate| Load::new(1e3, &of, replicate).p99.len()), [0, 5]);
}

fn loads(points: &[(f64, f64, f64)]) -> Vec<Load> {
    points.iter().enumerate().map(|(number, point)| load(number, *point)).collect()
}

fn bend(factor: Factor, at_a_rate: bool, loads: &[Load]) -> Bend {
    let all: Vec<&Load> = loads.iter().collect();
    of(factor, at_a_rate, &all, loads.len(), 0.05)
}

fn gains(factor: Factor, points: &[(f64, f64)]) -> Bend {
    let points: Vec<_> = points.iter().map(|&(value, rate)| (value, rate, 1e-3)).collect();
    bend(factor, false, &loads(&points))
}

/// The value of a bend, the next value, and the growth of throughput to it.
fn at(bend: Bend) -> (f64, f64, f64) {
    match bend {
        Bend::At { value, sign: Sign::Gain { next, by, .. }, .. } => {
            (value, next, (by * 100.0).round() / 100.0)
        }
        other => panic!("no bend of the gain: {other:?}"),
    }
}

#[test]
fn a_closed_loop_bends_where_more_load_gains_too_little() {
    let saturates = [(1.0, 10e3), (8.0, 60e3), (32.0, 72e3), (128.0, 75e3)];
    assert_eq!(at(gains(Connections, &saturates)), (8.0, 32.0, 1.2));
    assert_eq!(at(gains(Depth, &saturates)), (8.0, 32.0, 1.2));
    // It falls: worse than no gain.
    assert_eq!(
        at(gains(Connections, &[(1.0, 10e3), (4.0, 30e3), (16.0, 20e3)])),
        (4.0, 16.0, 0.67)
    );
    // It bends at the first point.
    assert_eq!(at(gains(Connections, &[(8.0, 70e3), (64.0, 71e3)])), (8.0, 64.0, 1.01));
    // A flat part is not a bend if the curve rises again after it.
    let step = [(1.0, 1e3), (4.0, 4e3), (8.0, 4e3), (64.0, 32e3)];
    assert_eq!(gains(Connections, &step), Bend::NotUpTo(64.0));
    let proportional = [(1.0, 10e3), (8.0, 80e3), (32.0, 320e3)];
    assert_eq!(gains(Connections, &proportional), Bend::NotUpTo(32.0));
}

#[test]
fn larger_values_bend_where_bytes_grow_too_little() {
    // The cost of an operation, then that of its bytes.
    let values = [(100.0, 50e3), (1000.0, 48e3), (10e3, 9e3), (100e3, 0.95e3)];
    let (value, next, by) = at(gains(Value, &values));
    assert_eq!((value, next), (1000.0, 10e3));
    assert!((by - 1.88).abs() < 0.01, "bytes per second: {by}");
    assert_eq!(gains(Value, &values[..2]), Bend::NotUpTo(1000.0));
}

#[test]
fn a_rate_bends_where_it_is_not_kept_or_the_tail_doubles() {
    let bend = |points: &[(f64, f64, f64)]| bend(Rate, true, &loads(points));
    let kept = [(1e3, 1e3, 1e-3), (5e3, 5e3, 1.1e-3), (9e3, 9e3, 1.3e-3)];
    assert_eq!(bend(&kept), Bend::NotUpTo(9e3));
    let tail = [kept[0], kept[1], (9e3, 9e3, 4e-3), (20e3, 12e3, 9e-3)];
    match bend(&tail) {
        Bend::At {
            value: 9e3,
            sign: Sign::Tail { times, lowest: 1e3 },
            generator_limited: false,
            or_before: false,
        } => {
            assert!((times - 4.0).abs() < 0.01, "{times}");
        }
        other => panic!("{other:?}"),
    }
    let behind = [kept[0], (20e3, 12e3, 1.1e-3)];
    match bend(&behind) {
        Bend::At { value: 20e3, sign: Sign::Behind { driven }, .. } => {
            assert!((driven - 12e3).abs() < 10.0, "{driven}");
        }
        other => panic!("{other:?}"),
    }
    // The lowest rate can already be more than a target can handle.
    assert!(matches!(bend(&[(1e4, 8e3, 1.0), (2e4, 8e3, 1.0)]), Bend::At { value: 1e4, .. }));
}

#[test]
fn a_bend_that_was_not_shown_is_not_reported() {
    // Close to half of proportional growth: within the noise.
    let least = 10e3 * 4f64.sqrt();
    for rate in [least * 0.99, least * 1.01] {
        assert_eq!(gains(Connections, &[(1.0, 10e3), (4.0, rate)]), Bend::Undetermined, "{rate}");
    }
    // Load points so close to each other that the noise hides what is required.
    assert_eq!(gains(Connections, &[(100.0, 10e3), (103.0, 10e3)]), Bend::Undetermined);
    assert_eq!(gains(Connections, &[(1.0, 10e3)]), Bend::Undetermined);
    assert_eq!(bend(Connections, false, &[]), Bend::Undetermined);
    let edge = [(1e3, 1e3, 1e-3), (5e3, 5e3, 2.01e-3)];
    assert_eq!(bend(Rate, true, &loads(&edge)), Bend::Undetermined);
    // A round with one operation and no p99: nothing is known about tails.
    let mut blind = loads(&[(1.0, 1.0, 1.0), (2.0, 2.0, 1.0)]);
    blind.iter_mut().for_each(|load| load.p99.clear());
    assert_eq!(bend(Rate, true, &blind), Bend::Undetermined);
    let dead = [(1.0, 0.0, 1.0), (8.0, 10.0, 1.0)];
    assert_eq!(bend(Connections, false, &loads(&dead)), Bend::Undetermined);
    assert_eq!(bend(Connections, true, &loads(&edge)), Bend::NotSought);
}

#[test]
fn wide_scatter_hides_a_bend() {
    let points = [(1.0, 10e3), (4.0, 11e3)];
    assert!(matches!(gains(Connections, &points), Bend::At { .. }));
    let mut wild = loads(&[(1.0, 10e3, 1.0), (4.0, 11e3, 1.0)]);
    for (at, ln) in wild[1].throughput.iter_mut().enumerate() {
        *ln += if at % 2 == 0 { 1.0 } else { -1.0 };
    }
    assert_eq!(bend(Connections, false, &wild), Bend::Undetermined);
}

#[test]
fn all_statements_about_a_curve_share_its_error() {
    // The interval of two load points is as wide as that of one pair among three, at a third of the error.
    let points = [(1.0, 10e3, 1.0), (4.0, 20.43e3, 1.0)];
    let two = loads(&points);
    let two: Vec<&Load> = two.iter().collect();
    assert_eq!(of(Connections, false, &two, 2, 0.05), Bend::NotUpTo(4.0));
    assert_eq!(of(Connections, false, &two, 3, 0.05), Bend::Undetermined);
    assert_eq!(of(Connections, false, &two, 3, 0.15), Bend::NotUpTo(4.0));
}

#[test]
fn a_bend_that_may_be_the_generators_says_so() {
    let held = |idle, busy| {
        let of = ContenderSummary {
            generator_idle: idle,
            target: TargetSummary { busy, ..TargetSummary::default() },
            ..ContenderSummary::default()
        };
        let mut points = loads(&[(1.0, 10e3, 1.0), (8.0, 11e3, 1.0)]);
        points[1].generator_limited = Load::new(8.0, &of, 1).generator_limited;
        match bend(Connections, false, &points) {
            Bend::At { generator_limited, .. } => generator_limited,
            other => panic!("{other:?}"),
        }
    };
    assert!(held(Some(0.01), Some(0.5)) && held(Some(0.01), None));
    assert!(!held(Some(0.01), Some(0.99)) && !held(Some(0.3), Some(0.5)) && !held(None, None));
}

proptest! {
    /// Units change nothing: throughput per hour, load in pairs of connections.
    #[test]
    fn units_change_nothing(
        rates in prop::collection::vec(1e2..1e6f64, 2..8),
        steps in prop::collection::vec(1.1..8.0f64, 7),
        (load, rate) in (0.01..100.0f64, 0.01..100.0f64),
    ) {
        let mut value = 1.0;
        let points: Vec<(f64, f64)> = rates.iter().zip(std::iter::once(1.0).chain(steps)).map(|(rate, step)| {
            value *= step;
            (value, *rate)
        }).collect();
        let scaled: Vec<(f64, f64)> = points.iter().map(|p| (p.0 * load, p.1 * rate)).collect();
        let (one, other) = (gains(Connections, &points), gains(Connections, &scaled));
        prop_assert_eq!(std::mem::discriminant(&one), std::mem::discriminant(&other));
        if let (Bend::At { value, .. }, Bend::At { value: scaled, .. }) = (one, other) {
            prop_assert!((value * load / scaled - 1.0).abs() < 1e-9);
        }
    }

    /// A curve T = c·N^e bends at its first point or nowhere.
    #[test]
    fn a_power_law_has_no_knee_inside(
        elasticity in -1.0..1.0f64,
        steps in prop::collection::vec(2.0..8.0f64, 1..7),
    ) {
        let mut value = 1.0;
        let mut points = vec![(1.0, 1e4)];
        for step in steps {
            value *= step;
            points.push((value, 1e4 * value.powf(elasticity)));
        }
        match gains(Connections, &points) {
            Bend::At { value, or_before, .. } => {
                prop_assert!((value == 1.0 || or_before) && elasticity < ELASTICITY);
            }
            Bend::NotUpTo(_) => prop_assert!(elasticity > ELASTICITY),
            Bend::Undetermined => prop_assert!((0.2..0.8).contains(&elasticity), "{}", elasticity),
            Bend::NotSought => prop_assert!(false),
        }
    }

    /// More scatter may withdraw a statement, but never reverses it.
    #[test]
    fn scatter_only_withdraws_statements(
        rates in prop::collection::vec(1e3..1e5f64, 2..6),
        scatter in 0.0..1.0f64,
    ) {
        let points: Vec<_> = (0..).zip(&rates).map(|(at, rate)| (4f64.powi(at), *rate, 1.0)).collect();
        let calm = loads(&points);
        let mut wild = calm.clone();
        for load in &mut wild {
            let mean = load.throughput.iter().sum::<f64>() / load.throughput.len() as f64;
            for ln in &mut load.throughput {
                *ln += (*ln - mean) * 50.0 * scatter;
            }
        }
        match (bend(Connections, false, &calm), bend(Connections, false, &wild)) {
            (_, Bend::Undetermined) => {}
            (Bend::At { value: calm, .. }, Bend::At { value: wild, .. }) => prop_assert!(calm <= wild),
            (calm, wild) => prop_assert_eq!(calm, wild),
        }
    }
}
