use super::super::state::tests::{seconds, trial};
use super::*;
use std::sync::mpsc;

fn run_state() -> RunState {
    RunState::new(&["old".to_owned(), "new".to_owned()], Instant::now())
}

/// Writes on its own thread. Returns the mailbox and what is printed.
fn start_writer(
    state: RunState,
    style: ProgressStyle,
) -> (Arc<Mailbox>, mpsc::Receiver<String>, JoinHandle<()>) {
    let mailbox = Arc::new(Mailbox::new(state, Driving::default()));
    // A printer that blocks until its output is taken, as a terminal may.
    let (printer, printed) = mpsc::sync_channel(0);
    let reporting = mailbox.clone();
    let writer = std::thread::spawn(move || {
        let mut print = |text: &str| printer.send(text.to_owned()).expect("it is taken");
        write_until_over(&reporting, style, &|| Size::USUAL, &mut print);
    });
    (mailbox, printed, writer)
}

fn phase(mailbox: &Mailbox, label: &str) {
    mailbox.lock().state.phase(label, seconds(500.0), 0, Instant::now());
    mailbox.wake();
}

#[test]
fn the_view_follows_the_run_and_is_erased() {
    let (mailbox, printed, writer) =
        start_writer(run_state(), ProgressStyle::Live { colour: false });
    phase(&mailbox, "pilot");
    let frame = printed.recv().expect("a frame");
    // How full its bar is depends on who was first, the writer or the phase.
    assert!(frame.starts_with("pilot  ") && frame.ends_with("left\n"), "{frame:?}");
    mailbox.say("pilot: slices of 50 ms");
    let frame = printed.recv().expect("a frame");
    assert!(frame.starts_with("\r\x1b[1A\x1b[Jpilot: slices of 50 ms\npilot  "), "{frame:?}");
    let now = Instant::now();
    mailbox.lock().state.trial(&trial(0, 1, 500, 1_000_000_000, 1_000_000), now);
    let frame = printed.recv().expect("a frame, though nobody rang");
    assert!(frame.contains("\n  old  500 /s  p99 1"), "{frame:?}");
    mailbox.end();
    let last = printed.iter().last().expect("a last frame");
    assert_eq!(last, "\r\x1b[3A\x1b[J");
    writer.join().expect("it ends");
}

#[test]
fn lines_are_told_without_control_sequences() {
    let (mailbox, printed, writer) = start_writer(run_state(), ProgressStyle::Lines);
    mailbox.say("run: R");
    mailbox.say("caution: one core");
    mailbox.end();
    let all: String = printed.iter().collect();
    assert_eq!(all, "run: R\ncaution: one core\n");
    writer.join().expect("it ends");
}

#[test]
fn a_line_says_where_the_run_is_if_nothing_else_was_said_for_ten_seconds() {
    assert_eq!(ProgressStyle::Lines.period(), Duration::from_secs(10));
    // As if a period was over: a phase has begun, and nobody rang.
    let mut state = run_state();
    state.phase("driving", seconds(500.0), 0, Instant::now());
    let (mailbox, printed, writer) = start_writer(state, ProgressStyle::Lines);
    let line = printed.recv().expect("a line");
    assert!(line.starts_with("driving, ") && line.ends_with(" left\n"), "{line:?}");
    mailbox.end();
    assert_eq!(printed.iter().collect::<String>(), "");
    writer.join().expect("it ends");
}

#[test]
fn a_terminal_that_blocks_holds_nobody_up() {
    let (mailbox, printed, writer) =
        start_writer(run_state(), ProgressStyle::Live { colour: false });
    phase(&mailbox, "pilot");
    // By now the writer blocks in its printer.
    std::thread::sleep(Duration::from_millis(50));
    let free = mailbox.news.try_lock().is_ok();
    mailbox.end();
    let _ = printed.iter().last();
    writer.join().expect("it ends");
    assert!(free, "it writes while it holds the lock");
}

#[test]
fn it_rests_between_frames() {
    let live = ProgressStyle::Live { colour: true };
    assert!(live.rest() >= Duration::from_millis(250) && live.period() >= 2 * live.rest());
    let (mailbox, printed, writer) = start_writer(run_state(), live);
    let begun = Instant::now();
    let mut frames = 0;
    while begun.elapsed() < 3 * live.rest() {
        phase(&mailbox, "a phase that begins again and again");
        frames += printed.try_iter().count();
        std::thread::sleep(Duration::from_millis(1));
    }
    let most = begun.elapsed().as_nanos() / live.rest().as_nanos() + 1;
    mailbox.end();
    drop(printed.iter().last());
    writer.join().expect("it ends");
    assert!(frames as u128 <= most, "{frames} frames, {most} at most");
}
