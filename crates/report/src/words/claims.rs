//! The sentences about a comparison: the claim, its basis, and what would decide it.

use super::{Sentence, groups, rests_on, word};
use crate::View;
use judge::verdict::{Comparison, Word};
use record::{Direction, Metric};
use text::units;

/// A second ratio is shown if a contender uses more CPU at rest than this share of one core.
/// Less than that is within what is measured for servers that do nothing.
const CHARGED_ABOVE: f64 = 0.005;

/// The claim without its interval: `new is 1.31x faster than old`, and about CPU: `new uses 0.71x the
/// CPU of old per operation`.
pub(crate) fn claim(view: &View, comparison: &Comparison) -> Sentence {
    use Direction::{HigherIsBetter, LowerIsBetter};
    let Some(ratio) = comparison.judged_ratio() else {
        let undecided = comparison.verdict == Word::Undecided;
        let words = if undecided { "[b] against [a] is undecided" } else { "[b] against [a]" };
        return filled(words, comparison, "");
    };
    let ratio = &units::ratios(ratio, comparison.judged_bounds(), view.matters())[0];
    // A program is faster; a launch of it was.
    let was_launched = comparison.launch_of_a || comparison.launch_of_b;
    let [is, are, uses, both_use, takes, both_take] = if was_launched {
        ["was", "were", "used", "used", "took", "took"]
    } else {
        ["is", "are", "uses", "use", "takes", "take"]
    };
    let limit = limit(comparison);
    let is_cpu = comparison.metric == Metric::TargetCpu;
    let is_memory = comparison.metric == Metric::PeakMemory;
    let is_capacity = comparison.metric == Metric::Capacity;
    let words = match (comparison.verdict, comparison.metric.direction()) {
        (Word::Faster | Word::Slower, _) if is_cpu => {
            format!("[b] {uses} {limit}[ratio] the CPU of [a] per operation")
        }
        (Word::Equivalent, _) if is_cpu => {
            format!("[b] and [a] {both_use} equivalent CPU per operation: [ratio]")
        }
        (Word::Undecided, _) if is_cpu => {
            "[b] against [a] is undecided in CPU per operation: [ratio]".to_owned()
        }
        (Word::Void, _) if is_cpu => "[b] against [a], CPU per operation: [ratio]".to_owned(),
        (Word::Faster | Word::Slower, _) if is_memory => {
            format!("[b] {uses} [ratio] the memory of [a]")
        }
        (Word::Equivalent, _) if is_memory => {
            format!("[b] and [a] {both_use} equivalent memory: [ratio]")
        }
        (Word::Undecided, _) if is_memory => {
            "[b] against [a] is undecided in peak memory: [ratio]".to_owned()
        }
        (Word::Void, _) if is_memory => "[b] against [a], peak memory: [ratio]".to_owned(),
        (Word::Faster | Word::Slower, _) if is_capacity => {
            format!("[b] {takes} [ratio] the rate of [a]")
        }
        (Word::Equivalent, _) if is_capacity => {
            format!("[b] and [a] {both_take} equivalent rates: [ratio]")
        }
        (Word::Faster, HigherIsBetter) => format!("[b] {is} {limit}[ratio] faster than [a]"),
        (Word::Faster, LowerIsBetter) => format!("[b] {is} faster than [a]: {limit}[ratio]"),
        (Word::Slower, _) => format!("[b] {is} slower than [a]: {limit}[ratio]"),
        (Word::Equivalent, _) => format!("[b] and [a] {are} equivalent: [ratio]"),
        (Word::Undecided, _) => "[b] against [a] is undecided: [ratio]".to_owned(),
        (Word::Void, _) => "[b] against [a]: [ratio]".to_owned(),
    };
    filled(&words, comparison, ratio)
}

/// These words with the sides of the comparison for `[a]` and `[b]`, and the ratio for `[ratio]`.
fn filled(words: &str, comparison: &Comparison, ratio: &str) -> Sentence {
    let pieces = words.split(['[', ']']).filter(|piece| !piece.is_empty());
    pieces.fold(Sentence::default(), |sentence, piece| match piece {
        "a" => sentence.side(&comparison.a, comparison.launch_of_a),
        "b" => sentence.side(&comparison.b, comparison.launch_of_b),
        "ratio" => sentence.lead(ratio),
        plain => sentence.plain(plain),
    })
}

