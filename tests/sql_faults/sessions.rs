//! Sessions that are refused, that are ended, and that never begin.

use crate::Servers;
use crate::common::mariadb::{self, Mariadb};
use crate::common::postgres::{self, Postgres};
use crate::common::{self, MS, drive_until, order, took_at_least, with};
use crate::counted::{classes, only};
use crate::{my_only, pg_only};
use drivers::Database;
use engine::Stop;
use record::{DriveOrder, Failure, FaultOwner, LaneTask, Seen};
use std::path::Path;
use std::time::Duration;

/// Connections are taken by the system, and no data is sent.
pub(crate) fn mute_servers() {
    let listener = std::net::TcpListener::bind(protocol::testing::free_port()).expect("ours");
    let address = record::Address::Tcp(listener.local_addr().expect("bound"));
    let (pg, my) = (postgres::access("t"), mariadb::access("t"));
    let mut order = order(address.clone(), LaneTask::Ask);
    order.lanes[0].timeout_ns = 40 * MS;
    for seen in [postgres::driven(&order, &pg), mariadb::driven(&order, &my)] {
        let given_up = only(&seen, |code| code.to_string(), "timeout", "no greeting");
        assert_eq!((given_up, seen.sent, seen.unfinished), (seen.operations, 0, 0));
        assert!(took_at_least(&seen, 40 * MS), "{:?}", seen.response_time.min());
    }
    let soon = Duration::from_millis(40);
    for asked in [pg.facts(&address, soon), my.facts(&address, soon)] {
        let query_error = asked.expect_err("nobody speaks");
        assert_eq!(query_error.code, None, "{query_error:?}");
        assert!(query_error.why.starts_with("no answer within"), "{query_error:?}");
    }
}

pub(crate) fn full_servers() {
    let many = |address| {
        let mut order = order(address, LaneTask::Ask);
        order.lanes[0].intensity.connections = 20;
        order
    };
    let pg = Postgres::start("full", &["max_connections=6", "superuser_reserved_connections=2"]);
    let seen = postgres::driven(&many(pg.tcp()), &pg.access("t"));
    let refused = pg_only(&seen, "too_many_connections", "6 connections");
    assert!(refused > 0 && seen.outcomes.ok > 0, "{:?}", seen.outcomes);
    assert_eq!(refused + seen.outcomes.ok, seen.operations);
    assert!(seen.connections.established <= 2 * 6, "in each of two trials: {:?}", seen.connections);
    drop(pg);
    let my = Mariadb::start("full", &["--max-connections=10"]);
    let seen = mariadb::driven(&many(my.tcp()), &my.access("t"));
    let refused = my_only(&seen, 1040, "10 connections");
    assert!(refused > 0 && seen.outcomes.ok > 0, "{:?}", seen.outcomes);
    assert_eq!(refused + seen.outcomes.ok, seen.operations);
    assert!(
        seen.connections.established <= 2 * 10,
        "in each of two trials: {:?}",
        seen.connections
    );
}

/// Each of four sessions is ended once: the operation that it is in is lost, or the
/// next one where it is in none, and no other.
pub(crate) fn killed_by_postgres(servers: &Servers) {
    let pg = &servers.pg;
    let (user, of) = ("impatient".to_owned(), "FROM pg_stat_activity WHERE usename = 'impatient'");
    let access = with(pg.access("t"), |of| {
        of.common.user = user;
        of.common.query = "SELECT pg_sleep(0.2)".to_owned();
    });
    let order = long(pg.tcp());
    let lanes = access.lanes(&order, 0);
    let four = |which: &str| {
        let count = format!("SELECT count(*) {of} AND state = 'active' AND {which}");
        common::wait_for(|| pg.says(&count) == "4", || common::log(&pg.directory));
    };
    let seen = drive_during(order, lanes, || {
        four("true");
        let now = pg.says("SELECT now()");
        pg.does(&[&format!("SELECT pg_terminate_backend(pid) {of}")]);
        four(&format!("backend_start > '{now}'"));
    });
    let name = common::name_of;
    lost(&seen, &["server_shut_down", "closed", "reset"], name);
    let four_lost = (seen.outcomes.count(FaultOwner::Target), seen.connections.opened);
    assert_eq!(four_lost, (4, 8), "{:?}", seen.outcomes);
}

