//! What a server refuses to do.

use crate::Servers;
use crate::common::mariadb;
use crate::common::postgres;
use crate::common::{PASSWORD, PATIENCE, all_ok, order, with, workload};
use crate::counted::only;
use crate::{my_only, pg_only};
use drivers::Database;
use drivers::QueryError;
use record::{LaneTask, Seen, SqlProtocol};

/// A question outside of the measurement is refused in the same way, with a message that does not
/// contain the password.
fn query_error<T: std::fmt::Debug>(answer: Result<T, QueryError>, seen: &Seen) {
    let query_error = answer.expect_err("refused");
    assert_eq!(query_error.code.as_ref(), seen.outcomes.unexpected.keys().next());
    assert!(
        !query_error.why.is_empty() && !format!("{query_error:?}").contains(PASSWORD),
        "{query_error:?}"
    );
}

pub(crate) fn log_ins(servers: &Servers) {
    let Servers { pg, my } = servers;
    let known = with(pg.access("t"), |of| {
        of.common.user = "guarded".to_owned();
        of.common.password = Some(PASSWORD.to_owned());
    });
    let ask = order(pg.tcp(), LaneTask::Ask);
    let seen = postgres::driven(&ask, &known);
    all_ok(&seen, "the statement");
    let wrong = with(known.clone(), |of| {
        of.common.password = Some(format!("not-{PASSWORD}"));
    });
    let nowhere = with(pg.access("t"), |of| {
        of.common.database = "nowhere".to_owned();
    });
    for (access, class) in [(wrong, "wrong_password"), (nowhere, "no_such_database")] {
        let seen = postgres::driven(&ask, &access);
        assert_eq!(pg_only(&seen, class, class), seen.operations);
        assert_eq!((seen.sent, seen.connections.opened), (0, 0), "{class}");
        query_error(access.facts(&pg.tcp(), PATIENCE), &seen);
    }
    let wrong = with(my.access("t"), |of| {
        of.common.password = Some(format!("not-{PASSWORD}"));
    });
    // A user with the permission learns that it does not exist.
    let nowhere = with(my.root(), |of| {
        of.common.database = "nowhere".to_owned();
    });
    for (access, address, class) in [(wrong, my.tcp(), 1045), (nowhere, my.unix(), 1049)] {
        let seen = mariadb::driven(&order(address.clone(), LaneTask::Ask), &access);
        assert_eq!(my_only(&seen, class, "login"), seen.operations);
        assert_eq!((seen.sent, seen.connections.opened), (0, 0), "{class}");
        query_error(access.facts(&address, PATIENCE), &seen);
    }
}

pub(crate) fn statements(servers: &Servers) {
    let Servers { pg, my } = servers;
    let kv = || LaneTask::Drive(workload("kv"));
    for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
        let what = format!("{protocol:?}");
        let of = |table: &str| {
            let access = with(pg.access(table), |of| {
                of.sending = protocol;
            });
            postgres::driven(&order(pg.tcp(), kv()), &access)
        };
        let seen = of("nowhere");
        assert_eq!(pg_only(&seen, "no_such_table", &what), seen.operations);
        let seen = of("numbers");
        // Bytes as text are an invalid text, and not of a wrong type.
        let class = if protocol == SqlProtocol::Simple { "wrong_text" } else { "wrong_type" };
        let wrong = pg_only(&seen, class, &what);
        assert!(
            wrong > 0 && wrong + seen.outcomes.miss == seen.operations,
            "{what}: {:?}",
            seen.outcomes
        );
        assert_eq!(seen.connections.opened, 4, "an error leaves its connection whole");
    }
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        let what = format!("{protocol:?}");
        let of = |table: &str| {
            let access = with(my.access(table), |of| {
                of.sending = protocol;
            });
            mariadb::driven(&order(my.tcp(), kv()), &access)
        };
        let seen = of("nowhere");
        assert_eq!(my_only(&seen, 1146, &what), seen.operations);
        let seen = of("numbers");
        // One number where the value begins with a digit, another where it does not.
        let name = crate::common::name_of;
        let wrong = only(&seen, name, "wrong_type", &what);
        assert!(
            wrong > 0 && wrong + seen.outcomes.miss == seen.operations,
            "{what}: {:?}",
            seen.outcomes
        );
        assert_eq!(seen.connections.opened, 4, "an error leaves its connection whole");
    }
}