/// Says what verdicts are about that stand in a table, where no claim says it.
pub(crate) fn about_launches<'a>(
    mut verdicts: impl Iterator<Item = &'a Comparison>,
) -> Option<&'static str> {
    let is_about_launches = |of: &Comparison| of.launch_of_a || of.launch_of_b;
    let says = "the verdicts are about these launches of the servers; others may differ";
    verdicts.any(is_about_launches).then_some(says)
}

/// The claim with its interval: `new is 1.31x faster than old (1.27x to 1.36x)`.
pub(crate) fn brief(view: &View, comparison: &Comparison) -> Sentence {
    let sentence = claim(view, comparison);
    let Some((ratio, bounds)) = comparison.ratio.zip(comparison.judged_bounds()) else {
        return sentence;
    };
    let ratios = units::ratios(ratio, Some(bounds), view.matters());
    sentence.plain(" (").range(&ratios).plain(")")
}

/// The basis of the claim: `throughput; 95 % interval 1.27x to 1.36x, 10 rounds`.
pub(crate) fn basis(view: &View, comparison: &Comparison) -> Sentence {
    let sentence = Sentence::default().plain(format!("{}; ", groups::metric(comparison)));
    interval(view, comparison, sentence)
}

/// The basis without the metric if the metric is obvious: throughput, and CPU, which the
/// claim names.
pub(crate) fn short_basis(view: &View, comparison: &Comparison) -> Sentence {
    let is_plain = matches!(comparison.metric, Metric::Throughput | Metric::TargetCpu);
    if is_plain && comparison.part().is_none() {
        return interval(view, comparison, Sentence::default());
    }
    let sentence = Sentence::default().plain(format!("{}; ", groups::short_metric(comparison)));
    interval(view, comparison, sentence)
}

fn interval(view: &View, comparison: &Comparison, sentence: Sentence) -> Sentence {
    let rounds = rests_on(view, comparison);
    let Some(ratio) = comparison.judged_ratio() else {
        return sentence.plain("no rounds to compare");
    };
    let level = units::level(comparison.confidence);
    let Some(bounds) = comparison.judged_bounds() else {
        return sentence.plain(format!("{rounds}, too few for a {level} interval"));
    };
    let ratios = units::ratios(ratio, Some(bounds), view.matters());
    let beyond = match comparison.beyond_generator {
        Some(_) => "beyond the generator's own cost, ",
        None => "",
    };
    let sentence = sentence.plain(format!("{beyond}{level} interval ")).range(&ratios);
    match comparison.verdict {
        Word::Equivalent => {
            sentence.plain(format!(", inside ±{}, {rounds}", units::percent(view.matters())))
        }
        _ => sentence.plain(format!(", {rounds}")),
    }
}

/// A metric of the second family: `p99: 4.10 ms -> 2.90 ms, 0.71x (0.66 to 0.75)`. The level
/// of its interval is included if it differs from that of the primary metrics.
pub(crate) fn second(view: &View, comparison: &Comparison) -> Sentence {
    let figure = |name| groups::figure(view, comparison, name);
    let sentence = Sentence::default().plain(format!(
        "{}{}: {} -> {}",
        groups::short_metric(comparison),
        groups::kind_of_figures(view, comparison),
        figure(&comparison.a),
        figure(&comparison.b),
    ));
    let Some(ratio) = comparison.judged_ratio() else {
        return sentence;
    };
    let level = if view.primaries().any(|primary| primary.confidence == comparison.confidence) {
        String::new()
    } else {
        format!("{} interval ", units::level(comparison.confidence))
    };
    let bounds = comparison.judged_bounds();
    let ratios = units::ratios(ratio, bounds, view.matters());
    let sentence = sentence.plain(format!(", {}", limit(comparison))).ratio(&ratios[0]);
    match bounds {
        Some(_) => sentence.plain(format!(" ({level}{} to {})", ratios[1], ratios[2])),
        None => sentence,
    }
}

