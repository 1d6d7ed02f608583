//! What a comparison says: the claim, what stands behind it, what would decide it.

use super::{Sentence, groups, rests_on, word};
use crate::View;
use judge::verdict::{Comparison, Word};
use record::{Direction, Metric};
use text::units;

/// CPU at rest above this share of one core is worth a second ratio: below it
/// the charge is smaller than what is read of servers that do nothing.
const CHARGED_ABOVE: f64 = 0.005;

/// What the comparison says, without its interval: `new is 1.31x faster than old`.
pub(crate) fn claim(view: &View, comparison: &Comparison) -> Sentence {
    let (a, b) = (&comparison.a, &comparison.b);
    let said = Sentence::default();
    let Some(ratio) = ratio(comparison) else {
        let said = said.name(b).plain(" against ").name(a);
        return if comparison.verdict == Word::Undecided {
            said.plain(" is undecided")
        } else {
            said
        };
    };
    let ratio = &units::ratios(ratio, bounds(comparison), view.matters())[0];
    let limit = limit(comparison);
    if comparison.metric == Metric::TargetCpu {
        return costs(comparison, ratio);
    }
    match (comparison.verdict, comparison.metric.direction()) {
        (Word::Faster, Direction::HigherIsBetter) => {
            said.name(b).plain(format!(" is {limit}")).lead(ratio).plain(" faster than ").name(a)
        }
        (Word::Faster, Direction::LowerIsBetter) => {
            said.name(b).plain(" is faster than ").name(a).plain(format!(": {limit}")).lead(ratio)
        }
        (Word::Slower, _) => {
            said.name(b).plain(" is slower than ").name(a).plain(format!(": {limit}")).lead(ratio)
        }
        (Word::Equivalent, _) => {
            said.name(b).plain(" and ").name(a).plain(" are equivalent: ").lead(ratio)
        }
        (Word::Undecided, _) => {
            said.name(b).plain(" against ").name(a).plain(" is undecided: ").lead(ratio)
        }
        (Word::Void, _) => said.name(b).plain(" against ").name(a).plain(": ").lead(ratio),
    }
}

/// The claim with its interval: `new is 1.31x faster than old (1.27x to 1.36x)`.
pub(crate) fn brief(view: &View, comparison: &Comparison) -> Sentence {
    let said = claim(view, comparison);
    let Some((ratio, bounds)) = comparison.ratio.zip(bounds(comparison)) else { return said };
    let ratios = units::ratios(ratio, Some(bounds), view.matters());
    said.plain(" (").ratio(&ratios[1]).plain(" to ").ratio(&ratios[2]).plain(")")
}

/// The claim about what the targets cost: `new uses 0.71x the CPU of old per operation`.
fn costs(comparison: &Comparison, ratio: &str) -> Sentence {
    let (a, b) = (&comparison.a, &comparison.b);
    let said = Sentence::default().name(b);
    match comparison.verdict {
        Word::Faster | Word::Slower => said
            .plain(format!(" uses {}", limit(comparison)))
            .lead(ratio)
            .plain(" the CPU of ")
            .name(a)
            .plain(" per operation"),
        Word::Equivalent => {
            said.plain(" and ").name(a).plain(" use equivalent CPU per operation: ").lead(ratio)
        }
        Word::Undecided => said
            .plain(" against ")
            .name(a)
            .plain(" is undecided in CPU per operation: ")
            .lead(ratio),
        Word::Void => said.plain(" against ").name(a).plain(", CPU per operation: ").lead(ratio),
    }
}

/// What stands behind the claim: `throughput; 95 % interval 1.27x to 1.36x, 10 rounds`.
pub(crate) fn basis(view: &View, comparison: &Comparison) -> Sentence {
    let said = Sentence::default().plain(format!("{}; ", groups::metric(comparison)));
    interval(view, comparison, said)
}

/// The same without the metric where that goes without saying: throughput, and CPU,
/// which the claim names.
pub(crate) fn short_basis(view: &View, comparison: &Comparison) -> Sentence {
    let is_plain = matches!(comparison.metric, Metric::Throughput | Metric::TargetCpu);
    if is_plain && comparison.group.is_none() {
        return interval(view, comparison, Sentence::default());
    }
    let said = Sentence::default().plain(format!("{}; ", groups::short_metric(comparison)));
    interval(view, comparison, said)
}

