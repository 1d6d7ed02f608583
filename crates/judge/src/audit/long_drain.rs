//! Open loop: slices whose drain took longer than their sending.

use super::{Evidence, Rule, remedies::turns};
use crate::verdict::{Finding, Weight};
use text::units;

pub(super) const RULE: Rule = Rule {
    name: "long_drain",
    short: "slices drained for longer than they sent",
    hint: "use --interleave turns",
    weight: Weight::Caution,
    threshold: "With --rate: counts the slices (in turns: the turns) in which the wait for the \
                last reply was longer than the time of sending. A single one is a caution.",
    why: "While a slice drains, no new operation falls due. A stall that outlasts its slice stops \
          the schedule that should have continued during it, so the tail reads too low.",
    remedy: "Let contenders take whole turns (--interleave turns); if they already do, make the \
             turns longer (--round 5s). If every slice drains for long, the rate is more than the \
             target can handle.",
    check,
};

fn check(evidence: &Evidence) -> Vec<Finding> {
    let parts = evidence.parts();
    let open = parts.iter().filter(|part| part.driven.rate().is_some());
    open.filter(|part| part.driven.long_drains > 0)
        .map(|part| {
            let driven = part.driven;
            let seen = format!(
                "{} of {} drained for longer than they sent",
                driven.long_drains,
                units::show_counted(driven.slices, "slice")
            );
            let figure = format!("{} of {}", driven.long_drains, driven.slices);
            let found = RULE.about_part(part, Weight::Caution, seen).with_figure(figure);
            // Longer slices or turns help against single pauses, and not against a rate that is too high.
            match turns(evidence).filter(|_| driven.long_drains < driven.slices) {
                Some(option) => found.with_hint(&format!("use {option}")),
                None => found.with_hint("lower --rate"),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, weights};
    use record::Arrivals;

    fn drained(times_sending: f64, arrivals: Arrivals) -> SampleRun {
        let mut run = SampleRun::compare(4).with_arrivals(arrivals);
        run.each_seen("a", |round, seen| {
            if round == 3 {
                let slice = &mut seen.slices[1];
                let drain = slice.sending_ns as f64 * times_sending;
                slice.took_ns = slice.sending_ns + drain as u64;
            }
        });
        run
    }

    #[test]
    fn as_long_as_the_sending_is_the_limit() {
        let open = Arrivals::Constant(800.0);
        assert_eq!(weights(&drained(1.0, open), RULE.name), []);
        assert_eq!(weights(&drained(1.01, open), RULE.name), [Weight::Caution]);
        assert_eq!(weights(&drained(1.01, Arrivals::Closed), RULE.name), []);
    }

    #[test]
    fn the_remedy_depends_on_turns_and_on_how_many_drained_for_long() {
        let open = Arrivals::Constant(800.0);
        let hint = |run: &SampleRun| run.findings(RULE.name)[0].hint.clone();
        let mut one = drained(1.5, open);
        assert_eq!(hint(&one), RULE.hint);
        one.pilot.as_mut().expect("a pilot").interleave = record::Interleave::Turns;
        assert_eq!(hint(&one), "use --round 5s");
        let mut all = drained(1.5, open);
        all.each_seen("a", |_, seen| {
            seen.slices.iter_mut().for_each(|slice| slice.took_ns = 3 * slice.sending_ns);
        });
        assert_eq!(hint(&all), "lower --rate");
        let mut single = SampleRun::single().with_arrivals(open);
        single.each_seen("a", |_, seen| seen.slices[0].took_ns *= 3);
        assert_eq!(hint(&single), "lower --rate");
    }
}
