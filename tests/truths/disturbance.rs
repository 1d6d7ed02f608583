//! Whether the machine was left alone while a truth was measured. A failure on a machine that others
//! used says nothing about tiebreak.

use crate::common::processes;
use std::fmt;
use std::fs;
use std::time::{Duration, Instant};

/// The largest share of the cores that this process may use which the hypervisor or other processes
/// may take. On the machine where this was written, good minutes have 0.1 % and bad ones 5 to 50 %.
const MOST: f64 = 0.03;

/// Hundredths of a second: the unit of `/proc/stat` and of the times in `/proc/PID/stat`.
const TICK: f64 = 0.01;

/// What was used until now, in seconds.
struct Usage {
    at: Instant,
    /// Taken by the hypervisor from our cores.
    stolen: f64,
    /// CPU time on our cores, of all processes.
    busy: f64,
    /// CPU time of this process and all its descendants, those that have ended included.
    ours: f64,
    /// Time during which threads of this process were ready and had no core.
    waited: f64,
}

/// Observes the machine from its creation on.
pub(crate) struct Watch {
    cores: Vec<u32>,
    start: Usage,
}

/// In less time nothing can be said: a truth that fails so soon has found an error, and no time.
const LEAST: Duration = Duration::from_secs(1);

/// Shares of our cores that were not at our disposal.
pub(crate) struct Disturbance {
    observed: Duration,
    stolen: f64,
    foreign: f64,
    waited: f64,
}

impl Watch {
    pub(crate) fn start() -> Watch {
        let cores =
            tiebreak::system::cores::Facts::read().expect("the system tells its cores").allowed;
        let start = Usage::now(&cores);
        Watch { cores, start }
    }

    pub(crate) fn disturbance(&self) -> Disturbance {
        let (start, now) = (&self.start, Usage::now(&self.cores));
        let available = (now.at - start.at).as_secs_f64() * self.cores.len() as f64;
        let share = |seconds: f64| seconds.max(0.0) / available;
        Disturbance {
            observed: now.at - start.at,
            stolen: share(now.stolen - start.stolen),
            foreign: share((now.busy - start.busy) - (now.ours - start.ours)),
            waited: share(now.waited - start.waited),
        }
    }
}

impl Disturbance {
    /// Returns true if a failure may be the machine's.
    pub(crate) fn is_large(&self) -> bool {
        let shares = [self.stolen, self.foreign, self.waited];
        self.observed >= LEAST && shares.into_iter().any(|share| share > MOST)
    }
}

impl fmt::Display for Disturbance {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [stolen, foreign, waited] =
            [self.stolen, self.foreign, self.waited].map(|share| 100.0 * share);
        write!(
            out,
            "of our cores the hypervisor took {stolen:.1} % and other processes {foreign:.1} %; \
             our threads waited for {waited:.1} %"
        )
    }
}

impl Usage {
    fn now(cores: &[u32]) -> Usage {
        let (busy, stolen) = of_cores(cores);
        let own = i32::try_from(std::process::id()).expect("a process number");
        let tree = processes::tree(own);
        Usage {
            at: Instant::now(),
            stolen,
            busy,
            ours: tree.iter().map(|process| process.cpu_ticks() as f64 * TICK).sum(),
            waited: waited(),
        }
    }
}

/// CPU time of processes on these cores, and stolen time. Interrupts belong to no process.
fn of_cores(cores: &[u32]) -> (f64, f64) {
    let stat = fs::read_to_string("/proc/stat").expect("Linux");
    let mut sums = (0.0, 0.0);
    for line in stat.lines() {
        let mut words = line.split_whitespace();
        let core = words.next().and_then(|name| name.strip_prefix("cpu")?.parse::<u32>().ok());
        if core.is_none_or(|core| !cores.contains(&core)) {
            continue;
        }
        // user nice system idle iowait irq softirq steal
        let ticks: Vec<f64> = words.filter_map(|word| word.parse().ok()).collect();
        sums.0 += TICK * ticks[..3].iter().sum::<f64>();
        sums.1 += TICK * ticks[7];
    }
    sums
}

/// The second number of `schedstat` is the time in nanoseconds that a thread waited on a run queue.
fn waited() -> f64 {
    let threads = fs::read_dir("/proc/self/task").expect("Linux").flatten();
    let schedstat = threads.filter_map(|of| fs::read_to_string(of.path().join("schedstat")).ok());
    let waits = schedstat.filter_map(|text| text.split_whitespace().nth(1)?.parse::<f64>().ok());
    waits.sum::<f64>() / 1e9
}
