//! Runs at several load points, made by hand.

use super::{Parts, compare, comparison, finding, hostile};
use judge::growth;
use judge::verdict::{LoadPoint, Weight, Word};
use record::{Arrivals, Factor, Pair, RunSweep};

/// Connections of one server: throughput grows up to 16.
pub(in super::super) fn loads() -> Parts {
    let rates = [3100.0, 11_900.0, 23_400.0, 23_100.0];
    let scatter = |round: u32| 1.0 + f64::from(round % 3) / 300.0;
    swept(&["web"], (Factor::Connections, &[1.0, 4.0, 16.0, 64.0]), &rates, scatter)
}

/// Load points on a machine that is too busy for an answer.
pub(in super::super) fn loads_noisy() -> Parts {
    let rates = [3100.0, 11_900.0, 19_500.0];
    let scatter = |round: u32| 1.0 + f64::from(round % 3) / 3.0;
    swept(&["web"], (Factor::Connections, &[1.0, 4.0, 16.0]), &rates, scatter)
}

/// Rates, all of which are reached.
pub(in super::super) fn loads_rates() -> Parts {
    let values = [1000.0, 2000.0, 5000.0];
    let scatter = |round: u32| 1.0 + f64::from(round % 3) / 900.0;
    at_their_rates(swept(&["web"], (Factor::Rate, &values), &values, scatter))
}

/// Two servers in closed loop; the highest load point is void.
pub(in super::super) fn sweep() -> Parts {
    let rates = [3100.0, 3080.0, 19_400.0, 22_700.0, 23_400.0, 61_000.0, 30_000.0, 71_000.0];
    let values = [1.0, 8.0, 32.0, 128.0];
    let scatter = |round: u32| 1.0 + f64::from(round % 3) / 300.0;
    let mut parts = swept(&["old", "new"], (Factor::Connections, &values), &rates, scatter);
    parts.findings = vec![finding(
        "non_success",
        Weight::Void,
        Some("new@connections-128"),
        "4 711 of 710 000 operations were reset.",
        "Look at the server's log.",
    )];
    judged(&mut parts);
    let words = [Word::Equivalent, Word::Faster, Word::Faster, Word::Void];
    for (of, word) in parts.comparisons.iter_mut().zip(words) {
        of.verdict = word;
    }
    parts
}

/// Sixteen load points of two stores at equal distances.
pub(in super::super) fn sweep_value() -> Parts {
    let values: Vec<f64> = (1..=16).map(|n| f64::from(n) * 1024.0).collect();
    let rates: Vec<f64> = (1..=16)
        .flat_map(|n| {
            let rate = 40_000.0 - 1500.0 * f64::from(n);
            [rate, rate * 1.3]
        })
        .collect();
    let scatter = |round: u32| 1.0 + f64::from(round % 3) / 30.0;
    let mut parts = swept(&["old", "new"], (Factor::Value, &values), &rates, scatter);
    for of in &mut parts.comparisons {
        of.verdict = Word::Undecided;
    }
    parts
}

/// Load points whose names are hostile.
pub(in super::super) fn sweep_hostile() -> Parts {
    let mut parts = loads();
    let hostile = hostile();
    parts.run = hostile.run;
    parts.header.version = hostile.header.version;
    let sweep = parts.header.plan.sweep.as_mut().expect("a sweep");
    sweep.targets = vec![super::HOSTILE.to_owned()];
    parts
}

fn at_their_rates(mut parts: Parts) -> Parts {
    let values = parts.header.plan.sweep.clone().map_or(Vec::new(), |sweep| sweep.values);
    for (contender, rate) in parts.header.plan.contenders.iter_mut().zip(values) {
        contender.intensity.arrivals = Arrivals::Constant(rate);
    }
    parts
}

/// Rates by load point, then by target. `scatter`: a factor for the rates of every other load point, by round.
fn swept(
    targets: &[&str],
    (factor, values): (Factor, &[f64]),
    rates: &[f64],
    scatter: fn(u32) -> f64,
) -> Parts {
    let targets = targets.iter().map(|name| (*name).to_owned()).collect();
    let sweep = RunSweep { factor, values: values.to_vec(), targets };
    let (names, width) = (sweep.names(), sweep.width());
    let contenders: Vec<String> = names
        .iter()
        .flat_map(|at| sweep.targets.iter().map(move |of| RunSweep::contender(of, at, width)))
        .collect();
    let named: Vec<(&str, f64)> =
        contenders.iter().map(String::as_str).zip(rates.iter().copied()).collect();
    let mut parts = compare(&named, 10);
    for (number, of) in parts.contenders.iter_mut().enumerate() {
        // A p99 takes 1000 replies in each round.
        let half = of.histogram.clone();
        (0..2).for_each(|_| of.histogram.merge(&half));
        for (round, rate, p50, p99) in &mut of.rounds {
            let times = if number / width % 2 == 0 { scatter(*round) } else { 1.0 };
            *rate *= times;
            for time in [p50, p99].into_iter().flatten() {
                *time /= times;
            }
        }
    }
    let question = &mut parts.header.plan.question;
    question.load_points = names;
    let many = contenders.len() as u32;
    if width == 1 {
        parts.header.plan.command = "run".into();
        question.pairs = (1..many).map(|b| Pair { a: b - 1, b }).collect();
    } else {
        question.pairs = (0..many / 2).map(|at| Pair { a: 2 * at, b: 2 * at + 1 }).collect();
        let of_pair = |pair: &Pair| {
            let [a, b] = [pair.a, pair.b].map(|number| named[number as usize]);
            let ratio = b.1 / a.1;
            let bounds = (ratio, ratio * 0.97, ratio * 1.03);
            comparison(a.0, b.0, Word::Faster, bounds, &[ratio; 10])
        };
        parts.comparisons = question.pairs.iter().map(of_pair).collect();
    }
    parts.header.plan.sweep = Some(sweep);
    judged(&mut parts);
    parts
}

/// What the judge would make of the load points.
fn judged(parts: &mut Parts) {
    let plan = &parts.header.plan;
    let sweep = plan.sweep.clone().expect("a sweep");
    let width = sweep.width();
    let point = |at: usize| {
        let contenders = at * width..(at + 1) * width;
        let of_point = parts.contenders[contenders.clone()].iter().map(|of| &of.name);
        let names: Vec<&String> = of_point.collect();
        let is_about = |of: &&judge::verdict::Finding| {
            of.contender.as_ref().is_none_or(|name| names.contains(&name))
        };
        LoadPoint {
            contenders,
            comparisons: if width == 1 { 0..0 } else { at..at + 1 },
            findings: parts.findings.iter().filter(is_about).cloned().collect(),
        }
    };
    let points: Vec<LoadPoint> = (0..sweep.values.len()).map(point).collect();
    let sound: Vec<bool> = points.iter().map(|point| !point.void()).collect();
    let at_a_rate = vec![sweep.factor == Factor::Rate; width];
    parts.growth = growth::of(&sweep, &plan.question, &at_a_rate, &parts.contenders, &sound);
    parts.load_points = points;
}
