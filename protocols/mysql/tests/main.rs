//! Lanes against a real MariaDB: what they count is what the server did.
//!
//! One server for all cases, and one case at a time: its counters are compared with
//! ours.

mod common;
mod custom;
mod groups;
mod tls;

use common::cases::{Shared, WithServers, run, with_servers};
use common::mariadb::{Mariadb, count_of_code, driven};
use common::{MS, PATIENCE, all_ok, is_as_often_as_due, order, took_at_least, with, workload};
use drivers::Database;
use record::{Address, Failure, Kind, LaneTask, Maintenance, Pool, Reuse, Seen, SqlProtocol};
use std::process::ExitCode;
use std::sync::LazyLock;

const CASES: [WithServers<Mariadb>; 11] = [
    ("every_protocol_does_every_preset_on_every_engine", presets),
    ("connections_are_what_the_policy_says_and_none_is_left", policies),
    ("what_is_prepared_is_executed", prepared),
    ("a_reply_is_as_long_however_it_is_sent", lengths),
    ("the_server_says_what_a_commit_waits_for", facts),
    ("a_table_holds_what_it_was_made_for", tables),
    ("errors_are_counted_by_their_number", errors),
    ("operations_that_take_too_long_are_abandoned", timeouts),
    ("user_defined_statements_are_executed", custom::executed),
    ("the_server_counts_what_the_groups_count_and_each_has_its_pool", groups::counted_and_pooled),
    ("the_server_is_verified_and_never_silently_plain", tls::verified),
];

fn main() -> ExitCode {
    let server = Shared::new(LazyLock::new(|| Mariadb::start("lanes", &[])));
    let cases = with_servers(&server, &CASES);
    drop(server);
    run(cases)
}

/// Asserts that soon only the connection that asks is left.
fn none_is_left(server: &Mariadb) {
    let connected = || server.counter("Threads_connected");
    common::wait_for(|| connected() == 1, || format!("{} are connected", connected()));
}

/// The number of statements for the operations of each kind: reads and writes.
fn statements(seen: &Seen) -> (u64, u64) {
    let of = |kind: Kind| match kind {
        Kind::Get | Kind::Scan(_) => (1, 0),
        Kind::Set | Kind::Insert => (0, 1),
        Kind::ReadModifyWrite => (1, 1),
        other => panic!("{other:?} is not in these presets"),
    };
    seen.kinds.iter().fold((0, 0), |(reads, writes), seen| {
        let (read, write) = of(seen.kind);
        (reads + read * seen.operations, writes + write * seen.operations)
    })
}

fn presets(server: &Mariadb) {
    for engine in ["MEMORY", "InnoDB"] {
        for preset in ["kv", "ycsb-a", "ycsb-e", "ycsb-f"] {
            let of = workload(preset);
            for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
                let what = format!("{engine}, {preset}, {protocol:?}");
                let access = with(server.loaded("t", engine, &of), |of| {
                    of.sending = protocol;
                });
                let order = order(server.tcp(), LaneTask::Drive(of.clone()));
                let counters = ["Com_select", "Com_insert", "Connections"];
                let before = counters.map(|name| server.counter(name));
                let seen = driven(&order, &access);
                let after = counters.map(|name| server.counter(name));
                assert!(seen.operations >= 4 * 4, "{what}: {}", seen.operations);
                all_ok(&seen, &what);
                assert_eq!((seen.connections.opened, seen.unfinished), (4, 0), "{what}");
                let (reads, writes) = statements(&seen);
                let grew: Vec<u64> = (0..3).map(|at| after[at] - before[at]).collect();
                // Each question about a counter came over a connection of its own.
                assert_eq!(grew, [reads, writes, 4 + 3], "{what}");
            }
        }
    }
}

