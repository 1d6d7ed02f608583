//! The load phase on a simulated store.

use super::*;
use crate::plan::{Command, example};
use crate::run::journal::{Reader, Writer};
use crate::run::progress::{Progress, ProgressStyle};
use crate::run::runner::environment::{
    Each, Explanations, PendingWork, StoreAccess, TargetControl,
};
use crate::run::runner::own_costs::OwnCosts;
use crate::run::runner::session::TrialWriter;
use crate::run::runner::stores_known::Stores;
use engine::EngineError;
use protocol::Error;
use protocol::address::tls::NoTls;
use protocol::side_channel::{ServerStart, SideChannel};
use record::{
    DriveOrder, End, EndReason, LaneTask, Plan, RequestPlan, Settled, Slice, TargetDone,
    TargetReady, Work,
};
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;

/// A store that outlives sessions.
#[derive(Default)]
struct FakeStore {
    notes: BTreeMap<String, String>,
    /// Keys that it was asked to write, in all.
    writes: Vec<Range<u64>>,
    start: &'static str,
    evictions: u64,
    /// From this key on it has no space left.
    room: Option<u64>,
    /// From this key on it closes connections.
    dies_at: Option<u64>,
    /// The session ends silently when it comes to this key.
    killed_at: Option<u64>,
    /// A signal comes when the load is at this key.
    stopped_at: Option<u64>,
    stopped: Rc<Cell<bool>>,
    /// It evicts this many items in each chunk.
    evicts: u64,
    /// It reports nothing about itself.
    silent: bool,
    /// It accepts no notes.
    no_notes: bool,
    /// How much work it reports each time it is asked. The last entry is reported first.
    work: Vec<u64>,
}

impl FakeStore {
    fn new() -> FakeStore {
        FakeStore { start: "one", ..FakeStore::default() }
    }

    fn note(&self) -> &str {
        self.notes.values().next().map_or("", String::as_str)
    }
}

/// What one session sees of it.
struct View<'a>(&'a mut FakeStore);

impl TargetControl for View<'_> {
    fn launch_target(&mut self, _launch: u32, contender: usize) -> Result<TargetReady, Halt> {
        Ok(TargetReady { contender: contender as u32, ..TargetReady::default() })
    }

    fn plain_protocol(&self, _: usize) -> Option<String> {
        None
    }

    fn drive_null(
        &mut self,
        _: &DriveOrder,
        _: &[usize],
        _: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        Ok(())
    }

    fn drive(
        &mut self,
        order: &DriveOrder,
        _who: &[usize],
        each: &mut Each<'_>,
    ) -> Result<(), EngineError> {
        let lane_order = order.lanes[0].clone();
        let mut seen = Seen::default();
        let mut cut_short = false;
        match &lane_order.doing {
            LaneTask::Load(loading) => {
                let end = loading.from + lane_order.operations.expect("so many");
                let is_in = |key: Option<u64>| key.is_some_and(|key| key < end);
                if is_in(self.0.killed_at) {
                    return Err(EngineError::order("killed"));
                }
                cut_short = is_in(self.0.stopped_at);
                self.0.stopped.set(cut_short);
                let end = if cut_short { self.0.stopped_at.expect("just seen") } else { end };
                let ok = end.min(self.0.room.unwrap_or(end)).min(self.0.dies_at.unwrap_or(end));
                seen.outcomes.ok = ok.saturating_sub(loading.from);
                let failed = end - ok.max(loading.from);
                if failed > 0 && self.0.room.is_some() {
                    seen.outcomes.unexpected.insert(wire::resp::codes::OOM, failed);
                } else if failed > 0 {
                    seen.outcomes.failed.insert(Failure::Refused, failed);
                }
                self.0.evictions += self.0.evicts;
                self.0.writes.push(loading.from..end);
            }
            _ if self.0.dies_at.is_some() && !self.0.writes.is_empty() => {
                seen.outcomes.failed.insert(Failure::Refused, 1);
            }
            _ => {
                seen.outcomes.ok = 1;
                seen.codes.insert(200, 1);
            }
        }
        seen.slices.push(Slice { took_ns: 10, operations: 1, ..Slice::default() });
        let trial = TrialRecord {
            phase: Phase::Round,
            round: 1,
            contender: 0,
            lane_order,
            seen,
            cut_short,
            levelled: None,
            agents: Vec::new(),
        };
        let _ = each(trial);
        Ok(())
    }

    fn ended_targets(&mut self) -> Vec<(usize, String)> {
        Vec::new()
    }

    fn stop_targets(&mut self, _: &dyn Fn(usize) -> bool) -> Vec<TargetDone> {
        Vec::new()
    }
}

