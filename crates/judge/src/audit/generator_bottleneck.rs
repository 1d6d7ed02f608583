//! Closed loop: the generator may have limited the throughput.

use super::{Evidence, Rule, remedies::has_more_cores};
use crate::{
    compare::{AT_ITS_LIMIT_FROM, generator_limited},
    verdict::{Finding, Weight},
};
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "generator_bottleneck",
    short: "the generator may be the bottleneck",
    hint: "use more --cores, or compare CPU/op",
    weight: Weight::Caution,
    threshold: "Without --rate: compares the CPU time of the generator's threads while they drove \
                a contender, the time during which they had no core (waiting, or stolen by the \
                hypervisor), and the share of its allowed cores that the target used. CPU time of \
                the generator on the same cores counts as the target's, and so does stolen time. \
                It is a caution if the generator was idle for less than 5 % of the time and the \
                target did not fill 95 % of its cores, or its use is unknown; no pair with that \
                contender is then called equivalent. It is a note if in all pairs of the contender \
                the client's cost is part of what is compared: two ways to reach the same target, \
                or client libraries on both sides. In other pairs, where the generator was busy \
                for at least 80 % of the time with the slower contender, a difference counts only \
                as far as it exceeds the difference of the generator's CPU time per operation. \
                Files are not checked: the generator does their work itself.",
    why: "Throughput is that of the slower part, generator or target. Two servers whose CPU cost \
          differed by 1.3x have shown the same throughput, because one generator core was slower \
          than both: equal throughput may be the generator's. If one protocol or reply costs the \
          generator more than another, a difference may be the generator's as well, and that cost \
          belongs to neither contender. The cost of a client library is different: every \
          application pays it.",
    remedy: "Make the target the slower part: pin it to other cores than the generator's \
             (taskset), or give the generator more cores (--cores). Or compare the target's CPU \
             per operation, or response times at a --rate that both can reach.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let each = (0u32..).zip(evidence.each());
    each.filter_map(|(number, (name, _))| {
        let held = generator_limited(evidence, number)?;
        let generator = format!("the generator was {}", held.generator(""));
        let counts = evidence.client_counts_for(number);
        let own =
            if counts { "the client's, which is compared too" } else { "the generator's own" };
        let seen = match held.target {
            Some(target) => format!(
                "{generator}, and the target used {} of its cores (less than {}): the throughput \
                 is {own}",
                units::show_percent(target),
                units::show_percent(AT_ITS_LIMIT_FROM)
            ),
            None => format!(
                "{generator}, and {}: the throughput may be {own}",
                unknown(evidence, number as usize)
            ),
        };
        let weight = if counts { Weight::Note } else { Weight::Caution };
        let figure = format!("busy {}", units::show_percent(held.busy));
        let found = RULE.about(name, weight, seen).with_figure(figure);
        Some(found.with_hint(hint(has_more_cores(evidence), held.target.is_some())))
    })
    .collect()
}

/// Without a visible CPU time there is no CPU/op to compare.
fn hint(has_more_cores: bool, cpu_is_visible: bool) -> &'static str {
    match (has_more_cores, cpu_is_visible) {
        (true, true) => RULE.hint,
        (true, false) => "use more --cores, or set a --rate",
        (false, true) => "compare CPU/op, or set a --rate",
        (false, false) => "set a --rate that both can reach",
    }
}

