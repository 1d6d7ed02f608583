use super::*;
use crate::bend::Sign;
use crate::builder::SampleRun;

/// Rounds of a machine whose speed varies by 10 %.
const MACHINE: [f64; 10] = [0.9, 1.1, 0.95, 1.05, 1.0, 0.92, 1.08, 1.02, 0.97, 1.01];
/// The scatter of a load point itself: 1 %, in another order at each.
const OWN: [f64; 10] = [0.99, 1.01, 1.0, 0.995, 1.005, 1.01, 0.99, 1.0, 1.005, 0.995];

/// One load point: throughput and p99, with `own` times its own scatter.
fn point(number: usize, (throughput, p99): (f64, f64), own: f64) -> ContenderSummary {
    let scatter = |round: usize| OWN[(round * (2 * number + 1) + number) % 10].powf(own);
    let rounds = MACHINE.iter().enumerate().map(|(round, machine)| {
        let rate = throughput * machine * scatter(round);
        (round as u32 + 1, rate, Some(p99 / 4.0 / machine), Some(p99 / machine))
    });
    let mut of = ContenderSummary { rounds: rounds.collect(), ..ContenderSummary::default() };
    of.histogram.record_many(1_000_000, 1000 * of.rounds.len() as u64);
    of
}

/// A sweep of these targets.
fn sweep(factor: Factor, values: &[f64], targets: usize) -> RunSweep {
    let targets = (0..targets).map(|target| format!("t{target}")).collect();
    RunSweep { factor, values: values.to_vec(), targets }
}

/// Load points of one target, of value, throughput and p99.
fn growth(factor: Factor, points: &[(f64, f64, f64)], own: f64) -> Growth {
    let values: Vec<f64> = points.iter().map(|point| point.0).collect();
    let each = points.iter().enumerate();
    let contenders: Vec<_> =
        each.map(|(number, &(_, rate, p99))| point(number, (rate, p99), own)).collect();
    let (question, sound) = (SampleRun::compare(10).question, vec![true; points.len()]);
    of(&sweep(factor, &values, 1), &question, &[false], &contenders, &sound).expect("rounds enough")
}

#[test]
fn the_vector_of_the_procedure_is_the_interval() {
    let ten = [0.031, -0.012, 0.024, 0.007, 0.018, -0.003, 0.042, 0.015, 0.001, 0.029_f64];
    let of_rates = |rates: &mut dyn Iterator<Item = f64>| ContenderSummary {
        rounds: (1..).zip(rates).map(|(round, rate)| (round, rate, None, None)).collect(),
        ..ContenderSummary::default()
    };
    let contenders = [
        of_rates(&mut ten.iter().map(|_| 1000.0)),
        of_rates(&mut ten.iter().map(|d| 1000.0 * d.exp())),
    ];
    let question = SampleRun::compare(10).question;
    let two = sweep(Factor::Depth, &[1.0, 2.0], 1);
    let growth = of(&two, &question, &[false], &contenders, &[true, true]).expect("ten rounds");
    let curve = &growth.curves[0];
    let ratio = curve.steps[0].throughput.expect("rates");
    assert!((ratio.at.ln() - 0.0152).abs() < 1e-9, "{ratio:?}");
    assert!((ratio.low.ln() - 0.003_079_7).abs() < 5e-8, "{ratio:?}");
    assert!((ratio.high.ln() - 0.027_320_3).abs() < 5e-8, "{ratio:?}");
    assert_eq!(curve.points[0].throughput.map(|of| of.low.round()), Some(1000.0));
    assert_eq!((curve.points[1].p99, curve.steps[0].p99), (None, None));
    assert_eq!(growth.step_confidence, 0.95);
}

#[test]
fn a_ratio_does_not_contain_what_the_machine_does_to_a_round() {
    let points = [(1.0, 10e3, 1e-3), (8.0, 60e3, 1e-3), (16.0, 90e3, 2e-3), (32.0, 90e3, 4e-3)];
    let growth = growth(Factor::Connections, &points, 1.0);
    let curve = &growth.curves[0];
    let [throughput, p99] = [curve.steps[2].throughput, curve.steps[2].p99];
    let width = throughput.map(|of| of.high / of.low).expect("rates");
    assert!(width < 1.06, "{width}");
    assert!(p99.is_some_and(|of| (of.at - 2.0).abs() < 1e-9), "{p99:?}");
    let alone = curve.points[2].throughput.map(|of| of.high / of.low).expect("rates");
    assert!(alone > 1.08, "{alone}");
    // Three steps share 5 %.
    assert!((growth.step_confidence - (1.0 - 0.05 / 3.0)).abs() < 1e-12);
    let gain = Sign::Gain { next: 32.0, more: 2.0, by: throughput.expect("rates").at };
    match curve.bend {
        // From 8 to 16 throughput grew by 1.5 times, more than the root of 2; from 8 to 32 not.
        Bend::At { value: 16.0, sign, or_before: false, .. } => assert_eq!(sign, gain),
        ref other => panic!("{other:?}"),
    }
}

