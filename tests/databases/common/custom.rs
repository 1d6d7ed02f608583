//! User-defined statements for a real database: what is counted is what the server did, and what was
//! expected is looked at.

use super::{MS, PATIENCE, all_ok, drive, load, order};
use drivers::Database;
use engine::workload::{FeedRows, Feeds};
use record::{
    Address, Custom, CustomOperation, Feed, FeedOrder, Kind, LaneTask, OperationText, Parameter,
    Rows, Seen, Share, Statement, Table, Workload,
};

fn parameter((name, from): &(&str, &str)) -> Parameter {
    Parameter { name: (*name).to_owned(), from: from.parse().expect("a generator") }
}

fn statement(text: &str, rows: Rows) -> Statement {
    Statement { text: text.to_owned(), rows, returns: None }
}

fn operation(
    name: &str,
    parameters: &[(&str, &str)],
    statements: Vec<Statement>,
) -> CustomOperation {
    CustomOperation {
        name: name.to_owned(),
        parameters: parameters.iter().map(parameter).collect(),
        says: OperationText::Sql(statements),
    }
}

/// Accounts of which each operation is about one.
fn workload(operations: Vec<CustomOperation>) -> Workload {
    let shares = 0..operations.len() as u32;
    let columns = [
        ("id", "key(1)"),
        ("balance", "uniform(0, 0)"),
        ("small", "uniform(-9, 9)"),
        ("c", "pattern('###-@@ ''')"),
        ("raw", "bytes(0, 40)"),
    ];
    let feed = Feed {
        name: "users".to_owned(),
        file: "users.csv".to_owned(),
        columns: vec!["name".to_owned()],
        rows: 2,
        order: FeedOrder::Sequential,
        hash: String::new(),
    };
    let custom = Custom {
        operations,
        setup: [
            "DROP TABLE IF EXISTS {accounts}",
            "DROP TABLE IF EXISTS {table}",
            "CREATE TABLE {accounts} (id INTEGER PRIMARY KEY, balance BIGINT NOT NULL, small \
             SMALLINT NOT NULL, c CHAR(10) NOT NULL, raw BLOBS NOT NULL)",
            "CREATE TABLE {table} (id BIGINT PRIMARY KEY, who VARCHAR(40), raw BLOBS, of INTEGER)",
        ]
        .map(str::to_owned)
        .to_vec(),
        tables: vec![Table {
            name: "accounts".to_owned(),
            keys_per_row: 1,
            columns: columns.iter().map(parameter).collect(),
        }],
        feeds: vec![feed],
    };
    Workload {
        keys: 700,
        mix: shares.map(|at| Share { kind: Kind::Custom(at), weight: 1.0 }).collect(),
        custom,
        ..super::workload("kv")
    }
}

pub(crate) fn feeds() -> Feeds {
    let mut rows = FeedRows::new(1);
    ["it's\\ Ann", "Bob"].iter().for_each(|name| rows.push(name.as_bytes()));
    Feeds::new(vec![rows])
}

/// A read of a value that the load wrote, an insert, and a transaction that moves
/// money.
pub(crate) fn sound() -> Workload {
    let mut read = statement("SELECT small, c FROM {accounts} WHERE id = {id}", Rows::Exactly(1));
    read.returns = Some("accounts.c".to_owned());
    let mut small = statement("SELECT small FROM {accounts} WHERE id = {id}", Rows::Exactly(1));
    small.returns = Some("accounts.small".to_owned());
    let update = "UPDATE {accounts} SET balance = balance - {by} WHERE id = {id}";
    workload(vec![
        operation("read", &[("id", "key(1)")], vec![read]),
        operation(
            "insert",
            &[("n", "seq()"), ("who", "feed(users, name)"), ("raw", "bytes(0, 20)")],
            vec![statement(
                "INSERT INTO {table} (id, who, raw, of) VALUES ({n}, {who}, {raw}, 7)",
                Rows::Exactly(1),
            )],
        ),
        operation(
            "move",
            &[("id", "key(1)"), ("by", "uniform(-5, 5)")],
            vec![small, statement(update, Rows::Exactly(1))],
        ),
    ])
}

