//! The loop one turn at a time, for a caller that drives several lanes and waits for all of
//! them.

use super::{Dialogue, EventLane};
use crate::lane::{LaneStep, Steps};
use crate::{EngineError, SliceEnd, Turn, clock};
use record::Recorder;
use std::os::fd::RawFd;

/// The approximate number of replies that one step reads: those of another group wait for it.
const REPLIES: usize = 32;

impl<S: Dialogue> Steps for EventLane<S> {
    fn begin(&mut self, turn: &Turn, seen: &mut Recorder) {
        self.common.poll.take_at_most(REPLIES / self.asked.intensity.depth.max(1) as usize);
        self.begin_all(clock::now(), turn, seen);
    }

    fn step(&mut self, seen: &mut Recorder) -> Result<LaneStep, EngineError> {
        if !self.drive.is_driven() {
            return Ok(LaneStep { worked: false, until: None });
        }
        self.turn(0, seen)?;
        let over = self.look(clock::now(), seen);
        let now = clock::now();
        let wait_ns = if self.is_behind() { 0 } else { self.wait_ns(now) };
        let until = (!over).then_some(now + wait_ns);
        // The duration of this turn is not recorded here: it is part of the turn of all groups.
        Ok(LaneStep { worked: std::mem::take(&mut self.worked), until })
    }

    fn finish(&mut self, seen: &mut Recorder) -> SliceEnd {
        if self.drive.is_driven() { self.end_slice(seen) } else { SliceEnd::default() }
    }

    fn ready(&self) -> RawFd {
        self.common.poll.fd()
    }

    fn is_open_loop(&self) -> bool {
        self.drive.is_open_loop()
    }
}
