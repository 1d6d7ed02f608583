//! How long the pilot is, and its slices. In a slice of 50 ms a target that replies after 200 ms answers
//! nothing that is recorded, and 40 such slices take 8 s. So the pilot has slices that suit the response
//! times that were seen before it: in the warm-up, or in a pilot that saw too few replies. Pure.

use crate::plan::contender::local;
use crate::plan::length::slice_length::IN_P50;
use record::{Contender, LengthRule, Plan, Seen, Slice, TrialRecord};

/// The length of the pilot's slices in closed loop. The pilot may choose shorter ones, but with
/// shorter slices of its own it would take very long with a slow target.
pub(in crate::plan) const CLOSED_SLICE_NS: u64 = 50_000_000;
/// The length of the pilot's slices in open loop, and the shortest length that it chooses there.
pub(in crate::plan) const OPEN_SLICE_NS: u64 = 250_000_000;
/// In closed loop, a round holds at least this many slices of each contender, and so does a pilot.
pub(in crate::plan) const SLICES_A_ROUND: u64 = 4;
/// The length up to which a round is lengthened for [`SLICES_A_ROUND`] slices, and a pilot for replies.
pub(in crate::plan) const LONGEST_GROWN_ROUND_NS: u64 = 5_000_000_000;
/// A pilot in which a contender has fewer response times than this says too little.
const FEWEST_REPLIES: u64 = 20;

/// How long the pilot of a run with short rounds drives each contender: eight slices.
const SHORT_PILOT_NS: u64 = 8 * CLOSED_SLICE_NS;

/// A pilot is only repeated with slices that are at least so many times as long.
const LONGER: f64 = 1.5;

/// How the pilot drives each contender.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PilotLength {
    /// Sending time of a slice.
    pub slice_ns: u64,
    /// Sending time of all slices of a contender.
    pub each_ns: u64,
}

impl PilotLength {
    /// The length for contenders whose response times are those of these trials. What is not known is
    /// assumed to be short.
    pub fn after(plan: &Plan, seen: &[TrialRecord]) -> PilotLength {
        // Each slice of a program is a whole run of it, however long that is.
        let is_program = local::any_program(&plan.contenders);
        let planned = PilotLength {
            slice_ns: match is_open(plan) {
                _ if is_program => plan.pilot_ns,
                true => OPEN_SLICE_NS,
                false => CLOSED_SLICE_NS,
            },
            each_ns: plan.pilot_ns,
        };
        let reply_ns = seen.iter().filter_map(|trial| reply_ns(&trial.seen)).max().unwrap_or(0);
        let slice_ns = reply_ns.saturating_mul(IN_P50);
        let all_slices_ns = slice_ns.saturating_mul(SLICES_A_ROUND);
        if is_program || is_open(plan) || slice_ns <= planned.slice_ns {
            planned
        } else if all_slices_ns <= LONGEST_GROWN_ROUND_NS {
            PilotLength { slice_ns, each_ns: plan.pilot_ns.max(all_slices_ns) }
        } else {
            // There will be turns, for which some replies are enough.
            let turn_ns = plan.pilot_ns.max(slice_ns.min(LONGEST_GROWN_ROUND_NS));
            PilotLength { slice_ns: turn_ns, each_ns: turn_ns }
        }
    }

    /// The same for a run that has short rounds if a pilot of [`SHORT_PILOT_NS`] finds that they suffice.
    #[must_use]
    pub fn shortened(self, plan: &Plan) -> PilotLength {
        let has_short_rounds = matches!(plan.question.length, LengthRule::ShortRounds { .. });
        let is_usual = self.slice_ns == CLOSED_SLICE_NS && self.each_ns == plan.pilot_ns;
        let short_ns = self.each_ns.min(SHORT_PILOT_NS);
        PilotLength {
            each_ns: if has_short_rounds && is_usual { short_ns } else { self.each_ns },
            ..self
        }
    }

    /// Whether it was shortened.
    pub fn is_shortened(&self, plan: &Plan) -> bool {
        self.each_ns < plan.pilot_ns
    }

    /// The length of another pilot, if this one saw too few replies and a longer one will see more.
    pub fn again(&self, plan: &Plan, pilot: &[TrialRecord]) -> Option<PilotLength> {
        let few = |trial: &TrialRecord| trial.seen.response_time.len() < FEWEST_REPLIES;
        let longer = PilotLength::after(plan, pilot);
        let is_longer = longer.slice_ns as f64 >= LONGER * self.slice_ns as f64;
        (is_longer && pilot.iter().any(few)).then_some(longer)
    }
}

/// Whether any contender, or any group of one, has a schedule that a stalled target
/// must not stop.
pub(in crate::plan) fn is_open(plan: &Plan) -> bool {
    let has_schedule = |contender: &Contender| {
        let mut groups = contender.groups.iter().map(|group| group.intensity.arrivals);
        contender.intensity.arrivals.rate().is_some()
            || groups.any(|arrivals| arrivals.rate().is_some())
    };
    plan.contenders.iter().any(has_schedule)
}

