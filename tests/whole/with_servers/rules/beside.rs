//! Processes and threads that run beside a case.

use crate::common::running::Running;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// The test server as a process, until it is dropped.
pub(super) struct ServerProcess {
    process: Running,
    url: String,
}

impl ServerProcess {
    pub(super) fn start(flags: &[&str]) -> ServerProcess {
        ServerProcess::launch(Command::new(env!("CARGO_BIN_EXE_tiebreak")), flags)
    }

    /// With the lowest real-time priority, so that usual processes never keep it waiting.
    pub(super) fn start_before_others(flags: &[&str]) -> ServerProcess {
        let mut command = Command::new("chrt");
        command.args(["--fifo", "1", env!("CARGO_BIN_EXE_tiebreak")]);
        ServerProcess::launch(command, flags)
    }

    fn launch(mut command: Command, flags: &[&str]) -> ServerProcess {
        command.args(["testserver", "--listen", "127.0.0.1:0"]).args(flags);
        let mut child = command.stdout(Stdio::piped()).spawn().expect("our own program");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("text");
        let address = line.trim_end().strip_prefix("listening on ").expect("an address");
        let url = format!("http://{address}/");
        ServerProcess { process: Running::new(child), url }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn signal(&self, signal: i32) {
        self.process.signal(signal);
    }
}

/// A thread that never rests, on one core, until it is dropped.
pub(super) struct Neighbour {
    over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Neighbour {
    pub(super) fn start(core: u32) -> Neighbour {
        Neighbour::on(core, std::hint::spin_loop)
    }

    /// One that keeps all others off the core for 10 ms, and leaves it to them for 1 ms.
    pub(super) fn start_before_others(core: u32) -> Neighbour {
        let mut is_before_others = false;
        Neighbour::on(core, move || {
            if !std::mem::replace(&mut is_before_others, true) {
                run_before_others();
            }
            let started = Instant::now();
            while started.elapsed() < Duration::from_millis(10) {
                std::hint::spin_loop();
            }
            std::thread::sleep(Duration::from_millis(1));
        })
    }

    /// Works again and again on one core.
    fn on(core: u32, mut work: impl FnMut() + Send + 'static) -> Neighbour {
        let over = Arc::new(AtomicBool::new(false));
        let seen = Arc::clone(&over);
        let thread = std::thread::spawn(move || {
            stay_on(core);
            while !seen.load(Ordering::Relaxed) {
                work();
            }
        });
        Neighbour { over, thread: Some(thread) }
    }
}

/// Gives this thread the lowest real-time priority, which is before all usual ones.
fn run_before_others() {
    let lowest = libc::sched_param { sched_priority: 1 };
    // SAFETY: the parameters outlive the call; 0 is the calling thread.
    let result = unsafe { libc::sched_setscheduler(0, libc::SCHED_FIFO, &raw const lowest) };
    let error = std::io::Error::last_os_error();
    assert_eq!(result, 0, "{error}");
}

impl Drop for Neighbour {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(ended.is_some_and(|result| result.is_ok()), "the neighbour ends");
    }
}

fn stay_on(core: u32) {
    // SAFETY: a set of cores is plain bits, and zeroes are an empty one.
    let mut set: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the core is one of this machine's, so it fits the set.
    unsafe { libc::CPU_SET(core as usize, &mut set) };
    // SAFETY: the set outlives the call, and its size is its own.
    let result = unsafe { libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set) };
    assert_eq!(result, 0, "core {core}: {}", std::io::Error::last_os_error());
}