impl StoreAccess for View<'_> {
    fn store(&mut self, _contender: usize) -> Result<Box<dyn SideChannel + '_>, String> {
        Ok(Box::new(FakeChannel(RefCell::new(&mut *self.0))))
    }

    fn pending_work(&mut self, _contender: usize) -> Option<PendingWork> {
        self.0.work.pop().map(|left| PendingWork::Tasks { left, nodes: 1 })
    }
}

struct FakeChannel<'a>(RefCell<&'a mut FakeStore>);

impl SideChannel for FakeChannel<'_> {
    fn query(&self) -> Result<About, String> {
        let store = self.0.borrow();
        if store.silent {
            return Err("it did not reply in time".to_owned());
        }
        Ok(About {
            items: Some(1_000_000),
            evictions: Some(store.evictions),
            start: Some(ServerStart::Run(store.start.to_owned())),
            ..About::default()
        })
    }

    fn read_fingerprint(&self, key: &str) -> Result<Option<Vec<u8>>, String> {
        Ok(self.0.borrow().notes.get(key).map(|note| note.clone().into_bytes()))
    }

    fn write_fingerprint(&self, key: &str, text: &str) -> Result<(), String> {
        let mut store = self.0.borrow_mut();
        if store.no_notes {
            return Err("it answers oom".to_owned());
        }
        store.notes.insert(key.to_owned(), text.to_owned());
        Ok(())
    }

    fn remove_fingerprint(&self, key: &str) -> Result<(), String> {
        self.0.borrow_mut().notes.remove(key);
        Ok(())
    }

    fn create_tables(&self, _: &Workload) -> Result<(), String> {
        Ok(())
    }
}

impl Explanations for View<'_> {
    fn program_error(&self, _: usize) -> Option<String> {
        None
    }

    fn why_no_tls(&self, _contender: usize) -> Option<NoTls> {
        None
    }
}

const KEYS: u64 = 100_000;

fn plan() -> Plan {
    with_stores(example::plan(|spec| {
        spec.command = Command::Run;
        spec.contenders.truncate(1);
    }))
}

/// The plan with a store for each contender.
fn with_stores(mut plan: Plan) -> Plan {
    let workload = crate::plan::WorkloadSettings { keys: Some(KEYS), ..Default::default() };
    let workload = workload.of(0).expect("kv");
    for contender in &mut plan.contenders {
        "redis://127.0.0.1:1".clone_into(&mut contender.target);
        contender.asks = RequestPlan::Store(Work { workload: workload.clone(), skew: None });
    }
    plan
}

/// The outcome of a session: its end and what it wrote.
struct SessionOutcome {
    end: Result<End, Error>,
    events: Vec<Event>,
}

impl SessionOutcome {
    fn loaded(&self) -> &Loaded {
        let loaded = self.events.iter().find_map(|event| match event {
            Event::Loaded(loaded) => Some(loaded),
            _ => None,
        });
        loaded.expect("a load")
    }

    fn reason(&self) -> EndReason {
        self.end.as_ref().expect("an end").reason
    }
}

fn session(made: &mut FakeStore, stores: Stores) -> SessionOutcome {
    session_of(&plan(), made, stores)
}

fn session_of(plan: &Plan, made: &mut FakeStore, stores: Stores) -> SessionOutcome {
    let header = record::testing::header(plan.clone());
    let mut memory = Vec::new();
    let mut journal = Writer::new(&mut memory, |_| Ok(()));
    journal.write(&Event::Header(Box::new(header))).expect("memory");
    let progress = Progress::start(ProgressStyle::Silent, &plan.question.names());
    let stopped = made.stopped.clone();
    let session = RunSession {
        plan,
        left_out: engine::LeftOut::default(),
        writer: TrialWriter::new(journal, &progress, plan, false),
        environment: &mut View(made),
        stores,
        own_costs: OwnCosts::default(),
        stopped: &|| stopped.get(),
        pause: &|_| {},
        only_first_stage: false,
        began: std::time::Instant::now(),
    };
    let end = session.conduct();
    let mut reader = Reader::new(memory.as_slice(), "J".to_owned());
    let mut events = Vec::new();
    while let Some(event) = reader.next_event().expect("readable") {
        events.push(event);
    }
    SessionOutcome { end, events }
}

