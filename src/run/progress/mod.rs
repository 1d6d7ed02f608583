//! What a run shows while it lasts: phases, rounds, rates, latencies and the ratio as it stands, but never an
//! interval or a verdict.
//!
//! A single thread writes it all, since a terminal may block (Ctrl-S does that). The thread that
//! conducts the run only leaves news for it.

mod line;
mod loading;
mod screen;
mod state;
mod style;
mod view;
mod writer;

pub(crate) use style::ProgressStyle;

use crate::run::placement;
use engine::Driving;
use protocol::secrets;
use record::{Metric, TrialRecord};
use state::RunState;
use std::ops::Range;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use text::shown::shown_lines;
use writer::Mailbox;

/// Shows the progress of one run on standard error.
pub(crate) struct Progress {
    style: ProgressStyle,
    mailbox: Arc<Mailbox>,
    driving: Driving,
    writer: Option<JoinHandle<()>>,
}

impl Progress {
    pub(crate) fn start(style: ProgressStyle, names: &[String]) -> Progress {
        let state = RunState::new(names, Instant::now());
        let driving = Driving::default();
        let mailbox = Arc::new(Mailbox::new(state, driving.clone()));
        let writer = match style {
            ProgressStyle::Silent => None,
            _ => writer::start(style, mailbox.clone()),
        };
        Progress { style, mailbox, driving, writer }
    }

    /// From now on contenders show their ratio by this metric as it stands.
    pub(crate) fn compare_by(&self, primary: Metric) {
        self.mailbox.lock().state.primary = Some(primary);
    }

    /// What is driven is noted here.
    pub(crate) fn driving(&self) -> Driving {
        self.driving.clone()
    }

    /// Keeps the writing thread on these cores, if there are any.
    pub(crate) fn keep_on(&self, cores: &[u32]) {
        if let Some(writer) = &self.writer {
            placement::place(writer, cores);
        }
    }

    /// Prints one sentence that stays on the screen.
    pub(crate) fn say(&self, sentence: &str) {
        let sentence = &harmless(sentence);
        match (&self.writer, self.style) {
            (_, ProgressStyle::Silent) => {}
            (Some(_), _) => self.mailbox.say(sentence),
            // No thread could be started.
            (None, _) => writer::print(&format!("{sentence}\n")),
        }
    }

    /// Prints a sentence even with `--quiet`.
    pub(crate) fn say_always(&self, sentence: &str) {
        match self.style {
            ProgressStyle::Silent => writer::print(&format!("{}\n", harmless(sentence))),
            _ => self.say(sentence),
        }
    }

    /// A phase starts. `planned` is its expected length, or zero if that is not known. `rounds` is
    /// the number of rounds of the whole run if the phase is the rounds or, with several launches, a part
    /// of them; otherwise 0.
    pub(crate) fn phase(&self, label: &str, planned: Duration, rounds: u32) {
        self.begin(|state, now| state.phase(label, planned, rounds, now));
    }

    /// The load of a store starts or continues at this key.
    pub(crate) fn loading(&self, name: &str, keys: Range<u64>, what: &'static str) {
        self.begin(|state, now| state.loading(name, keys.clone(), what, now));
    }

    /// All its keys below this one are done. No thread is woken: the next drawing of the view shows
    /// it.
    pub(crate) fn loaded(&self, upto: u64) {
        self.mailbox.lock().state.loaded(upto, Instant::now());
    }

    /// A round has so many trials, in place of one for all of its contenders together.
    pub(crate) fn trials_a_round(&self, trials: u32) {
        self.mailbox.lock().state.trials_a_round = trials;
    }

    fn begin(&self, phase: impl Fn(&mut RunState, Instant)) {
        let now = Instant::now();
        let mut news = self.mailbox.lock();
        phase(&mut news.state, now);
        if self.style == ProgressStyle::Lines {
            let line = line::line(&news.state, now);
            news.sentences.push(line);
        }
        drop(news);
        self.mailbox.wake();
    }

    /// A trial ended. No thread is woken: the next drawing of the view shows it.
    pub(crate) fn trial(&self, trial: &TrialRecord) {
        if self.style != ProgressStyle::Silent {
            self.mailbox.lock().state.trial(trial, Instant::now());
        }
    }
}

/// A sentence without secrets, and without what a terminal would not show as text.
fn harmless(sentence: &str) -> String {
    shown_lines(&secrets::hidden(sentence))
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.mailbox.end();
        if let Some(writer) = self.writer.take() {
            // A writer that panicked has reported that itself.
            let _ = writer.join();
        }
    }
}
