//! What goes wrong with real servers: counted by its class and as theirs, nothing lost,
//! nothing waited for beyond its timeout, no password told. Of certificates tells
//! `tls.rs`.
//!
//! One server of each kind for all cases that leave it as it was, and one case at a
//! time: one of them reads the memory of this process.

mod common;

use common::mariadb::{self, Mariadb};
use common::postgres::{self, Postgres};
use common::{MS, PASSWORD, PATIENCE, drive_until, in_one_slice, order, workload};
use drivers::mysql::Protocol as Mysql;
use drivers::postgres::Protocol as Pg;
use drivers::{MysqlAccess, PostgresAccess, Unasked};
use engine::Stop;
use libtest_mimic::{Arguments, Failed, Trial};
use record::{Asked, Doing, Failure, Pool, Reuse, Seen, Upkeep, Whose};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// One server of each kind.
struct Servers {
    pg: Postgres,
    my: Mariadb,
}

type Case = fn(&Servers);

const CASES: [(&str, Case); 6] = [
    ("a_log_in_that_is_refused_is_told_by_its_code", log_ins),
    ("statements_that_cannot_be_done_are_told_by_their_code", statements),
    ("locks_and_timeouts_of_the_server_are_told_by_their_code", waits),
    ("who_gets_no_connection_of_the_pool_is_starved", pools),
    ("a_session_that_is_ended_loses_one_operation", killed),
    ("a_reply_of_100_mb_is_read_and_not_kept", large_replies),
];

/// These have servers of their own, or none.
const ALONE: [(&str, fn()); 3] = [
    ("a_server_that_says_nothing_is_given_up", mute_servers),
    ("a_server_that_is_full_is_told_by_its_code", full_servers),
    ("a_server_that_is_started_anew_loses_operations_and_nothing_hangs", restarts),
];