/// `tiebreak load`.
fn load(made: &mut FakeStore) -> SessionOutcome {
    session(made, Stores::only_loaded(false))
}

#[test]
fn every_key_is_written_once_in_chunks_and_then_found() {
    let mut made = FakeStore::new();
    let outcome = load(&mut made);
    assert_eq!(outcome.reason(), EndReason::Complete);
    let loaded = outcome.loaded();
    assert_eq!((loaded.how, loaded.written, loaded.failed), (LoadMethod::Written, KEYS, 0));
    assert!(made.writes.len() > 1, "{:?}", made.writes);
    let mut next = 0;
    for keys in &made.writes {
        assert_eq!(keys.start, next);
        next = keys.end;
    }
    assert_eq!(next, KEYS);
    assert!(made.note().ends_with("clean"), "{}", made.note());
    let trials = outcome.events.iter().filter_map(|event| match event {
        Event::Trial(trial) if trial.phase == Phase::Load => Some(trial),
        _ => None,
    });
    let trials: Vec<_> = trials.collect();
    assert_eq!(trials.len(), 1, "all chunks are one trial");
    assert_eq!(trials[0].lane_order.operations, Some(KEYS));
    let indices: Vec<u64> = trials[0].seen.slices.iter().map(|slice| slice.index).collect();
    assert!(indices.iter().copied().eq(0..made.writes.len() as u64), "{indices:?}");
    let chunks = made.writes.len();
    let again = load(&mut made);
    assert_eq!((again.loaded().how, made.writes.len()), (LoadMethod::Found, chunks));
    assert!(made.note().ends_with("clean"));
    let forced = session(&mut made, Stores::only_loaded(true));
    assert_eq!(forced.loaded().how, LoadMethod::Written);
}

/// For many seeds, whose target is launched first and whose store is loaded first.
#[test]
fn stores_are_loaded_in_an_order_of_their_own() {
    let plan = with_stores(example::plan(|_| {}));
    let mut patterns: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for seed in 1..=160 {
        let plan = Plan { seed, ..plan.clone() };
        let outcome = session_of(&plan, &mut FakeStore::new(), Stores::only_loaded(false));
        let launched = outcome.events.iter().find_map(|event| match event {
            Event::Target(ready) => Some(ready.contender),
            _ => None,
        });
        let firsts = (launched.expect("a launch"), outcome.loaded().contender);
        *patterns.entry(firsts).or_default() += 1;
    }
    // 40 of each are expected; the standard deviation is 5.5.
    assert!(
        patterns.len() == 4 && patterns.values().all(|many| (12..68).contains(many)),
        "{patterns:?}"
    );
}

#[test]
fn what_a_load_leaves_to_the_server_is_waited_for() {
    let mut made = FakeStore { work: vec![0, 0, 3, 8], ..FakeStore::new() };
    let settled = load(&mut made).loaded().settled.clone();
    assert!(matches!(settled, Some(Settled::Compactions { left: 0, nodes: 1, .. })), "{settled:?}");
    made.work = vec![1];
    let found = load(&mut made);
    assert_eq!((found.loaded().how, &found.loaded().settled), (LoadMethod::Found, &None));
    assert_eq!(made.work, [1], "it is not asked where nothing was written");
    made.work.clear();
    let again = session(&mut made, Stores::only_loaded(true));
    assert_eq!(again.loaded().settled, None, "a server that works on nothing later");
}

#[test]
fn a_run_that_writes_marks_it_dirty_before_it_does() {
    let mut made = FakeStore::new();
    load(&mut made);
    let run = session(&mut made, Stores::default());
    assert_eq!(run.loaded().how, LoadMethod::Found);
    assert!(made.note().ends_with("dirty"), "{}", made.note());
    let again = load(&mut made);
    assert_eq!(again.loaded().how, LoadMethod::Written);
    let why = again.loaded().why.as_deref();
    assert_eq!(
        why,
        Some("its keys were changed after the load, or not all of them could be loaded")
    );
}

