//! The clocks of this machine: the one that is compared with those of others, and the engine's.

use engine::clock;
use std::sync::{Arc, OnceLock};

/// What a clock simulates, for tests on one machine.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct SimulatedClock {
    /// How far it is ahead.
    pub(crate) offset_ns: i64,
    /// How much faster it is, in millionths.
    pub(crate) drift_ppm: f64,
    /// By how much slices start too late.
    pub(crate) skew_ns: u64,
    /// How far it steps, once.
    pub(crate) step_ns: i64,
    /// How long after its first round it steps, so that it does so in the rounds on any machine.
    pub(crate) step_after_ns: u64,
}

impl SimulatedClock {
    /// Multiplies all deviations by `n`, but not the time of the step.
    pub(crate) fn times(self, n: u32) -> SimulatedClock {
        SimulatedClock {
            offset_ns: self.offset_ns * i64::from(n),
            drift_ppm: self.drift_ppm * f64::from(n),
            skew_ns: self.skew_ns * u64::from(n),
            step_ns: self.step_ns * i64::from(n),
            step_after_ns: self.step_after_ns,
        }
    }
}

/// `CLOCK_MONOTONIC_RAW`, by which machines compare their clocks, and its relation to the engine's
/// clock. Both advance at almost the same rate (NTP changes that of the engine's clock by at most
/// 500 millionths), so a time some milliseconds ahead is converted by reading both now.
#[derive(Clone, Debug)]
pub(crate) struct LocalClock {
    simulated: SimulatedClock,
    since: u64,
    /// When the first round was over. Clones share it.
    first_round: Arc<OnceLock<u64>>,
}

impl LocalClock {
    pub(crate) fn new(simulated: SimulatedClock) -> LocalClock {
        LocalClock { simulated, since: clock::raw(), first_round: Arc::default() }
    }

    /// Notes that a round is over.
    pub(crate) fn round_ended(&self) {
        self.first_round.get_or_init(clock::raw);
    }

    /// Returns the time, in nanoseconds.
    pub(crate) fn now(&self) -> u64 {
        let raw = clock::raw();
        let simulated = self.simulated;
        let drifted = (raw - self.since) as f64 * simulated.drift_ppm / 1e6;
        let steps = |first: &u64| raw.saturating_sub(*first) >= simulated.step_after_ns;
        let stepped = if self.first_round.get().is_some_and(steps) { simulated.step_ns } else { 0 };
        raw.saturating_add_signed(simulated.offset_ns + drifted.round() as i64 + stepped)
    }

    /// Returns this clock and the engine's, read at the same time.
    fn both(&self) -> (u64, u64) {
        let before = clock::now();
        let now = self.now();
        (now, before + (clock::now() - before) / 2)
    }

    /// Returns the engine's time when this clock shows `at`.
    pub(crate) fn to_engine(&self, at: u64) -> u64 {
        let (now, engine) = self.both();
        engine.saturating_add_signed(at.wrapping_sub(now) as i64)
    }

    /// Returns the time when the engine's clock shows `at`.
    pub(crate) fn of_engine(&self, at: u64) -> u64 {
        let (now, engine) = self.both();
        now.saturating_add_signed(at.wrapping_sub(engine) as i64)
    }

    /// Returns by how much slices start too late.
    pub(crate) fn skew_ns(&self) -> u64 {
        self.simulated.skew_ns
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_simulated_step_comes_once_and_after_the_first_round() {
        const HOUR_NS: u64 = 3_600_000_000_000;
        let after = |step_after_ns| {
            let step_ns = HOUR_NS as i64;
            LocalClock::new(SimulatedClock { step_ns, step_after_ns, ..SimulatedClock::default() })
        };
        let (at_once, later) = (after(0), after(HOUR_NS));
        let another = at_once.clone();
        let stepped = |clock: &LocalClock| {
            let before = clock::raw();
            clock.now() >= before + HOUR_NS
        };
        assert!(!stepped(&at_once) && !stepped(&another), "no round is over");
        (0..2).for_each(|_| at_once.round_ended());
        later.round_ended();
        assert!(stepped(&at_once) && stepped(&another) && !stepped(&later));
    }

    #[test]
    fn a_simulated_offset_is_seen_and_conversions_agree() {
        let simulated = SimulatedClock { offset_ns: 5_000_000_000, ..SimulatedClock::default() };
        let (honest, ahead) =
            (LocalClock::new(SimulatedClock::default()), LocalClock::new(simulated));
        let (before, there, after) = (honest.now(), ahead.now(), honest.now());
        assert!(before + 5_000_000_000 <= there && there <= after + 5_000_000_000);
        let at = ahead.now() + 1_000_000;
        // Reading both clocks takes time, in which the thread may lose its core, so the best of
        // several attempts is compared.
        let off = (0..50).map(|_| ahead.of_engine(ahead.to_engine(at)).abs_diff(at)).min();
        assert!(off < Some(100_000), "{off:?} ns");
    }
}