fn main() -> ExitCode {
    let arguments = Arguments { test_threads: Some(1), ..Arguments::from_args() };
    let wanted = |name: &str| arguments.filter.as_ref().is_none_or(|of| name.contains(of));
    let needed = !arguments.list && CASES.iter().any(|(name, _)| wanted(name));
    let servers = needed.then(|| Arc::new(servers()));
    let shared = CASES.map(|(name, case)| {
        let servers = servers.clone();
        Trial::test(name, move || {
            case(servers.as_deref().expect("started for this"));
            Ok::<(), Failed>(())
        })
    });
    let alone = ALONE.map(|(name, case)| {
        Trial::test(name, move || {
            case();
            Ok(())
        })
    });
    let trials = shared.into_iter().chain(alone).collect();
    drop(servers);
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn servers() -> Servers {
    let pg = Postgres::start("faults", &["deadlock_timeout=50ms"]);
    let rows = "CREATE TABLE pair (id int PRIMARY KEY, n int NOT NULL)";
    let two = "INSERT INTO pair VALUES (1, 0), (2, 0)";
    let turns = "CREATE SEQUENCE turns";
    pg.does(&[
        rows,
        two,
        turns,
        &format!("CREATE ROLE guarded LOGIN PASSWORD '{PASSWORD}'"),
        "CREATE ROLE hurried SUPERUSER LOGIN",
        "ALTER ROLE hurried SET statement_timeout = '50ms'",
        "CREATE ROLE impatient SUPERUSER LOGIN",
        "ALTER ROLE impatient SET lock_timeout = '50ms'",
        "CREATE TABLE numbers (key text PRIMARY KEY, value int)",
    ]);
    let rules = pg.folder.join("data/pg_hba.conf");
    let others = std::fs::read_to_string(&rules).expect("its rules");
    std::fs::write(&rules, format!("host all guarded 127.0.0.1/32 scram-sha-256\n{others}"))
        .expect("its rules");
    pg.does(&["SELECT pg_reload_conf()"]);
    let my = Mariadb::start("faults", &[]);
    let engine = format!("{rows} ENGINE=InnoDB");
    let numbers = "CREATE TABLE numbers (`key` VARBINARY(32) PRIMARY KEY, value INT)";
    my.does(&["USE bench", &engine, two, turns, numbers]);
    Servers { pg, my }
}

/// How many operations ended with which class, by SQLSTATE's name, by MySQL's number
/// or by the failure's name.
fn classes(seen: &Seen, name: impl Fn(u16) -> String) -> BTreeMap<String, u64> {
    let codes = seen.outcomes.unexpected.keys().map(|code| (*code, name(*code))).collect();
    seen.outcomes.classes(Whose::Theirs, &codes)
}

/// All that went wrong was of this class, and theirs. Returns how many there were.
fn only(seen: &Seen, name: impl Fn(u16) -> String, class: &str, what: &str) -> u64 {
    let outcomes = &seen.outcomes;
    let wrong = classes(seen, name);
    assert_eq!(wrong.keys().collect::<Vec<_>>(), [class], "{what}: {outcomes:?}");
    assert_eq!((outcomes.count(Whose::Ours), outcomes.count(Whose::Host)), (0, 0), "{what}");
    wrong[class]
}

fn pg_only(seen: &Seen, class: &str, what: &str) -> u64 {
    only(seen, |code| drivers::sqlstate_name(code).expect("it has a name"), class, what)
}

fn my_only(seen: &Seen, class: u16, what: &str) -> u64 {
    only(seen, |code| code.to_string(), &class.to_string(), what)
}

/// A question beside the measurement is refused in the same way, and in words that do
/// not tell the password.
fn unasked<T: std::fmt::Debug>(answer: Result<T, Unasked>, seen: &Seen) {
    let unasked = answer.expect_err("refused");
    assert_eq!(unasked.code.as_ref(), seen.outcomes.unexpected.keys().next());
    assert!(!unasked.why.is_empty() && !format!("{unasked:?}").contains(PASSWORD), "{unasked:?}");
}

fn log_ins(servers: &Servers) {
    let Servers { pg, my } = servers;
    let known = PostgresAccess {
        user: "guarded".to_owned(),
        password: Some(PASSWORD.to_owned()),
        ..pg.access("t")
    };
    let ask = order(pg.tcp(), Doing::Ask);
    let seen = postgres::driven(&ask, &known);
    assert_eq!(seen.outcomes.ok, seen.operations, "{:?}", seen.outcomes);
    let wrong = PostgresAccess { password: Some(format!("not-{PASSWORD}")), ..known.clone() };
    let nowhere = PostgresAccess { database: "nowhere".to_owned(), ..pg.access("t") };
    for (access, class) in [(wrong, "wrong_password"), (nowhere, "no_such_database")] {
        let seen = postgres::driven(&ask, &access);
        assert_eq!(pg_only(&seen, class, class), seen.operations);
        assert_eq!((seen.sent, seen.connections.opened), (0, 0), "{class}");
        unasked(access.facts(&pg.tcp(), PATIENCE), &seen);
    }
    let wrong = MysqlAccess { password: Some(format!("not-{PASSWORD}")), ..my.access("t") };
    // Who has a right to it is told that it is not there.
    let nowhere = MysqlAccess { database: "nowhere".to_owned(), ..my.root() };
    for (access, address, class) in [(wrong, my.tcp(), 1045), (nowhere, my.unix(), 1049)] {
        let seen = mariadb::driven(&order(address.clone(), Doing::Ask), &access);
        assert_eq!(my_only(&seen, class, "log-in"), seen.operations);
        assert_eq!((seen.sent, seen.connections.opened), (0, 0), "{class}");
        unasked(access.facts(&address, PATIENCE), &seen);
    }
}

fn statements(servers: &Servers) {
    let Servers { pg, my } = servers;
    let kv = || Doing::Drive(workload("kv"));
    for protocol in [Pg::Simple, Pg::Extended, Pg::Prepared] {
        let what = format!("{protocol:?}");
        let of = |table: &str| {
            let access = PostgresAccess { protocol, ..pg.access(table) };
            postgres::driven(&order(pg.tcp(), kv()), &access)
        };
        let seen = of("nowhere");
        assert_eq!(pg_only(&seen, "no_such_table", &what), seen.operations);
        let seen = of("numbers");
        // Bytes as text are a wrong text, and not of a wrong type.
        let class = if protocol == Pg::Simple { "wrong_text" } else { "wrong_type" };
        let wrong = pg_only(&seen, class, &what);
        assert!(
            wrong > 0 && wrong + seen.outcomes.miss == seen.operations,
            "{what}: {:?}",
            seen.outcomes
        );
        assert_eq!(seen.connections.opened, 4, "an error leaves its connection whole");
    }
    for protocol in [Mysql::Text, Mysql::Prepared] {
        let what = format!("{protocol:?}");
        let of = |table: &str| {
            let access = MysqlAccess { protocol, ..my.access(table) };
            mariadb::driven(&order(my.tcp(), kv()), &access)
        };
        let seen = of("nowhere");
        assert_eq!(my_only(&seen, 1146, &what), seen.operations);
        let seen = of("numbers");
        // One number where the value begins with a digit, another where it does not.
        let name = |code| drivers::mysql::error_name(code).expect("it has a name").to_owned();
        let wrong = only(&seen, name, "wrong_type", &what);
        assert!(
            wrong > 0 && wrong + seen.outcomes.miss == seen.operations,
            "{what}: {:?}",
            seen.outcomes
        );
        assert_eq!(seen.connections.opened, 4, "an error leaves its connection whole");
    }
}

/// Some were refused with this class, the others done, on the connections that there
/// were.
fn some(wrong: u64, seen: &Seen, what: &str) {
    assert!(wrong > 0 && seen.outcomes.ok > 0, "{what}: {:?}", seen.outcomes);
    assert_eq!(wrong + seen.outcomes.ok, seen.operations, "{what}");
    assert_eq!(seen.connections.opened, 4, "{what}");
}

/// Locks: each second operation takes two rows the other way round; or all want one
/// row, which is held for longer than they are to wait.
fn waits(servers: &Servers) {
    let Servers { pg, my } = servers;
    let many = |address| in_one_slice(order(address, Doing::Ask), 40);
    let turned = "SELECT set_config('own.turn', (nextval('turns') % 2)::text, false); \
                  UPDATE pair SET n = n + 1 WHERE id = 1 + current_setting('own.turn')::int; \
                  SELECT pg_sleep(0.02); \
                  UPDATE pair SET n = n + 1 WHERE id = 2 - current_setting('own.turn')::int";
    let held = "UPDATE pair SET n = n + 1 WHERE id = 1; SELECT pg_sleep(0.2)";
    for (user, query, class) in [("bench", turned, "deadlock"), ("impatient", held, "lock_timeout")]
    {
        let (user, query) = (user.to_owned(), query.to_owned());
        let access = PostgresAccess { user, query, protocol: Pg::Simple, ..pg.access("t") };
        let seen = postgres::driven(&many(pg.tcp()), &access);
        some(pg_only(&seen, class, class), &seen, class);
    }
    for protocol in [Pg::Simple, Pg::Extended, Pg::Prepared] {
        let (user, query) = ("hurried".to_owned(), "SELECT pg_sleep(60)".to_owned());
        let access = PostgresAccess { user, query, protocol, ..pg.access("t") };
        let seen = postgres::driven(&order(pg.tcp(), Doing::Ask), &access);
        assert_eq!(pg_only(&seen, "statement_timeout", "60 s"), seen.operations);
    }
    let turned = "SET @turn = NEXTVAL(turns) % 2; BEGIN; \
                  UPDATE pair SET n = n + 1 WHERE id = 1 + @turn; DO SLEEP(0.02); \
                  UPDATE pair SET n = n + 1 WHERE id = 2 - @turn; COMMIT";
    let held = "SET innodb_lock_wait_timeout = 1; BEGIN; \
                UPDATE pair SET n = n + 1 WHERE id = 1; DO SLEEP(1.5); COMMIT";
    for (query, operations, class) in [(turned, 40, 1213), (held, 8, 1205)] {
        let access =
            MysqlAccess { query: query.to_owned(), protocol: Mysql::Text, ..my.access("t") };
        let mut many = many(my.tcp());
        many.lanes[0].operations = Some(operations);
        let seen = mariadb::driven(&many, &access);
        some(my_only(&seen, class, query), &seen, query);
    }
    for protocol in [Mysql::Text, Mysql::Prepared] {
        let query = "SET STATEMENT max_statement_time = 0.05 FOR SELECT SLEEP(60)".to_owned();
        let access = MysqlAccess { query, protocol, ..my.access("t") };
        let seen = mariadb::driven(&order(my.tcp(), Doing::Ask), &access);
        assert_eq!(my_only(&seen, 1969, "60 s"), seen.operations);
    }
}

fn pools(servers: &Servers) {
    let Servers { pg, my } = servers;
    let starving = |address| {
        let mut order = order(address, Doing::Ask);
        let pool = Pool { max: 1, wait_ns: 2 * MS, upkeep: Upkeep::Neither };
        order.lanes[0].reuse = Reuse::Pool(pool);
        order
    };
    let sleepy = |sleep: &str| format!("SELECT {sleep}(0.02)");
    let pg_access = PostgresAccess { query: sleepy("pg_sleep"), ..pg.access("t") };
    let my_access = MysqlAccess { query: sleepy("SLEEP"), ..my.access("t") };
    let seen = [
        postgres::driven(&starving(pg.tcp()), &pg_access),
        mariadb::driven(&starving(my.tcp()), &my_access),
    ];
    for seen in seen {
        let starved = only(&seen, |code| code.to_string(), "starved", "a pool of one");
        assert!(seen.outcomes.ok > 0);
        assert_eq!((starved + seen.outcomes.ok, seen.connections.opened), (seen.operations, 1));
        assert_eq!(seen.sent, seen.outcomes.ok, "who starved asked nothing");
    }
}

/// The most memory that this process had since it was last asked, in bytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("Linux");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("it says");
    let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
    // From now on anew.
    std::fs::write("/proc/self/clear_refs", "5").expect("our own");
    kilobytes * 1024
}

