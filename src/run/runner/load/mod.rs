//! The load phase: every key of a store gets its first value, unless an earlier
//! load left it there.

mod room;

use super::chunks::{self, Chunk};
use super::environment::Halt;
use super::orders;
use super::session::RunSession;
use crate::protocols::PROTOCOLS;
use engine::interleaving::Sequence;
use protocol::side_channel::{About, Decision, Fingerprint, LoadState, RequestedData};
use record::{
    Event, Failure, LoadMethod, Loaded, Outcomes, Phase, Seen, StoreMoment, TrialRecord, Workload,
};
use report::words;
use std::io::Write;
use std::ops::{ControlFlow, Range};
use std::time::{Duration, Instant};
use text::units::nanoseconds;

/// A load in progress.
struct Load {
    contender: usize,
    wanted: RequestedData,
    /// What the store reported about itself before it.
    about: Option<About>,
    loaded: Loaded,
    /// All keys below this one were acknowledged.
    acknowledged: u64,
    /// Whether it accepted no write of a whole chunk, and did not report that it is full.
    mute: bool,
    /// Codes with which the store reports that it has no space left.
    full: &'static [u16],
    /// All chunks, as one trial.
    trial: Option<TrialRecord>,
}

impl<W: Write> RunSession<'_, W> {
    /// Makes sure that every store contains the keys of its workload. Failures are data: the misses
    /// that follow are counted, and void the run.
    pub(super) fn load(&mut self) -> Result<(), Halt> {
        if self.writer.launch == 1 {
            self.check_room()?;
        }
        match self.stores.apart {
            // Each is loaded just before it is driven.
            Some(_) => Ok(()),
            None => self.load_those(&|_| true),
        }
    }

    /// Loads the data of these contenders.
    fn load_those(&mut self, which: &dyn Fn(usize) -> bool) -> Result<(), Halt> {
        let mut order = self.drawn(Sequence::Loads);
        // Data of several contenders are loaded for the first of them.
        order.sort_by_key(|contender| self.plan.data_of(*contender) != *contender);
        order.retain(|contender| which(*contender));
        let plan = self.plan;
        self.each_remaining(order, |this, contender| {
            let workload = plan.contenders[contender].asks.workload();
            // User-defined commands work on the data that they write themselves; statements may
            // need tables.
            let needs =
                |workload: &&Workload| workload.to_load() > 0 || !workload.custom.setup.is_empty();
            workload.filter(needs).map_or(Ok(()), |workload| this.load_one(contender, workload))
        })
    }

    fn load_one(&mut self, contender: usize, workload: &Workload) -> Result<(), Halt> {
        let about = self.ask_store(contender, StoreMoment::LoadBegins)?;
        let wanted = RequestedData::of(workload);
        let decision = self.decide(contender, &wanted, about.as_ref());
        let protocol = PROTOCOLS.of_recorded(&self.plan.contenders[contender].target);
        let full = protocol.map_or(&[][..], |protocol| protocol.full);
        let launch = self.launch_of(contender);
        let loaded = begun(contender, launch, workload, &decision);
        let (acknowledged, mute, trial) = (decision.from, false, None);
        let mut load = Load { contender, wanted, about, loaded, acknowledged, mute, full, trial };
        if let Some(why) = words::load_begins(&load.loaded) {
            self.say_of(contender, &why);
        }
        let outcome = match decision.how {
            LoadMethod::Found => Ok(()),
            LoadMethod::Resumed => self.write_keys(&mut load, workload),
            LoadMethod::Written => {
                let store = self.environment.store(contender);
                let room = store.and_then(|store| store.create_tables(workload));
                room.map_err(|why| self.no_room_made(contender, &why))?;
                self.write_keys(&mut load, workload)
            }
        };
        if let Some(trial) = load.trial.take() {
            self.writer.trial(trial)?;
        }
        outcome?;
        self.still_there(&load)?;
        if load.loaded.how != LoadMethod::Found && load.loaded.keys > 0 {
            load.loaded.settled = self.settle(contender)?;
        }
        let about = self.ask_store(contender, StoreMoment::LoadEnds)?;
        self.seal(&load, about.as_ref(), workload);
        self.say_of(contender, &words::loaded(&load.loaded));
        self.writer.write_and_sync(&Event::Loaded(load.loaded))
    }

    fn no_room_made(&self, contender: usize, why: &str) -> Halt {
        let name = &self.plan.contenders[contender].name;
        Halt::Target(format!("`{name}` cannot be loaded: {why}"))
    }

    fn decide(
        &mut self,
        contender: usize,
        wanted: &RequestedData,
        about: Option<&About>,
    ) -> Decision {
        if self.stores.reload {
            return Decision::anew(Some("--reload".to_owned()));
        }
        let store = self.environment.store(contender);
        wanted.decide(store.and_then(|store| store.read_fingerprint(&wanted.key)), about)
    }

    /// Loads chunk by chunk, from the load's first key to its last.
    fn write_keys(&mut self, load: &mut Load, workload: &Workload) -> Result<(), Halt> {
        let began = Instant::now();
        let mut from = load.loaded.from;
        let name = &self.plan.contenders[load.contender].name;
        let to_load = workload.to_load();
        let what = if load.loaded.are_columns { "columns" } else { "keys" };
        self.writer.progress.loading(name, from..to_load, what);
        let mut last = None;
        while from < to_load && load.loaded.ended_at.is_none() {
            self.keep(load, LoadState::Loading(load.acknowledged), load.about.as_ref());
            let chunk = from..from.saturating_add(chunks::next(last)).min(to_load);
            let started = Instant::now();
            let outcome = self.write_chunk(load, chunk.clone());
            load.loaded.took_ns = nanoseconds(began.elapsed());
            outcome?;
            let (keys, took) = (chunk.end - chunk.start, started.elapsed());
            last = Some(Chunk { keys, writing: load.last_writing().min(took), took });
            from = chunk.end;
            self.writer.progress.loaded(from);
        }
        Ok(())
    }

    fn write_chunk(&mut self, load: &mut Load, keys: Range<u64>) -> Result<(), Halt> {
        let Some(order) = orders::load(self.plan, load.contender, keys.clone()) else {
            return Ok(());
        };
        let driven = self.environment.drive(&order, &[load.contender], &mut |trial| {
            load.add(trial, &keys);
            ControlFlow::Continue(())
        });
        match (self.ended(load.contender), driven) {
            (Some(ended_target), _) => Err(Halt::Target(ended_target)),
            (None, Err(error)) => Err(Halt::Broken(error.to_string())),
            (None, Ok(())) if (self.stopped)() => Err(Halt::Stopped),
            (None, Ok(())) => Ok(()),
        }
    }

    /// A store that accepts no write at all may have died.
    fn still_there(&mut self, load: &Load) -> Result<(), Halt> {
        if load.mute {
            self.first_reply(load.contender).map(drop).map_err(|halt| match halt {
                Halt::Target(wrong) => {
                    Halt::Target(format!("a target died while data was loaded into it: {wrong}",))
                }
                other => other,
            })
        } else {
            Ok(())
        }
    }

    /// Stores the fingerprint of the data that the store contains from now on.
    fn seal(&mut self, load: &Load, about: Option<&About>, workload: &Workload) {
        let evictions = |about: Option<&About>| about.and_then(|about| about.evictions);
        let found = load.loaded.how == LoadMethod::Found;
        let whole = found || load.acknowledged == workload.to_load();
        let kept = evictions(load.about.as_ref()) == evictions(about);
        let dirty = workload.writes() && !self.stores.only_load;
        let state = if whole && kept && !dirty { LoadState::Clean } else { LoadState::Dirty };
        self.keep(load, state, about);
    }

    /// Keeps the fingerprint in the store. If it cannot be written, an older one must not remain; a
    /// full store still allows it to be removed.
    fn keep(&mut self, load: &Load, state: LoadState, about: Option<&About>) {
        let start = about.and_then(|about| about.start.clone());
        let kept = start.is_some_and(|start| {
            let evictions = about.and_then(|about| about.evictions);
            let fingerprint = Fingerprint { spec: Some(load.wanted.spec), start, evictions, state };
            let store = self.environment.store(load.contender);
            store.is_ok_and(|store| {
                store.write_fingerprint(&load.wanted.key, &fingerprint.text()).is_ok()
            })
        });
        if kept {
            return;
        }
        let store = self.environment.store(load.contender);
        if let Err(why) = store.and_then(|store| store.remove_fingerprint(&load.wanted.key))
            && state == LoadState::Dirty
        {
            self.say_of(
                load.contender,
                &format!(
                    "caution: the store could not record that the run writes to it ({why}): \
                     reload it before the next run (tiebreak load --reload)"
                ),
            );
        }
    }

    fn say_of(&self, contender: usize, sentence: &str) {
        let name = &self.plan.contenders[contender].name;
        self.writer.progress.say(&format!("{name}: {sentence}"));
    }
}