/// The same.
pub(crate) fn killed_by_mariadb(servers: &Servers) {
    let my = &servers.my;
    let access = with(my.access("t"), |of| {
        of.common.query = "SELECT SLEEP(0.2)".to_owned();
    });
    let of = "FROM information_schema.PROCESSLIST WHERE USER = 'bench'";
    let order = long(my.tcp());
    let lanes = access.lanes(&order, 0);
    let four = |which: &str| {
        let count = format!("SELECT COUNT(*) {of} AND STATE = 'User sleep' AND {which}");
        common::wait_for(|| my.says(&count) == "4", || common::log(&my.directory));
    };
    let seen = drive_during(order, lanes, || {
        four("TRUE");
        let last = my.says(&format!("SELECT MAX(ID) {of}"));
        my.does(&["KILL USER bench"]);
        four(&format!("ID > {last}"));
    });
    lost(&seen, &["1927", "closed", "reset"], |code| code.to_string());
    let four_lost = (seen.outcomes.count(FaultOwner::Target), seen.connections.opened);
    assert_eq!(four_lost, (4, 8), "{:?}", seen.outcomes);
}

/// A slice that is ended from outside.
fn long(address: record::Address) -> DriveOrder {
    let mut order = order(address, LaneTask::Ask);
    (order.rounds, order.round_ns, order.slice_ns) = (1, 60_000 * MS, 60_000 * MS);
    order
}

/// Drives until this is done.
fn drive_during(order: DriveOrder, lanes: Vec<engine::MakeLane>, what: impl FnOnce()) -> Seen {
    let stop = Stop::new().expect("a descriptor");
    std::thread::scope(|scope| {
        let driven = scope.spawn(|| drive_until(&stop, &order, lanes));
        what();
        stop.raise();
        driven.join().expect("it ends")
    })
}

/// Operations were lost, as theirs; others were done before and after.
fn lost(seen: &Seen, named: &[&str], name: impl Fn(u16) -> String) {
    let classes = classes(seen, name);
    let known = classes.keys().all(|class| named.contains(&class.as_str()));
    assert!(known && !classes.is_empty(), "{classes:?}");
    let outcomes = &seen.outcomes;
    assert_eq!((outcomes.count(FaultOwner::Generator), outcomes.count(FaultOwner::Host)), (0, 0));
    assert_eq!(outcomes.count(FaultOwner::Target) + outcomes.ok, seen.operations, "{outcomes:?}");
    assert!(seen.connections.opened >= 2 * 4, "{:?}", seen.connections);
    let timeouts = outcomes.failed.get(&Failure::Timeout);
    assert_eq!(timeouts, None, "a server that is gone is noticed: {outcomes:?}");
}

/// Waits until the counter, which each operation advances, is farther by some.
fn goes_on(counter: impl Fn() -> u64, directory: &Path) {
    let began = counter();
    common::wait_for(|| counter() > began + 100, || common::log(directory));
}

pub(crate) fn restart_of_postgres() {
    let counter = "SELECT last_value FROM turns";
    let mut pg = Postgres::start("restart", &[]);
    pg.does(&["CREATE SEQUENCE turns"]);
    let counts = |pg: &Postgres| pg.says(counter).parse().expect("a number");
    let query = "SELECT nextval('turns')".to_owned();
    let (access, order) = (
        with(pg.access("t"), |of| {
            of.common.query = query;
        }),
        long(pg.tcp()),
    );
    let lanes = access.lanes(&order, 0);
    let seen = drive_during(order, lanes, || {
        goes_on(|| counts(&pg), &pg.directory);
        pg.restart();
        goes_on(|| counts(&pg), &pg.directory);
        let all = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE 'SELECT nextval%'";
        common::wait_for(|| pg.says(all) == "4", || common::log(&pg.directory));
    });
    let wanted = ["server_shut_down", "server_starts", "closed", "reset", "refused"];
    lost(&seen, &wanted, common::name_of);
}

pub(crate) fn restart_of_mariadb() {
    let mut my = Mariadb::start("restart", &[]);
    // A sequence of the server's own would count in steps of a thousand.
    my.does(&["CREATE SEQUENCE bench.turns NOCACHE"]);
    let counts = |my: &Mariadb| my.says("SELECT next_not_cached_value FROM bench.turns");
    let counts = |my: &Mariadb| counts(my).parse().expect("a number");
    let query = "SELECT NEXTVAL(turns)".to_owned();
    let (access, order) = (
        with(my.access("t"), |of| {
            of.common.query = query;
        }),
        long(my.tcp()),
    );
    let lanes = access.lanes(&order, 0);
    let seen = drive_during(order, lanes, || {
        goes_on(|| counts(&my), &my.directory);
        my.restart();
        goes_on(|| counts(&my), &my.directory);
        let all = "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE USER = 'bench'";
        common::wait_for(|| my.says(all) == "4", || common::log(&my.directory));
    });
    lost(&seen, &["closed", "reset", "refused", "1053"], |code| code.to_string());
}