fn interval(view: &View, comparison: &Comparison, said: Sentence) -> Sentence {
    let rounds = rests_on(view, comparison);
    let Some(ratio) = ratio(comparison) else {
        return said.plain("no round to judge by");
    };
    let level = units::level(comparison.confidence);
    let Some(bounds) = bounds(comparison) else {
        return said.plain(format!("{rounds}, too few for a {level} interval"));
    };
    let ratios = units::ratios(ratio, Some(bounds), view.matters());
    let beyond = match comparison.beyond_generator {
        Some(_) => "beyond the generator's own cost, ",
        None => "",
    };
    let said = said
        .plain(format!("{beyond}{level} interval "))
        .ratio(&ratios[1])
        .plain(" to ")
        .ratio(&ratios[2]);
    match comparison.verdict {
        Word::Equivalent => {
            said.plain(format!(", inside ±{}, {rounds}", units::percent(view.matters())))
        }
        _ => said.plain(format!(", {rounds}")),
    }
}

/// A metric of the second family: `p99: 4.10 ms -> 2.90 ms, 0.71x (0.66 to 0.75)`.
/// The level of its interval is said where it isn't that of the primary ones.
pub(crate) fn second(view: &View, comparison: &Comparison) -> Sentence {
    let figure = |name| groups::figure(view, comparison, name);
    let said = Sentence::default().plain(format!(
        "{}: {} -> {}",
        groups::short_metric(comparison),
        figure(&comparison.a),
        figure(&comparison.b),
    ));
    let Some(ratio) = ratio(comparison) else {
        return said;
    };
    let level = if view.primaries().any(|primary| primary.confidence == comparison.confidence) {
        String::new()
    } else {
        format!("{} interval ", units::level(comparison.confidence))
    };
    let bounds = bounds(comparison);
    let ratios = units::ratios(ratio, bounds, view.matters());
    let said = said.plain(format!(", {}", limit(comparison))).ratio(&ratios[0]);
    match bounds {
        Some(_) => said.plain(format!(" ({level}{} to {})", ratios[1], ratios[2])),
        None => said,
    }
}

/// `at least ` or `at most `, where the generator held back the one ahead: it
/// bounds the ratio from the side that the leader is on.
pub(crate) fn limit(comparison: &Comparison) -> &'static str {
    let higher_is_better = comparison.metric.direction() == Direction::HigherIsBetter;
    match (comparison.at_least, comparison.verdict) {
        (true, Word::Faster) if higher_is_better => "at least ",
        (true, Word::Faster) => "at most ",
        (true, Word::Slower) if higher_is_better => "at most ",
        (true, Word::Slower) => "at least ",
        _ => "",
    }
}

/// The ratio that the verdict rests on: what was measured, or the part of it that lies
/// beyond the generator's own cost.
fn ratio(comparison: &Comparison) -> Option<f64> {
    comparison.beyond_generator.map(|beyond| beyond.ratio).or(comparison.ratio)
}

/// Both bounds of its interval, where there is one.
pub(crate) fn bounds(comparison: &Comparison) -> Option<(f64, f64)> {
    let beyond = comparison.beyond_generator.map(|beyond| (beyond.low, beyond.high));
    beyond.or(comparison.low.zip(comparison.high))
}

/// The ratio with CPU at rest charged to whom it belongs; none where no
/// contender uses enough of it to matter.
pub(crate) fn charged(view: &View, comparison: &Comparison) -> Option<Sentence> {
    let charged = comparison.charged?;
    let at_rest = |name: &str| view.contender(name).and_then(|of| of.target.cpu_at_rest);
    let told = [&comparison.a, &comparison.b].map(|name| (name, at_rest(name)));
    if !told.iter().any(|(_, share)| share.is_some_and(|share| share > CHARGED_ABOVE)) {
        return None;
    }
    let said = told.into_iter().filter_map(|(name, share)| Some((name, share?))).enumerate().fold(
        Sentence::default().plain("with CPU at rest charged ("),
        |said, (at, (name, share))| {
            let comma = if at > 0 { ", " } else { "" };
            said.plain(comma).name(name).plain(format!(" {}", units::percent(share)))
        },
    );
    let ratios = units::ratios(charged.ratio, charged.interval, view.matters());
    let said = said.plain("): ").ratio(&ratios[0]);
    let said = match charged.interval {
        Some(_) => said.plain(" (").ratio(&ratios[1]).plain(" to ").ratio(&ratios[2]).plain(")"),
        None => said,
    };
    Some(said.plain(format!(", {}", word(charged.verdict, comparison.metric))))
}
