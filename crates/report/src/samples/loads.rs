//! Load points of one target, made by hand.

use super::{Parts, compare};
use judge::growth;
use record::{Arrivals, Factor, Pair, RunSweep};

/// Connections of one server: throughput grows up to 16.
pub(in super::super) fn loads() -> Parts {
    let rates = [3100.0, 11_900.0, 23_400.0, 23_100.0];
    swept(Factor::Connections, &[1.0, 4.0, 16.0, 64.0], &rates, |round| {
        1.0 + f64::from(round % 3) / 300.0
    })
}

/// Load points on a machine that is too busy for an answer.
pub(in super::super) fn loads_noisy() -> Parts {
    let rates = [3100.0, 11_900.0, 9500.0];
    swept(Factor::Connections, &[1.0, 4.0, 16.0], &rates, |round| 1.0 + f64::from(round % 3) / 3.0)
}

/// Rates, all of which are reached.
pub(in super::super) fn loads_rates() -> Parts {
    let values = [1000.0, 2000.0, 5000.0];
    let mut parts =
        swept(Factor::Rate, &values, &values, |round| 1.0 + f64::from(round % 3) / 900.0);
    for (contender, rate) in parts.header.plan.contenders.iter_mut().zip(values) {
        contender.intensity.arrivals = Arrivals::Constant(rate);
    }
    parts
}

/// `scatter`: a factor for the rate of every other load point, by round.
fn swept(factor: Factor, values: &[f64], rates: &[f64], scatter: fn(u32) -> f64) -> Parts {
    let names: Vec<String> = values.iter().map(|value| factor.directory(*value)).collect();
    let named: Vec<(&str, f64)> =
        names.iter().map(String::as_str).zip(rates.iter().copied()).collect();
    let mut parts = compare(&named, 10);
    for (number, of) in parts.contenders.iter_mut().enumerate() {
        for (round, rate, p50, p99) in &mut of.rounds {
            let times = if number % 2 == 0 { scatter(*round) } else { 1.0 };
            *rate *= times;
            for time in [p50, p99].into_iter().flatten() {
                *time /= times;
            }
        }
    }
    let plan = &mut parts.header.plan;
    plan.command = "run".into();
    plan.question.pairs = (1..values.len() as u32).map(|b| Pair { a: b - 1, b }).collect();
    let sweep = RunSweep { factor, values: values.to_vec() };
    parts.growth = growth::of(&sweep, factor == Factor::Rate, &plan.question, &parts.contenders);
    plan.sweep = Some(sweep);
    parts
}
