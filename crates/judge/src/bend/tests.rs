use super::*;
use crate::verdict::TargetSummary;
use Factor::*;
use proptest::prelude::*;

/// Rounds that scatter by 2 % without any pattern.
const SCATTER: [f64; 10] = [0.98, 1.02, 0.99, 1.01, 1.0, 0.98, 1.02, 1.01, 0.99, 1.0];

fn summary(throughput: f64, p99: Option<f64>) -> ContenderSummary {
    let round = |(at, scatter): (usize, &f64)| {
        (at as u32 + 1, throughput * scatter, p99, p99.map(|p99| p99 * scatter))
    };
    let rounds = SCATTER.iter().enumerate().map(round).collect();
    ContenderSummary { rounds, ..ContenderSummary::default() }
}

/// Load points of value, throughput and p99.
fn loads(points: &[(f64, f64, f64)]) -> Vec<Load> {
    let load = |&(value, throughput, p99): &(f64, f64, f64)| {
        Load::new(value, &summary(throughput, Some(p99)), None)
    };
    points.iter().map(load).collect()
}

fn gains(factor: Factor, points: &[(f64, f64)]) -> Bend {
    let points: Vec<_> = points.iter().map(|&(value, rate)| (value, rate, 1e-3)).collect();
    of(factor, false, &loads(&points), 0.005)
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
    let bend = |points: &[(f64, f64, f64)]| of(Rate, true, &loads(points), 0.005);
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
    for rate in [least * 0.95, least * 1.05] {
        assert_eq!(gains(Connections, &[(1.0, 10e3), (4.0, rate)]), Bend::Undetermined, "{rate}");
    }
    // The points are so close that the machine's drift hides everything.
    assert_eq!(gains(Connections, &[(10.0, 10e3), (11.0, 10e3)]), Bend::Undetermined);
    assert_eq!(gains(Connections, &[(1.0, 10e3)]), Bend::Undetermined);
    assert_eq!(of(Connections, false, &[], 0.005), Bend::Undetermined);
    let edge = [(1e3, 1e3, 1e-3), (5e3, 5e3, 2.05e-3)];
    assert_eq!(of(Rate, true, &loads(&edge), 0.005), Bend::Undetermined);
    // A round with one operation and no p99: nothing is known about tails.
    let blind =
        [Load::new(1.0, &summary(1.0, None), None), Load::new(2.0, &summary(2.0, None), None)];
    assert_eq!(of(Rate, true, &blind, 0.005), Bend::Undetermined);
    let dead = [(1.0, 0.0, 1.0), (8.0, 10.0, 1.0)];
    assert_eq!(of(Connections, false, &loads(&dead), 0.005), Bend::Undetermined);
    assert_eq!(of(Connections, true, &loads(&edge), 0.005), Bend::NotSought);
}

#[test]
fn wide_scatter_hides_a_bend() {
    let points = [(1.0, 10e3), (4.0, 11e3)];
    assert!(matches!(gains(Connections, &points), Bend::At { .. }));
    let mut wild = loads(&[(1.0, 10e3, 1.0), (4.0, 11e3, 1.0)]);
    for (at, ln) in wild[1].throughput.iter_mut().enumerate() {
        *ln += if at % 2 == 0 { 1.0 } else { -1.0 };
    }
    assert_eq!(of(Connections, false, &wild, 0.005), Bend::Undetermined);
}

#[test]
fn launches_are_the_replicates_where_there_are_some() {
    // Five launches of two rounds; the sixth lacks one.
    let mut of_launches = summary(10e3, Some(1.0));
    of_launches.rounds.push((11, 5e3, Some(1.0), Some(1.0)));
    let load = Load::new(1.0, &of_launches, Some(2));
    assert_eq!((load.throughput.len(), load.p99.len()), (5, 5));
    let (first, second) = (9800f64.ln(), 10200f64.ln());
    assert!((load.throughput[0] - (first + second) / 2.0).abs() < 1e-12);
}

#[test]
fn a_bend_that_may_be_the_generators_says_so() {
    let held = |idle, busy| {
        let of = ContenderSummary {
            generator_idle: idle,
            target: TargetSummary { busy, ..TargetSummary::default() },
            ..summary(11e3, None)
        };
        let points = [Load::new(1.0, &summary(10e3, None), None), Load::new(8.0, &of, None)];
        match super::of(Connections, false, &points, 0.005) {
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
        match (of(Connections, false, &calm, 0.005), of(Connections, false, &wild, 0.005)) {
            (_, Bend::Undetermined) => {}
            (Bend::At { value: calm, .. }, Bend::At { value: wild, .. }) => prop_assert!(calm <= wild),
            (calm, wild) => prop_assert_eq!(calm, wild),
        }
    }
}
