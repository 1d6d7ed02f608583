//! The lane of a program. One run of it corresponds to one request of other lanes.

use super::figures::SuiteRun;
use super::program::{Exec, ProgramOutcome, Runner};
use engine::{EngineError, Lane, MakeLane, Opened, Seat, SliceEnd, Stop, Turn, clock};
use keeper::pin;
use record::{Arrivals, DriveOrder, Recorder};
use std::sync::Arc;
use std::time::Duration;

impl Exec {
    /// The lanes of this contender of the order: one for each worker, of which
    /// the first runs the program. Puts the keeper, which reads the output, on
    /// the generator's cores.
    ///
    /// # Errors
    /// If the order requires what a program does not support: more than one connection, or
    /// a rate.
    ///
    /// # Panics
    /// If the order has no such contender.
    pub fn lanes(&self, order: &DriveOrder, contender: usize) -> Result<Vec<MakeLane>, String> {
        if !order.cores.is_empty() {
            let cores = pin::set(&order.cores).map_err(|error| error.to_string())?;
            let pinned = sys::affinity::pin(self.keeper(), &cores);
            pinned.map_err(|error| {
                format!(
                    "the process that supervises the program cannot be \
                                            pinned to its cores: {error}"
                )
            })?;
        }
        of(&self.runner, order, contender)
    }
}

/// The lanes of one contender: one for each worker, of which the first works.
///
/// # Errors
/// If the order requires what a program does not support.
fn of(runner: &Arc<Runner>, order: &DriveOrder, contender: usize) -> Result<Vec<MakeLane>, String> {
    let lane_order = &order.lanes[contender];
    check(lane_order.intensity.connections, lane_order.intensity.arrivals)?;
    let timeout = Duration::from_nanos(lane_order.timeout_ns);
    let (first_round, in_a_round) = (order.first_round, order.slices_per_round());
    let lanes = (0..order.cores.len().max(1)).map(|_| {
        let runner = Arc::clone(runner);
        Box::new(move |seat: &Seat| {
            let lane: Box<dyn Lane> = match seat.worker {
                0 => Box::new(ExecLane {
                    runner,
                    timeout,
                    stop: seat.stop.clone(),
                    slices: 0,
                    first_round,
                    in_a_round,
                }),
                _ => Box::new(IdleLane),
            };
            Ok::<_, EngineError>(lane)
        }) as MakeLane
    });
    Ok(lanes.collect())
}

/// Checks that a program supports these settings.
///
/// # Errors
/// A sentence with the remedy.
pub(crate) fn check(connections: u32, arrivals: Arrivals) -> Result<(), String> {
    if connections != 1 {
        return Err(format!(
            "exec: runs one program at a time, not {}: omit --connections for it, or make the \
             program itself concurrent",
            connections
        ));
    }
    match arrivals {
        Arrivals::Closed => Ok(()),
        _ => Err("exec: --rate is not supported because a program sets its own pace: omit --rate \
                  for it"
            .to_owned()),
    }
}

/// Runs the program.
struct ExecLane {
    runner: Arc<Runner>,
    timeout: Duration,
    stop: Stop,
    /// How many slices there were before this one: of a suite that runs its cases one by one, each is of the next case.
    slices: usize,
    /// The number of the first round, and the slices of each.
    first_round: u32,
    in_a_round: u32,
}

impl Lane for ExecLane {
    fn open(&mut self, _: &mut Recorder) -> Result<Opened, EngineError> {
        Ok(Opened { requested: 1, established: 1 })
    }

    /// Runs the program once, and again until the sending time is over. A run is never cut short
    /// for that: the slice ends when the program does, or at its timeout. A failed run is the last
    /// one of the slice, since some programs fail thousands of times a second.
    ///
    /// A suite is run once in each slice, because a case has one figure in a round, and not at all for a case that
    /// failed in an earlier round.
    ///
    /// The slice is as long as its runs. The time between two of them (0.2 ms in the keeper) is
    /// ours and not the program's.
    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        no_windows(seen);
        let mut last_reply = turn.starts;
        let mut left = turn.operations;
        let suite = self.runner.suite.as_ref();
        let number = self.slices;
        let case = match suite.map(|suite| suite.numbered(number)) {
            Some(SuiteRun::Case(case)) => Some(case),
            Some(SuiteRun::All) | None => None,
            Some(SuiteRun::Nothing) => {
                self.slices += 1;
                return Ok(last_reply.into());
            }
        };
        let round = self.first_round + number as u32 / self.in_a_round;
        self.slices += 1;
        while left != Some(0) && !self.stop.raised() {
            match self.runner.run(self.timeout, &self.stop, case.as_deref(), round)? {
                ProgramOutcome::Cut(operations) => {
                    seen.program_cut(operations);
                    break;
                }
                ProgramOutcome::Ran(run) => {
                    seen.program(&run);
                    last_reply += run.wall_ns;
                    // May exceed what is left, because a run is not divided.
                    left = left.map(|left| left.saturating_sub(run.operations));
                    if let Some(suite) = suite.filter(|_| run.failure.is_some()) {
                        suite.failed(number);
                    }
                    if suite.is_some() || run.failure.is_some() || clock::now() >= turn.sends_until
                    {
                        break;
                    }
                }
            }
        }
        Ok(last_reply.into())
    }

    fn rest(&mut self, _: u64, _: &mut Recorder) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(&mut self, _: &mut Recorder) {}
}

/// The other workers have nothing to do: the program runs on its own cores.
struct IdleLane;

impl Lane for IdleLane {
    fn open(&mut self, _: &mut Recorder) -> Result<Opened, EngineError> {
        Ok(Opened { requested: 0, established: 0 })
    }

    fn slice(&mut self, turn: &Turn, seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        no_windows(seen);
        Ok(turn.starts.into())
    }

    fn rest(&mut self, _: u64, _: &mut Recorder) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(&mut self, _: &mut Recorder) {}
}

/// The operations of a run are known when all of them have ended: in windows of 100 ms they would
/// look like a server that alternately stalls and jumps. Without windows the slice counts as one
/// step.
fn no_windows(seen: &mut Recorder) {
    seen.slice_mut().windows.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_program_cannot_do_is_refused() {
        assert_eq!(check(1, Arrivals::Closed), Ok(()));
        let many = check(64, Arrivals::Closed);
        assert_eq!(
            many,
            Err(
                "exec: runs one program at a time, not 64: omit --connections for it, or make the \
                 program itself concurrent"
                    .to_owned()
            )
        );
        let paced = check(1, Arrivals::Constant(5.0));
        assert_eq!(
            paced,
            Err("exec: --rate is not supported because a program sets its own pace: omit --rate \
                 for it"
                .to_owned())
        );
    }
}
