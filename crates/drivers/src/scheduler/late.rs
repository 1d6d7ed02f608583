//! Tasks that a slice left waiting. As in the event loop, such a task keeps its operation, and stays out
//! until its lane was driven for as long as it waited: a reply that comes while other lanes are driven must
//! not cost less than one that comes while this lane is.

use super::Scheduler;
use record::waits::first_waited_through;
use record::{Recorder, Waited};

/// What is known of a slot that was left waiting.
#[derive(Clone, Copy, Debug)]
pub(super) struct LateSlot {
    /// How long the lane had been driven when the operation began.
    driven_ns: u64,
    /// The index of the first slice that it waited through.
    since: u64,
    /// How long the lane must have been driven before the slot takes part again. None while it waits.
    rejoins_ns: Option<u64>,
}

impl<C> Scheduler<C> {
    /// Leaves the slots waiting that have an operation.
    pub(crate) fn leave_waiting(&mut self) {
        for slot in self.slots.iter_mut().filter(|slot| slot.late.is_none()) {
            let Some(began) = slot.began else { continue };
            let driven_ns = self.drive.clock_at(began);
            let after_ns = began.saturating_sub(self.drive.started().unwrap_or(began));
            let since = first_waited_through(self.seen.slice_mut(), after_ns);
            slot.late = Some(LateSlot { driven_ns, since, rejoins_ns: None });
            self.seen.left_waiting();
            self.busy -= 1;
            self.late += 1;
        }
    }

    /// Notes that nothing of the operation of a late slot is in progress any more.
    pub(super) fn late_finished(&mut self, slot: usize, began: Option<u64>, now: u64) {
        let Some(late) = self.slots[slot].late.as_mut() else { return };
        let waited_ns = now.saturating_sub(began.unwrap_or(now));
        late.rejoins_ns = Some(late.driven_ns + waited_ns);
        let at_rest = self.drive.started().is_none();
        let waited = if at_rest { Waited::EndedAtRest } else { Waited::Ended };
        self.seen.waited(waited_ns, waited);
        self.call();
    }

    /// Lets the slots take part again that have been out for as long as they waited. Returns when the next
    /// one does.
    pub(crate) fn rejoin(&mut self, now: u64) -> u64 {
        let mut next = u64::MAX;
        if self.late == 0 {
            return next;
        }
        let driven_ns = self.drive.clock_at(now);
        for slot in &mut self.slots {
            let Some(rejoins_ns) = slot.late.and_then(|late| late.rejoins_ns) else { continue };
            if rejoins_ns > driven_ns {
                self.drive.stay_out();
                next = next.min(now + (rejoins_ns - driven_ns));
                continue;
            }
            slot.late = None;
            self.late -= 1;
            self.drive.freed(now);
            slot.wake();
        }
        next
    }

    /// Records which slots wait at the end of a trial.
    pub(crate) fn note_waits(&self, now: u64, units: u32, seen: &mut Recorder) {
        for slot in &self.slots {
            let waiting = slot.late.filter(|late| late.rejoins_ns.is_none());
            if let Some((late, began)) = waiting.zip(slot.began) {
                seen.waited(now - began, Waited::StillWaits { since: late.since, units });
            }
        }
    }
}
