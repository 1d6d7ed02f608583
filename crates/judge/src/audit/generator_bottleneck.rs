//! Closed loop: the generator may have been the slower part.

use super::{Evidence, Rule};
use crate::{
    compare::{AT_ITS_LIMIT_FROM, HELD_BACK_BELOW, held_back},
    say,
    verdict::{Finding, Weight},
};

pub(super) const RULE: Rule = Rule {
    name: "generator_bottleneck",
    weight: Weight::Caution,
    threshold: "Without --rate: how long the generator's threads were idle while they drove a \
                contender (neither running nor waiting for a core), and how much of the cores \
                that it may use its target used. Time that the hypervisor stole is taken to be \
                missing from either. Idle for less than 5 % of the time, and the target used less \
                than 95 %, or that is not known: a caution, and no pair with that contender is called equivalent. Known to \
                be so of both contenders of a pair: no verdict but on CPU per operation. Files are \
                left out: the generator does their work itself.",
    why: "A throughput is that of the slower part, generator or target. Two servers that differed \
          by 1.3x in CPU have read the same throughput, because one generator core was slower \
          than both. Where one contender was held back, a difference that was found stands, as at \
          least that; an equality may be the generator's own.",
    remedy: "Give the generator more cores (--cores) or the target fewer, so that the target is \
             the slower part; or compare the target's CPU per operation, or at a --rate that both \
             can reach.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = (0u32..).zip(evidence.each());
    each.filter_map(|(number, (name, _))| {
        let held = held_back(evidence, number)?;
        let idle = format!(
            "the generator was idle for {} of the time (less than {})",
            say::percent(held.idle),
            say::percent(HELD_BACK_BELOW)
        );
        let seen = match held.busy {
            Some(busy) => format!(
                "{idle}, and the target used {} of its cores (less than {}): this throughput is \
                 the generator's own",
                say::percent(busy),
                say::percent(AT_ITS_LIMIT_FROM)
            ),
            None => format!(
                "{idle}, and {}: this throughput may be the generator's own",
                unknown(evidence, number as usize)
            ),
        };
        Some(RULE.about(name, Weight::Caution, seen))
    })
    .collect()
}

fn unknown(evidence: &Evidence, contender: usize) -> &'static str {
    match evidence.cpu_in_sight(contender) {
        true => "how many cores the target may use is not known",
        false => "the target's CPU is not in sight",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{Run, weights};
    use record::Arrivals;

    /// The generator's threads used this share of the time that they had.
    fn busy(share: f64) -> Run {
        Run::compare(8).with_busy_generator("b", share)
    }

    /// A busy generator, and targets that use this share of their core.
    fn in_sight(target: f64) -> Run {
        busy(0.96).with_target_cpu(|of, driven| if of == driven { target } else { 0.0 })
    }

    #[test]
    fn five_percent_idle_is_the_limit() {
        assert_eq!(weights(&busy(0.949), RULE.name), []);
        assert_eq!(weights(&busy(0.951), RULE.name), [Weight::Caution]);
        assert_eq!(busy(0.951).findings(RULE.name)[0].contender.as_deref(), Some("b"));
        assert!(RULE.threshold.contains(&say::percent(HELD_BACK_BELOW)));
    }

    #[test]
    fn work_that_the_generator_does_itself_is_no_objection() {
        let mut files = busy(0.99);
        files.question.done_by_generator = vec![true, false];
        assert_eq!(weights(&files, RULE.name), [Weight::Caution]);
        files.question.done_by_generator = vec![false, true];
        assert_eq!(weights(&files, RULE.name), []);
    }

    #[test]
    fn to_wait_for_a_core_is_not_to_be_idle() {
        let waiting = |share: f64| {
            let mut run = busy(0.5);
            run.each_seen("b", |_, seen| {
                seen.slices
                    .iter_mut()
                    .for_each(|slice| slice.waited_ns = (slice.took_ns as f64 * share) as u64);
            });
            run
        };
        assert_eq!(weights(&waiting(0.449), RULE.name), []);
        assert_eq!(weights(&waiting(0.451), RULE.name), [Weight::Caution]);
    }

    fn stolen(mut run: Run, share: f64) -> Run {
        run.each_seen("b", |_, seen| {
            seen.slices
                .iter_mut()
                .for_each(|slice| slice.steal_ns = (slice.took_ns as f64 * share) as u64);
        });
        run
    }

    #[test]
    fn stolen_time_is_idleness_of_neither() {
        assert_eq!(weights(&stolen(busy(0.8), 0.149), RULE.name), []);
        assert_eq!(weights(&stolen(busy(0.8), 0.151), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&stolen(in_sight(0.8), 0.151), RULE.name), []);
        assert_eq!(weights(&stolen(in_sight(0.8), 0.149), RULE.name), [Weight::Caution]);
    }

    #[test]
    fn two_workers_have_twice_the_time() {
        let mut two = busy(1.8);
        two.question.workers = 2;
        assert_eq!(weights(&two, RULE.name), []);
        let mut busier = busy(1.91);
        busier.question.workers = 2;
        assert_eq!(weights(&busier, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn open_loop_is_judged_otherwise() {
        let open = busy(0.99).with_arrivals(Arrivals::Constant(1000.0));
        assert_eq!(weights(&open, RULE.name), []);
    }

    #[test]
    fn a_target_at_its_limit_clears_the_generator() {
        assert_eq!(weights(&in_sight(0.951), RULE.name), []);
        assert_eq!(weights(&in_sight(0.949), RULE.name), [Weight::Caution]);
        assert_eq!(
            in_sight(0.6).findings(RULE.name)[0].evidence,
            "the generator was idle for 4 % of the time (less than 5 %), and the target used 60 % \
             of its cores (less than 95 %): this throughput is the generator's own"
        );
        assert!(RULE.threshold.contains(&say::percent(AT_ITS_LIMIT_FROM)));
        // One core of two at its limit leaves the other.
        let mut two = in_sight(0.99);
        two.question.target_cores = vec![vec![0], vec![0, 1]];
        assert_eq!(weights(&two, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn what_is_not_known_is_said() {
        let mut unknown = in_sight(0.99);
        unknown.question.target_cores = vec![Vec::new(); 2];
        let found = unknown.findings(RULE.name);
        assert!(found[0].evidence.contains("how many cores the target may use is not known"));
        let found = busy(0.96).findings(RULE.name);
        assert!(found[0].evidence.contains("the target's CPU is not in sight"));
    }
}
