//! Failures of real servers: each is counted by its class and as the target's, nothing is lost,
//! nothing takes longer than its timeout, and no password appears. For certificates see `tls.rs`.
//!
//! There is one server of each kind for all cases that leave it unchanged, and one case at a time,
//! because one of them reads the memory of this process.

#[path = "../databases/common/cases.rs"]
mod cases;
#[path = "../databases/servers.rs"]
mod common;
mod counted;
mod refusals;
mod replies;
mod sessions;
mod waits;

use cases::{Case, Shared, WithServers, run, with_servers};
use common::PASSWORD;
use common::mariadb::Mariadb;
use common::postgres::Postgres;
use counted::only;
use record::Seen;
use std::process::ExitCode;
use std::sync::LazyLock;

/// One server of each kind.
pub(crate) struct Servers {
    pg: Postgres,
    my: Mariadb,
}

const CASES: [WithServers<Servers>; 9] = [
    ("a_log_in_that_is_refused_is_told_by_its_code", refusals::log_ins),
    ("statements_that_cannot_be_done_are_told_by_their_code", refusals::statements),
    ("locks_and_timeouts_of_postgres_are_told_by_their_code", waits::of_postgres),
    ("locks_and_timeouts_of_mariadb_are_told_by_their_code", waits::of_mariadb),
    ("who_gets_no_connection_of_the_pool_is_starved", waits::pools),
    ("a_session_that_postgres_ends_loses_one_operation", sessions::killed_by_postgres),
    ("a_session_that_mariadb_ends_loses_one_operation", sessions::killed_by_mariadb),
    ("a_reply_of_100_mb_is_read_and_not_kept", replies::large_replies),
    ("a_reply_that_is_longer_than_allowed_fails", replies::too_large_replies),
];

/// Cases with servers of their own, or without a server.
const ALONE: [(&str, fn()); 4] = [
    ("a_server_that_says_nothing_is_given_up", sessions::mute_servers),
    ("a_server_that_is_full_is_told_by_its_code", sessions::full_servers),
    ("a_postgres_that_is_started_anew_loses_operations", sessions::restart_of_postgres),
    ("a_mariadb_that_is_started_anew_loses_operations", sessions::restart_of_mariadb),
];

fn main() -> ExitCode {
    let servers = Shared::new(LazyLock::new(servers));
    let shared = with_servers(&servers, &CASES);
    let alone = ALONE.map(|(name, case)| -> Case { (name, Box::new(case)) });
    drop(servers);
    run(shared.into_iter().chain(alone).collect())
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
    let rules = pg.directory.join("data/pg_hba.conf");
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

fn pg_only(seen: &Seen, class: &str, what: &str) -> u64 {
    only(seen, common::name_of, class, what)
}

fn my_only(seen: &Seen, class: u16, what: &str) -> u64 {
    only(seen, |code| code.to_string(), &class.to_string(), what)
}
