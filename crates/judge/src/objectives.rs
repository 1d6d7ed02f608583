//! Objectives of `--slo`: how they are written, how many operations of a trial miss them, and whether a rate meets
//! them.

use crate::stats::quantile::fewest_samples;
use crate::verdict::{Checked, ContenderSummary, RequirementStatus};
use record::{Histogram, Objective, Percentile, Seen};
use text::units;

/// An objective as it is written in reports: `p99 <= 5 ms`.
pub fn show(objective: Objective) -> String {
    match objective {
        Objective::ResponseTime { percentile, limit_ns } => {
            format!("{} <= {}", percentile.name(), units::show_ns(limit_ns))
        }
        Objective::Errors { fraction } => format!("errors <= {}", units::show_percent(fraction)),
    }
}

/// Checks an objective at the rate that a contender was driven at.
pub fn check(objective: Objective, of: &ContenderSummary) -> Checked {
    let operations = Operations {
        times: &of.histogram,
        unanswered: of.without_latency
            + of.sent.unfinished
            + of.unsent.saturating_sub(of.unsent_times),
        errors: of.outcomes.errors(),
    };
    let (status, why) = operations.check(objective);
    let (requirement, a, b) = (show(objective), String::new(), of.name.clone());
    Checked { requirement, a, b, status, why }
}

/// The operations that were due after the burn-in, however they ended. Those without any reply count, whenever they
/// were due: nothing is known of their times.
pub(crate) fn counted(seen: &Seen) -> u64 {
    Operations::of(seen).counted()
}

/// How many of them miss an objective: they took longer, were lost or were not answered or, for an objective on
/// errors, they failed.
pub(crate) fn missed(seen: &Seen, objective: Objective) -> u64 {
    Operations::of(seen).missed(objective)
}

/// How many samples are at most `value`.
pub(crate) fn at_or_below(times: &Histogram, value: u64) -> u64 {
    if times.is_empty() {
        return 0;
    }
    (times.share_at_or_below(value) * times.len() as f64).round() as u64
}

/// The operations that objectives are about.
struct Operations<'a> {
    times: &'a Histogram,
    /// Operations without a response time: they failed without a reply, were still in flight at the end, or were due
    /// and never sent.
    unanswered: u64,
    errors: u64,
}

