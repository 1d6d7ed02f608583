//! What a run tells while it lasts: phases, rounds and rates, never a verdict.

use crate::plan::units::{show_ns, show_rate};
use record::{Phase, TrialRecord};
use std::io::{IsTerminal, Write, stderr};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How it is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Not at all.
    Silent,
    /// A line at the start of a phase and every ten seconds.
    Lines,
    /// One line that is rewritten.
    Status,
}

impl Manner {
    /// As it suits standard error.
    pub(crate) fn fitting(quiet: bool) -> Manner {
        match (quiet, stderr().is_terminal()) {
            (true, _) => Manner::Silent,
            (false, true) => Manner::Status,
            (false, false) => Manner::Lines,
        }
    }

    /// How often the time left is told anew. The thread that does it wakes too
    /// seldom to be seen in a measurement.
    fn period(self) -> Duration {
        if self == Manner::Status { Duration::from_secs(1) } else { Duration::from_secs(10) }
    }
}

/// Tells the progress of one run on standard error.
pub(crate) struct Progress {
    manner: Manner,
    shared: Arc<Shared>,
    ticker: Option<JoinHandle<()>>,
}

struct Shared {
    state: Mutex<State>,
    over: Condvar,
}

#[derive(Debug)]
struct State {
    names: Vec<String>,
    label: String,
    since: Instant,
    planned: Duration,
    /// Rounds begun and rounds planned; 0 planned: not in the rounds.
    round: u32,
    rounds: u32,
    /// Operations and nanoseconds of each contender's rounds so far.
    driven: Vec<(u64, u64)>,
    over: bool,
}

impl Progress {
    /// Starts to tell.
    pub(crate) fn start(manner: Manner, names: &[String]) -> Progress {
        let state = State {
            names: names.to_vec(),
            label: String::new(),
            since: Instant::now(),
            planned: Duration::ZERO,
            round: 0,
            rounds: 0,
            driven: vec![(0, 0); names.len()],
            over: false,
        };
        let shared = Arc::new(Shared { state: Mutex::new(state), over: Condvar::new() });
        let ticking = shared.clone();
        // Without the thread the time left is told only between rounds.
        let ticker = match manner {
            Manner::Silent => None,
            _ => std::thread::Builder::new()
                .name("progress".to_owned())
                .spawn(move || ticking.tick(manner))
                .ok(),
        };
        Progress { manner, shared, ticker }
    }

    /// One sentence that stays on the screen.
    pub(crate) fn say(&self, sentence: &str) {
        match self.manner {
            Manner::Silent => {}
            Manner::Lines => print(&format!("{sentence}\n")),
            Manner::Status => print(&format!("\r\x1b[2K{sentence}\n")),
        }
    }

    /// A phase starts. `rounds`: how many, where it is the rounds.
    pub(crate) fn phase(&self, label: &str, planned: Duration, rounds: u32) {
        let mut state = self.shared.lock();
        state.label = label.to_owned();
        state.since = Instant::now();
        state.planned = planned;
        (state.round, state.rounds) = (rounds.min(1), rounds);
        tell(self.manner, &state);
    }

    /// A trial ended.
    pub(crate) fn trial(&self, trial: &TrialRecord) {
        let mut state = self.shared.lock();
        if trial.phase != Phase::Round {
            return;
        }
        state.round = (trial.round + 1).min(state.rounds);
        if let Some(driven) = state.driven.get_mut(trial.contender as usize) {
            driven.0 += trial.seen.slices.iter().map(|slice| slice.operations).sum::<u64>();
            driven.1 += trial.seen.slices.iter().map(|slice| slice.took_ns).sum::<u64>();
        }
        if self.manner == Manner::Status {
            tell(self.manner, &state);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.shared.lock().over = true;
        self.shared.over.notify_all();
        if let Some(ticker) = self.ticker.take() {
            // A ticker that panicked has told so itself.
            let _ = ticker.join();
        }
        if self.manner == Manner::Status {
            print("\r\x1b[2K");
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tick(&self, manner: Manner) {
        let mut state = self.lock();
        while !state.over {
            let (guard, waited) = self
                .over
                .wait_timeout(state, manner.period())
                .unwrap_or_else(PoisonError::into_inner);
            state = guard;
            if waited.timed_out() && !state.over && !state.label.is_empty() {
                tell(manner, &state);
            }
        }
    }
}

fn tell(manner: Manner, state: &State) {
    let line = line(state, state.since.elapsed());
    match manner {
        Manner::Silent => {}
        Manner::Lines => print(&format!("{line}\n")),
        Manner::Status => {
            let width = terminal_size::terminal_size().map_or(80, |(width, _)| width.0 as usize);
            let cut: String = line.chars().take(width.saturating_sub(1)).collect();
            print(&format!("\r\x1b[2K{cut}"));
        }
    }
}

/// Progress must never end a run: where standard error is closed it is lost.
fn print(text: &str) {
    let mut to = stderr().lock();
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

fn line(state: &State, elapsed: Duration) -> String {
    let mut line = state.label.clone();
    if state.rounds > 1 {
        line += &format!(" {} of {}", state.round, state.rounds);
    }
    if !state.planned.is_zero() {
        let left = state.planned.saturating_sub(elapsed).as_millis().div_ceil(1000);
        line += &format!(", {} left", show_ns(left as u64 * 1_000_000_000));
    }
    let rates = state.names.iter().zip(&state.driven).filter(|(_, (_, took_ns))| *took_ns > 0);
    let rates = rates.map(|(name, (operations, took_ns))| {
        format!("{name} {}", show_rate(*operations as f64 * 1e9 / *took_ns as f64))
    });
    let rates: Vec<String> = rates.collect();
    match rates.is_empty() {
        true => line,
        false => format!("{line}: {}", rates.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(label: &str, planned_s: u64, round: u32, rounds: u32) -> State {
        State {
            names: vec!["old".to_owned(), "new".to_owned()],
            label: label.to_owned(),
            since: Instant::now(),
            planned: Duration::from_secs(planned_s),
            round,
            rounds,
            driven: vec![(0, 0), (0, 0)],
            over: false,
        }
    }

    #[test]
    fn a_line_says_where_the_run_is() {
        let elapsed = Duration::from_millis(1500);
        assert_eq!(line(&state("ready?", 0, 0, 0), elapsed), "ready?");
        assert_eq!(line(&state("pilot", 6, 0, 0), elapsed), "pilot, 5 s left");
        assert_eq!(line(&state("pilot", 1, 0, 0), elapsed), "pilot, 0 s left");
        let mut rounds = state("round", 200, 4, 10);
        rounds.driven = vec![(40_100, 1_000_000_000), (0, 0)];
        assert_eq!(line(&rounds, elapsed), "round 4 of 10, 3 min 19 s left: old 40.1k/s");
        rounds.driven[1] = (950, 2_000_000_000);
        assert_eq!(
            line(&rounds, elapsed),
            "round 4 of 10, 3 min 19 s left: old 40.1k/s, new 475/s"
        );
    }
}
