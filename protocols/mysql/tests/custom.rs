//! User-defined statements against a real MariaDB.

use crate::common::custom::{check_sound, check_unsound, feeds, loaded_and_driven, sound, unsound};
use crate::common::mariadb::Mariadb;
use crate::common::with;
use record::SqlProtocol;

pub(crate) fn executed(server: &Mariadb) {
    for protocol in [SqlProtocol::Text, SqlProtocol::Prepared] {
        let what = format!("{protocol:?}");
        let access = with(server.access("t"), |of| {
            of.sending = protocol;
            of.common.feeds = feeds();
        });
        let drive = |of| loaded_and_driven(&access, &server.tcp(), of, "BLOB");
        let says = |text: &str| server.says(&text.replace("FROM t", "FROM bench.t"));
        let executed = server.counter("Com_stmt_execute");
        check_sound(&drive(sound()), says, &what);
        let executed = server.counter("Com_stmt_execute") - executed;
        assert_eq!(executed > 0, protocol == SqlProtocol::Prepared, "{what}");
        check_unsound(&drive(unsound()), says, &what);
    }
}
