//! Lanes against a real PostgreSQL: what they count is what the server did.

mod common;
mod custom;
mod groups;
mod tls;

use crate::common::postgres::{Postgres, count_of_error, driven};
use crate::common::{
    MS, PATIENCE, all_ok, is_as_often_as_due, order, took_at_least, with, workload,
};
use drivers::Database;
use record::{LaneTask, Maintenance, Pool, Reuse, SqlProtocol};

#[test]
fn every_protocol_does_every_preset_and_reads_what_was_written() {
    let server = Postgres::start("presets", &[]);
    for preset in ["kv", "ycsb-d", "ycsb-e", "ycsb-f"] {
        let of = workload(preset);
        for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
            let access = with(server.loaded("t", &of), |of| {
                of.sending = protocol;
            });
            let seen = driven(&order(server.tcp(), LaneTask::Drive(of.clone())), &access);
            assert!(seen.operations >= 4 * 4, "{preset}, {protocol:?}: {}", seen.operations);
            all_ok(&seen, &format!("{preset}, {protocol:?}"));
            assert_eq!((seen.connections.opened, seen.unfinished), (4, 0));
            let prepares = seen.phases.prepare.len();
            assert_eq!(prepares > 0, protocol == SqlProtocol::Prepared, "{prepares}");
        }
    }
}

#[test]
fn connections_are_what_the_policy_says_and_none_is_left() {
    let server = Postgres::start("policies", &[]);
    let of = workload("kv");
    let pool = |maintenance| Reuse::Pool(Pool { max: 2, wait_ns: 5_000 * MS, maintenance });
    for reuse in [
        Reuse::Never,
        Reuse::Times(5),
        pool(Maintenance::Neither),
        pool(Maintenance::Ping),
        pool(Maintenance::Reset),
    ] {
        let access = server.loaded("t", &of);
        let mut order = order(server.unix(), LaneTask::Drive(of.clone()));
        order.lanes[0].reuse = reuse;
        let seen = driven(&order, &access);
        all_ok(&seen, &format!("{reuse:?}"));
        let opened = seen.connections.opened;
        match reuse {
            Reuse::Never => assert_eq!(opened, seen.operations),
            Reuse::Times(times) => is_as_often_as_due(opened, times, &seen, &order),
            _ => assert_eq!((opened, seen.phases.acquire.len()), (2, seen.operations)),
        }
        assert_eq!(seen.phases.log_in.len(), opened);
        let reset = matches!(reuse, Reuse::Pool(Pool { maintenance: Maintenance::Reset, .. }));
        let prepares = seen.phases.prepare.len();
        if reset || reuse == Reuse::Never {
            assert_eq!(prepares, seen.operations, "{reuse:?}");
        } else {
            // A get and a set on each connection.
            assert!(prepares <= 2 * opened, "{reuse:?}: {prepares}");
        }
        // One connection asks.
        assert_eq!(
            server.says(
                "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'"
            ),
            "1"
        );
    }
}

#[test]
fn the_server_says_what_a_commit_waits_for() {
    let server = Postgres::start("facts", &[]);
    let facts = server.access("t").facts(&server.unix(), PATIENCE).expect("an answer");
    let value = |name: &str| facts.iter().find(|fact| fact.0 == name).map(|fact| &*fact.1);
    assert_eq!((value("fsync"), value("synchronous_commit")), (Some("off"), Some("on")));
    let number = server.says("SELECT current_setting('server_version_num')::int / 10000");
    let major = format!("{number}.");
    assert!(value("server_version").is_some_and(|version| version.starts_with(&major)), "{major}");
    let started = server.says("SELECT floor(extract(epoch FROM now()))::bigint");
    let number = |text: &str| text.parse::<u64>().expect("seconds");
    assert!(number(&started) - number(value("started").expect("it says")) < 3600);
    assert_eq!(value("table_persistence"), None, "there is no table yet");
    for (unlogged, wanted) in [(true, "unlogged"), (false, "logged")] {
        let access = server.access("it's \"mine\"");
        access.ask(&server.tcp(), &access.table_schema(unlogged), PATIENCE).expect("a table");
        let facts = access.facts(&server.tcp(), PATIENCE).expect("an answer");
        let last = facts.last().map(|(name, value)| (name.as_str(), value.as_str()));
        assert_eq!(last, Some(("table_persistence", wanted)));
    }
    let wrong = with(server.access("t"), |of| {
        of.common.user = "nobody".to_owned();
    });
    let query_error = wrong.facts(&server.tcp(), PATIENCE).expect_err("no such user");
    assert!(query_error.code.is_some() && query_error.why.contains("nobody"), "{query_error:?}");
}

#[test]
fn errors_are_counted_by_their_class() {
    let server =
        Postgres::start("errors", &["max_connections=6", "superuser_reserved_connections=2"]);
    let kv = || LaneTask::Drive(workload("kv"));
    let missing = driven(&order(server.tcp(), kv()), &server.access("nowhere"));
    assert_eq!(
        count_of_error(&missing, "no_such_table"),
        missing.operations,
        "{:?}",
        missing.outcomes
    );

    let nowhere = with(server.access("t"), |of| {
        of.common.database = "nowhere".to_owned();
    });
    let refused = driven(&order(server.tcp(), kv()), &nowhere);
    assert_eq!(
        count_of_error(&refused, "no_such_database"),
        refused.operations,
        "{:?}",
        refused.outcomes
    );
    assert_eq!(refused.connections.established, 0);

    let mut many = order(server.tcp(), LaneTask::Ask);
    many.lanes[0].intensity.connections = 12;
    let full = driven(&many, &server.access("t"));
    assert!(count_of_error(&full, "too_many_connections") > 0, "{:?}", full.outcomes);
    assert!(
        full.outcomes.ok > 0 && full.connections.established <= 2 * 6,
        "{:?}",
        full.connections
    );
}

#[test]
fn operations_that_take_too_long_are_abandoned() {
    // Connections for abandoned operations, too: the server continues with their statements.
    let server = Postgres::start("timeouts", &["max_connections=200"]);
    let sleepy = with(server.access("t"), |of| {
        of.common.query = "SELECT pg_sleep(3)".to_owned();
    });
    let mut short = order(server.tcp(), LaneTask::Ask);
    short.lanes[0].timeout_ns = 40 * MS;
    let given_up = driven(&short, &sleepy);
    let timeouts = given_up.outcomes.failed[&record::Failure::Timeout];
    assert_eq!((timeouts, given_up.unfinished), (given_up.operations, 0));
    assert!(took_at_least(&given_up, 40 * MS));
}

#[test]
fn a_reply_is_as_long_however_it_is_sent() {
    let server = Postgres::start("lengths", &[]);
    // 2, 1, 3, 5 and 2 bytes.
    let query = "SELECT -1, true, 0.5::float8, 'it''s ', '\\x00ff'::bytea, NULL".to_owned();
    for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
        let access = with(server.access("t"), |of| {
            of.common.query = query.clone();
            of.sending = protocol;
        });
        let seen = driven(&order(server.tcp(), LaneTask::Ask), &access);
        all_ok(&seen, &format!("{protocol:?}"));
        let lengths = (seen.body_bytes.min(), seen.body_bytes.max());
        assert_eq!(lengths, (Some(13), Some(13)), "{protocol:?}");
    }
}
