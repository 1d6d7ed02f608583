//! Units that a slice left waiting. A late unit keeps its operation, and takes up no other one while the
//! slices of its lane continue without it. Its reply may come while other lanes are driven. The unit would
//! then lose less time than if its lane was driven alone, and slow replies would cost less than they do. So
//! it stays out until its lane was driven for as long as it waited.

use super::Drive;
use crate::Drain;
use record::waits::first_waited_through;
use record::{Recorder, Waited};

/// The units of a lane that a slice left waiting, and those whose last reply came after the ordinary drain.
#[derive(Debug)]
pub(super) struct LateUnits {
    each: Vec<Option<LateUnit>>,
    /// How many there are.
    many: usize,
    /// When it must be checked whether one takes part again.
    checked_at: u64,
    /// When each unit had its last reply after the ordinary drain of this slice. 0 if it had none.
    replies: Vec<u64>,
    has_replies: bool,
}

#[derive(Clone, Copy, Debug)]
struct LateUnit {
    /// When its operation began.
    began: u64,
    /// How long the lane had been driven by then.
    driven_ns: u64,
    /// The index of the first slice that it waited through.
    since: u64,
    /// How long the lane must have been driven before it takes part again. None while it waits.
    rejoins_ns: Option<u64>,
}

impl LateUnits {
    pub(super) fn new(units: usize) -> LateUnits {
        LateUnits {
            each: vec![None; units],
            many: 0,
            checked_at: u64::MAX,
            replies: vec![0; units],
            has_replies: false,
        }
    }

    #[inline]
    pub(super) fn checked_at(&self) -> u64 {
        self.checked_at
    }

    /// Starts a slice.
    pub(super) fn start(&mut self) {
        self.checked_at = if self.many > 0 { 0 } else { u64::MAX };
    }

    /// Notes a reply after the ordinary drain.
    #[cold]
    pub(super) fn replied(&mut self, unit: usize, at: u64) {
        self.replies[unit] = at;
        self.has_replies = true;
    }

    /// Returns the last late reply of each unit that had one in this slice, which has ended.
    pub(super) fn take_replies(&mut self) -> Vec<u64> {
        if !std::mem::take(&mut self.has_replies) {
            return Vec::new();
        }
        self.replies.iter_mut().map(std::mem::take).filter(|at| *at > 0).collect()
    }
}

impl Drive {
    /// Returns true if the unit takes up no operation.
    #[inline]
    pub fn is_late(&self, unit: usize) -> bool {
        self.late.many > 0 && self.late.each[unit].is_some()
    }

    /// Returns true if a slice left it, and it still waits for its reply.
    pub fn waits(&self, unit: usize) -> bool {
        self.late.many > 0 && self.late.each[unit].is_some_and(|late| late.rejoins_ns.is_none())
    }

    /// Leaves a unit waiting whose operation began at `began`, unless it is late already. Returns true if it
    /// was not.
    pub fn leave(&mut self, unit: usize, began: u64, seen: &mut Recorder) -> bool {
        if self.is_late(unit) {
            return false;
        }
        let driven_ns = self.clock_at(began);
        let after_ns = began.saturating_sub(self.slice.starts);
        let since = first_waited_through(seen.slice_mut(), after_ns);
        self.late.each[unit] = Some(LateUnit { began, driven_ns, since, rejoins_ns: None });
        self.late.many += 1;
        seen.left_waiting();
        true
    }

    /// Notes that the operation of a late unit has ended: decides when the unit takes part again.
    pub fn late_ended(&mut self, unit: usize, at: u64, seen: &mut Recorder) {
        let Some(late) = self.late.each[unit].as_mut() else { return };
        let waited_ns = at.saturating_sub(late.began);
        late.rejoins_ns = Some(late.driven_ns + waited_ns);
        self.late.checked_at = 0;
        let waited = if self.is_driven() { Waited::Ended } else { Waited::EndedAtRest };
        seen.waited(waited_ns, waited);
    }

    /// Returns true if units may take part again at `now`: [`Drive::rejoin`] must be called for each.
    #[inline]
    pub fn may_rejoin(&mut self, now: u64) -> bool {
        let may = now >= self.late.checked_at;
        if may {
            self.late.checked_at = u64::MAX;
        }
        may
    }

    /// Lets a unit take part again that has been out for as long as it waited. Returns true if so.
    pub fn rejoin(&mut self, unit: usize, now: u64) -> bool {
        let Some(rejoins_ns) = self.late.each[unit].and_then(|late| late.rejoins_ns) else {
            return false;
        };
        let at = self.slice.starts + rejoins_ns.saturating_sub(self.driven_ns);
        if at > now {
            self.slice.drain.iter().for_each(Drain::stay_out);
            self.late.checked_at = self.late.checked_at.min(at);
            return false;
        }
        self.late.each[unit] = None;
        self.late.many -= 1;
        true
    }

    /// Returns how many units wait for a reply that a slice has left.
    pub fn waiting(&self) -> u32 {
        (0..self.late.each.len()).filter(|unit| self.waits(*unit)).count() as u32
    }

    /// Returns when the latest of the operations began that a slice has left waiting. None if there is none.
    pub fn latest_waiting(&self) -> Option<u64> {
        let waiting = self.late.each.iter().flatten().filter(|late| late.rejoins_ns.is_none());
        waiting.map(|late| late.began).max()
    }

    /// Records at the end of a trial who waits.
    pub fn note_waits(&self, now: u64, seen: &mut Recorder) {
        let units = self.units;
        let waiting = self.late.each.iter().flatten().filter(|late| late.rejoins_ns.is_none());
        for late in waiting {
            seen.waited(now - late.began, Waited::StillWaits { since: late.since, units });
        }
    }

    /// Notes that nobody waits any more, because the run was stopped.
    pub fn forget_late(&mut self) {
        self.late.each.fill(None);
        self.late.many = 0;
    }
}
