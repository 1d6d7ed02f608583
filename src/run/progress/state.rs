//! What is known of a run while it lasts. Pure: the caller passes the time.

use super::loading::{LoadSoFar, Remaining};
use engine::Waits;
use record::{Histogram, Metric, Phase, TrialRecord};
use std::ops::Range;
use std::time::{Duration, Instant};
use text::shown::shown;
use text::units::show_ns;

/// A forecast is missed if it is exceeded by more than this. Plans do not include drains and the
/// time between rounds.
const GRACE: Duration = Duration::from_secs(2);
/// A shorter wait for replies is not shown.
const SHORTEST_WAIT: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(super) struct RunState {
    label: String,
    run_began: Instant,
    phase_began: Instant,
    /// When the first round started, including launches between rounds.
    rounds_began: Option<Instant>,
    /// The planned length of the phase, or zero if it is not known.
    planned: Duration,
    /// Whether the phase is the rounds, or a part of them.
    in_rounds: bool,
    /// Rounds of the whole run; 0 before the rounds.
    rounds: u32,
    /// The load of a store, if that is the phase.
    load: Option<LoadSoFar>,
    /// What a slice waits for.
    waits: Option<Waits>,
    /// How many trials of a round must have ended before it counts as ended. The trials of all contenders end
    /// together, unless they are driven one by one.
    pub(super) trials_a_round: u32,
    /// Trials of the latest round.
    in_round: u32,
    /// Number of ended rounds, and when the last of them ended.
    ended: u32,
    ended_at: Instant,
    contenders: Vec<SoFar>,
    /// What the contenders are compared by. None if they are not.
    pub(super) primary: Option<Metric>,
}

/// One contender's rounds so far. Warm-up and pilot are left out, as they are
/// in the report.
#[derive(Debug, Default)]
pub(super) struct SoFar {
    /// Its name, escaped for display.
    pub(super) name: String,
    operations: u64,
    driven_ns: u64,
    /// Operations that failed, whatever the cause.
    pub(super) errors: u64,
    /// Operations that found nothing.
    pub(super) misses: u64,
    response_time: Histogram,
    /// The logarithms of its figure in each round, by which it is compared.
    figures: Vec<f64>,
    /// Of the response times, in nanoseconds.
    pub(super) p99_ns: Option<u64>,
}

impl RunState {
    pub(super) fn new(names: &[String], now: Instant) -> RunState {
        let so_far = |name: &String| SoFar { name: shown(name), ..SoFar::default() };
        RunState {
            label: String::new(),
            run_began: now,
            phase_began: now,
            rounds_began: None,
            planned: Duration::ZERO,
            in_rounds: false,
            rounds: 0,
            load: None,
            waits: None,
            trials_a_round: 1,
            in_round: 0,
            ended: 0,
            ended_at: now,
            contenders: names.iter().map(so_far).collect(),
            primary: None,
        }
    }

    /// The ratio of each contender to the first one as it stands: the mean over the rounds that both have
    /// ended. It is not what is judged. None of the first one, and if contenders are not compared.
    pub(super) fn ratio(&self, contender: usize) -> Option<f64> {
        let (first, other) = (self.contenders.first()?, self.contenders.get(contender)?);
        let differences = first.figures.iter().zip(&other.figures).map(|(a, b)| b - a);
        let rounds = first.figures.len().min(other.figures.len());
        (contender > 0 && rounds > 0).then(|| (differences.sum::<f64>() / rounds as f64).exp())
    }

    /// A phase starts. `rounds` is that of the whole run if the phase is the rounds.
    pub(super) fn phase(&mut self, label: &str, planned: Duration, rounds: u32, now: Instant) {
        label.clone_into(&mut self.label);
        self.phase_began = now;
        self.planned = planned;
        self.in_rounds = rounds > 0;
        self.load = None;
        if rounds > 0 {
            self.rounds = rounds;
            self.rounds_began.get_or_insert(now);
        }
    }

