//! How many operations a connection may have in flight.
//!
//! The lane has as many slots on a connection as its depth says. If the codec's window is
//! narrower, the connection withholds the other slots until the window allows them.

use super::{Connection, Phase};
use crate::event_loop::dialogue::Dialogue;
use wire::Codec;

impl<S: Dialogue> Connection<S> {
    /// Returns how many operations may be in flight here now, whatever the depth is.
    #[inline]
    pub(super) fn window(&self) -> u32 {
        if self.retires { 0 } else { self.codec.window() }
    }

    /// Returns how many of its slots here the lane may use now.
    #[inline]
    fn allowed(&self) -> u32 {
        let depth = self.in_flight.depth();
        // The window is not known before the connection exists.
        if self.phase == Phase::Closed { depth } else { self.window().min(depth) }
    }

    /// Notes that `many` slots became free. Returns how many slots the lane may use now: fewer
    /// if the window is narrower than the depth, more if it has become wider.
    #[inline]
    pub(in crate::event_loop) fn usable(&mut self, many: u32) -> u32 {
        let free = self.withheld + many;
        self.withheld = (self.in_flight.depth() - self.allowed()).min(free);
        free - self.withheld
    }

    /// Called when the lane is about to use a slot that has been free for some time. Returns
    /// true if it may not, because the window has become narrower since: then the slot is
    /// withheld.
    #[inline]
    pub(in crate::event_loop) fn withholds_one_more(&mut self) -> bool {
        let withholds = self.withheld < self.in_flight.depth() - self.allowed();
        self.withheld += u32::from(withholds);
        withholds
    }

    /// Returns true if some slots are withheld from the lane.
    #[inline]
    pub(in crate::event_loop) fn withholds(&self) -> bool {
        self.withheld > 0
    }

    /// Gives the lane all its slots again.
    pub(in crate::event_loop) fn withhold_none(&mut self) {
        self.withheld = 0;
    }
}
