//! The ratio of two capacities.

use super::Compared;
use super::draft::fill;
use crate::capacity::{Found, NoRatio, ratio};
use crate::capacity_run::CapacityRun;
use crate::draft::Draft;
use crate::evidence::Evidence;
use crate::weigh::Weighed;
use record::Pair;
use text::units;

/// The comparison of two contenders before the audit.
pub(super) fn draft(evidence: &Evidence, pair: Pair) -> Draft {
    let compared = Compared::primary(evidence, pair);
    let mut comparison = compared.blank(evidence);
    if let Some(why) = why_no_rounds(evidence, pair) {
        return compared.without_verdict(comparison, why);
    }
    let level = compared.level(evidence);
    let rounds = |contender: u32| evidence.capacities.as_ref()?.rounds(contender as usize);
    let sides = rounds(pair.a).zip(rounds(pair.b));
    let found =
        sides.map_or(Err(NoRatio::Rounds), |(a, b)| ratio(a, b, level, evidence.question.matters));
    let found = match found {
        Ok(found) => found,
        Err(why) => return compared.without_verdict(comparison, why.to_string()),
    };
    let weighed = Weighed::new(&found.differences, level);
    comparison.replicates = found.differences.len() as u32;
    comparison.rounds = (1..).zip(found.differences.iter().map(|d| d.exp())).collect();
    comparison.verdict = found.word;
    if let Some(weighed) = &weighed {
        fill(&mut comparison, weighed);
    }
    if found.interval.is_none() {
        let why = compared.too_few(evidence, comparison.replicates);
        comparison.because.push(why);
    }
    Draft { pair, comparison, weighed, settled: false }
}

/// Why two contenders were not driven in the same rounds. None if they were.
fn why_no_rounds(evidence: &Evidence, pair: Pair) -> Option<String> {
    let run = evidence.capacities.as_ref()?;
    [pair.a, pair.b].into_iter().find_map(|side| {
        let why = why_not_driven(run, side as usize)?;
        Some(format!("{}: {why}", evidence.name(side)))
    })
}

/// Why a contender has no rounds. None if it has.
fn why_not_driven(run: &CapacityRun, contender: usize) -> Option<String> {
    Some(match run.found(contender)? {
        Found::Near(_) => return None,
        Found::Below(rate) => format!(
            "the objectives are missed at {}, the lowest rate that was driven",
            units::show_rate(rate)
        ),
        Found::GeneratorLimited(Some(rate)) => {
            format!("the generator was the limit: at least {}", units::show_rate(rate))
        }
        Found::GeneratorLimited(None) => "the generator was the limit".to_owned(),
    })
}