/// The figures of the primary metric in the middle of the rounds, if those over all rounds, which stand
/// in the table, contradict the ratio.
pub(crate) fn middle(view: &View, comparison: &Comparison) -> Option<String> {
    let kind = groups::kind_of_figures(view, comparison);
    let figure = |name| groups::figure(view, comparison, name);
    let metric = groups::short_metric(comparison);
    (!kind.is_empty())
        .then(|| format!("{metric}{kind}: {} → {}", figure(&comparison.a), figure(&comparison.b)))
}

/// `at least ` or `at most ` if the generator limited the leading contender: the ratio is
/// then a bound on the leader's side.
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

/// The ratio with CPU at rest charged to the contender that used it. Returns None if no
/// contender uses enough of it to matter.
pub(crate) fn charged(view: &View, comparison: &Comparison) -> Option<Sentence> {
    let charged = comparison.charged?;
    let at_rest = |name: &str| view.contender(name).and_then(|of| of.target.cpu_at_rest);
    let shares = [&comparison.a, &comparison.b].map(|name| (name, at_rest(name)));
    if !shares.iter().any(|(_, share)| share.is_some_and(|share| share > CHARGED_ABOVE)) {
        return None;
    }
    let sentence =
        shares.into_iter().filter_map(|(name, share)| Some((name, share?))).enumerate().fold(
            Sentence::default().plain("with CPU at rest charged ("),
            |sentence, (at, (name, share))| {
                let comma = if at > 0 { ", " } else { "" };
                sentence.plain(comma).name(name).plain(format!(" {}", units::percent(share)))
            },
        );
    let ratios = units::ratios(charged.ratio, charged.interval, view.matters());
    let sentence = sentence.plain("): ").ratio(&ratios[0]);
    let sentence = match charged.interval {
        Some(_) => sentence.plain(" (").range(&ratios).plain(")"),
        None => sentence,
    };
    Some(sentence.plain(format!(", {}", word(charged.verdict, comparison.metric))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    /// The claim about the first comparison of a sample, whose sides are these launches.
    fn claimed(mut input: samples::Parts, launches: (bool, bool), verdict: Word) -> String {
        let first = &mut input.comparisons[0];
        (first.launch_of_a, first.launch_of_b) = launches;
        first.verdict = verdict;
        let view = input.view();
        claim(&view, &view.comparisons[0]).text('x')
    }

    #[test]
    fn a_claim_from_one_launch_of_each_is_about_these_launches() {
        let of = |launches, verdict| claimed(samples::faster(), launches, verdict);
        let both = (true, true);
        let table = [
            (both, Word::Faster, "this launch of new was 1.31x faster than this launch of old"),
            (both, Word::Slower, "this launch of new was slower than this launch of old: 1.31x"),
            (
                both,
                Word::Equivalent,
                "this launch of new and this launch of old were equivalent: 1.31x",
            ),
            (
                both,
                Word::Undecided,
                "this launch of new against this launch of old is undecided: 1.31x",
            ),
            ((true, false), Word::Slower, "new was slower than this launch of old: 1.31x"),
            ((false, false), Word::Slower, "new is slower than old: 1.31x"),
        ];
        for (launches, verdict, expected) in table {
            assert_eq!(of(launches, verdict), expected);
        }
    }

    #[test]
    fn a_claim_about_memory_says_so() {
        let of = |verdict| {
            let mut input = samples::faster();
            input.comparisons[0].metric = Metric::PeakMemory;
            claimed(input, (false, false), verdict)
        };
        let table = [
            (Word::Slower, "new uses 1.31x the memory of old"),
            (Word::Equivalent, "new and old use equivalent memory: 1.31x"),
            (Word::Undecided, "new against old is undecided in peak memory: 1.31x"),
            (Word::Void, "new against old, peak memory: 1.31x"),
        ];
        for (verdict, expected) in table {
            assert_eq!(of(verdict), expected);
        }
    }

    #[test]
    fn so_is_a_claim_about_cpu() {
        let of = |launches| {
            let mut input = samples::faster();
            input.comparisons[0].metric = Metric::TargetCpu;
            claimed(input, launches, Word::Slower)
        };
        let these = "this launch of new used 1.31x the CPU of this launch of old per operation";
        assert_eq!(of((true, true)), these);
        assert_eq!(of((false, false)), "new uses 1.31x the CPU of old per operation");
    }
}
