//! Agents that do not start a slice together.

use super::{Evidence, Rule, remedies::longer};
use crate::verdict::{Finding, Weight};
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "agents_out_of_step",
    short: "agents do not start slices together",
    hint: "longer slices (--slice, --round)",
    weight: Weight::Void,
    threshold: "With agents: how much later the last agent starts a slice than the first one, on \
                average, plus the bound of the clock models, as a share of the sending time of a \
                slice. It is a caution above a tenth of the difference that matters (--matters), \
                and void above that difference.",
    why: "A slice lasts from the first start to the last reply of any agent. If one starts later, \
          the others drive alone at the beginning and it drives alone at the end, so throughput \
          reads too low by about that share, and a saturated target is less saturated than with \
          agents that start together. How far apart they really start is known only up to the \
          bound of their clocks.",
    remedy: "Use longer slices (--slice) or turns (--interleave turns), or bring the agents closer \
             to each other: machines in one network, with a core that is free for tiebreak.",
    check,
};

/// The share of the difference that matters above which it is a caution.
const CAUTION: f64 = 0.1;

fn check(evidence: &Evidence) -> Vec<Finding> {
    let matters = evidence.question.matters;
    let about = |(name, agents): (&str, &crate::evidence::Agents)| {
        let spread = agents.spread_ns()?;
        let (bound, slice) = (agents.bound_ns() as f64, agents.slice_ns());
        let share = (spread + bound) / slice;
        let weight = match share {
            _ if share > matters => Weight::Void,
            _ if share > CAUTION * matters => Weight::Caution,
            _ => return None,
        };
        let ns = |ns: f64| units::show_ns(ns.round() as u64);
        let seen = format!(
            "agents start a slice of {} on average {} apart, known within {}: {} of the slice; \
             {} matters",
            ns(slice),
            ns(spread),
            ns(bound),
            units::percent(share),
            units::percent(matters)
        );
        let found = RULE.about(name, weight, seen).with_figure(units::percent(share));
        let longer_turns = longer(evidence, 2.0).filter(|_| !evidence.is_interleaved_in_slices());
        Some(match longer_turns {
            Some(option) => found.with_hint(&format!("longer turns ({option})")),
            None => found,
        })
    };
    evidence.each().filter_map(|(name, driven)| about((name, &driven.agents))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::AgentSeen;

    /// Two agents, the second of which starts this much later; slices last 250 ms, four a round.
    fn run(behind_ns: u64, bound_ns: u64) -> SampleRun {
        let mut run = SampleRun::compare(4);
        run.each(|record| {
            let agent = |rank, behind_ns| AgentSeen {
                rank,
                behind_ns: 4 * behind_ns,
                most_behind_ns: behind_ns,
                bound_ns,
                ..AgentSeen::default()
            };
            record.agents = vec![agent(1, 0), agent(2, behind_ns)];
        });
        run
    }

    #[test]
    fn the_share_of_a_slice_decides() {
        assert_eq!(weights(&SampleRun::compare(4), RULE.name), []);
        // 1 % of 250 ms matters: 2.5 ms, and a tenth of it is 250 µs.
        for (behind_ns, bound_ns, weight) in [
            (0, 0, None),
            (200_000, 49_000, None),
            (200_000, 51_000, Some(Weight::Caution)),
            (0, 251_000, Some(Weight::Caution)),
            (2_400_000, 99_000, Some(Weight::Caution)),
            (2_400_000, 101_000, Some(Weight::Void)),
        ] {
            let found = weights(&run(behind_ns, bound_ns), RULE.name);
            assert_eq!(found, weight.map_or(vec![], |weight| vec![weight; 2]), "{behind_ns}");
        }
    }

    #[test]
    fn the_finding_says_how_far_apart_they_are() {
        let found = run(500_000, 100_000).findings(RULE.name);
        assert_eq!(
            found[0].evidence,
            "agents start a slice of 250 ms on average 500 µs apart, known within 100 µs: \
             0.24\u{a0}% of the slice; 1\u{a0}% matters"
        );
    }

    #[test]
    fn turns_are_made_longer_and_not_proposed() {
        let mut run = run(500_000, 100_000);
        assert_eq!(run.findings(RULE.name)[0].hint, RULE.hint);
        run.pilot.as_mut().expect("a pilot").interleave = record::Interleave::Turns;
        assert_eq!(run.findings(RULE.name)[0].hint, "longer turns (--round 5s)");
    }
}
