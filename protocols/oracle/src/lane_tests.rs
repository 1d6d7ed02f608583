//! The lane on a fake database: what is requested of the library, what is committed, and what
//! happens to connections.

use crate::access::tests::access;
use crate::access::{ALREADY_THERE, code};
use crate::link::{Bind, Fault, Fetched, Library, Link, Reply};
use crate::session::{Server, check};
use drivers::lanes;
use drivers::request_error::RequestError;
use drivers::testing::{ended, ok_or_waiting, order, run};
use engine::{MakeLane, clock};
use record::{
    Arrivals, Custom, CustomOperation, DriveOrder, Failure, Intensity, Kind, LaneOrder, LaneTask,
    Maintenance, OperationText, Parameter, Pool, Reuse, Rows, Seen, Share, Statement, Table,
    Verify, Workload,
};
use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, MutexGuard};

const MS: u64 = 1_000_000;
/// CPU time that every read takes.
const READ_NS: u64 = 100_000;

/// What the database does besides its work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Behaviour {
    #[default]
    Works,
    /// No login is ever answered.
    HangsInLogIns,
    /// Every fourth read is never answered.
    HangsInReads,
    /// Every update fails.
    RefusesUpdates,
    /// The library panics in a login.
    PanicsInLogIns,
    /// The library panics in every fourth read.
    PanicsInReads,
}

#[derive(Default)]
struct DatabaseState {
    behaviour: Behaviour,
    /// What was committed: keys and values, of all tables together.
    rows: BTreeMap<String, Vec<u8>>,
    inserted: u64,
    reads: u64,
    commits: u64,
    rollbacks: u64,
    now: usize,
    most: usize,
    opened: u64,
}

#[derive(Clone, Default)]
struct Database(Arc<Mutex<DatabaseState>>);

impl Database {
    fn state(&self) -> MutexGuard<'_, DatabaseState> {
        self.0.lock().expect("no panic")
    }
}

/// A connection, and its uncommitted changes.
struct Session {
    of: Database,
    pending: Vec<(String, Option<Vec<u8>>)>,
}

impl Drop for Session {
    fn drop(&mut self) {
        self.of.state().now -= 1;
    }
}

/// A call that is not answered until a signal ends it.
fn hang() -> Fault {
    let (mut here, _there) = UnixStream::pair().expect("a pair");
    let interrupted = here.read(&mut [0]).expect_err("nothing comes");
    Fault { why: interrupted.to_string(), request_error: interrupted.into() }
}

fn refusal(error: u16) -> Fault {
    let request_error = RequestError::ServerError { code: code(error), closes: false };
    Fault { request_error, why: format!("ORA-{error:05}") }
}

impl Library for Database {
    type Link = Session;

    fn connect(&self) -> Result<Session, Fault> {
        if self.state().behaviour == Behaviour::HangsInLogIns {
            return Err(hang());
        }
        let panics = self.state().behaviour == Behaviour::PanicsInLogIns;
        assert!(!panics, "in a login");
        let mut state = self.state();
        state.opened += 1;
        state.now += 1;
        state.most = state.most.max(state.now);
        Ok(Session { of: self.clone(), pending: Vec::new() })
    }
}

fn row(cells: Vec<Vec<u8>>) -> Fetched {
    let bytes = cells.iter().map(Vec::len).sum();
    Fetched { bytes, cells: cells.into_iter().map(Some).collect() }
}

fn text(of: &Bind) -> String {
    match of {
        Bind::Text(text) => text.clone(),
        Bind::Integer(number) => number.to_string(),
        Bind::Bytes(bytes) => panic!("no key: {bytes:?}"),
    }
}

impl Session {
    fn insert(&mut self, row: &[Bind]) -> Result<(), Fault> {
        let key = text(&row[0]);
        let pending = self.pending.iter().any(|(known, _)| *known == key);
        if pending || self.of.state().rows.contains_key(&key) {
            return Err(refusal(ALREADY_THERE));
        }
        self.pending.push((key, Some(text(&row[1]).into_bytes())));
        Ok(())
    }
}

