//! The connections that still waited for a reply at the end of a launch.

use record::{Seen, Waits};

/// One judged launch.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    /// Its number. None if the run is not judged by launches, and this is about all of it.
    launch: Option<u32>,
    /// The index of its first judged slice.
    first_slice: u64,
    /// From the start of its first judged slice to the end of the last one, in nanoseconds.
    pub(crate) span_ns: u64,
    starts_ns: u64,
    /// Those of its last round.
    waits: Waits,
}

impl Waiting {
    /// Adds a round to its launch, which is the last one or a new one.
    pub(super) fn add(all: &mut Vec<Waiting>, launch: Option<u32>, seen: &Seen) {
        let Some((first, last)) = seen.slices.first().zip(seen.slices.last()) else { return };
        if all.last().is_none_or(|last| last.launch != launch) {
            let (first_slice, starts_ns) = (first.index, first.starts_ns);
            let waits = Waits::default();
            all.push(Waiting { launch, first_slice, span_ns: 0, starts_ns, waits });
        }
        let Some(of) = all.last_mut() else { return };
        let longest_ns = of.waits.longest_ns.max(seen.waits.longest_ns);
        of.waits = Waits { longest_ns, ..seen.waits.clone() };
        of.span_ns = (last.starts_ns + last.took_ns).saturating_sub(of.starts_ns);
    }

    /// How many units waited at the end.
    pub(crate) fn at_end(&self) -> u64 {
        self.waits.at_end.values().sum()
    }

    /// How many units got no reply in all of its judged time.
    pub(crate) fn starved(&self) -> u64 {
        self.waits.at_end.range(..=self.first_slice).map(|(_, units)| units).sum()
    }

    /// How many units there are.
    pub(crate) fn units(&self) -> u64 {
        u64::from(self.waits.units)
    }

    /// The longest wait, in nanoseconds.
    pub(crate) fn longest_ns(&self) -> u64 {
        self.waits.longest_ns
    }
}
