//! Waiting: for locks, for a statement, for a connection of the pool.

use crate::Servers;
use crate::common::mariadb;
use crate::common::postgres;
use crate::common::{MS, in_one_slice, order, with};
use crate::counted::only;
use crate::{my_only, pg_only};
use record::{Address, DriveOrder, LaneTask, Maintenance, Pool, Reuse, Seen, SqlProtocol};

/// Some were refused with this class, the others done, on the connections that there
/// were.
fn some(wrong: u64, seen: &Seen, what: &str) {
    assert!(wrong > 0 && seen.outcomes.ok > 0, "{what}: {:?}", seen.outcomes);
    assert_eq!(wrong + seen.outcomes.ok, seen.operations, "{what}");
    assert_eq!(seen.connections.opened, 4, "{what}");
}

fn many(address: Address) -> DriveOrder {
    in_one_slice(order(address, LaneTask::Ask), 40)
}

/// Locks: each second operation takes two rows the other way round; or all want one
/// table, which is held for longer than they are to wait. (Waiting for a row takes two waits, for
/// the row and for its writer. Where the time is over just as the first wait ends, and the
/// second begins, PostgreSQL says that the statement was canceled, and not why.)
pub(crate) fn of_postgres(servers: &Servers) {
    let pg = &servers.pg;
    let turned = "SELECT set_config('own.turn', (nextval('turns') % 2)::text, false); \
                  UPDATE pair SET n = n + 1 WHERE id = 1 + current_setting('own.turn')::int; \
                  SELECT pg_sleep(0.02); \
                  UPDATE pair SET n = n + 1 WHERE id = 2 - current_setting('own.turn')::int";
    let held = "LOCK TABLE pair IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(0.2)";
    for (user, query, class) in [("bench", turned, "deadlock"), ("impatient", held, "lock_timeout")]
    {
        let (user, query) = (user.to_owned(), query.to_owned());
        let access = with(pg.access("t"), |of| {
            of.common.user = user;
            of.common.query = query;
            of.sending = SqlProtocol::Simple;
        });
        let seen = postgres::driven(&many(pg.tcp()), &access);
        some(pg_only(&seen, class, class), &seen, class);
    }
    for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
        let (user, query) = ("hurried".to_owned(), "SELECT pg_sleep(60)".to_owned());
        let access = with(pg.access("t"), |of| {
            of.common.user = user;
            of.common.query = query;
            of.sending = protocol;
        });
        let seen = postgres::driven(&order(pg.tcp(), LaneTask::Ask), &access);
        assert_eq!(pg_only(&seen, "statement_timeout", "60 s"), seen.operations);
    }
}

/// The same.
pub(crate) fn of_mariadb(servers: &Servers) {
    let my = &servers.my;
    let turned = "SET @turn = NEXTVAL(turns) % 2; BEGIN; \
                  UPDATE pair SET n = n + 1 WHERE id = 1 + @turn; DO SLEEP(0.02); \
                  UPDATE pair SET n = n + 1 WHERE id = 2 - @turn; COMMIT";
    let held = "SET innodb_lock_wait_timeout = 1; BEGIN; \
                UPDATE pair SET n = n + 1 WHERE id = 1; DO SLEEP(1.5); COMMIT";
    for (query, operations, class) in [(turned, 40, 1213), (held, 8, 1205)] {
        let access = with(my.access("t"), |of| {
            of.common.query = query.to_owned();
            of.sending = SqlProtocol::Text;
        });
        let mut many = many(my.tcp());
        many.lanes[0].operations = Some(operations);
        let seen = mariadb::driven(&many, &access);
        some(my_only(&seen, class, query), &seen, query);
    }
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        // Not SLEEP: one that begins as its time ends is not woken, and sleeps on.
        let query = "SET STATEMENT max_statement_time = 0.05 FOR \
                     SELECT COUNT(*) FROM seq_1_to_1000000 a, seq_1_to_1000000 b"
            .to_owned();
        let access = with(my.access("t"), |of| {
            of.common.query = query;
            of.sending = protocol;
        });
        let seen = mariadb::driven(&order(my.tcp(), LaneTask::Ask), &access);
        assert_eq!(my_only(&seen, 1969, "for hours"), seen.operations);
    }
}

pub(crate) fn pools(servers: &Servers) {
    let Servers { pg, my } = servers;
    let starving = |address| {
        let mut order = order(address, LaneTask::Ask);
        let pool = Pool { max: 1, wait_ns: 2 * MS, maintenance: Maintenance::Neither };
        order.lanes[0].reuse = Reuse::Pool(pool);
        order
    };
    let sleepy = |sleep: &str| format!("SELECT {sleep}(0.02)");
    let pg_access = with(pg.access("t"), |of| {
        of.common.query = sleepy("pg_sleep");
    });
    let my_access = with(my.access("t"), |of| {
        of.common.query = sleepy("SLEEP");
    });
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