#[test]
fn a_load_that_is_killed_goes_on_where_it_was() {
    let mut made = FakeStore { killed_at: Some(70_000), ..FakeStore::new() };
    assert_eq!(load(&mut made).reason(), EndReason::Failed);
    let upto = made.writes.last().expect("some were written").end;
    assert!(made.note().ends_with(&format!("loading upto {upto}")), "{}", made.note());
    made.killed_at = None;
    made.writes.clear();
    let outcome = load(&mut made);
    let loaded = outcome.loaded();
    assert_eq!((loaded.how, loaded.from), (LoadMethod::Resumed, upto));
    assert_eq!(loaded.written, KEYS - upto);
    assert_eq!(made.writes[0].start, upto);
    assert!(made.note().ends_with("clean"), "{}", made.note());
}

#[test]
fn a_load_that_is_stopped_goes_on_too_and_what_was_sent_is_in_the_journal() {
    let mut made = FakeStore { stopped_at: Some(50_000), ..FakeStore::new() };
    let outcome = load(&mut made);
    assert_eq!(outcome.reason(), EndReason::Stopped);
    let sent = outcome.events.iter().any(|event| match event {
        Event::Trial(trial) => trial.phase == Phase::Load && trial.cut_short,
        _ => false,
    });
    assert!(sent);
    (made.stopped_at, made.stopped) = (None, Rc::default());
    assert_eq!(load(&mut made).loaded().how, LoadMethod::Resumed);
}

#[test]
fn another_start_is_loaded_again() {
    let mut made = FakeStore::new();
    load(&mut made);
    made.start = "two";
    let outcome = load(&mut made);
    assert_eq!(outcome.loaded().how, LoadMethod::Written);
    let why = outcome.loaded().why.as_deref();
    assert_eq!(why, Some("its server was restarted after it was loaded"));
}

#[test]
fn a_store_without_room_ends_the_load_and_not_the_session() {
    let mut made = FakeStore { room: Some(10_000), ..FakeStore::new() };
    let outcome = load(&mut made);
    assert_eq!(outcome.reason(), EndReason::Complete);
    let loaded = outcome.loaded();
    let end = loaded.ended_at.expect("it was given up");
    assert_eq!((loaded.written, loaded.failed), (10_000, end - 10_000));
    assert!(end < KEYS, "{end}");
    assert!(made.note().ends_with("dirty"), "{}", made.note());
    assert_eq!(load(&mut made).loaded().how, LoadMethod::Written);
}

#[test]
fn a_note_that_cannot_be_kept_is_removed() {
    let mut made = FakeStore::new();
    load(&mut made);
    made.no_notes = true;
    let run = session(&mut made, Stores::default());
    assert_eq!(run.loaded().how, LoadMethod::Found);
    assert_eq!(made.note(), "", "a clean one would be a lie");
}

#[test]
fn a_store_that_evicts_is_loaded_to_its_end_and_is_not_clean() {
    let mut made = FakeStore { evicts: 3, ..FakeStore::new() };
    let outcome = load(&mut made);
    assert_eq!((outcome.reason(), outcome.loaded().written), (EndReason::Complete, KEYS));
    assert!(made.note().ends_with("dirty"), "{}", made.note());
}

#[test]
fn a_store_that_says_nothing_is_loaded_each_time() {
    let mut made = FakeStore { silent: true, ..FakeStore::new() };
    for _ in 0..2 {
        let outcome = load(&mut made);
        assert_eq!(
            (outcome.reason(), outcome.loaded().how),
            (EndReason::Complete, LoadMethod::Written)
        );
        assert_eq!(made.note(), "");
    }
    let silent = load(&mut made).events.iter().any(|event| match event {
        Event::Store(report) => report.unreachable.as_deref() == Some("it did not reply in time"),
        _ => false,
    });
    assert!(silent);
}

#[test]
fn a_store_that_dies_in_its_load_is_a_failed_target() {
    let mut made = FakeStore { dies_at: Some(10_000), ..FakeStore::new() };
    let outcome = load(&mut made);
    let end = outcome.end.expect("an end");
    assert_eq!(end.reason, EndReason::TargetFailed);
    assert!(
        end.detail.starts_with("a target died while data was loaded into it: "),
        "{}",
        end.detail
    );
}