fn unknown(evidence: &Evidence, contender: usize) -> &'static str {
    if evidence.cpu_in_sight(contender) {
        "it is unknown how many cores the target may use"
    } else {
        "the target's CPU time is not visible"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use crate::compare::{GENERATOR_LIMITED_BELOW, LITTLE_ROOM_FROM};
    use record::Arrivals;

    /// The generator's threads used this share of the time that they had.
    fn busy(share: f64) -> SampleRun {
        SampleRun::compare(8).with_busy_generator("b", share)
    }

    /// A busy generator, and targets that use this share of their core.
    fn in_sight(target: f64) -> SampleRun {
        busy(0.96).with_target_cpu(|of, driven| if of == driven { target } else { 0.0 })
    }

    #[test]
    fn five_percent_idle_is_the_limit() {
        assert_eq!(weights(&busy(0.949), RULE.name), []);
        assert_eq!(weights(&busy(0.951), RULE.name), [Weight::Caution]);
        assert_eq!(busy(0.951).findings(RULE.name)[0].contender.as_deref(), Some("b"));
        for limit in [GENERATOR_LIMITED_BELOW, LITTLE_ROOM_FROM] {
            assert!(RULE.threshold.contains(&units::show_percent(limit)));
        }
    }

    #[test]
    fn work_that_the_generator_does_itself_gives_no_finding() {
        let mut files = busy(0.99);
        files.ask_each([true, false], |of, done| of.done_by_generator = done);
        assert_eq!(weights(&files, RULE.name), [Weight::Caution]);
        files.ask_each([false, true], |of, done| of.done_by_generator = done);
        assert_eq!(weights(&files, RULE.name), []);
    }

    #[test]
    fn waiting_for_a_core_is_not_idleness() {
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

    fn stolen(mut run: SampleRun, share: f64) -> SampleRun {
        run.each_seen("b", |_, seen| {
            seen.slices
                .iter_mut()
                .for_each(|slice| slice.steal_ns = (slice.took_ns as f64 * share) as u64);
        });
        run
    }

    #[test]
    fn stolen_time_does_not_count_as_idle() {
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
    fn open_loop_is_judged_by_another_rule() {
        let open = busy(0.99).with_arrivals(Arrivals::Constant(1000.0));
        assert_eq!(weights(&open, RULE.name), []);
    }

    #[test]
    fn a_target_at_its_limit_clears_the_generator() {
        assert_eq!(weights(&in_sight(0.951), RULE.name), []);
        assert_eq!(weights(&in_sight(0.949), RULE.name), [Weight::Caution]);
        assert_eq!(
            in_sight(0.6).findings(RULE.name)[0].evidence,
            "the generator was busy for 96 % of the time, and the target used 60 % of its cores \
             (less than 95 %): the throughput is the generator's own"
        );
        assert!(RULE.threshold.contains(&units::show_percent(AT_ITS_LIMIT_FROM)));
        // One core of two at its limit leaves the other.
        let mut two = in_sight(0.99);
        two.ask_each([vec![0], vec![0, 1]], |of, cores| of.target_cores = cores);
        assert_eq!(weights(&two, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn cores_used_by_the_generator_are_not_available_to_the_target() {
        // Unpinned on two cores: the generator has one of them to 96 %.
        let unpinned = |target: f64| {
            let mut run = in_sight(target);
            run.ask_each([vec![0], vec![0, 1]], |of, cores| of.target_cores = cores);
            run.question.generator_cores = vec![1];
            weights(&run, RULE.name)
        };
        assert_eq!(unpinned(0.95), []);
        assert_eq!(unpinned(0.93), [Weight::Caution]);
        // On other cores it takes nothing from the target.
        let mut apart = in_sight(0.95);
        apart.ask_each([vec![0], vec![0, 1]], |of, cores| of.target_cores = cores);
        apart.question.generator_cores = vec![2];
        assert_eq!(weights(&apart, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn a_client_that_is_compared_too_gives_a_note() {
        let mut one = busy(0.96);
        one.question.one_target = vec![vec![0, 1]];
        assert_eq!(weights(&one, RULE.name), [Weight::Note]);
        let mut libraries = busy(0.96);
        libraries.ask_each([true, true], |of, library| of.by_library = library);
        assert_eq!(weights(&libraries, RULE.name), [Weight::Note]);
        libraries.ask_each([false, true], |of, library| of.by_library = library);
        assert_eq!(weights(&libraries, RULE.name), [Weight::Caution]);
    }

    #[test]
    fn unknown_target_cpu_is_stated() {
        let mut unknown = in_sight(0.99);
        unknown.ask_each([Vec::new(), Vec::new()], |of, cores| of.target_cores = cores);
        let found = unknown.findings(RULE.name);
        assert!(found[0].evidence.contains("it is unknown how many cores the target may use"));
        let found = busy(0.96).findings(RULE.name);
        assert!(found[0].evidence.contains("the target's CPU time is not visible"));
    }

    #[test]
    fn cores_and_cpu_are_proposed_where_there_are_some() {
        let hint = |mut run: SampleRun, allowed: &[u32]| {
            run.question.allowed_cores = allowed.to_vec();
            run.findings(RULE.name)[0].hint.clone()
        };
        assert_eq!(hint(in_sight(0.5), &[0, 1]), RULE.hint);
        assert_eq!(hint(in_sight(0.5), &[0]), "compare CPU/op, or set a --rate");
        assert_eq!(hint(busy(0.96), &[0, 1]), "use more --cores, or set a --rate");
        assert_eq!(hint(busy(0.96), &[0]), "set a --rate that both can reach");
    }
}
