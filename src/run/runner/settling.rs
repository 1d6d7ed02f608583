//! A load ends only when its server has done the work that the load left to it: compaction during
//! the rounds would slow them down.

use super::environment::{Halt, PendingWork};
use super::session::RunSession;
use record::Settled;
use std::io::Write;
use std::time::{Duration, Instant};
use text::units::nanoseconds;

/// The longest wait.
const LONGEST: Duration = Duration::from_secs(60);
/// Longer waits are reported while they last.
const UNREPORTED: Duration = Duration::from_secs(2);
/// The pause between two queries.
const BETWEEN_QUESTIONS: Duration = Duration::from_millis(500);
/// The pause before the final query when nothing is left: the end of one compaction can start
/// another.
const BEFORE_THE_LAST: Duration = Duration::from_millis(100);
/// The interval over which CPU time is read.
const WINDOW: Duration = Duration::from_secs(1);
/// What an idle node may use, in thousandths of one core. A node that gets one query a second uses
/// about 20 here (Cassandra 5.0) or 10 (1.2).
const AT_REST: u64 = 60;

impl<W: Write> RunSession<'_, W> {
    /// Waits until the server of this contender has done the work that a load left to it. Returns
    /// None if it does no work after a load.
    pub(super) fn settle(&mut self, contender: usize) -> Result<Option<Settled>, Halt> {
        let began = Instant::now();
        let (mut settling, mut reported) = (Settling::default(), false);
        loop {
            let Some(seen) = self.environment.pending_work(contender) else { return Ok(None) };
            if let Some(settled) = settling.look(began.elapsed(), seen) {
                return Ok(Some(settled));
            }
            if began.elapsed() >= UNREPORTED && !reported {
                reported = true;
                let name = &self.plan.contenders[contender].name;
                let waits = format!("waiting until {name} has compacted the loaded data");
                self.writer.progress.phase(&waits, Duration::ZERO, 0);
            }
            (self.pause)(settling.pause());
            if let Some(ended_target) = self.ended(contender) {
                return Err(Halt::Target(ended_target));
            }
            if (self.stopped)() {
                return Err(Halt::Stopped);
            }
        }
    }
}

/// The observations so far. Pure.
#[derive(Default)]
struct Settling {
    /// How many tasks were left the last time.
    left: Option<u64>,
    /// The last reading of the CPU time, and when it was taken.
    cpu: Option<(Duration, u64)>,
}

impl Settling {
    /// Evaluates an observation that was made this long after the start of the wait. Returns how
    /// the wait ended, or None if it continues.
    fn look(&mut self, at: Duration, seen: PendingWork) -> Option<Settled> {
        let took_ns = nanoseconds(at);
        match seen {
            PendingWork::Unseen(why) => Some(Settled::Unseen { why }),
            PendingWork::Tasks { left, nodes } => {
                let was_done = self.left.replace(left) == Some(0);
                let ends = (left == 0 && was_done) || at >= LONGEST;
                ends.then_some(Settled::Compactions { left, nodes, took_ns })
            }
            PendingWork::Cpu { why, cpu_ns, nodes } => {
                let (then, before) = *self.cpu.get_or_insert((at, cpu_ns));
                let passed = at - then;
                if passed < WINDOW {
                    return None;
                }
                self.cpu = Some((at, cpu_ns));
                let used = u128::from(cpu_ns.saturating_sub(before)) * 1000 / passed.as_nanos();
                let permille = u64::try_from(used).unwrap_or(u64::MAX);
                let limit = AT_REST * u64::from(nodes);
                let ends = permille <= limit || at >= LONGEST;
                ends.then_some(Settled::Cpu { why, permille, limit, took_ns })
            }
        }
    }

    /// How long to wait before the next look.
    fn pause(&self) -> Duration {
        match (self.cpu, self.left) {
            (Some(_), _) => WINDOW,
            (None, Some(0)) => BEFORE_THE_LAST,
            (None, _) => BETWEEN_QUESTIONS,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    /// How the wait ended, and after how many looks, of which there is one each second.
    fn waited(looks: impl IntoIterator<Item = PendingWork>) -> Option<(usize, Settled)> {
        let mut settling = Settling::default();
        looks.into_iter().enumerate().find_map(|(number, seen)| {
            let settled = settling.look(Duration::from_secs(number as u64), seen)?;
            Some((number + 1, settled))
        })
    }

    fn tasks(left: u64) -> PendingWork {
        PendingWork::Tasks { left, nodes: 3 }
    }

    fn cpu(cpu_ns: u64) -> PendingWork {
        PendingWork::Cpu { why: "by Thrift".to_owned(), cpu_ns, nodes: 2 }
    }

    #[test]
    fn nothing_left_is_believed_when_it_is_told_twice() {
        let done = |took| Settled::Compactions { left: 0, nodes: 3, took_ns: took * SECOND };
        assert_eq!(waited([tasks(0), tasks(0)]), Some((2, done(1))));
        let again = [tasks(4), tasks(0), tasks(1), tasks(0), tasks(0)];
        assert_eq!(waited(again), Some((5, done(4))));
        assert_eq!(waited([tasks(0)]), None);
    }

    #[test]
    fn after_a_minute_the_rest_is_told() {
        let busy = std::iter::repeat_with(|| tasks(7)).take(100);
        let left = Settled::Compactions { left: 7, nodes: 3, took_ns: 60 * SECOND };
        assert_eq!(waited(busy), Some((61, left)));
        let busy = (0..100).map(|second| cpu(second * SECOND / 2));
        let (looks, Settled::Cpu { permille, took_ns, .. }) = waited(busy).expect("an end") else {
            panic!("by CPU time")
        };
        assert_eq!((looks, permille, took_ns), (61, 500, 60 * SECOND));
    }

    #[test]
    fn cpu_is_at_rest_when_a_whole_second_says_so() {
        let mut settling = Settling::default();
        let mut look = |ms, cpu_ns| settling.look(Duration::from_millis(ms), cpu(cpu_ns));
        assert_eq!(look(0, 5 * SECOND), None);
        assert_eq!(look(500, 5 * SECOND), None, "half a second is too short");
        assert_eq!(look(1000, 6 * SECOND), None, "a core is busy");
        let Some(Settled::Cpu { permille, limit, .. }) = look(2000, 6 * SECOND + SECOND / 10)
        else {
            panic!("it rests")
        };
        assert_eq!((permille, limit), (100, 2 * AT_REST));
    }

    #[test]
    fn what_cannot_be_seen_is_not_waited_for() {
        let why = "it is on another machine".to_owned();
        let unseen = Settled::Unseen { why: why.clone() };
        assert_eq!(waited([PendingWork::Unseen(why)]), Some((1, unseen)));
    }
}
