//! What a store reported about itself during the run.

use crate::verdict::{Evicted, StoreSummary};
use record::{Loaded, StoreMoment, StoreReport};

/// The record of one contender's store, added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    /// Its latest report. None if it was never asked.
    last: Option<StoreReport>,
    /// Its report after the load, in the last launch.
    after_load: Option<StoreReport>,
    loaded: Option<Loaded>,
    evicted: Evicted,
}

/// The contents of a store after the last round, as a multiple of its contents after the load. None
/// if that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Growth {
    pub(crate) items: Option<f64>,
    pub(crate) bytes: Option<f64>,
}

impl Stored {
    pub(crate) fn loaded(&mut self, loaded: &Loaded) {
        self.loaded = Some(loaded.clone());
    }

    pub(crate) fn add(&mut self, report: &StoreReport) {
        let part = match report.when {
            StoreMoment::LoadBegins => None,
            StoreMoment::LoadEnds => Some(&mut self.evicted.load),
            StoreMoment::RoundsBegin => Some(&mut self.evicted.before),
            StoreMoment::RoundsEnd => Some(&mut self.evicted.rounds),
        };
        let before = self.last.as_ref().and_then(|last| last.evictions);
        // A count that decreased belongs to another server.
        let evicted =
            report.evictions.zip(before).and_then(|(now, before)| now.checked_sub(before));
        if let (Some(part), Some(evicted)) = (part, evicted) {
            *part = Some(part.unwrap_or(0) + evicted);
        }
        if report.when == StoreMoment::LoadEnds {
            self.after_load = Some(report.clone());
        }
        self.last = Some(report.clone());
    }

    /// The contender with the lowest number on the same server.
    pub(crate) fn server(&self) -> Option<u32> {
        self.last.as_ref().and_then(|last| last.server)
    }

    /// From the load to the end of the rounds.
    pub(crate) fn growth(&self) -> Growth {
        let (Some(start), Some(end)) = (&self.after_load, self.at_end()) else {
            return Growth::default();
        };
        let times = |start: Option<u64>, end: Option<u64>| {
            let start = start.filter(|start| *start > 0)?;
            Some(end? as f64 / start as f64)
        };
        Growth { items: times(start.items, end.items), bytes: times(start.bytes, end.bytes) }
    }

    /// Whether it waits for the disk at every write. None if it did not report it.
    pub(crate) fn durable(&self) -> Option<bool> {
        self.last.as_ref().and_then(|last| last.durable)
    }

    pub(crate) fn evicted(&self) -> Evicted {
        self.evicted
    }

    fn at_end(&self) -> Option<&StoreReport> {
        self.last.as_ref().filter(|last| last.when == StoreMoment::RoundsEnd)
    }

    /// The summary for the report. None if there is no store. `shared_with` are the names of the
    /// contenders on the same server.
    pub(crate) fn summary(&self, shared_with: Vec<String>) -> Option<StoreSummary> {
        let last = self.last.as_ref()?;
        Some(StoreSummary {
            loaded: self.loaded.clone(),
            items: self.at_end().and_then(|end| end.items),
            bytes: self.at_end().and_then(|end| end.bytes),
            evicted: self.evicted,
            unreachable: last.unreachable.clone(),
            shared_with,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A report of a store with this content and this many evictions so far.
    pub(crate) fn report(
        contender: u32,
        when: StoreMoment,
        (items, bytes, evictions): (u64, u64, u64),
    ) -> StoreReport {
        StoreReport {
            contender,
            launch: 0,
            when,
            items: Some(items),
            bytes: Some(bytes),
            evictions: Some(evictions),
            server: Some(contender),
            durable: None,
            unreachable: None,
        }
    }

    #[test]
    fn evictions_are_counted_by_part_over_all_launches() {
        use StoreMoment::*;
        let mut stored = Stored::default();
        for (when, evictions) in [(LoadBegins, 5), (LoadEnds, 8), (RoundsBegin, 8), (RoundsEnd, 18)]
        {
            stored.add(&report(0, when, (1, 1, evictions)));
        }
        let evicted = |load, before, rounds| Evicted { load, before, rounds };
        assert_eq!(stored.evicted(), evicted(Some(3), Some(0), Some(10)));
        // The second launch counts from 0.
        for (when, evictions) in [(LoadBegins, 0), (LoadEnds, 2), (RoundsBegin, 3), (RoundsEnd, 3)]
        {
            stored.add(&report(0, when, (1, 1, evictions)));
        }
        assert_eq!(stored.evicted(), evicted(Some(5), Some(1), Some(10)));
    }

    #[test]
    fn what_was_not_reported_is_unknown() {
        let mut stored = Stored::default();
        assert_eq!(stored.summary(Vec::new()), None);
        for when in [StoreMoment::LoadBegins, StoreMoment::LoadEnds, StoreMoment::RoundsEnd] {
            let report = StoreReport { evictions: None, items: None, ..report(0, when, (1, 1, 1)) };
            stored.add(&report);
        }
        assert_eq!(
            (stored.evicted(), stored.growth()),
            (Evicted::default(), Growth { items: None, bytes: Some(1.0) })
        );
        // Reset, as by `stats reset`.
        let mut reset = Stored::default();
        reset.add(&report(0, StoreMoment::LoadBegins, (1, 1, 9)));
        reset.add(&report(0, StoreMoment::LoadEnds, (1, 1, 0)));
        assert_eq!(reset.evicted(), Evicted::default());
    }

    #[test]
    fn growth_is_from_the_load_to_the_end() {
        let mut stored = Stored::default();
        stored.add(&report(0, StoreMoment::LoadEnds, (100, 1000, 0)));
        stored.add(&report(0, StoreMoment::RoundsBegin, (105, 1100, 0)));
        assert_eq!(stored.growth(), Growth::default(), "it is not over");
        stored.add(&report(0, StoreMoment::RoundsEnd, (90, 1500, 0)));
        assert_eq!(stored.growth(), Growth { items: Some(0.9), bytes: Some(1.5) });
    }
}