#[test]
fn of_values_bytes_count() {
    // Half as many operations of twice the size.
    let points = [(1000.0, 10e3, 1e-3), (2000.0, 10e3, 1e-3), (4000.0, 5e3, 1e-3)];
    let growth = growth(Factor::Value, &points, 1.0);
    let steps: Vec<f64> =
        growth.curves[0].steps.iter().filter_map(|step| Some(step.throughput?.at)).collect();
    assert!((steps[0] - 2.0).abs() < 0.02 && (steps[1] - 1.0).abs() < 0.01, "{steps:?}");
}

#[test]
fn each_target_has_its_curve_without_void_load_points() {
    let contenders: Vec<ContenderSummary> = [10e3, 20e3, 20e3, 40e3, 40e3, 40e3]
        .iter()
        .enumerate()
        .map(|(number, rate)| point(number, (*rate, 1e-3), 1.0))
        .collect();
    let two = sweep(Factor::Connections, &[1.0, 2.0, 4.0], 2);
    let question = SampleRun::compare(10).question;
    let of = |sound| of(&two, &question, &[false, true], &contenders, sound);
    let growth = of(&[true, true, true]).expect("rounds enough");
    let bends: Vec<&Bend> = growth.curves.iter().map(|curve| &curve.bend).collect();
    assert_eq!(bends, [&Bend::NotUpTo(4.0), &Bend::NotSought]);
    // Four steps share 5 %.
    assert!((growth.step_confidence - (1.0 - 0.05 / 4.0)).abs() < 1e-12);
    let without = of(&[true, true, false]).expect("rounds enough");
    assert_eq!(without.curves[0].bend, Bend::NotUpTo(2.0));
    assert_eq!(without.curves[1].points[2].throughput, None);
    assert_eq!(without.curves[1].steps[1].throughput, None);
    assert_eq!(of(&[false, false, false]), None);
}

#[test]
fn launches_are_the_replicates_where_there_are_some() {
    // Five launches of two rounds; the sixth lacks one.
    let mut of_launches = ContenderSummary::default();
    for (at, scatter) in [0.98, 1.02].repeat(5).into_iter().enumerate() {
        let (round, rate) = (at as u32 + 1, 10e3 * scatter);
        of_launches.rounds.push((round, rate, Some(1.0), Some(scatter)));
    }
    of_launches.rounds.push((11, 5e3, Some(1.0), Some(1.0)));
    of_launches.histogram.record_many(1_000_000, 5000);
    let load = Load::new(1.0, &of_launches, 2);
    assert_eq!((load.throughput.len(), load.p50.len(), load.p99.len()), (5, 5, 5));
    let (first, second) = (9800f64.ln(), 10200f64.ln());
    assert!((load.throughput[0] - (first + second) / 2.0).abs() < 1e-12);
}

#[test]
fn one_round_shows_nothing() {
    let mut contenders = [point(0, (10e3, 1e-3), 1.0), point(1, (20e3, 1e-3), 1.0)];
    contenders.iter_mut().for_each(|of| of.rounds.truncate(1));
    let two = sweep(Factor::Connections, &[1.0, 2.0], 1);
    let question = SampleRun::compare(10).question;
    assert_eq!(of(&two, &question, &[false], &contenders, &[true, true]), None);
}

#[test]
fn load_points_that_share_no_rounds_have_figures_but_no_steps_and_no_bend() {
    let mut question = SampleRun::compare(10).question;
    question.load_points = ["connections-1", "connections-8"].map(str::to_owned).into();
    let contenders = [0, 1].map(|number| point(number, (1000.0, 0.001), 1.0));
    let two = sweep(Factor::Connections, &[1.0, 8.0], 1);
    let curve = |question: &Question| {
        let growth = of(&two, question, &[false], &contenders, &[true, true]);
        growth.expect("ten rounds").curves.remove(0)
    };
    let together = curve(&question);
    assert!(matches!(together.bend, Bend::At { .. }) && together.steps.len() == 1, "{together:?}");
    question.blocks = [vec![vec![0]; 10], vec![vec![1]; 10]].concat();
    let apart = curve(&question);
    assert_eq!((apart.bend, apart.steps.len()), (Bend::Undetermined, 0));
    assert_eq!(apart.points, together.points);
}
