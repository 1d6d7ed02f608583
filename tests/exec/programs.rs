//! Programs to measure that a shell script could not be.

use std::io::Write;
use std::process::ExitCode;
use std::time::Duration;

pub(crate) const ARGUMENT: &str = "__program";

/// Returns the `exec:` text that runs this program with `what` and `amount`.
pub(crate) fn text(what: &str, amount: u64) -> String {
    let us = std::env::current_exe().expect("a program");
    format!("'{}' {ARGUMENT} {what} {amount}", us.to_str().expect("a plain path"))
}

/// The program's `main`.
pub(crate) fn act() -> ExitCode {
    let mut arguments = std::env::args().skip(2);
    let what = arguments.next().expect("what to do");
    let amount: u64 = arguments.next().expect("how much").parse().expect("a number");
    match what.as_str() {
        "zeros" => zeros(amount),
        "hold" => {
            let held = vec![1u8; amount as usize];
            std::hint::black_box(&held);
        }
        "burn" => burn(Duration::from_millis(amount)),
        other => panic!("{other}"),
    }
    println!("\noperations {amount}");
    ExitCode::SUCCESS
}

fn zeros(mut amount: u64) {
    let piece = [0u8; 1 << 16];
    let mut out = std::io::stdout().lock();
    while amount > 0 {
        let now = amount.min(piece.len() as u64);
        out.write_all(&piece[..now as usize]).expect("it is read");
        amount -= now;
    }
}

/// Uses this much CPU time.
fn burn(time: Duration) {
    let used = || {
        let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: `now` is valid for writes.
        unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut now) };
        Duration::new(now.tv_sec as u64, now.tv_nsec as u32)
    };
    let until = used() + time;
    let mut sum = 0u64;
    while used() < until {
        sum = std::hint::black_box(sum.wrapping_add(1));
    }
}