/// Operations of this number in the mix.
fn of(seen: &Seen, number: u32) -> &record::KindSeen {
    seen.kinds.iter().find(|of| of.kind == Kind::Custom(number)).expect("driven")
}

/// Asserts that each operation did its work, as the server shows.
pub(crate) fn check_sound(seen: &Seen, says: impl Fn(&str) -> String, what: &str) {
    all_ok(seen, what);
    assert!((0..3).all(|number| of(seen, number).operations > 3), "{what}: {}", seen.operations);
    let count = |rows: &str| says(&format!("SELECT count(*) FROM {rows}")).parse::<u64>();
    assert_eq!(count("t"), Ok(of(seen, 1).operations), "{what}");
    assert_eq!(count("t WHERE of = 7 AND who = 'Bob'").map(|bobs| bobs > 0), Ok(true), "{what}");
    assert_eq!(count("t_accounts"), Ok(700), "{what}");
}

/// What is missing, too much, or another value than was loaded.
pub(crate) fn unsound() -> Workload {
    let all = statement("SELECT c FROM {accounts} WHERE id <= 2", Rows::Exactly(1));
    let none = statement("SELECT c FROM {accounts} WHERE id = {id} AND id < 0", Rows::AtLeast(1));
    let mut other = statement("SELECT 'no' FROM {accounts} WHERE id = {id}", Rows::Exactly(1));
    other.returns = Some("accounts.c".to_owned());
    let changes = statement("UPDATE {accounts} SET balance = 1 WHERE id = 0", Rows::AtLeast(1));
    let broken = statement("INSERT INTO {accounts} (id) VALUES (1)", Rows::AtLeast(1));
    let lost = statement("DELETE FROM {accounts} WHERE id = 1", Rows::AtLeast(0));
    workload(vec![
        operation("all", &[], vec![all]),
        operation("none", &[("id", "key(1)")], vec![none]),
        operation("other", &[("id", "key(1)")], vec![other]),
        operation("changes", &[], vec![changes]),
        operation("broken", &[], vec![lost, broken]),
    ])
}

pub(crate) fn check_unsound(seen: &Seen, says: impl Fn(&str) -> String, what: &str) {
    for number in 0..4 {
        let seen = of(seen, number);
        let (miss, wrong) = if matches!(number, 0 | 2) { (0, 1) } else { (1, 0) };
        let all = seen.operations;
        assert_eq!((seen.miss, seen.wrong), (miss * all, wrong * all), "{what}: {number}");
        assert!(all > 0, "{what}: {number}");
    }
    let unexpected: u64 = seen.outcomes.unexpected.values().sum();
    assert_eq!(
        (unexpected, of(seen, 4).ok),
        (of(seen, 4).operations, 0),
        "{what}: {:?}",
        seen.outcomes
    );
    // What came before the error in its transaction was rolled back.
    assert_eq!(says("SELECT count(*) FROM t_accounts WHERE id = 1"), "1", "{what}");
}

/// Makes the tables of the workload, in which the type of long values has this name, loads them, and drives it.
pub(crate) fn loaded_and_driven(
    access: &dyn Database,
    address: &Address,
    of: Workload,
    blobs: &str,
) -> Seen {
    let schema = access.schema(None, &of).expect("statements");
    let schema: Vec<_> = schema.iter().map(|text| text.replace("BLOBS", blobs)).collect();
    access.ask(address, &schema, PATIENCE).expect("tables");
    load(address.clone(), &of, |order| access.lanes(order, 0));
    let mut order = order(address.clone(), LaneTask::Drive(of));
    order.lanes[0].timeout_ns = 10_000 * MS;
    drive(&order, access.lanes(&order, 0))
}