impl Link for Session {
    fn query(
        &mut self,
        asked: &str,
        bound: &[Bind],
        _wants_cells: bool,
        reply: &mut Reply,
    ) -> Result<(), Fault> {
        let number = {
            let mut state = self.of.state();
            state.reads += 1;
            state.reads
        };
        let panics =
            self.of.state().behaviour == Behaviour::PanicsInReads && number.is_multiple_of(4);
        assert!(!panics, "in a read");
        if self.of.state().behaviour == Behaviour::HangsInReads && number.is_multiple_of(4) {
            return Err(hang());
        }
        let began = clock::cpu_of_this_thread();
        while clock::cpu_of_this_thread() < began + READ_NS {
            std::hint::spin_loop();
        }
        reply.begins();
        let state = self.of.state();
        match asked {
            "SELECT 1 FROM dual" => reply.row(row(vec![b"1".to_vec()])),
            r#"SELECT "VALUE" FROM "T" WHERE "KEY" = :1"#
            | r#"SELECT c FROM "T_ROWS" WHERE id = :1 FOR UPDATE"# => {
                let value = state.rows.get(&text(&bound[0])).cloned();
                value.into_iter().for_each(|value| reply.row(row(vec![value])));
            }
            r#"SELECT "KEY", "VALUE" FROM "T" WHERE "KEY" >= :1 ORDER BY "KEY" FETCH FIRST :2 ROWS ONLY"# =>
            {
                let Bind::Integer(most) = bound[1] else { panic!("a number") };
                let all = state.rows.range(text(&bound[0])..).take(most as usize);
                all.for_each(|(key, value)| {
                    reply.row(row(vec![key.clone().into_bytes(), value.clone()]));
                });
            }
            unknown => panic!("{unknown}"),
        }
        Ok(())
    }

    fn change(&mut self, asked: &str, rows: &[Vec<Bind>]) -> Result<u64, Fault> {
        let word = asked.split(' ').next().expect("a word");
        for row in rows {
            match word {
                "MERGE" => {
                    let Bind::Bytes(value) = &row[1] else { panic!("bytes") };
                    assert!(asked.ends_with(r#"(t."KEY", t."VALUE") VALUES (s.k, s.v)"#));
                    let key = text(&row[0]);
                    let there = self.of.state().rows.contains_key(&key);
                    if asked.contains(r#" WHEN MATCHED THEN UPDATE SET t."VALUE" = s.v"#) || !there
                    {
                        self.pending.push((key, Some(value.clone())));
                    }
                }
                "INSERT" => self.insert(row)?,
                "UPDATE" if self.of.state().behaviour == Behaviour::RefusesUpdates => {
                    return Err(refusal(60));
                }
                "UPDATE" => {}
                "DELETE" => self.pending.push((text(&row[0]), None)),
                unknown => panic!("{unknown}"),
            }
        }
        Ok(rows.len() as u64)
    }

    fn commit(&mut self) -> Result<(), Fault> {
        let mut state = self.of.state();
        state.commits += 1;
        for (key, value) in self.pending.drain(..) {
            match value {
                Some(value) => {
                    state.rows.insert(key, value);
                    state.inserted += 1;
                }
                None => drop(state.rows.remove(&key)),
            }
        }
        Ok(())
    }

    fn rollback(&mut self) -> Result<(), Fault> {
        self.of.state().rollbacks += 1;
        self.pending.clear();
        Ok(())
    }

    fn ping(&mut self) -> Result<(), Fault> {
        Ok(())
    }
}

fn driven(database: &Database, change: impl FnOnce(&mut LaneOrder)) -> Seen {
    let mut order = order();
    change(&mut order.lanes[0]);
    let seen = run(&order, made(database, &order));
    let state = database.state();
    assert_eq!(state.now, 0, "connections are left");
    seen
}

fn made(database: &Database, order: &DriveOrder) -> Vec<MakeLane> {
    let (of, to) = (database.clone(), access("t"));
    let doing = order.lanes[0].doing.clone();
    let request_parts = to.common.request_parts();
    lanes(order, 0, request_parts, move || Ok(Server::new(of.clone(), &to, Some(&doing))))
}

fn load(database: &Database, workload: &Workload) {
    let seen = driven(database, |lane_order| {
        lane_order.doing = LaneTask::load(workload.clone());
        lane_order.operations = Some(workload.to_load());
    });
    assert_eq!(seen.outcomes.ok, workload.to_load(), "{:?}", seen.outcomes);
}

fn preset(name: &str) -> Workload {
    Workload { keys: 600, verify: Verify::All, ..engine::workload::preset(name).expect("a preset") }
}

#[test]
fn every_preset_finds_what_was_loaded() {
    let of_keys = |name: &&str| *name != engine::workload::WIDE_ROWS;
    for name in engine::workload::PRESETS.into_iter().filter(of_keys) {
        let (workload, database) = (preset(name), Database::default());
        // The second time over the existing rows.
        load(&database, &workload);
        load(&database, &workload);
        assert_eq!(database.state().rows.len(), 600, "{name}");
        database.state().commits = 0;
        let seen = driven(&database, |lane_order| lane_order.doing = LaneTask::Drive(workload));
        assert_eq!(ok_or_waiting(&seen), seen.operations, "{name}: {:?}", seen.outcomes);
        assert!(seen.operations >= 32, "{name}: {}", seen.operations);
        let writes = |kind| matches!(kind, Kind::Set | Kind::Insert | Kind::ReadModifyWrite);
        let written: u64 =
            seen.kinds.iter().filter(|of| writes(of.kind)).map(|of| of.operations).sum();
        assert_eq!(database.state().commits, written, "{name}: each write is committed by itself");
    }
}

#[test]
fn the_one_statement_is_asked_and_the_cpu_time_of_threads_is_counted() {
    let database = Database::default();
    let seen = driven(&database, |_| {});
    assert_eq!((ok_or_waiting(&seen), database.state().reads), (seen.operations, seen.operations));
    assert_eq!((seen.connections.opened, database.state().opened), (4, 4));
    assert_eq!(seen.phases.log_in.len() + seen.connect_time.len(), 4, "{:?}", seen.phases);
    let spent: u64 = seen.slices.iter().map(|slice| slice.generator_cpu_ns).sum();
    assert!(spent >= seen.operations * READ_NS, "{spent} ns for {}", seen.operations);
    assert_eq!(database.state().commits, 0, "reads end no transaction");
}

#[test]
fn policies_are_those_of_every_lane() {
    let database = Database::default();
    let seen = driven(&database, |lane_order| lane_order.reuse = Reuse::Never);
    assert_eq!((seen.connections.opened, database.state().most), (seen.operations, 4));
    for (maintenance, rolled_back) in [(Maintenance::Neither, false), (Maintenance::Reset, true)] {
        let database = Database::default();
        let seen = driven(&database, |lane_order| {
            lane_order.intensity.connections = 8;
            lane_order.reuse = Reuse::Pool(Pool { max: 2, wait_ns: 2_000 * MS, maintenance });
        });
        assert_eq!((database.state().most, seen.connections.opened), (2, 2), "{maintenance:?}");
        assert_eq!(ok_or_waiting(&seen), seen.operations);
        assert_eq!(seen.phases.acquire.len(), seen.operations);
        assert_eq!(database.state().rollbacks > 0, rolled_back, "{maintenance:?}");
    }
}

#[test]
fn groups_have_connections_of_their_own() {
    let database = Database::default();
    let group = |connections, arrivals| Intensity { connections, depth: 1, arrivals };
    let seen = driven(&database, |lane_order| {
        lane_order.groups = vec![group(4, Arrivals::Closed), group(2, Arrivals::Constant(500.0))];
    });
    let [many, few] = seen.groups.as_slice() else { panic!("two groups") };
    // 80 ms of lane time.
    assert_eq!((few.operations + few.unsent, few.connections.opened), (40, 2));
    assert!(many.operations > 0 && many.connections.opened == 4, "{many:?}");
    assert_eq!(ok_or_waiting(&seen), seen.operations);
    assert_eq!(database.state().most, 6);
}

#[test]
fn what_hangs_is_given_up_and_its_thread_ends() {
    let database = Database::default();
    database.state().behaviour = Behaviour::HangsInReads;
    let seen = driven(&database, |lane_order| lane_order.timeout_ns = 5 * MS);
    let given_up = seen.outcomes.failed.get(&Failure::Timeout).copied().unwrap_or(0);
    assert!(given_up > 0, "{:?}", seen.outcomes);
    assert_eq!(given_up + ok_or_waiting(&seen), seen.operations);
    assert!(seen.connections.opened > 4);

    let database = Database::default();
    database.state().behaviour = Behaviour::HangsInLogIns;
    let seen = driven(&database, |lane_order| lane_order.timeout_ns = 5 * MS);
    assert_eq!((seen.connections.established, seen.outcomes.ok), (0, 0));
    assert!(seen.outcomes.failed.contains_key(&Failure::Timeout), "{:?}", seen.outcomes);
    assert_eq!(Arc::strong_count(&database.0), 1, "threads are left");
}

#[test]
fn a_library_that_panics_on_its_thread_ends_the_run() {
    for behaviour in [Behaviour::PanicsInLogIns, Behaviour::PanicsInReads] {
        let database = Database::default();
        database.state().behaviour = behaviour;
        let mut order = order();
        order.lanes[0].timeout_ns = 60_000 * MS;
        let why = ended(&order, made(&database, &order));
        assert!(why.contains("a thread of a client library panicked"), "{behaviour:?}: {why}");
        assert_eq!(Arc::strong_count(&database.0), 1, "{behaviour:?}: threads are left");
    }
}

fn parameter(name: &str, from: &str) -> Parameter {
    Parameter { name: name.to_owned(), from: from.parse().expect("a generator") }
}

/// A read that locks, and a transaction that inserts and updates.
fn custom() -> Workload {
    let statement = |text: &str, returns: Option<&str>| Statement {
        text: text.to_owned(),
        rows: Rows::Exactly(1),
        returns: returns.map(str::to_owned),
    };
    let operation = |name: &str, parameters, says| CustomOperation {
        name: name.to_owned(),
        parameters,
        says: OperationText::Sql(says),
    };
    let read = statement("SELECT c FROM {rows} WHERE id = {id} FOR UPDATE", Some("rows.c"));
    let inserts = statement("INSERT INTO {rows} (id, c) VALUES ({n}, {n})", None);
    let updates = statement("UPDATE {rows} SET c = c WHERE id = {n}", None);
    let operations = vec![
        operation("read", vec![parameter("id", "key(1)")], vec![read]),
        operation("both", vec![parameter("n", "seq(1000000)")], vec![inserts, updates]),
    ];
    let table = Table {
        name: "rows".to_owned(),
        keys_per_row: 1,
        columns: vec![parameter("id", "key(1)"), parameter("c", "pattern('###-@@')")],
    };
    let share = |at| Share { kind: Kind::Custom(at), weight: 1.0 };
    let custom = Custom { operations, setup: Vec::new(), tables: vec![table], feeds: Vec::new() };
    Workload { keys: 300, custom, mix: vec![share(0), share(1)], ..preset("kv") }
}

fn of(seen: &Seen, number: u32) -> u64 {
    seen.kinds.iter().find(|of| of.kind == Kind::Custom(number)).expect("driven").operations
}

#[test]
fn user_defined_statements_are_transactions() {
    let database = Database::default();
    load(&database, &custom());
    // Existing rows are not changed.
    load(&database, &custom());
    {
        let mut state = database.state();
        assert_eq!((state.rows.len(), state.inserted), (300, 300));
        state.commits = 0;
    }
    let seen = driven(&database, |lane_order| lane_order.doing = LaneTask::Drive(custom()));
    assert_eq!(ok_or_waiting(&seen), seen.operations, "{:?}", seen.outcomes);
    assert!(of(&seen, 0) > 3 && of(&seen, 1) > 3, "{}", seen.operations);
    assert_eq!(database.state().commits, seen.operations, "one for each, whatever is in it");
    assert_eq!(database.state().rows.len() as u64, 300 + of(&seen, 1));
}

#[test]
fn a_transaction_that_fails_leaves_nothing() {
    let database = Database::default();
    load(&database, &custom());
    database.state().behaviour = Behaviour::RefusesUpdates;
    let seen = driven(&database, |lane_order| lane_order.doing = LaneTask::Drive(custom()));
    assert_eq!(seen.outcomes.unexpected.get(&code(60)), Some(&of(&seen, 1)));
    assert_eq!((database.state().rows.len(), seen.connections.opened), (300, 4));
    assert_eq!(database.state().rollbacks, of(&seen, 1));
}

#[test]
fn returning_is_rejected() {
    let mut workload = custom();
    assert!(check(&LaneTask::Drive(workload.clone())).is_ok());
    let OperationText::Sql(statements) = &mut workload.custom.operations[1].says else {
        panic!("SQL")
    };
    statements[0].text.push_str(" returning id");
    let refused = check(&LaneTask::Drive(workload)).expect_err("not read").to_string();
    assert!(refused.contains("RETURNING"), "{refused}");
}