fn large_replies(servers: &Servers) {
    const BYTES: u64 = 100_000_000;
    let Servers { pg, my } = servers;
    let once = |address| {
        let mut once = in_one_slice(order(address, Doing::Ask), 1);
        once.lanes[0].timeout_ns = 60_000 * MS;
        once
    };
    let from = |rows: &str| format!("SELECT repeat('x', 10000) FROM {rows}");
    let check = |drive: &dyn Fn() -> Seen, what: &str| {
        peak();
        let before = peak();
        let seen = drive();
        let grew = peak().saturating_sub(before);

        assert_eq!(seen.outcomes.ok, 1, "{what}: {:?}", seen.outcomes);
        // A histogram has three digits.
        let bytes = seen.body_bytes.max().expect("one reply");
        assert!(bytes.abs_diff(BYTES) < BYTES / 500, "{what}: {bytes}");
        assert!(grew < BYTES / 4, "{what}: {grew} bytes more memory");
    };
    for protocol in [Pg::Simple, Pg::Extended, Pg::Prepared] {
        let query = from("generate_series(1, 10000)");
        let access = PostgresAccess { query, protocol, ..pg.access("t") };
        check(&|| postgres::driven(&once(pg.tcp()), &access), &format!("{protocol:?}"));
    }
    for protocol in [Mysql::Text, Mysql::Prepared] {
        let access = MysqlAccess { query: from("seq_1_to_10000"), protocol, ..my.access("t") };
        check(&|| mariadb::driven(&once(my.tcp()), &access), &format!("{protocol:?}"));
    }
}