fn policies(server: &Mariadb) {
    let of = workload("kv");
    let pool = |maintenance| Reuse::Pool(Pool { max: 2, wait_ns: 5_000 * MS, maintenance });
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        for reuse in [
            Reuse::Always,
            Reuse::Never,
            Reuse::Times(5),
            pool(Maintenance::Neither),
            pool(Maintenance::Ping),
            pool(Maintenance::Reset),
        ] {
            let access = with(server.loaded("t", "MEMORY", &of), |of| {
                of.sending = protocol;
            });
            let mut order = order(server.unix(), LaneTask::Drive(of.clone()));
            order.lanes[0].reuse = reuse;
            let before = server.counter("Connections");
            let seen = driven(&order, &access);
            let opened = server.counter("Connections") - before - 1;
            let what = format!("{protocol:?}, {reuse:?}");
            all_ok(&seen, &what);
            assert_eq!(seen.connections.opened, opened, "{what}");
            let phases = (seen.connect_time.len(), seen.phases.log_in.len());
            assert_eq!(phases, (opened, opened), "{what}");
            match reuse {
                Reuse::Always => assert_eq!(opened, 4),
                Reuse::Never => assert_eq!(opened, seen.operations),
                Reuse::Times(times) => is_as_often_as_due(opened, times, &seen, &order),
                Reuse::Pool(_) => {
                    assert_eq!((opened, seen.phases.acquire.len()), (2, seen.operations));
                }
            }
            let anew = matches!(reuse, Reuse::Never)
                || matches!(reuse, Reuse::Pool(Pool { maintenance: Maintenance::Reset, .. }));
            let prepares = seen.phases.prepare.len();
            match (protocol, anew) {
                (SqlProtocol::Text, _) => assert_eq!(prepares, 0, "{what}"),
                (_, true) => assert_eq!(prepares, seen.operations, "{what}"),
                // A get and a set on each connection.
                (_, false) => assert!(prepares <= 2 * opened, "{what}: {prepares}"),
            }
            none_is_left(server);
        }
    }
}

fn prepared(server: &Mariadb) {
    let counters = ["Com_stmt_prepare", "Com_stmt_execute", "Com_select"];
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        let access = with(server.access("t"), |of| {
            of.sending = protocol;
        });
        let before = counters.map(|name| server.counter(name));
        let seen = driven(&order(server.tcp(), LaneTask::Ask), &access);
        let after = counters.map(|name| server.counter(name));
        let grew: Vec<u64> = (0..3).map(|at| after[at] - before[at]).collect();
        all_ok(&seen, "the statement");
        let prepares = seen.phases.prepare.len();
        let executed = if protocol == SqlProtocol::Prepared { seen.operations } else { 0 };
        assert_eq!(grew, [prepares, executed, seen.operations], "{protocol:?}");
        assert_eq!(prepares, if executed > 0 { 4 } else { 0 });
    }
}

fn lengths(server: &Mariadb) {
    // 2, 3, 5, 1, 10 and 2 bytes.
    let query = "SELECT -1, 0.5e0, 'it''s ', TRUE, DATE'2026-01-02', x'00ff', NULL".to_owned();
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        let access = with(server.access("t"), |of| {
            of.common.query = query.clone();
            of.sending = protocol;
        });
        let seen = driven(&order(server.tcp(), LaneTask::Ask), &access);
        all_ok(&seen, &format!("{protocol:?}"));
        let lengths = (seen.body_bytes.min(), seen.body_bytes.max());
        assert_eq!(lengths, (Some(23), Some(23)), "{protocol:?}");
    }
}

