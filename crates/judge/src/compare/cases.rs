//! The cases of a suite: each is compared for itself, by what it costs.

use super::{
    Compared,
    replicates::{NoReplicates, Replicates, Round},
};
use crate::{
    draft::Draft, evidence::Evidence, evidence::Operations, stats::quantile::median,
    verdict::Comparison, verdict::Middle, weigh::Weighed,
};
use record::{Metric, Pair};
use std::collections::BTreeMap;

/// The comparisons of a pair, one for each case. All pairs and cases are one family.
pub(super) fn of_pair(evidence: &Evidence, pair: Pair) -> impl Iterator<Item = Compared> {
    let cases = evidence.cases.compared().len();
    let family = cases * evidence.question.pairs.len();
    (0..cases).map(move |case| Compared {
        pair,
        metric: Metric::Cost,
        operations: Operations::Case(case),
        primary: true,
        family,
    })
}

/// b/a of what a case costs in every judged round. A case without a figure in one of them has none: leaving out the
/// rounds in which it failed would flatter it.
pub(super) fn rounds(
    evidence: &Evidence,
    pair: Pair,
    case: usize,
) -> Result<Vec<Round>, NoReplicates> {
    let figures = &evidence.cases;
    if let Some((side, round, why)) = figures.first_without(pair, case) {
        let contender = evidence.name(side).to_owned();
        return Err(NoReplicates::NoFigure { contender, round, why });
    }
    let larger_is_better = figures.compared()[case].larger_is_better;
    let both = figures.of(pair.a, case).zip(figures.of(pair.b, case));
    let rounds = both.filter_map(|((round, of_a), (_, of_b))| {
        let (a, b) = (of_a.ok()?, of_b.ok()?);
        let ratio = if larger_is_better { a / b } else { b / a };
        Some(Round::of_programs(round, ratio))
    });
    let rounds: Vec<Round> = rounds.collect();
    if rounds.is_empty() { Err(NoReplicates::NoRound) } else { Ok(rounds) }
}

/// The medians of the figures of both, as their tool prints them, in the first `n` replicates.
pub(super) fn middle(evidence: &Evidence, pair: Pair, case: usize, n: usize) -> Option<Middle> {
    let rounds = n * evidence.rounds_of_a_launch().unwrap_or(1) as usize;
    let side = |contender: u32| {
        let figures = evidence.cases.of(contender, case).take(rounds);
        median(&figures.map(|(_, figure)| figure.ok()).collect::<Option<Vec<f64>>>()?)
    };
    Some(Middle { a: side(pair.a)?, b: side(pair.b)?, of_launches: false })
}

/// A comparison of each pair whose logarithms are the means over all of its cases: what the rules about rounds look
/// at. It is not part of the verdict.
pub(super) fn means(evidence: &Evidence, drafts: &[Draft]) -> Vec<Draft> {
    let pairs = evidence.question.pairs.iter();
    let mean = |pair: &Pair| {
        let of_pair: Vec<&Draft> = drafts.iter().filter(|draft| draft.pair == *pair).collect();
        let mut sums: BTreeMap<u32, (f64, f64)> = BTreeMap::new();
        for (round, ratio) in of_pair.iter().flat_map(|draft| &draft.comparison.rounds) {
            let sum = sums.entry(*round).or_default();
            *sum = (sum.0 + ratio.ln(), sum.1 + 1.0);
        }
        let rounds = sums.into_iter().map(|(round, (sum, many))| (round, (sum / many).exp()));
        let rounds: Vec<(u32, f64)> = rounds.collect();
        let known = rounds.iter().map(|(round, ratio)| Round::of_programs(*round, *ratio));
        let replicates = Replicates::of_rounds(evidence, &known.collect::<Vec<_>>()).ok()?;
        let level = evidence.question.alpha;
        let weighed = Weighed::new(&replicates.differences, level);
        let first = of_pair.first()?.comparison.clone();
        let comparison = Comparison { case: None, rounds, ..first };
        Some(Draft { pair: *pair, comparison, weighed, settled: false })
    };
    pairs.filter_map(mean).collect()
}
