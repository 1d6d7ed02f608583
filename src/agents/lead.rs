//! How long before a slice the coordinator says when it starts.

/// The shortest and the longest time, in addition to the longest round trip. In between, the time
/// grows whenever a slice was announced too late to some agent, and shrinks otherwise, so that this
/// happens to about one slice in ten on a busy machine, and to hardly any on a quiet one.
const LIMITS_NS: (u64, u64) = (300_000, 5_000_000);
const LONGER: f64 = 1.5;
const SHORTER: f64 = 0.95;

/// The time from the message to the start of a slice, without the round trip, in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lead(u64);

impl Lead {
    /// The shortest lead.
    pub(super) fn new() -> Lead {
        Lead(LIMITS_NS.0)
    }

    pub(super) fn ns(self) -> u64 {
        self.0
    }

    /// Adjusts the lead after a slice. `late` says whether the slice was announced too late to some
    /// agent.
    pub(super) fn adjust(&mut self, late: bool) {
        let next = if late { LONGER } else { SHORTER } * self.0 as f64;
        self.0 = (next as u64).clamp(LIMITS_NS.0, LIMITS_NS.1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_when_told_too_late_and_shrinks_otherwise_within_its_limits() {
        let mut lead = Lead::new();
        lead.adjust(false);
        assert_eq!(lead.ns(), LIMITS_NS.0);
        lead.adjust(true);
        assert_eq!(lead.ns(), 450_000);
        (0..20).for_each(|_| lead.adjust(true));
        assert_eq!(lead.ns(), LIMITS_NS.1);
        lead.adjust(false);
        assert_eq!(lead.ns(), 4_750_000);
    }
}
