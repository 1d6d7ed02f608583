//! Targets that work while they rest.

use super::{Evidence, Rule};
use crate::{
    compare::{CAUTION_ABOVE, NOTE_ABOVE},
    say,
    verdict::{Finding, Weight},
};

pub(super) const RULE: Rule = Rule {
    name: "cpu_at_rest",
    weight: Weight::Caution,
    threshold: "The CPU time of each target while other contenders are driven, as a share of one \
                core. Above 0.5 %: a note. Above 1 %: a caution; a verdict on throughput then \
                stands only if the CPU-charged ratio gives the same one, and in slices there is \
                none on response times. Where a target shares its process with other contenders, \
                and nobody else is driven: a note that it is unknown.",
    why: "Garbage collection, flushes and compaction that run while a contender rests are missing \
          from its own time and slow the others down. The logarithm of the ratio is off by about \
          twice the share: whole effects have vanished that way.",
    remedy: "Let contenders take whole turns (--interleave turns), in turns longer ones (--round \
             5s); or let the target rest when nobody asks it anything. Contenders in processes of \
             their own can be told apart.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = evidence.each().enumerate();
    each.filter_map(|(number, (name, _))| finding(evidence, number, name)).collect()
}

fn finding(evidence: &Evidence, contender: usize, name: &str) -> Option<Finding> {
    let costs = evidence.costs(contender)?;
    let (weight, seen) = match costs.cost.at_rest() {
        None if costs.shared => {
            let sharers = evidence.sharers(contender).into_iter();
            let names: Vec<String> =
                sharers.map(|other| evidence.name(other as u32).to_owned()).collect();
            let shared = say::listed(&names);
            (Weight::Note, format!("CPU at rest is unknown: the process is shared with {shared}"))
        }
        None => return None,
        Some(share) => {
            let weight = if share > CAUTION_ABOVE { Weight::Caution } else { Weight::Note };
            let used = say::percent(share);
            let seen =
                format!("the target used {used} of a core while other contenders were driven");
            (share > NOTE_ABOVE).then_some((weight, seen))?
        }
    };
    Some(RULE.about(name, weight, seen))
}