/// Connections are taken by the system, and nobody speaks.
fn mute_servers() {
    let listener = std::net::TcpListener::bind(common::free_port()).expect("ours");
    let address = record::Address::Tcp(listener.local_addr().expect("bound"));
    let (pg, my) = (postgres::access("t"), mariadb::access("t"));
    let mut order = order(address.clone(), Doing::Ask);
    order.lanes[0].timeout_ns = 40 * MS;
    for seen in [postgres::driven(&order, &pg), mariadb::driven(&order, &my)] {
        let given_up = only(&seen, |code| code.to_string(), "timeout", "no greeting");
        assert_eq!((given_up, seen.sent, seen.unfinished), (seen.operations, 0, 0));
        assert!(seen.response_time.min() >= Some(40 * MS), "{:?}", seen.response_time.min());
    }
    let soon = Duration::from_millis(40);
    for asked in [pg.facts(&address, soon), my.facts(&address, soon)] {
        let unasked = asked.expect_err("nobody speaks");
        assert_eq!(unasked.code, None, "{unasked:?}");
        assert!(unasked.why.starts_with("no answer within"), "{unasked:?}");
    }
}

fn full_servers() {
    let many = |address| {
        let mut order = order(address, Doing::Ask);
        order.lanes[0].connections = 20;
        order
    };
    let pg = Postgres::start("full", &["max_connections=6", "superuser_reserved_connections=2"]);
    let seen = postgres::driven(&many(pg.tcp()), &pg.access("t"));
    let refused = pg_only(&seen, "too_many_connections", "6 connections");
    assert!(refused > 0 && seen.outcomes.ok > 0, "{:?}", seen.outcomes);
    assert_eq!(refused + seen.outcomes.ok, seen.operations);
    assert!(seen.connections.got <= 2 * 6, "in each of two trials: {:?}", seen.connections);
    drop(pg);
    let my = Mariadb::start("full", &["--max-connections=10"]);
    let seen = mariadb::driven(&many(my.tcp()), &my.access("t"));
    let refused = my_only(&seen, 1040, "10 connections");
    assert!(refused > 0 && seen.outcomes.ok > 0, "{:?}", seen.outcomes);
    assert_eq!(refused + seen.outcomes.ok, seen.operations);
    assert!(seen.connections.got <= 2 * 10, "in each of two trials: {:?}", seen.connections);
}