    /// The load of a store starts at this key.
    pub(super) fn loading(
        &mut self,
        name: &str,
        keys: Range<u64>,
        what: &'static str,
        now: Instant,
    ) {
        self.phase(&format!("loading {}", shown(name)), Duration::ZERO, 0, now);
        self.load = Some(LoadSoFar::new(keys, what, now));
    }

    /// All its keys below this one are done.
    pub(super) fn loaded(&mut self, upto: u64, now: Instant) {
        if let Some(load) = &mut self.load {
            load.reached(upto, now);
        }
    }

    /// A slice waits for this.
    pub(super) fn waits(&mut self, waits: Option<Waits>) {
        self.waits = waits.filter(|waits| waits.time >= SHORTEST_WAIT);
    }

    /// A trial ended.
    pub(super) fn trial(&mut self, trial: &TrialRecord, now: Instant) {
        if trial.phase != Phase::Round {
            return;
        }
        if trial.round > self.ended {
            self.in_round += 1;
            if self.in_round >= self.trials_a_round {
                (self.ended, self.ended_at, self.in_round) = (trial.round, now, 0);
            }
        }
        if let Some(contender) = self.contenders.get_mut(trial.contender as usize) {
            contender.add(trial, self.primary);
        }
    }

    /// Whether the first phase has begun.
    pub(super) fn under_way(&self) -> bool {
        !self.label.is_empty()
    }

    /// The current phase: `round 4 of 10`.
    pub(super) fn label(&self) -> String {
        if let Some(load) = &self.load {
            return format!("{}: {}", self.label, load.text());
        }
        let label = if self.in_rounds && self.rounds > 1 {
            let round = self.ended.saturating_add(1).min(self.rounds);
            format!("{} {round} of {}", self.label, self.rounds)
        } else {
            self.label.clone()
        };
        label + &self.waiting()
    }

    /// What a slice waits for, after the label.
    fn waiting(&self) -> String {
        let Some(Waits { contender, time }) = self.waits else { return String::new() };
        let name = contender.and_then(|contender| self.contenders.get(contender as usize));
        let of_contender =
            name.map(|contender| format!(" of {}", contender.name)).unwrap_or_default();
        format!(", waiting {} for replies{of_contender}", whole_seconds(time))
    }

    /// The time since the run began.
    pub(super) fn elapsed(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.run_began)
    }

    /// The remaining time. After the first round it follows the pace of the rounds, which includes
    /// drains and launches; before that, it follows the plan of the phase. Returns None if it is
    /// not known.
    pub(super) fn left(&self, now: Instant) -> Option<Remaining> {
        if let Some(load) = &self.load {
            return load.left(now);
        }
        let (passed, whole) = match self.rounds_began {
            Some(began) if self.ended > 0 && self.rounds > 1 => {
                let each = self.ended_at.saturating_duration_since(began) / self.ended;
                (now.saturating_duration_since(began), each.saturating_mul(self.rounds))
            }
            _ if self.planned.is_zero() => return None,
            _ => (now.saturating_duration_since(self.phase_began), self.planned),
        };
        let late = passed > whole + GRACE;
        Some(Remaining {
            time: (!late).then(|| whole.saturating_sub(passed)),
            done: (passed.as_secs_f64() / whole.as_secs_f64().max(1e-9)).min(1.0),
        })
    }

    /// The contenders. Empty before the first of them has ended a round, and in a suite as long as nothing has failed.
    pub(super) fn contenders(&self) -> &[SoFar] {
        if self.contenders.iter().any(|contender| contender.driven_ns > 0 || contender.errors > 0) {
            &self.contenders
        } else {
            &[]
        }
    }
}

/// Formats a time in whole seconds, rounded up so that 0 s are left only when it is over.
pub(super) fn whole_seconds(time: Duration) -> String {
    show_ns(time.as_millis().div_ceil(1000) as u64 * 1_000_000_000)
}

