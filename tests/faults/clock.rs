//! A wall clock that is set while tiebreak runs.
//!
//! The machine's own clock is never touched, and time namespaces have no wall clock to shift. So
//! this program replaces tiebreak: it is linked with the same library and with its own
//! `clock_gettime`, which everything in the process uses to read clocks. At each reading the
//! wall clock has jumped by years, forwards or backwards; all other clocks are the system's.
//!
//! What is proven: a run reads the wall clock once, for the time at the head
//! of its journal and the name of its directory. No figure can depend on it.

use crate::case::{Case, SHORT};
use crate::counts::whole;
use crate::experiment::Program;
use crate::{Test, common, test};
use libc::{c_int, clockid_t, timespec};
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering};

/// In the environment this means: act as tiebreak. Its value is the file to which each reading
/// of the wall clock appends a byte.
const JUMPS: &str = "TIEBREAK_TEST_WALL_CLOCK";

/// 2001-09-09T01:46:40Z.
const START: i64 = 1_000_000_000;

/// Where the clock jumps to from there, in seconds: ten years forwards and backwards.
const FORTH_AND_BACK: [i64; 2] = [315_360_000, -315_360_000];

static READINGS: AtomicU64 = AtomicU64::new(0);

/// The file of readings, opened before anything runs; -1 means the system's clock.
static CONTROL: std::sync::atomic::AtomicI32 = std::sync::atomic::AtomicI32::new(-1);

/// Replaces the C library's function.
///
/// # Safety
/// `time` is valid for writes.
#[unsafe(no_mangle)]
unsafe extern "C" fn clock_gettime(clock: clockid_t, time: *mut timespec) -> c_int {
    let descriptor = CONTROL.load(Ordering::Relaxed);
    if descriptor >= 0 && matches!(clock, libc::CLOCK_REALTIME | libc::CLOCK_REALTIME_COARSE) {
        let reading = READINGS.fetch_add(1, Ordering::Relaxed);
        let seconds = START + FORTH_AND_BACK[reading as usize % 2] * (reading > 0) as i64;
        // SAFETY: the caller's pointer; one byte of a constant, a file of ours.
        unsafe {
            time.write(timespec { tv_sec: seconds, tv_nsec: 0 });
            libc::write(descriptor, b".".as_ptr().cast(), 1);
        }
        return 0;
    }
    // SAFETY: the system call with the caller's arguments.
    unsafe { libc::syscall(libc::SYS_clock_gettime, clock, time) as c_int }
}

pub(crate) fn jumps() -> bool {
    std::env::var_os(JUMPS).is_some()
}

/// tiebreak's `main`, with the other clock.
pub(crate) fn tiebreak() -> ExitCode {
    let file = std::env::var(JUMPS).expect("just seen");
    let file = std::ffi::CString::new(file).expect("a path");
    // SAFETY: a valid path.
    let descriptor =
        unsafe { libc::open(file.as_ptr(), libc::O_WRONLY | libc::O_APPEND | libc::O_CLOEXEC) };
    CONTROL.store(descriptor, Ordering::Relaxed);
    if std::env::args().nth(1).as_deref() == Some(keeper::ARGUMENT) {
        return keeper::keep();
    }
    tiebreak::cli::main()
}

pub(crate) fn cases() -> Vec<Test> {
    vec![test("clock::that_jumps_changes_no_figure", no_figure_changes)]
}

/// Both servers take 5 ms for each reply, and four connections ask.
fn no_figure_changes() {
    let case = Case::new();
    case.write("readings", "");
    let right = Program::testserver("--delay 5ms").contender("right", "");
    let wrong = Program::testserver("--delay 5ms").contender("wrong", "");
    case.write("e.toml", format!("{right}{wrong}"));
    let mut command = case.command(std::env::current_exe().expect("a program"), "tiebreak");
    command.env(JUMPS, case.path("readings"));
    let ended = case.start_as(command, &format!("compare e.toml {SHORT} --no-cache")).wait();
    ended.expect(0, &[]);
    case.left_nothing(true);
    assert_eq!(case.read("readings"), ".", "read once, and never for a figure");
    let report = ended.report();
    assert_eq!(report["started"], "2001-09-09T01:46:40Z", "the clock of the run was the other one");
    for (at, name) in ["right", "wrong"].iter().enumerate() {
        ended.server_agrees(at as u64, name);
        let contender = &report["contenders"][at];
        // This holds on any machine, however slow.
        let fastest = common::histogram(contender).min().expect("replies");
        assert!(fastest >= 5_000_000, "{fastest} ns");
        let throughput = common::number(&contender["metrics"]["throughput"]["value"]);
        assert!(throughput > 0.0 && throughput <= 800.0, "{throughput}");
        assert!(whole(&contender["operations"]) > 0);
    }
}
