//! Options that fit a run: a value that is already set is not proposed again, nor one that would still be
//! too small, nor an option that the plan would refuse.

use super::Evidence;
use crate::capacity::length::longer_turns;
use crate::evidence::DriveSummary;
use crate::stats::rounds::DEFAULT_ROUNDS;
use crate::verdict::Finding;
use record::LengthRule;
use record::limits::MOST_ROUNDS;

/// The options that the texts of the rules name. A finding may replace them, see [`Finding::with_option`].
pub(super) const ROUND: &str = "--round 5s";
pub(super) const TURNS: &str = "--interleave turns";

const NS: f64 = 1e9;
/// The shortest round, and the shortest single run, that is proposed.
const ROUND_S: f64 = 5.0;
const DURATION_S: f64 = 60.0;
/// A round that would have to be longer than this is not proposed.
const LONGEST_ROUND_S: f64 = 120.0;
/// A time that is already set becomes longer by this factor at least.
const LONGER: f64 = 2.0;

/// The option that makes rounds, or a single run, this many times as long. Returns None if they would have
/// to be very long.
pub(super) fn longer(evidence: &Evidence, times: f64) -> Option<String> {
    let first = evidence.contenders.first();
    let (flag, least, now_ns) = if evidence.single() {
        ("--duration", DURATION_S, first.map_or(0, |driven| driven.sending_ns))
    } else {
        ("--round", ROUND_S, round_ns(evidence))
    };
    let needed = (now_ns as f64 / NS * times.max(LONGER)).max(least);
    let short_enough = evidence.single() || needed <= LONGEST_ROUND_S;
    short_enough.then(|| format!("{flag} {}s", needed.ceil()))
}

/// How long each contender is driven in a round. 0 if it is not known.
pub(super) fn round_ns(evidence: &Evidence) -> u64 {
    evidence.pilot.as_ref().map_or(0, |choice| choice.round_ns)
}

/// The option for whole turns, or for longer ones where contenders take turns already.
pub(super) fn turns(evidence: &Evidence) -> Option<String> {
    if evidence.is_interleaved_in_slices() {
        Some(TURNS.to_owned())
    } else {
        longer(evidence, LONGER)
    }
}

/// The option for a warm-up of at least `seconds`, and longer than any that there was.
fn warm_up(evidence: &Evidence, seconds: f64) -> String {
    let warmed_ns = |driven: &DriveSummary| driven.longest_warm_up_ns;
    let longest_ns = evidence.contenders.iter().map(warmed_ns).max().unwrap_or(0);
    format!("--warm-up {}s", (longest_ns as f64 / NS * LONGER).max(seconds).ceil())
}

/// The option for more rounds, or for more launches where these are what is counted: of each pair, where they hold
/// only some contenders. It stays within the limit of a plan. Where capacities are sought the number of rounds is
/// fixed, and their turns become longer.
pub(super) fn more_replicates(evidence: &Evidence, least: u32) -> String {
    let question = &evidence.question;
    if question.seeks_capacity() {
        return longer_turns(round_ns(evidence));
    }
    let (flag, now, rounds_of_each) = match question.rounds_of_a_launch() {
        Some(rounds) => ("--launches", question.restarts, rounds),
        // Rounds of a given number are longer than short ones.
        None if matches!(question.length, LengthRule::ShortRounds { .. }) => {
            ("--rounds", evidence.complete_rounds.min(DEFAULT_ROUNDS), 1)
        }
        None => ("--rounds", evidence.complete_rounds, 1),
    };
    let of_pairs = question.pairs.iter().map(|pair| question.replicates_of(*pair));
    // How many replicates there are for each one that a pair shares.
    let for_each = of_pairs.min().map_or(1, |shared| question.replicates().div_ceil(shared.max(1)));
    let for_each = for_each.max(1);
    let most = MOST_ROUNDS / rounds_of_each.saturating_mul(for_each);
    format!("{flag} {}", (now / for_each).saturating_mul(2).max(least).min(most))
}

/// Whether the generator can get more cores.
pub(super) fn has_more_cores(evidence: &Evidence) -> bool {
    let question = &evidence.question;
    let allowed = question.allowed_cores.len();
    allowed == 0 || evidence.has_agents() || (question.workers as usize) < allowed
}

impl Finding {
    /// Replaces an option in hint and remedy by one that fits.
    pub(super) fn with_option(self, option: &str, fitting: &str) -> Finding {
        let [hint, remedy] = [&self.hint, &self.remedy].map(|text| text.replace(option, fitting));
        Finding { hint, remedy, ..self }
    }

