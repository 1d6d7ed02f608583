use super::*;
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
    ContenderSummary { rounds: rounds.collect(), ..ContenderSummary::default() }
}

/// Load points of value, throughput and p99.
fn growth(factor: Factor, points: &[(f64, f64, f64)], own: f64) -> Growth {
    let sweep = RunSweep { factor, values: points.iter().map(|point| point.0).collect() };
    let each = points.iter().enumerate();
    let contenders: Vec<_> =
        each.map(|(number, &(_, rate, p99))| point(number, (rate, p99), own)).collect();
    of(&sweep, false, &SampleRun::compare(10).question, &contenders).expect("rounds enough")
}

fn changes(growth: &Growth) -> Vec<Change> {
    growth.steps.iter().map(|step| step.change).collect()
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
    let sweep = RunSweep { factor: Factor::Depth, values: vec![1.0, 2.0] };
    let growth =
        of(&sweep, false, &SampleRun::compare(10).question, &contenders).expect("ten rounds");
    let ratio = growth.steps[0].throughput.expect("rates");
    assert!((ratio.at.ln() - 0.0152).abs() < 1e-9, "{ratio:?}");
    assert!((ratio.low.ln() - 0.003_079_7).abs() < 5e-8, "{ratio:?}");
    assert!((ratio.high.ln() - 0.027_320_3).abs() < 5e-8, "{ratio:?}");
    assert_eq!(growth.points[0].throughput.map(|of| of.low.round()), Some(1000.0));
    assert_eq!((growth.points[1].p99, growth.steps[0].p99), (None, None));
    assert_eq!(growth.step_confidence, 0.95);
}

#[test]
fn it_grows_up_to_the_load_point_after_which_throughput_stays() {
    let points = [(1.0, 10e3, 1e-3), (8.0, 60e3, 1e-3), (16.0, 90e3, 2e-3), (32.0, 90e3, 4e-3)];
    let growth = growth(Factor::Connections, &points, 1.0);
    assert_eq!(changes(&growth), [Change::Grows, Change::Grows, Change::DoesNotGrow]);
    assert_eq!(growth.limit, Limit::At(2));
    // The machine's variation of 10 % is the same in both, so no ratio contains it.
    let [throughput, p99] = [growth.steps[2].throughput, growth.steps[2].p99];
    let width = throughput.map(|of| of.high / of.low).expect("rates");
    assert!(width < 1.06, "{width}");
    assert!(p99.is_some_and(|of| (of.at - 2.0).abs() < 1e-9), "{p99:?}");
    let alone = growth.points[2].throughput.map(|of| of.high / of.low).expect("rates");
    assert!(alone > 1.08, "{alone}");
    // Three steps share 5 %.
    assert!((growth.step_confidence - (1.0 - 0.05 / 3.0)).abs() < 1e-12);
}

#[test]
fn it_may_fall_and_may_never_grow() {
    let falls = [(1.0, 10e3, 1e-3), (4.0, 30e3, 1e-3), (16.0, 20e3, 1e-3)];
    let falls = growth(Factor::Connections, &falls, 1.0);
    assert_eq!(changes(&falls), [Change::Grows, Change::Falls]);
    assert_eq!(falls.limit, Limit::At(1));
    let flat = growth(Factor::Depth, &[(1.0, 10e3, 1e-3), (4.0, 10e3, 1e-3)], 1.0);
    assert_eq!(flat.limit, Limit::At(0));
}

#[test]
fn a_curve_that_never_bends_grows_to_the_end() {
    let points = [(1.0, 10e3, 1e-3), (2.0, 20e3, 1e-3), (4.0, 40e3, 1e-3), (8.0, 80e3, 1e-3)];
    let growth = growth(Factor::Connections, &points, 1.0);
    assert_eq!(changes(&growth), [Change::Grows; 3]);
    assert_eq!(growth.limit, Limit::NotReached);
    // A flat part is not a bend if throughput rises again after it.
    let step = [(1.0, 1e3, 1e-3), (4.0, 4e3, 1e-3), (8.0, 4e3, 1e-3), (64.0, 32e3, 1e-3)];
    assert_eq!(super::tests::growth(Factor::Connections, &step, 1.0).limit, Limit::NotReached);
}

#[test]
fn where_rounds_scatter_too_much_it_says_so() {
    let points = [(1.0, 10e3, 1e-3), (2.0, 20e3, 1e-3), (4.0, 21e3, 1e-3)];
    let noisy = growth(Factor::Connections, &points, 10.0);
    assert_eq!(changes(&noisy), [Change::Grows, Change::Undetermined]);
    assert_eq!(noisy.limit, Limit::Undetermined(1));
    let noisier = growth(Factor::Connections, &points[1..], 20.0);
    assert_eq!(noisier.limit, Limit::Undetermined(0));
}

#[test]
fn what_is_surely_too_small_to_matter_is_no_growth() {
    let of = |low: f64, high: f64| change(Estimate { at: (low * high).sqrt(), low, high }, 0.01);
    assert_eq!(of(1.02, 1.04), Change::Grows);
    assert_eq!(of(1.001, 1.009), Change::DoesNotGrow);
    assert_eq!(of(0.95, 1.03), Change::DoesNotGrow);
    assert_eq!(of(0.992, 0.999), Change::DoesNotGrow);
    assert_eq!(of(0.80, 0.97), Change::Falls);
    assert_eq!(of(0.95, 1.06), Change::Undetermined);
}

#[test]
fn of_values_bytes_count_and_of_a_fixed_rate_nothing() {
    // Half as many operations of twice the size.
    let points = [(1000.0, 10e3, 1e-3), (2000.0, 10e3, 1e-3), (4000.0, 5e3, 1e-3)];
    let growth = growth(Factor::Value, &points, 1.0);
    assert_eq!(changes(&growth), [Change::Grows, Change::DoesNotGrow]);
    assert_eq!(growth.limit, Limit::At(1));
    let question = SampleRun::compare(10).question;
    let of = |factor| {
        let sweep = RunSweep { factor, values: vec![1.0, 2.0] };
        let contenders = [point(0, (10e3, 1e-3), 1.0), point(1, (20e3, 1e-3), 1.0)];
        of(&sweep, true, &question, &contenders).expect("rounds enough").limit
    };
    assert_eq!(of(Factor::Connections), Limit::NotSought);
    assert_eq!(of(Factor::Rate), Limit::NotReached);
}

#[test]
fn one_round_shows_nothing() {
    let mut contenders = [point(0, (10e3, 1e-3), 1.0), point(1, (20e3, 1e-3), 1.0)];
    contenders.iter_mut().for_each(|of| of.rounds.truncate(1));
    let sweep = RunSweep { factor: Factor::Connections, values: vec![1.0, 2.0] };
    assert_eq!(of(&sweep, false, &SampleRun::compare(10).question, &contenders), None);
}