/// Each of four sessions is ended once: the operation that it is in is lost, or the
/// next one where it is in none, and no other.
fn killed(servers: &Servers) {
    let Servers { pg, my } = servers;
    let query = |sleep: &str| format!("SELECT {sleep}(0.2)");
    let (user, of) = ("impatient".to_owned(), "FROM pg_stat_activity WHERE usename = 'impatient'");
    let access = PostgresAccess { user, query: query("pg_sleep"), ..pg.access("t") };
    let order = long(pg.tcp());
    let lanes = access.lanes(&order, 0);
    let four = |which: &str| {
        let count = format!("SELECT count(*) {of} AND state = 'active' AND {which}");
        common::wait_for(|| pg.says(&count) == "4", || common::log(&pg.folder));
    };
    let seen = drive_during(order, lanes, || {
        four("true");
        let now = pg.says("SELECT now()");
        pg.does(&[&format!("SELECT pg_terminate_backend(pid) {of}")]);
        four(&format!("backend_start > '{now}'"));
    });
    let name = |code| drivers::sqlstate_name(code).expect("it has a name");
    lost(&seen, &["server_shut_down", "closed", "reset"], name);
    let four_lost = (seen.outcomes.count(Whose::Theirs), seen.connections.opened);
    assert_eq!(four_lost, (4, 8), "{:?}", seen.outcomes);

    let access = MysqlAccess { query: query("SLEEP"), ..my.access("t") };
    let of = "FROM information_schema.PROCESSLIST WHERE USER = 'bench'";
    let order = long(my.tcp());
    let lanes = access.lanes(&order, 0);
    let four = |which: &str| {
        let count = format!("SELECT COUNT(*) {of} AND STATE = 'User sleep' AND {which}");
        common::wait_for(|| my.says(&count) == "4", || common::log(&my.folder));
    };
    let seen = drive_during(order, lanes, || {
        four("TRUE");
        let last = my.says(&format!("SELECT MAX(ID) {of}"));
        my.does(&["KILL USER bench"]);
        four(&format!("ID > {last}"));
    });
    lost(&seen, &["1927", "closed", "reset"], |code| code.to_string());
    let four_lost = (seen.outcomes.count(Whose::Theirs), seen.connections.opened);
    assert_eq!(four_lost, (4, 8), "{:?}", seen.outcomes);
}

