//! TLS with a real MariaDB: what cannot be verified is refused, and nothing is sent unencrypted if TLS was
//! requested.

use crate::common;
use crate::common::certificates::{Authority, NAME, refused};
use crate::common::mariadb::{Mariadb, USER};
use crate::common::{order, with};
use mysql::MysqlTls;
use record::{LaneTask, SqlProtocol};

/// The server of the other cases speaks no TLS.
pub(crate) fn verified(_: &Mariadb) {
    let authority = Authority::new("my-certificates", USER);
    let mut server = Mariadb::start("tls", &[]);
    let driven = |server: &Mariadb, tls: Option<MysqlTls>| {
        // Returns no row if the session is not encrypted.
        let query = "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE \
                     VARIABLE_NAME = 'Ssl_cipher' AND VARIABLE_VALUE <> ''";
        let (query, protocol) = (query.to_owned(), SqlProtocol::Text);
        let access = with(server.access("t"), |of| {
            of.common.query = query;
            of.sending = protocol;
            of.tls = tls;
        });
        common::mariadb::driven(&order(server.tcp(), LaneTask::Ask), &access)
    };
    let tls = |trusted: bool, name: Option<&str>| {
        let roots = trusted.then(|| authority.file("ca.pem"));
        Some(MysqlTls { roots, insecure: false, name: name.map(str::to_owned) })
    };
    let plain = driven(&server, None);
    assert_eq!(plain.outcomes.miss, plain.operations, "{:?}", plain.outcomes);
    refused(&driven(&server, tls(true, Some(NAME))), "the server speaks no TLS");

    for (option, name) in [("ssl-cert", "server.pem"), ("ssl-key", "server.key")] {
        server.settings.push(format!("--{option}={}", authority.file(name).display()));
    }
    server.restart();
    let insecure = MysqlTls { roots: None, insecure: true, name: None };
    for tls in [tls(true, Some(NAME)), Some(insecure)] {
        let encrypted = driven(&server, tls);
        assert_eq!(encrypted.outcomes.ok, encrypted.operations, "{:?}", encrypted.outcomes);
        // The library does not report when TLS is complete, so it is part of the login.
        let phases = [&encrypted.connect_time, &encrypted.tls_time, &encrypted.phases.log_in];
        assert_eq!(phases.map(record::Histogram::len), [4, 0, 4]);
    }
    refused(&driven(&server, tls(false, Some(NAME))), "the public authorities");
    refused(&driven(&server, tls(true, Some("other.test"))), "another name");
    refused(&driven(&server, tls(true, None)), "the address for a name");

    authority.issue_expired();
    server.does(&["FLUSH SSL"]);
    refused(&driven(&server, tls(true, Some(NAME))), "an expired certificate");
}
