//! A worker that panics ends the run, and the others do not wait for it.

use engine::{EngineError, Lane, MakeLane, Opened, Seat, SliceEnd, Stop, Turn, run};
use protocol::testing::{lane_without_address, order};
use record::{DriveOrder, Recorder};
use std::ops::ControlFlow;

/// A lane whose first worker panics in its slice or when it opens.
struct Panicking {
    worker: usize,
    in_slice: bool,
}

impl Panicking {
    fn panics(&self, in_slice: bool) {
        assert!(self.worker > 0 || self.in_slice != in_slice, "as it was asked to");
    }
}

impl Lane for Panicking {
    fn open(&mut self, _seen: &mut Recorder) -> Result<Opened, EngineError> {
        self.panics(false);
        Ok(Opened { requested: 1, established: 1 })
    }

    fn slice(&mut self, turn: &Turn, _seen: &mut Recorder) -> Result<SliceEnd, EngineError> {
        self.panics(true);
        Ok(turn.sends_until.into())
    }

    fn rest(&mut self, _until: u64, _seen: &mut Recorder) -> Result<(), EngineError> {
        Ok(())
    }

    fn close(&mut self, _seen: &mut Recorder) {}
}

#[test]
fn a_worker_that_panics_is_an_error_and_nobody_waits_for_it() {
    for in_slice in [false, true] {
        let order =
            DriveOrder { cores: vec![0, 0], rounds: 3, ..order(vec![lane_without_address()]) };
        let make = || -> MakeLane {
            Box::new(move |seat: &Seat| Ok(Box::new(Panicking { worker: seat.worker, in_slice })))
        };
        let stop = Stop::new().expect("a descriptor");
        let lanes = vec![vec![make(), make()]];
        let done = run(&order, lanes, Vec::new(), &stop, &mut |_| ControlFlow::Continue(()));
        let why = done.expect_err("it panicked").to_string();
        assert!(why.contains("a worker thread panicked"), "{why}");
    }
}