/// A slice that is ended from outside.
fn long(address: record::Address) -> Asked {
    let mut order = order(address, Doing::Ask);
    (order.rounds, order.round_ns, order.slice_ns) = (1, 60_000 * MS, 60_000 * MS);
    order
}

/// Drives until this is done.
fn drive_during(order: Asked, lanes: Vec<engine::MakeLane>, what: impl FnOnce()) -> Seen {
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
    assert_eq!((outcomes.count(Whose::Ours), outcomes.count(Whose::Host)), (0, 0));
    assert_eq!(outcomes.count(Whose::Theirs) + outcomes.ok, seen.operations, "{outcomes:?}");
    assert!(seen.connections.opened >= 2 * 4, "{:?}", seen.connections);
    let timeouts = outcomes.failed.get(&Failure::Timeout);
    assert_eq!(timeouts, None, "a server that is gone is noticed: {outcomes:?}");
}

/// Waits until the counter, which each operation advances, is farther by some.
fn goes_on(counter: impl Fn() -> u64, folder: &Path) {
    let began = counter();
    common::wait_for(|| counter() > began + 100, || common::log(folder));
}

fn restarts() {
    let counter = "SELECT last_value FROM turns";
    let mut pg = Postgres::start("restart", &[]);
    pg.does(&["CREATE SEQUENCE turns"]);
    let counts = |pg: &Postgres| pg.says(counter).parse().expect("a number");
    let query = "SELECT nextval('turns')".to_owned();
    let (access, order) = (PostgresAccess { query, ..pg.access("t") }, long(pg.tcp()));
    let lanes = access.lanes(&order, 0);
    let seen = drive_during(order, lanes, || {
        goes_on(|| counts(&pg), &pg.folder);
        pg.restart();
        goes_on(|| counts(&pg), &pg.folder);
    });
    let wanted = ["server_shut_down", "server_starts", "closed", "reset", "refused"];
    lost(&seen, &wanted, |code| drivers::sqlstate_name(code).expect("it has a name"));
    drop(pg);

    let mut my = Mariadb::start("restart", &[]);
    // A sequence of the server's own would count in steps of a thousand.
    my.does(&["CREATE SEQUENCE bench.turns NOCACHE"]);
    let counts = |my: &Mariadb| my.says("SELECT next_not_cached_value FROM bench.turns");
    let counts = |my: &Mariadb| counts(my).parse().expect("a number");
    let query = "SELECT NEXTVAL(turns)".to_owned();
    let (access, order) = (MysqlAccess { query, ..my.access("t") }, long(my.tcp()));
    let lanes = access.lanes(&order, 0);
    let seen = drive_during(order, lanes, || {
        goes_on(|| counts(&my), &my.folder);
        my.restart();
        goes_on(|| counts(&my), &my.folder);
    });
    lost(&seen, &["closed", "reset", "refused", "1053"], |code| code.to_string());
}
