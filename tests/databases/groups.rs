//! Several workloads at once on real PostgreSQL and MariaDB: what each group counts is
//! what the server did, and readers know what writers of another group wrote.

use crate::common::mariadb::Mariadb;
use crate::common::postgres::Postgres;
use crate::common::{MS, all_ok, drive, order, with, workload};
use drivers::Database;
use engine::Numbers;
use record::{
    Address, Arrivals, DriveOrder, Intensity, Kind, LaneTask, Maintenance, Pool, Reuse, Seen,
    Share, Workload,
};

const RATE: f64 = 400.0;

/// One group reads, the other writes. So few keys that what is read was mostly
/// written by the other.
fn reads_and_writes() -> Workload {
    let share = |kind| Share { kind, weight: 1.0 };
    let mix = vec![share(Kind::Get), share(Kind::Set)];
    Workload { keys: 60, mix, groups: vec![1, 1], ..workload("kv") }
}

/// Four readers in closed loop beside one writer at a rate for each worker.
fn readers_and_writers(address: Address, of: &Workload, workers: u32) -> DriveOrder {
    let group = |connections, arrivals| Intensity { connections, depth: 1, arrivals };
    let mut order = order(address, LaneTask::Drive(of.clone()));
    order.cores = if workers == 1 { Vec::new() } else { (0..workers).collect() };
    order.round_ns = 300 * MS;
    order.lanes[0].groups =
        vec![group(4, Arrivals::Closed), group(workers, Arrivals::Constant(RATE))];
    order
}

/// Asserts that each group has as many operations as the server carried out for it.
fn holds(seen: &Seen, (reads, writes): (u64, u64), what: &str) {
    let [readers, writers] = seen.groups.as_slice() else { panic!("two groups") };
    all_ok(seen, what);
    assert_eq!((readers.operations, writers.operations), (reads, writes), "{what}");
    assert_eq!(seen.operations, reads + writes, "{what}");
    let sending: u64 = seen.slices.iter().map(|slice| slice.sending_ns).sum();
    let due = (RATE * sending as f64 / 1e9).round() as u64;
    assert_eq!((writers.operations, writers.unsent), (due, 0), "{what}: the rate is kept");
    assert!(writers.operations > 2 * 60 && readers.operations > writers.operations, "{what}");
    let kinds = |of: &Seen| of.kinds.iter().map(|of| of.kind).collect::<Vec<_>>();
    assert_eq!((kinds(readers), kinds(writers)), (vec![Kind::Get], vec![Kind::Set]));
}

/// Reads and writes of a table, by the statements that the server carried out. How often it
/// looked for a row says less: a write looks again where another one came in between.
fn counted(server: &Postgres) -> (u64, u64) {
    let calls = |beginning: &str| {
        let statement = format!(
            "SELECT coalesce(sum(calls), 0) FROM pg_stat_statements \
             WHERE query LIKE '{beginning} %' AND query LIKE '% \"t\" %'"
        );
        server.says(&statement).parse::<u64>().expect("a number")
    };
    (calls("SELECT value FROM"), calls("INSERT INTO"))
}

#[test]
fn postgres_counts_what_the_groups_count() {
    let server = Postgres::start("groups", &["shared_preload_libraries=pg_stat_statements"]);
    server.does(&["CREATE EXTENSION pg_stat_statements"]);
    let of = reads_and_writes();
    for workers in [1, 2] {
        let access = with(server.loaded("t", &of), |of| {
            of.common.numbers = Numbers::new(2 * workers);
        });
        let order = readers_and_writers(server.tcp(), &of, workers as u32);
        let before = counted(&server);
        let seen = drive(&order, access.lanes(&order, 0));
        let after = counted(&server);
        let counts = (after.0 - before.0, after.1 - before.1);
        holds(&seen, counts, &format!("{workers} workers"));
        let opened = [0, 1].map(|group: usize| seen.groups[group].connections.opened);
        assert_eq!(opened, [4, workers as u64]);
    }
}

#[test]
fn mariadb_counts_what_the_groups_count_and_each_has_its_pool() {
    let server = Mariadb::start("groups", &[]);
    let of = reads_and_writes();
    let pool = Reuse::Pool(Pool { max: 2, wait_ns: 5_000 * MS, maintenance: Maintenance::Neither });
    for (reuse, wanted) in [(Reuse::Always, [4, 1]), (pool, [2, 1])] {
        let access = with(server.loaded("t", "InnoDB", &of), |of| {
            of.common.numbers = Numbers::new(2);
        });
        let mut order = readers_and_writers(server.tcp(), &of, 1);
        order.lanes[0].reuse = reuse;
        let counters = || ["Com_select", "Com_insert"].map(|name| server.counter(name));
        let before = counters();
        let seen = drive(&order, access.lanes(&order, 0));
        let after = counters();
        holds(&seen, (after[0] - before[0], after[1] - before[1]), &format!("{reuse:?}"));
        let opened = [0, 1].map(|group: usize| seen.groups[group].connections.opened);
        assert_eq!(opened, wanted, "{reuse:?}");
    }
}
