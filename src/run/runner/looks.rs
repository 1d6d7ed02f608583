//! Looks what is behind the targets while they are driven for the first time.
//!
//! A proxy has connections to the server behind it only while it is driven, unless it keeps them.
//! The looks cost CPU time, so they end with the warm-up, which is not judged.

use super::meter::TargetMeter;
use crate::targets::find::Behind;
use record::{DriveOrder, Phase, TrialRecord};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Looks for each contender's warm-up.
const IN_EACH: u32 = 6;
/// The time between two looks, which take some milliseconds.
const SHORTEST: Duration = Duration::from_millis(10);
const LONGEST: Duration = Duration::from_millis(200);

/// Looks that are under way.
pub(super) struct Looks {
    /// How many contenders still warm up.
    warming: usize,
    /// Ends the looks when it is dropped.
    going_on: Option<Sender<()>>,
    thread: JoinHandle<Vec<Behind>>,
}

impl Looks {
    /// Begins to look at these targets. Returns None if the order has no warm-up, or if no target
    /// runs here.
    pub(super) fn begin<'a>(
        meters: impl Iterator<Item = Option<&'a TargetMeter>>,
        order: &DriveOrder,
    ) -> Option<Looks> {
        let pids: Vec<Vec<u32>> =
            meters.map(|meter| meter.map_or(Vec::new(), TargetMeter::pids)).collect();
        if order.warm_up.most_ns == 0 || pids.iter().all(Vec::is_empty) {
            return None;
        }
        let pause = Duration::from_nanos(order.warm_up.least_ns) / IN_EACH;
        let pause = pause.clamp(SHORTEST, LONGEST);
        let (going_on, over) = mpsc::channel::<()>();
        let look = move || {
            let mut found: Vec<Behind> = pids.iter().map(|_| Behind::default()).collect();
            while over.recv_timeout(pause) == Err(RecvTimeoutError::Timeout) {
                for (behind, pids) in found.iter_mut().zip(&pids) {
                    behind.look(pids);
                }
            }
            found
        };
        let thread = thread::Builder::new().name("looks".to_owned()).spawn(look).ok()?;
        Some(Looks { warming: order.lanes.len(), going_on: Some(going_on), thread })
    }

    /// Ends the looks when this trial is the last one of the warm-up.
    pub(super) fn trial(&mut self, trial: &TrialRecord) {
        self.warming = self.warming.saturating_sub(usize::from(trial.phase == Phase::WarmUp));
        if self.warming == 0 {
            self.going_on = None;
        }
    }

    /// What was found, for each target.
    pub(super) fn end(self) -> Vec<Vec<String>> {
        drop(self.going_on);
        let found = self.thread.join().unwrap_or_default();
        found.iter().map(Behind::names).collect()
    }
}