/// A load of which nothing was written yet.
fn begun(contender: usize, launch: u32, workload: &Workload, decision: &Decision) -> Loaded {
    Loaded {
        contender: contender as u32,
        launch,
        how: decision.how,
        why: decision.why.clone(),
        keys: workload.to_load(),
        are_columns: workload.is_wide(),
        from: decision.from,
        written: 0,
        failed: 0,
        ended_at: None,
        took_ns: 0,
        settled: None,
    }
}

impl Load {
    /// How long the last chunk wrote. Each chunk is one slice.
    fn last_writing(&self) -> Duration {
        let slice = self.trial.as_ref().and_then(|trial| trial.seen.slices.last());
        Duration::from_nanos(slice.map_or(0, |slice| slice.took_ns))
    }

    /// The result of one chunk.
    fn add(&mut self, mut trial: TrialRecord, keys: &Range<u64>) {
        let outcomes = &trial.seen.outcomes;
        let keys_to_load = keys.end - keys.start;
        self.loaded.written += outcomes.ok;
        self.loaded.failed += outcomes.total() - outcomes.ok;
        if self.acknowledged == keys.start && outcomes.ok == keys_to_load {
            self.acknowledged = keys.end;
        }
        let full = no_room(outcomes, self.full);
        self.mute = !full && outcomes.ok == 0 && outcomes.total() > 0;
        if full || self.mute {
            self.loaded.ended_at = Some(keys.end);
        }
        trial.contender = self.contender as u32;
        trial.phase = Phase::Load;
        trial.round = 0;
        match &mut self.trial {
            None => self.trial = Some(trial),
            Some(whole) => merge(whole, trial),
        }
    }
}

/// Adds a chunk to those before it, whose slices it follows.
fn merge(whole: &mut TrialRecord, mut chunk: TrialRecord) {
    let end = |seen: &Seen| {
        let last = seen.slices.last();
        last.map_or((0, 0), |last| (last.index + 1, last.starts_ns + last.took_ns))
    };
    let (index, ns) = end(&whole.seen);
    for slice in &mut chunk.seen.slices {
        slice.index += index;
        slice.starts_ns += ns;
    }
    let connections = whole.seen.connections.clone();
    whole.seen.merge(&chunk.seen);
    // Each chunk requested the same ones.
    whole.seen.connections.requested = connections.requested;
    whole.seen.connections.established =
        connections.established.min(chunk.seen.connections.established);
    whole.lane_order.operations =
        whole.lane_order.operations.zip(chunk.lane_order.operations).map(|(a, b)| a + b);
    whole.cut_short |= chunk.cut_short;
}

/// Whether a store reports that it has no space left. `full` are its codes for that.
fn no_room(outcomes: &Outcomes, full: &[u16]) -> bool {
    full.iter().any(|code| outcomes.unexpected.contains_key(code))
        || outcomes.failed.contains_key(&Failure::Full)
}

#[cfg(test)]
mod tests;