impl SoFar {
    fn add(&mut self, trial: &TrialRecord, primary: Option<Metric>) {
        let seen = &trial.seen;
        let figure = match primary.map(|metric| (metric, metric.quantile())) {
            Some((Metric::Throughput, _)) => seen.throughput(),
            Some((_, Some(q))) => seen.response_time.quantile(q).map(|ns| ns as f64),
            _ => None,
        };
        self.figures.extend(figure.filter(|figure| *figure > 0.0).map(f64::ln));
        self.errors += seen.outcomes.errors();
        self.misses += seen.outcomes.miss;
        if primary == Some(Metric::Cost) {
            // The operations of a suite are runs of its programs, whose rate and latency say nothing of the cases.
            return;
        }
        self.operations += seen.slices.iter().map(|slice| slice.operations).sum::<u64>();
        self.driven_ns += seen.slices.iter().map(|slice| slice.took_ns).sum::<u64>();
        self.response_time.merge(&seen.response_time);
        self.p99_ns = self.response_time.quantile(0.99);
    }

    /// Operations per second of the time driven. None in a suite.
    pub(super) fn rate(&self) -> Option<f64> {
        (self.driven_ns > 0).then(|| self.operations as f64 * 1e9 / self.driven_ns as f64)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::plan::example;
    use record::{Failure, Seen, Slice};

    /// A trial of one slice; every response takes `response_ns`.
    pub(in super::super) fn trial(
        contender: u32,
        round: u32,
        operations: u64,
        took_ns: u64,
        response_ns: u64,
    ) -> TrialRecord {
        let mut seen = Seen { operations, ..Seen::default() };
        seen.outcomes.ok = operations;
        seen.slices.push(Slice { took_ns, operations, ..Slice::default() });
        for _ in 0..operations.min(1000) {
            seen.response_time.record(response_ns);
        }
        TrialRecord { round, ..example::trial(Phase::Round, contender, seen) }
    }

    /// Returns this trial with so many operations that were refused.
    pub(in super::super) fn with_errors(mut trial: TrialRecord, refused: u64) -> TrialRecord {
        trial.seen.outcomes.ok -= refused;
        trial.seen.outcomes.failed.insert(Failure::Refused, refused);
        trial
    }

    /// Returns this trial with so many operations that found nothing.
    pub(in super::super) fn with_misses(mut trial: TrialRecord, misses: u64) -> TrialRecord {
        trial.seen.outcomes.ok -= misses;
        trial.seen.outcomes.miss = misses;
        trial
    }

    pub(in super::super) fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn names() -> Vec<String> {
        vec!["old".to_owned(), "new".to_owned()]
    }

    #[test]
    fn time_left_follows_the_plan_then_the_pace() {
        let start = Instant::now();
        let at = |s: f64| start + seconds(s);
        let mut state = RunState::new(&names(), start);
        let left = |state: &RunState, s: f64| {
            state.left(at(s)).map(|left| left.time.map(|time| time.as_secs_f64().round()))
        };
        assert_eq!(left(&state, 0.0), None);
        state.phase("asking", Duration::ZERO, 0, at(0.0));
        assert_eq!(left(&state, 1.0), None, "nobody knows");
        state.phase("pilot", seconds(6.0), 0, at(1.0));
        assert_eq!(left(&state, 3.0), Some(Some(4.0)));
        assert_eq!(left(&state, 8.0), Some(Some(0.0)), "a little over");
        assert_eq!(left(&state, 9.5), Some(None), "longer than planned");
        state.phase("round", seconds(20.0), 10, at(10.0));
        assert_eq!(left(&state, 12.0), Some(Some(18.0)), "no round has ended: by the plan");
        // Rounds take 3 s instead of the 2 s that were planned.
        state.trial(&trial(0, 1, 1, 1, 1), at(13.0));
        state.trial(&trial(1, 1, 1, 1, 1), at(13.0));
        assert_eq!(left(&state, 13.0), Some(Some(27.0)));
        assert_eq!(state.left(at(25.0)).map(|left| left.done), Some(0.5));
    }

    #[test]
    fn launches_between_rounds_are_part_of_the_pace() {
        let start = Instant::now();
        let at = |s: f64| start + seconds(s);
        let mut state = RunState::new(&names(), start);
        state.phase("round", seconds(2.0), 4, at(0.0));
        state.trial(&trial(0, 1, 1, 1, 1), at(1.0));
        state.trial(&trial(0, 2, 1, 1, 1), at(2.0));
        state.phase("launching", Duration::ZERO, 0, at(2.0));
        assert_eq!(state.label(), "launching");
        let left = state.left(at(3.0)).and_then(|left| left.time);
        assert_eq!(left, Some(seconds(1.0)), "4 rounds of 1 s, 3 s gone");
        state.phase("round", seconds(2.0), 4, at(6.0));
        assert_eq!(state.label(), "round 3 of 4");
        state.trial(&trial(0, 3, 1, 1, 1), at(9.0));
        let left = state.left(at(9.0)).and_then(|left| left.time);
        assert_eq!(left, Some(seconds(3.0)), "3 s each, launches shared out");
        state.trial(&trial(0, 4, 1, 1, 1), at(12.0));
        assert_eq!(state.label(), "round 4 of 4");
    }

    #[test]
    fn a_round_of_several_turns_ends_with_the_last_of_them() {
        let start = Instant::now();
        let mut state = RunState::new(&names(), start);
        state.trials_a_round = 3;
        state.phase("round", seconds(20.0), 10, start);
        for (turn, label) in [(1, "round 1 of 10"), (2, "round 1 of 10"), (3, "round 2 of 10")] {
            state.trial(&trial(turn % 2, 1, 1, 1, 1), start + seconds(2.0));
            assert_eq!(state.label(), label, "after turn {turn}");
        }
        let left = state.left(start + seconds(2.0)).and_then(|left| left.time);
        assert_eq!(left, Some(seconds(18.0)));
    }

    #[test]
    fn a_slice_that_waits_for_replies_says_so() {
        let mut state = RunState::new(&names(), Instant::now());
        state.phase("round", seconds(2.0), 4, Instant::now());
        let mut label = |contender, time| {
            state.waits(Some(Waits { contender, time: seconds(time) }));
            state.label()
        };
        assert_eq!(label(Some(1), 0.9), "round 1 of 4");
        assert_eq!(label(Some(1), 11.5), "round 1 of 4, waiting 12 s for replies of new");
        // Coordinators of agents do not know the contender; a contender may be driven alone.
        assert_eq!(label(None, 3.0), "round 1 of 4, waiting 3 s for replies");
    }

    #[test]
    fn misses_are_no_errors() {
        let mut state = RunState::new(&names(), Instant::now());
        let of_old = with_errors(with_misses(trial(0, 1, 99, 1_000_000_000, 1), 30), 2);
        state.trial(&of_old, Instant::now());
        assert_eq!((state.contenders()[0].errors, state.contenders()[0].misses), (2, 30));
    }

    #[test]
    fn trials_are_added_up() {
        let start = Instant::now();
        let mut state = RunState::new(&["a\u{1b}[2J".to_owned()], start);
        let mut pilot = trial(0, 0, 50, 1_000_000_000, 9_000_000);
        pilot.phase = Phase::Pilot;
        state.trial(&pilot, start);
        assert!(state.contenders().is_empty(), "the pilot is kept apart");
        state.trial(&trial(0, 1, 99, 1_000_000_000, 1_000_000), start);
        state.trial(&with_errors(trial(0, 2, 2, 1_020_000_000, 5_000_000), 2), start);
        let [contender] = state.contenders() else { panic!("one contender") };
        assert_eq!(contender.name, r"a\u{1b}[2J");
        assert_eq!(contender.rate(), Some(50.0), "operations ÷ time driven, not a mean of rates");
        assert_eq!((contender.errors, contender.misses), (2, 0));
        let p99 = contender.p99_ns.expect("samples");
        // 101 samples, the 100th is one of the two slow ones.
        assert!((5_000_000..5_010_000).contains(&p99), "{p99}");
    }
}
