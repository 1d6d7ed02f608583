//! Several workloads at once on a real PostgreSQL.

use crate::common::groups::{holds, readers_and_writers, reads_and_writes};
use crate::common::postgres::{Postgres, driven};
use crate::common::with;
use engine::Numbers;

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
fn the_server_counts_what_the_groups_count() {
    let server = Postgres::start("groups", &["shared_preload_libraries=pg_stat_statements"]);
    server.does(&["CREATE EXTENSION pg_stat_statements"]);
    let of = reads_and_writes();
    for workers in [1, 2] {
        let access = with(server.loaded("t", &of), |of| {
            of.common.numbers = Numbers::new(2 * workers);
        });
        let order = readers_and_writers(server.tcp(), &of, workers as u32);
        let before = counted(&server);
        let seen = driven(&order, &access);
        let after = counted(&server);
        let counts = (after.0 - before.0, after.1 - before.1);
        holds(&seen, counts, &format!("{workers} workers"));
        let opened = [0, 1].map(|group: usize| seen.groups[group].connections.opened);
        assert_eq!(opened, [4, workers as u64]);
    }
}