/// A typical response time. Where every reply was in the burn-in, and slices took longer than they sent, it is
/// the mean length of a slice, in which each connection then had one reply. Returns None if nothing ended.
pub(in crate::plan) fn reply_ns(seen: &Seen) -> Option<u64> {
    let groups = seen.groups.iter().filter_map(|group| group.response_time.quantile(0.5)).max();
    let median = groups.or_else(|| seen.response_time.quantile(0.5));
    let sum = |figure: fn(&Slice) -> u64| seen.slices.iter().map(figure).sum::<u64>();
    let (took_ns, sending_ns) = (sum(|slice| slice.took_ns), sum(|slice| slice.sending_ns));
    let is_slow = seen.operations > 0 && sending_ns > 0 && took_ns >= sending_ns;
    median.or_else(|| took_ns.checked_div(seen.slices.len() as u64).filter(|_| is_slow))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::example;
    use record::Phase;
    use std::time::Duration;

    const MS: u64 = 1_000_000;

    /// A trial with so many replies that took so long, in ten slices.
    fn trial(phase: Phase, replies: u64, took_ms: u64) -> TrialRecord {
        let mut seen = Seen { operations: 80, ..Seen::default() };
        seen.response_time.record_many(took_ms * MS, replies);
        let slice = Slice { sending_ns: 50 * MS, took_ns: took_ms * MS, ..Slice::default() };
        seen.slices = vec![slice; 10];
        example::trial(phase, 0, seen)
    }

    /// The slice and the whole pilot in ms, to the nearest ms, after a warm-up.
    fn after(took_ms: u64) -> (u64, u64) {
        let length =
            PilotLength::after(&example::plan(|_| {}), &[trial(Phase::WarmUp, 80, took_ms)]);
        ((length.slice_ns + MS / 2) / MS, (length.each_ns + MS / 2) / MS)
    }

    #[test]
    fn the_pilot_of_short_rounds_is_short() {
        let of = |change: fn(&mut crate::plan::Spec)| {
            let plan = example::plan(change);
            let length = PilotLength::after(&plan, &[]).shortened(&plan);
            (length.each_ns / MS, length.is_shortened(&plan))
        };
        assert_eq!(of(|_| {}), (400, true));
        assert_eq!(of(|spec| spec.run.rounds = Some(10)), (2000, false));
        assert_eq!(of(|spec| spec.run.pilot = Some(Duration::from_millis(300))), (300, false));
        let plan = example::plan(|_| {});
        let slow = PilotLength::after(&plan, &[trial(Phase::WarmUp, 100, 30)]);
        assert_eq!(slow.shortened(&plan), slow);
    }

    #[test]
    fn slices_of_the_pilot_suit_the_slowest_contender() {
        assert_eq!((after(1), after(12)), ((50, 2000), (50, 2000)));
        assert_eq!(after(20), (80, 2000));
        assert_eq!(after(200), (800, 3200));
        // From here on there are turns, whatever the pilot sees.
        assert_eq!((after(400), after(1000)), ((2000, 2000), (4001, 4001)));
        assert_eq!(after(5000), (5000, 5000));
        let plan = example::plan(|_| {});
        let of_two = [trial(Phase::WarmUp, 80, 20), trial(Phase::WarmUp, 80, 1)];
        assert_eq!(PilotLength::after(&plan, &of_two).slice_ns / MS, 80);
        assert_eq!(PilotLength::after(&plan, &[]).slice_ns, CLOSED_SLICE_NS);
    }

    #[test]
    fn a_schedule_does_not_depend_on_the_replies() {
        let open = example::plan(|spec| spec.common.rate = Some(100.0));
        let length = PilotLength::after(&open, &[trial(Phase::WarmUp, 80, 200)]);
        assert_eq!((length.slice_ns, length.each_ns), (OPEN_SLICE_NS, 2000 * MS));
    }

    #[test]
    fn a_pilot_with_few_replies_is_driven_again_with_longer_slices() {
        let plan = example::plan(|spec| spec.run.pilot = Some(Duration::from_secs(1)));
        let first = PilotLength::after(&plan, &[]);
        // All replies are in the burn-in: slices lasted as long as a reply.
        let second = first.again(&plan, &[trial(Phase::Pilot, 0, 200)]).expect("too few replies");
        assert_eq!((second.slice_ns, second.each_ns), (800 * MS, 3200 * MS));
        assert_eq!(second.again(&plan, &[trial(Phase::Pilot, 10, 200)]), None, "not longer");
        assert_eq!(first.again(&plan, &[trial(Phase::Pilot, 20, 200)]), None, "enough");
        assert_eq!(first.again(&plan, &[trial(Phase::Pilot, 3, 10)]), None, "quick replies");
        let mut dead = trial(Phase::Pilot, 0, 200);
        dead.seen.operations = 0;
        assert_eq!(first.again(&plan, &[dead]), None, "nothing ended");
    }
}
