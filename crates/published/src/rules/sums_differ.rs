//! Figures of one run that contradict each other.

use super::{Check, Checked, Rule, RunObjection};
use crate::key::{At, Key};
use crate::run::PublishedRun;
use crate::tools::THOUSAND;
use judge::verdict::Weight;
use text::units::show_seconds;

pub(super) const RULE: Rule = Rule {
    name: "sums_differ",
    weight: Weight::Void,
    threshold: "Divides operations and bytes by the duration and compares the results with the \
                printed rates; adds up the statuses; checks that percentiles increase and that the \
                mean is between the shortest and the longest time. A deviation of more than 3 % \
                plus rounding: void. autocannon with pipelining counts what it sends again after an \
                error, so its operations may exceed the rate.",
    why: "The figures of one run agree. If they do not, a figure is from another run, was \
          mistyped, or was changed.",
    remedy: "Use the complete output as the tool wrote it.",
    check: Check::Run(check),
};

/// Share by which a printed sum may deviate: tools stop their clocks at different places.
const OFF: f64 = 0.03;

fn check(run: &PublishedRun) -> Checked {
    let mut found = Vec::new();
    let mut object = |evidence: String, lines: Vec<u64>| {
        found.push(RunObjection { weight: Weight::Void, evidence, lines });
    };
    // cassandra-stress 2.0 prints the mean of the middle 80 % of its intervals.
    let rate = run.figure(Key::Rate);
    let of_all = !(run.tool.name == "cassandra-stress" && run.is_older());
    // hey and oha print no total number of operations, only one per result.
    let counted = run
        .figure(Key::Operations)
        .or_else(|| run.figure(Key::PerClient).is_none().then(|| run.operations()).flatten());
    for (sum, rate, what) in [
        (counted, rate.filter(|_| of_all), "operations"),
        (run.figure(Key::Bytes), run.figure(Key::BytesPerSecond), "bytes"),
    ] {
        if let (Some(sum), Some(rate), Some(duration)) = (sum, rate, run.figure(Key::Duration))
            && !fits(range(run, sum.value, what), rate.value, duration.value, run.tool.clock)
        {
            let text = format!(
                "{} {what} in {} are {:.2} per second, but {:.2} per second are printed",
                sum.value,
                show_seconds(duration.value),
                sum.value / duration.value,
                rate.value
            );
            object(text, vec![sum.line, duration.line, rate.line]);
        }
    }
    statuses(run, &mut object);
    order(run, &mut object);
    Ok(found)
}

/// The least and the largest number that the rate may refer to.
fn range(run: &PublishedRun, sum: f64, what: &str) -> (f64, f64) {
    match run.tool.name {
        // It rounds to thousands, and some versions count errors as requests but not in the rate.
        "autocannon" if what == "operations" => {
            let errors = run.figure(Key::Errors).map_or(0.0, |at| at.value);
            let pipeline = run.figure(Key::Pipeline).map_or(1.0, |at| at.value);
            // For each error it sends the whole pipeline again, and counts that as requests.
            if errors > 0.0 && pipeline > 1.0 {
                return (0.0, sum + THOUSAND);
            }
            let is_rounded = |figure: f64| figure >= THOUSAND && figure % THOUSAND == 0.0;
            let step = if is_rounded(sum) || is_rounded(errors) { THOUSAND } else { 0.0 };
            ((sum - errors - step).max(0.0), sum + step)
        }
        // An author may quote one kind of operations, but the rate is that of all kinds.
        "YCSB" => (sum, f64::INFINITY),
        _ => (sum, sum),
    }
}

/// Whether a sum and a rate fit a duration that was printed in steps of `clock` seconds.
fn fits((least, most): (f64, f64), rate: f64, duration: f64, clock: f64) -> bool {
    let half = half_digit(rate);
    let most = most / (duration - clock).max(f64::MIN_POSITIVE) * (1.0 + OFF);
    let least = least / (duration + clock) * (1.0 - OFF);
    (least - half..=most + half).contains(&rate)
}

/// Half of the last digit of a printed figure.
fn half_digit(figure: f64) -> f64 {
    let text = figure.to_string();
    let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    0.5 / 10f64.powi(i32::try_from(decimals).unwrap_or(i32::MAX))
}

fn statuses(run: &PublishedRun, object: &mut impl FnMut(String, Vec<u64>)) {
    let Some(all) = run.figure(Key::Operations) else { return };
    let statuses: Vec<At<f64>> =
        run.figures().filter(|(key, _)| matches!(key, Key::Status(_))).map(|(_, at)| at).collect();
    let sum: f64 = statuses.iter().map(|at| at.value).sum();
    if sum > all.value * (1.0 + OFF) {
        let lines = statuses.iter().map(|at| at.line).chain([all.line]).collect();
        object(
            format!("{sum} replies have a status, but there were {} operations", all.value),
            lines,
        );
    }
}

/// Checks that times increase.
fn order(run: &PublishedRun, object: &mut impl FnMut(String, Vec<u64>)) {
    let mut times: Vec<(String, At<f64>)> = Vec::new();
    let named = |key: Key| run.figure(key).map(|at| (key.name().0, at));
    times.extend(named(Key::Min));
    let percentiles = run.figures().filter(|(key, _)| matches!(key, Key::Percentile(_)));
    times.extend(percentiles.map(|(key, at)| (key.name().0, at)));
    times.extend(named(Key::Max));
    let around = [named(Key::Min), named(Key::Mean), named(Key::Max)].into_iter().flatten();
    let around: Vec<_> = around.collect();
    for pair in times.windows(2).chain(around.windows(2)) {
        let [(low, a), (high, b)] = pair else { continue };
        // Both are rounded, and a histogram's percentile may be above the longest time.
        if a.value > b.value * (1.0 + off(run)) + rounding(run) {
            let text = format!(
                "the {low} is {}, the {high} is {}",
                show_seconds(a.value),
                show_seconds(b.value)
            );
            object(text, vec![a.line, b.line]);
        }
    }
}

/// Share by which a time may exceed a longer one: locust prints percentiles with two digits.
fn off(run: &PublishedRun) -> f64 {
    if run.tool.name == "locust" { 0.05 } else { OFF }
}

/// The difference that a tool's rounding can cause between two times, in seconds.
fn rounding(run: &PublishedRun) -> f64 {
    match run.tool.name {
        "ab" => 1e-3,
        "cassandra-stress" => 1e-4,
        _ => 1e-5,
    }
}
