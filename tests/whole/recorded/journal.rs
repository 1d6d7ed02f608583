//! A recorded journal, as events that a test can change.

use record::{Event, Phase, Plan, Seen, Slice, StoreReport, TargetDone, TargetReady, TrialRecord};
use std::path::Path;
use tiebreak::run::journal::{FILE, Reader, Writer};

/// The numbers of the two contenders of every recorded journal, `a` and `b`.
pub(super) const A: u32 = 0;
pub(super) const B: u32 = 1;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Journal(Vec<Event>);

impl Journal {
    /// Reads a journal of this directory.
    pub(super) fn read(name: &str) -> Journal {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/whole/recorded");
        let mut reader = Reader::open(&directory.join(name)).expect("a journal");
        Journal(std::iter::from_fn(|| reader.next_event().expect("an event")).collect())
    }

    /// Writes it as the journal of a run in this new directory.
    pub(super) fn write(&self, run: &Path) {
        std::fs::create_dir(run).expect("a directory");
        let mut writer = Writer::create(&run.join(FILE)).expect("a journal");
        for event in &self.0 {
            writer.write(event).expect("a line");
        }
    }

    /// Returns the first event of a kind.
    fn first<'a, T>(
        &'a mut self,
        kind: &str,
        of_kind: impl FnMut(&'a mut Event) -> Option<&'a mut T>,
    ) -> &'a mut T {
        self.0.iter_mut().find_map(of_kind).unwrap_or_else(|| panic!("no {kind} in the journal"))
    }

    pub(super) fn plan(&mut self) -> &mut Plan {
        self.first("header", |event| match event {
            Event::Header(header) => Some(&mut header.plan),
            _ => None,
        })
    }

    pub(super) fn ready(&mut self, contender: u32) -> &mut TargetReady {
        self.first("target", |event| match event {
            Event::Target(ready) if ready.contender == contender => Some(ready),
            _ => None,
        })
    }

    pub(super) fn done(&mut self, contender: u32) -> &mut TargetDone {
        self.first("target_done", |event| match event {
            Event::TargetDone(done) if done.contender == contender => Some(done),
            _ => None,
        })
    }

    /// The trials of the rounds, of both contenders.
    pub(super) fn trials(&mut self) -> impl Iterator<Item = &mut TrialRecord> {
        self.0.iter_mut().filter_map(|event| match event {
            Event::Trial(trial) if trial.phase == Phase::Round => Some(trial.as_mut()),
            _ => None,
        })
    }

    /// Changes what was recorded of a contender in each round, given the round.
    pub(super) fn each(&mut self, contender: u32, change: impl Fn(u32, &mut Seen)) {
        for trial in self.trials().filter(|trial| trial.contender == contender) {
            change(trial.round, &mut trial.seen);
        }
    }

    /// Changes each slice of a contender, given the round.
    pub(super) fn slices(&mut self, contender: u32, change: impl Fn(u32, &mut Slice)) {
        self.each(contender, |round, seen| {
            seen.slices.iter_mut().for_each(|slice| change(round, slice));
        });
    }

    /// The reports of stores.
    pub(super) fn stores(&mut self) -> impl Iterator<Item = &mut StoreReport> {
        self.0.iter_mut().filter_map(|event| match event {
            Event::Store(report) => Some(report),
            _ => None,
        })
    }

    /// Adds an event before the end.
    pub(super) fn add_before_the_end(&mut self, event: Event) {
        let end = self.0.len() - 1;
        self.0.insert(end, event);
    }

    /// Adds an event after the header.
    pub(super) fn add_after_the_header(&mut self, event: Event) {
        self.0.insert(1, event);
    }

    /// Replaces the rounds by so many copies of the first one.
    pub(super) fn repeat_first_round(&mut self, rounds: u32) {
        let is_round =
            |event: &Event| matches!(event, Event::Trial(of) if of.phase == Phase::Round);
        let at = self.0.iter().position(is_round).expect("a round");
        let first: Vec<TrialRecord> =
            self.trials().filter(|of| of.round == 1).map(|of| of.clone()).collect();
        self.0.retain(|event| !is_round(event));
        let copies = (1..=rounds).flat_map(|round| {
            let of_round = move |of: &TrialRecord| TrialRecord { round, ..of.clone() };
            first.iter().map(of_round).map(|of| Event::Trial(Box::new(of)))
        });
        let copies: Vec<Event> = copies.collect();
        self.0.splice(at..at, copies);
    }

    /// Replaces the cases of a suite.
    pub(super) fn set_cases(&mut self, cases: Event) {
        let listed = self.first("cases", |event| matches!(event, Event::Cases(_)).then_some(event));
        *listed = cases;
    }

    /// Removes the last event, which is the end of the run.
    pub(super) fn remove_end(&mut self) {
        assert!(matches!(self.0.pop(), Some(Event::End(_))));
    }
}