    /// Replaces the warm-up that hint and remedy name, of so many seconds, by one that fits.
    pub(super) fn with_warm_up(self, evidence: &Evidence, seconds: u32) -> Finding {
        let named = format!("--warm-up {seconds}s");
        self.with_option(&named, &warm_up(evidence, seconds.into()))
    }

    /// Replaces hint and remedy.
    pub(super) fn with_remedy(self, hint: &str, remedy: &str) -> Finding {
        Finding { remedy: remedy.to_owned(), ..self.with_hint(hint) }
    }

    /// Says what to do about a difference that was announced with --expect-different.
    pub(super) fn expected(self) -> Finding {
        self.with_remedy(
            "see that it is the difference that you expect",
            "The contenders were expected to differ (--expect-different). Check that the difference is \
             the one that you expect.",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{SampleRun, ranked_run};
    use record::Interleave;

    fn with_round(round_ns: u64) -> SampleRun {
        let mut run = SampleRun::compare(10);
        run.pilot.as_mut().expect("a pilot").round_ns = round_ns;
        run
    }

    fn evidence(run: &SampleRun) -> Evidence {
        run.judge().into_evidence()
    }

    #[test]
    fn rounds_are_as_much_longer_as_is_needed() {
        let proposed = |round_ns, times| longer(&evidence(&with_round(round_ns)), times);
        assert_eq!(proposed(1_000_000_000, 1.5).as_deref(), Some("--round 5s"));
        assert_eq!(proposed(1_000_000_000, 11.5).as_deref(), Some("--round 12s"));
        assert_eq!(proposed(5_000_000_000, 1.5).as_deref(), Some("--round 10s"));
        assert_eq!(proposed(5_000_000_000, 25.0), None);
    }

    #[test]
    fn a_single_run_has_a_duration() {
        let single = evidence(&SampleRun::single());
        assert_eq!(longer(&single, 10.0).as_deref(), Some("--duration 60s"));
        assert_eq!(longer(&single, 1000.0).as_deref(), Some("--duration 250s"));
    }

    #[test]
    fn turns_are_proposed_once() {
        let mut run = with_round(2_500_000_000);
        assert_eq!(turns(&evidence(&run)).as_deref(), Some("--interleave turns"));
        run.pilot.as_mut().expect("a pilot").interleave = Interleave::Turns;
        assert_eq!(turns(&evidence(&run)).as_deref(), Some("--round 5s"));
    }

    #[test]
    fn a_warm_up_is_longer_than_the_one_before() {
        let proposed = |took_ns| {
            let mut run = SampleRun::compare(4);
            run.warm_up("b", took_ns, None);
            warm_up(&evidence(&run), 10.0)
        };
        assert_eq!(proposed(500_000_000), "--warm-up 10s");
        assert_eq!(proposed(10_000_000_000), "--warm-up 20s");
    }

    #[test]
    fn more_of_what_is_counted() {
        let proposed = |run: SampleRun| more_replicates(&evidence(&run), 20);
        assert_eq!(proposed(SampleRun::compare(6)), "--rounds 20");
        assert_eq!(proposed(SampleRun::compare(20)), "--rounds 40");
        assert_eq!(proposed(SampleRun::compare(24).with_restarts(12)), "--launches 24");
        let mut many = SampleRun::compare(24);
        (many.question.rounds, many.question.restarts) = (6000, 3000);
        assert_eq!(proposed(many), "--launches 5000", "a plan has at most 10000 rounds");
        let mut capacities = with_round(6_000_000_000).with_restarts(10);
        capacities.question.primary = record::Metric::Capacity;
        let in_blocks = |rounds: u32, launches: u32| {
            let blocks = [vec![0, 1], vec![1, 2], vec![0, 2]];
            let mut run = ranked_run(&["a", "b", "c"], rounds).with_restarts(launches);
            let replicates = run.question.replicates() as usize;
            run.question.blocks = blocks.into_iter().cycle().take(replicates).collect();
            let question = run.question.clone();
            run.records.retain(|record| question.holds(record.round, record.contender));
            run
        };
        assert_eq!(proposed(in_blocks(36, 0)), "--rounds 24", "a pair shares 12");
        assert_eq!(proposed(in_blocks(72, 36)), "--launches 24");
        assert_eq!(proposed(capacities), "--round 24s");
    }

    #[test]
    fn cores_are_proposed_if_there_are_some() {
        let left = |allowed: &[u32], workers| {
            let mut run = SampleRun::compare(4);
            (run.question.allowed_cores, run.question.workers) = (allowed.to_vec(), workers);
            has_more_cores(&evidence(&run))
        };
        assert_eq!([left(&[], 8), left(&[0, 1], 1), left(&[0, 1], 2)], [true, true, false]);
    }
}
