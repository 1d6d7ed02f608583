//! The thread that writes progress. It sleeps most of the time, and holds no lock while it writes.

use super::line::line;
use super::screen::{Screen, Size};
use super::state::RunState;
use super::style::ProgressStyle;
use super::view;
use engine::Driving;
use std::io::{Write, stderr};
use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, Once, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Where updates are left for the writer.
pub(super) struct Mailbox {
    news: Mutex<ProgressUpdate>,
    bell: Condvar,
    driving: Driving,
}

pub(super) struct ProgressUpdate {
    pub(super) state: RunState,
    /// Lines that stay and are not written yet.
    pub(super) sentences: Vec<String>,
    /// Whether something must be shown before the period is over.
    rung: bool,
    over: bool,
}

impl Mailbox {
    pub(super) fn new(state: RunState, driving: Driving) -> Mailbox {
        let news = ProgressUpdate { state, sentences: Vec::new(), rung: false, over: false };
        Mailbox { news: Mutex::new(news), bell: Condvar::new(), driving }
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, ProgressUpdate> {
        self.news.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn say(&self, sentence: &str) {
        self.lock().sentences.push(sentence.to_owned());
        self.wake();
    }

    pub(super) fn wake(&self) {
        self.lock().rung = true;
        self.bell.notify_all();
    }

    pub(super) fn end(&self) {
        self.lock().over = true;
        self.bell.notify_all();
    }

    /// Sleeps for this long, or until `enough` returns true.
    fn sleep(&self, at_most: Duration, enough: impl Fn(&ProgressUpdate) -> bool) {
        let waited = self.bell.wait_timeout_while(self.lock(), at_most, |news| !enough(news));
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }
}

/// Starts the thread. Returns None if the system has no thread left.
pub(super) fn start(style: ProgressStyle, mailbox: Arc<Mailbox>) -> Option<JoinHandle<()>> {
    if matches!(style, ProgressStyle::Live { .. }) {
        leave_panics_alone();
    }
    let work = move || write_until_over(&mailbox, style, &size, &mut print);
    std::thread::Builder::new().name("progress".to_owned()).spawn(work).ok()
}

/// The terminal's size, which may change at any time.
fn size() -> Size {
    let size = terminal_size::terminal_size_of(stderr());
    size.map_or(Size::USUAL, |(columns, rows)| Size::new(columns.0, rows.0))
}

fn write_until_over(
    mailbox: &Mailbox,
    style: ProgressStyle,
    size: &dyn Fn() -> Size,
    print: &mut dyn FnMut(&str),
) {
    let mut screen = Screen::default();
    loop {
        let size = size();
        let mut news = mailbox.lock();
        let (rung, over) = (mem::take(&mut news.rung), news.over);
        let sentences = mem::take(&mut news.sentences);
        news.state.waits(mailbox.driving.waits());
        let now = Instant::now();
        let text = match style {
            ProgressStyle::Live { colour } => {
                let view =
                    if over { Vec::new() } else { view::render(&news.state, now, size, colour) };
                screen.frame(&sentences, &view, size)
            }
            // If nothing else is printed in a period, the position in the run is printed.
            _ if news.state.under_way() && !rung && !over => {
                format!("{}\n", line(&news.state, now))
            }
            _ => sentences.iter().map(|line| format!("{line}\n")).collect(),
        };
        drop(news);
        if PANICKED.load(Ordering::Relaxed) {
            return;
        }
        if !text.is_empty() {
            print(&text);
        }
        if over {
            return;
        }
        mailbox.sleep(style.rest(), |news| news.over);
        mailbox.sleep(style.period() - style.rest(), |news| news.over || news.rung);
    }
}

/// Progress must never end a run: if standard error is closed, it is lost.
pub(super) fn print(text: &str) {
    let mut to = stderr().lock();
    let _ = to.write_all(text.as_bytes()).and_then(|()| to.flush());
}

/// Whether a thread panicked. Its message is below the view, where the next frame would erase it.
static PANICKED: AtomicBool = AtomicBool::new(false);

/// From now on a panic stops the drawing before its message is printed.
fn leave_panics_alone() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous_hook = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            PANICKED.store(true, Ordering::Relaxed);
            previous_hook(panic);
        }));
    });
}

#[cfg(test)]
mod tests;
