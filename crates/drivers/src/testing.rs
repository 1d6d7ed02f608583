//! What tests of lanes through client libraries share.

use crate::dialect::Dialect;
use crate::request::{Action, Row};
use crate::sql::Statements;
use engine::workload::preset;
use engine::{MakeLane, Stop};
use record::{
    Address, Custom, CustomOperation, DriveOrder, Failure, Generator, Kind, LaneOrder,
    OperationText, Parameter, Rows, Seen, Share, Statement, Workload,
};
use std::ops::ControlFlow;

const MS: u64 = 1_000_000;

/// Four connections, closed loop, twice four slices of 10 ms.
pub fn order() -> DriveOrder {
    DriveOrder {
        seed: 1,
        cores: Vec::new(),
        warm_up: record::WarmUp::default(),
        rounds: 2,
        first_round: 1,
        round_ns: 40 * MS,
        slice_ns: 10 * MS,
        requests: 0,
        lanes: vec![LaneOrder {
            timeout_ns: 2_000 * MS,
            ..LaneOrder::closed(Address::Unix("/nowhere".to_owned()), 4)
        }],
    }
}

/// The measurements of the order's one contender.
pub fn run(order: &DriveOrder, made: Vec<MakeLane>) -> Seen {
    let mut all = Seen::default();
    let stop = Stop::new().expect("a descriptor");
    engine::run(order, vec![made], Vec::new(), &stop, &mut |trial| {
        all.merge(&trial.seen);
        ControlFlow::Continue(())
    })
    .expect("nothing broke");
    all
}

/// Why the run of these lanes ends early.
pub fn ended(order: &DriveOrder, made: Vec<MakeLane>) -> String {
    let stop = Stop::new().expect("a descriptor");
    let done =
        engine::run(order, vec![made], Vec::new(), &stop, &mut |_| ControlFlow::Continue(()));
    done.expect_err("refused").to_string()
}

/// Operations that succeeded. On a busy machine a connection may still wait for its reply when a slice ends, and
/// is left waiting.
///
/// # Panics
/// If more are left waiting than there are connections.
pub fn ok_or_waiting(seen: &Seen) -> u64 {
    let waiting = seen.outcomes.failed.get(&Failure::Waiting).copied().unwrap_or(0);
    assert!(waiting <= seen.connections.requested, "{:?}", seen.outcomes);
    seen.outcomes.ok + waiting
}

/// The statements on the table of keys and values, with placeholders: get, set, add, delete, and a scan of 7 rows.
pub fn on_the_table(statements: &Statements) -> [&str; 5] {
    [Action::Get, Action::Set, Action::Add, Action::Delete, Action::Scan(7)]
        .map(|action| statements.with_placeholders(action))
}

/// A row with what must be escaped.
pub fn row() -> Row {
    Row { key: "it's\\".to_owned(), value: vec![0, 0xAF], ..Row::default() }
}

fn parameter(name: &str, from: &str) -> Parameter {
    Parameter { name: name.to_owned(), from: from.parse::<Generator>().expect("a generator") }
}

/// A user-defined operation of two statements, on a table of its own.
pub fn custom_workload() -> Workload {
    let statement = |text: &str| Statement {
        text: text.to_owned(),
        rows: Rows::Exactly(1),
        returns: text.starts_with("SELECT").then(|| "rows.c".to_owned()),
    };
    let operation = CustomOperation {
        name: "move".to_owned(),
        parameters: vec![parameter("id", "key(1)"), parameter("by", "uniform(-7, -7)")],
        says: OperationText::Sql(vec![
            statement("UPDATE {rows} SET k = k - {by} WHERE id = {id} OR id = {id}"),
            statement("SELECT c FROM {rows}, {table} WHERE id = {id}"),
        ]),
    };
    let table = record::Table {
        name: "rows".to_owned(),
        keys_per_row: 1,
        columns: vec![parameter("id", "key(1)"), parameter("c", "pick('it''s\\')")],
    };
    let setup = vec!["CREATE TABLE {rows} (id INT)".to_owned()];
    let custom = Custom { operations: vec![operation], setup, tables: vec![table], feeds: vec![] };
    let mix = vec![Share { kind: Kind::Custom(0), weight: 1.0 }];
    Workload { keys: 1, custom, mix, ..preset("kv").expect("a preset") }
}

/// A dialect without anything of its own.
pub struct PlainDialect;

impl Dialect for PlainDialect {
    fn name(&self, name: &str) -> String {
        format!("[{name}]")
    }

    fn placeholder(&self, _number: usize, to: &mut String) {
        to.push('?');
    }

    fn insert_missing(&self) -> (&'static str, &'static str) {
        ("INSERT INTO", " UNLESS THERE")
    }

    fn replacing(&self) -> &'static str {
        " IN PLACE"
    }

    fn around_bytes(&self) -> (&'static str, &'static str) {
        ("x'", "'")
    }
}