fn facts(server: &Mariadb) {
    for engine in ["MEMORY", "InnoDB"] {
        let access = server.loaded("facts", engine, &workload("kv"));
        let facts = access.facts(&server.unix(), PATIENCE).expect("an answer");
        let value = |name: &str| facts.iter().find(|fact| fact.0 == name).map(|fact| &*fact.1);
        assert_eq!(value("table_engine"), Some(engine));
        assert_eq!((value("log_bin"), value("sync_binlog")), (Some("OFF"), Some("0")));
        assert_eq!(value("innodb_flush_log_at_trx_commit"), Some("1"));
        assert!(value("version").is_some_and(|version| version.contains("MariaDB")));
        let started: u64 = value("started").expect("it says").parse().expect("a number");
        let now: u64 = server.says("SELECT UNIX_TIMESTAMP()").parse().expect("a number");
        let up = server.counter("Uptime");
        assert!((now - up).abs_diff(started) <= 1, "{now} - {up}, {started}");
    }
    let wrong = with(server.access("t"), |of| {
        of.common.user = "nobody".to_owned();
    });
    let query_error = wrong.facts(&server.tcp(), PATIENCE).expect_err("no such user");
    assert_eq!(query_error.code, Some(1045), "{query_error:?}");
    assert!(query_error.why.contains("nobody"), "{query_error:?}");
}

/// The documented longest value of MEMORY fits, and what is longer than a row of InnoDB is a BLOB.
fn tables(server: &Mariadb) {
    let access = server.access("tables");
    let refused = access.table_schema(Some("MEMORY"), 20, 70_000).expect_err("too long");
    let most = 65_535 - 4 - 20;
    assert!(refused.to_string().contains(&most.to_string()), "{refused}");
    for (engine, bytes) in [("MEMORY", most), ("InnoDB", most), ("InnoDB", most + 1)] {
        let mut statements = access.table_schema(Some(engine), 20, bytes).expect("it fits");
        let row = format!("('12345678901234567890', REPEAT('x', {bytes}))");
        statements.push(format!("INSERT INTO tables VALUES {row}"));
        statements.push("SELECT LENGTH(value) FROM tables".to_owned());
        let rows = access.ask(&server.tcp(), &statements, PATIENCE).expect("it holds it");
        assert_eq!(rows[3][0][0], Some(bytes.to_string()), "{engine}");
    }
}

fn errors(server: &Mariadb) {
    let kv = || LaneTask::Drive(workload("kv"));
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        let access = with(server.access("nowhere"), |of| {
            of.sending = protocol;
        });
        let missing = driven(&order(server.tcp(), kv()), &access);
        assert_eq!(count_of_code(&missing, 1146), missing.operations, "{:?}", missing.outcomes);
        assert_eq!(missing.connections.opened, 4, "an error leaves its connection whole");
    }
    let nowhere = with(server.access("t"), |of| {
        of.common.database = "nowhere".to_owned();
    });
    let refused = driven(&order(server.tcp(), kv()), &nowhere);
    // Without a permission for such a database it does not reveal whether one exists.
    assert_eq!(count_of_code(&refused, 1044), refused.operations, "{:?}", refused.outcomes);
    assert_eq!(refused.connections.established, 0);

    let nobody = Address::Tcp(protocol::testing::free_port());
    let refused = driven(&order(nobody, kv()), &server.access("t"));
    assert_eq!(refused.outcomes.failed[&Failure::Refused], refused.operations);
}

fn timeouts(server: &Mariadb) {
    for (protocol, query) in [
        (SqlProtocol::Text, "SELECT SLEEP(1)"),
        (SqlProtocol::Prepared, "SELECT SLEEP(1)"),
        // Its rows arrive while it is abandoned.
        (SqlProtocol::Text, "SELECT SLEEP(0.01), REPEAT('x', 60000) FROM seq_1_to_100"),
    ] {
        let access = with(server.access("t"), |of| {
            of.common.query = query.to_owned();
            of.sending = protocol;
        });
        let mut short = order(server.tcp(), LaneTask::Ask);
        short.lanes[0].timeout_ns = 40 * MS;
        let given_up = driven(&short, &access);
        let timeouts = given_up.outcomes.failed[&Failure::Timeout];
        assert_eq!((timeouts, given_up.unfinished), (given_up.operations, 0), "{query}");
        assert!(took_at_least(&given_up, 40 * MS));
    }
    none_is_left(server);
}