impl<'a> Operations<'a> {
    fn of(seen: &'a Seen) -> Operations<'a> {
        let never_sent = seen.unsent.saturating_sub(seen.unsent_times);
        Operations {
            times: &seen.response_time,
            unanswered: seen.without_latency + seen.unfinished + never_sent,
            errors: seen.outcomes.errors(),
        }
    }

    fn counted(&self) -> u64 {
        self.times.len() + self.unanswered
    }

    fn missed(&self, objective: Objective) -> u64 {
        match objective {
            Objective::ResponseTime { limit_ns, .. } => {
                self.times.len() - at_or_below(self.times, limit_ns) + self.unanswered
            }
            Objective::Errors { .. } => self.errors.min(self.counted()),
        }
    }

    fn check(&self, objective: Objective) -> (RequirementStatus, String) {
        match objective {
            Objective::ResponseTime { percentile, limit_ns } => {
                self.check_time(percentile, limit_ns)
            }
            Objective::Errors { fraction } => {
                let (errors, all) = (self.missed(objective), self.counted());
                let share = errors as f64 / all.max(1) as f64;
                let status = match all {
                    0 => RequirementStatus::Undetermined,
                    _ if share <= fraction => RequirementStatus::Met,
                    _ => RequirementStatus::NotMet,
                };
                let (errors, all) = (units::show_whole(errors), units::show_whole(all));
                let why =
                    format!("{errors} of {all} operations failed ({})", units::show_percent(share));
                (status, why)
            }
        }
    }

    /// A percentile meets its limit if its whole interval does. The interval is that of the ranks around it, so it
    /// tells how much chance there is in these operations, and not how other runs would differ.
    fn check_time(&self, percentile: Percentile, limit_ns: u64) -> (RequirementStatus, String) {
        let (all, q) = (self.counted(), 1.0 - percentile.beyond());
        let name = percentile.name();
        let fewest = fewest_samples(q);
        if all < fewest {
            let why = format!(
                "{name} rests on {} operations; at least {} are needed",
                units::show_whole(all),
                units::show_whole(fewest)
            );
            return (RequirementStatus::Undetermined, why);
        }
        let rank = (q * all as f64).ceil();
        let half = 1.96 * (q * (1.0 - q) * all as f64).sqrt();
        let [low, at, high] = [(rank - half).floor(), rank, (rank + half).ceil()]
            .map(|rank| self.at_rank(rank.max(1.0) as u64));
        let status = match high {
            Some(high) if high <= limit_ns => RequirementStatus::Met,
            _ => RequirementStatus::NotMet,
        };
        let why = match (status, low) {
            (RequirementStatus::Met, _) => "the whole interval meets it",
            (_, Some(low)) if low <= limit_ns => "not shown to meet it",
            _ => "no part of the interval meets it",
        };
        let shown = |ns: Option<u64>| match ns {
            Some(ns) => units::show_ns(ns),
            None => "never".to_owned(),
        };
        let why =
            format!("{name} is {} ({} to {} at 95 %): {why}", shown(at), shown(low), shown(high));
        (status, why)
    }

    /// The response time of this rank among all operations. None if it is one of those without a response time.
    fn at_rank(&self, rank: u64) -> Option<u64> {
        (rank <= self.times.len()).then(|| self.times.at_rank(rank)).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use record::Failure;

    const P99: Objective =
        Objective::ResponseTime { percentile: Percentile::P99, limit_ns: 5_000_000 };
    const ERRORS: Objective = Objective::Errors { fraction: 0.001 };

    #[test]
    fn objectives_are_written_as_they_are_given() {
        assert_eq!(show(P99), "p99 <= 5 ms");
        assert_eq!(show(ERRORS), "errors <= 0.1 %");
    }

    #[test]
    fn late_lost_and_unanswered_operations_miss_a_response_time() {
        let mut seen = Seen::default();
        seen.response_time.record_many(1_000_000, 90);
        seen.response_time.record_many(5_000_000, 5);
        seen.response_time.record_many(5_100_000, 3);
        assert_eq!((counted(&seen), missed(&seen, P99)), (98, 3));
        // One was reset, one was in flight at the end; of three that were never sent, two have a lower bound.
        seen.without_latency = 1;
        seen.unfinished = 1;
        (seen.unsent, seen.unsent_times) = (3, 2);
        assert_eq!((counted(&seen), missed(&seen, P99)), (101, 6));
        assert_eq!(missed(&Seen::default(), P99), 0);
    }

    #[test]
    fn failures_miss_an_objective_on_errors() {
        let mut seen = Seen::default();
        seen.response_time.record_many(1_000_000, 90);
        seen.outcomes.ok = 90;
        seen.outcomes.failed = [(Failure::Reset, 2)].into();
        seen.outcomes.unexpected = [(503, 1)].into();
        seen.without_latency = 2;
        assert_eq!((counted(&seen), missed(&seen, ERRORS)), (92, 3));
    }

    /// 10 000 operations, of which so many take 10 ms and the others 1 ms.
    fn checked(late: u64, lost: u64) -> (RequirementStatus, String) {
        let mut times = Histogram::new();
        times.record_many(1_000_000, 10_000 - late - lost);
        times.record_many(10_000_000, late);
        Operations { times: &times, unanswered: lost, errors: lost }.check(P99)
    }

    #[test]
    fn a_percentile_is_met_by_its_whole_interval() {
        use RequirementStatus::{Met, NotMet, Undetermined};
        // 100 of 10 000 may be late; the interval covers 80 to 120.
        for (late, status, words) in [
            (70, Met, "p99 is 1 ms (1 ms to 1 ms at 95 %): the whole interval meets it"),
            (90, NotMet, "p99 is 1 ms (1 ms to 10 ms at 95 %): not shown to meet it"),
            (110, NotMet, "p99 is 10 ms (1 ms to 10 ms at 95 %): not shown to meet it"),
            (
                150,
                NotMet,
                "p99 is 10 ms (10 ms to 10 ms at 95 %): no part of the interval meets it",
            ),
        ] {
            assert_eq!(checked(late, 0), (status, words.to_owned()), "{late}");
        }
        let (status, why) = checked(0, 110);
        assert_eq!(
            (status, why.as_str()),
            (NotMet, "p99 is never (1 ms to never at 95 %): not shown to meet it")
        );
        let few = Operations { times: &Histogram::new(), unanswered: 999, errors: 0 }.check(P99);
        assert_eq!(few.0, Undetermined);
        let errors = |of: u64| {
            Operations { times: &Histogram::new(), unanswered: 1000, errors: of }.check(ERRORS)
        };
        assert_eq!(errors(1), (Met, "1 of 1000 operations failed (0.1 %)".to_owned()));
        assert_eq!(errors(2).0, NotMet);
    }
}
