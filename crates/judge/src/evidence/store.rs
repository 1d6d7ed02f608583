//! What a store said of itself over the run.

use crate::verdict::{Evicted, StoreSummary};
use record::{Loaded, StoreMoment, StoreSaid};

/// The record of one contender's store, added up.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stored {
    /// What it said last. None if it was never asked.
    last: Option<StoreSaid>,
    /// What it said when it was loaded, in the last launch.
    after_load: Option<StoreSaid>,
    loaded: Option<Loaded>,
    evicted: Evicted,
}

/// What a store held after the last round, as a multiple of what it held after
/// the load; none where that is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Growth {
    pub(crate) items: Option<f64>,
    pub(crate) bytes: Option<f64>,
}

impl Stored {
    pub(crate) fn loaded(&mut self, loaded: &Loaded) {
        self.loaded = Some(loaded.clone());
    }

    pub(crate) fn said(&mut self, said: &StoreSaid) {
        let part = match said.when {
            StoreMoment::LoadBegins => None,
            StoreMoment::LoadEnds => Some(&mut self.evicted.load),
            StoreMoment::RoundsBegin => Some(&mut self.evicted.before),
            StoreMoment::RoundsEnd => Some(&mut self.evicted.rounds),
        };
        let before = self.last.as_ref().and_then(|last| last.evictions);
        // A count that went back is another server's.
        let gone = said.evictions.zip(before).and_then(|(now, before)| now.checked_sub(before));
        if let (Some(part), Some(gone)) = (part, gone) {
            *part = Some(part.unwrap_or(0) + gone);
        }
        if said.when == StoreMoment::LoadEnds {
            self.after_load = Some(said.clone());
        }
        self.last = Some(said.clone());
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

    /// Whether it waits for the disk at every write; none where it did not say.
    pub(crate) fn durable(&self) -> Option<bool> {
        self.last.as_ref().and_then(|last| last.durable)
    }

    pub(crate) fn evicted(&self) -> Evicted {
        self.evicted
    }

    fn at_end(&self) -> Option<&StoreSaid> {
        self.last.as_ref().filter(|last| last.when == StoreMoment::RoundsEnd)
    }

    /// For the report; none where there is no store. `shared_with`: names of the
    /// contenders that have the same server.
    pub(crate) fn summary(&self, shared_with: Vec<String>) -> Option<StoreSummary> {
        let last = self.last.as_ref()?;
        Some(StoreSummary {
            loaded: self.loaded.clone(),
            items: self.at_end().and_then(|end| end.items),
            bytes: self.at_end().and_then(|end| end.bytes),
            evicted: self.evicted,
            silent: last.silent.clone(),
            shared_with,
        })
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A store said that it holds so much, and threw away so many items so far.
    pub(crate) fn said(
        contender: u32,
        when: StoreMoment,
        (items, bytes, evictions): (u64, u64, u64),
    ) -> StoreSaid {
        StoreSaid {
            contender,
            launch: 0,
            when,
            items: Some(items),
            bytes: Some(bytes),
            evictions: Some(evictions),
            server: Some(contender),
            durable: None,
            silent: None,
        }
    }

    #[test]
    fn what_is_thrown_away_is_told_by_part_over_all_launches() {
        use StoreMoment::*;
        let mut stored = Stored::default();
        for (when, evictions) in [(LoadBegins, 5), (LoadEnds, 8), (RoundsBegin, 8), (RoundsEnd, 18)]
        {
            stored.said(&said(0, when, (1, 1, evictions)));
        }
        let evicted = |load, before, rounds| Evicted { load, before, rounds };
        assert_eq!(stored.evicted(), evicted(Some(3), Some(0), Some(10)));
        // The second launch counts from 0.
        for (when, evictions) in [(LoadBegins, 0), (LoadEnds, 2), (RoundsBegin, 3), (RoundsEnd, 3)]
        {
            stored.said(&said(0, when, (1, 1, evictions)));
        }
        assert_eq!(stored.evicted(), evicted(Some(5), Some(1), Some(10)));
    }

    #[test]
    fn what_was_not_said_is_not_known() {
        let mut stored = Stored::default();
        assert_eq!(stored.summary(Vec::new()), None);
        for when in [StoreMoment::LoadBegins, StoreMoment::LoadEnds, StoreMoment::RoundsEnd] {
            let said = StoreSaid { evictions: None, items: None, ..said(0, when, (1, 1, 1)) };
            stored.said(&said);
        }
        assert_eq!(
            (stored.evicted(), stored.growth()),
            (Evicted::default(), Growth { items: None, bytes: Some(1.0) })
        );
        // Set back, as by `stats reset`.
        let mut reset = Stored::default();
        reset.said(&said(0, StoreMoment::LoadBegins, (1, 1, 9)));
        reset.said(&said(0, StoreMoment::LoadEnds, (1, 1, 0)));
        assert_eq!(reset.evicted(), Evicted::default());
    }

    #[test]
    fn growth_is_from_the_load_to_the_end() {
        let mut stored = Stored::default();
        stored.said(&said(0, StoreMoment::LoadEnds, (100, 1000, 0)));
        stored.said(&said(0, StoreMoment::RoundsBegin, (105, 1100, 0)));
        assert_eq!(stored.growth(), Growth::default(), "it is not over");
        stored.said(&said(0, StoreMoment::RoundsEnd, (90, 1500, 0)));
        assert_eq!(stored.growth(), Growth { items: Some(0.9), bytes: Some(1.5) });
    }
}
