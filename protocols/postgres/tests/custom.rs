//! User-defined statements against a real PostgreSQL.

use crate::common::custom::{check_sound, check_unsound, feeds, loaded_and_driven, sound, unsound};
use crate::common::postgres::Postgres;
use crate::common::with;
use record::SqlProtocol;

#[test]
fn user_defined_statements_are_executed() {
    let server = Postgres::start("own", &[]);
    for protocol in [SqlProtocol::Simple, SqlProtocol::Extended, SqlProtocol::Prepared] {
        let what = format!("{protocol:?}");
        let access = with(server.access("t"), |of| {
            of.sending = protocol;
            of.common.feeds = feeds();
        });
        let drive = |of| loaded_and_driven(&access, &server.tcp(), of, "BYTEA");
        let seen = drive(sound());
        check_sound(&seen, |text| server.says(text), &what);
        let prepares = seen.phases.prepare.len();
        assert_eq!(prepares > 0, protocol == SqlProtocol::Prepared, "{what}");
        check_unsound(&drive(unsound()), |text| server.says(text), &what);
    }
}
