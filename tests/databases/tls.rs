//! TLS with real servers: what cannot be verified is refused, and nothing is sent unencrypted if
//! TLS was requested.

use crate::common::certificates::{Authority, NAME};
use crate::common::mariadb::{self, Mariadb};
use crate::common::postgres::{self, Postgres};
use crate::common::{order, with};
use ::mysql::{MysqlTls, Sending};
use engine::TlsAccess;
use record::{Failure, LaneTask, Seen};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use rustls::{ClientConfig, RootCertStore};
use std::path::PathBuf;
use std::sync::Arc;

/// Asserts that all operations failed in TLS, which counts against the target, and that no session
/// was opened.
fn refused(seen: &Seen, what: &str) {
    let failed: Vec<_> = seen.outcomes.failed.iter().collect();
    assert_eq!(failed, [(&Failure::Tls, &seen.operations)], "{what}: {:?}", seen.outcomes);
    assert!(seen.operations > 0 && seen.sent == 0, "{what}");
    assert_eq!((seen.connections.established, seen.connections.opened), (0, 0), "{what}");
}

fn roots(file: PathBuf) -> RootCertStore {
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_file_iter(file).expect("a file") {
        roots.add(certificate.expect("PEM")).expect("a certificate");
    }
    roots
}

fn tls_access(roots: RootCertStore, name: &str) -> TlsAccess {
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("versions that it has")
        .with_root_certificates(roots)
        .with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).expect("a name");
    TlsAccess { config: Arc::new(config), name }
}

#[test]
fn postgres_is_verified_and_never_silently_plain() {
    let authority = Authority::new("pg-certificates", postgres::USER);
    let strange = Authority::new("pg-stranger", postgres::USER);
    let file = |name: &str| authority.file(name).display().to_string();
    let (certificate, key) = (file("server.pem"), file("server.key"));
    let settings = [format!("ssl_cert_file={certificate}"), format!("ssl_key_file={key}")];
    let server = Postgres::start("tls", &[&settings[0], &settings[1]]);

    let driven = |tls: Option<TlsAccess>| {
        // Divides by zero if the session is not encrypted.
        let query = "SELECT 1 / ssl::int FROM pg_stat_ssl WHERE pid = pg_backend_pid()";
        let access = with(server.access("t"), |of| {
            of.common.query = query.to_owned();
            of.tls = tls;
        });
        postgres::driven(&order(server.tcp(), LaneTask::Ask), &access)
    };
    let driven_with = |authority: &Authority, name: &str| {
        driven(Some(tls_access(roots(authority.file("ca.pem")), name)))
    };
    let plain = driven(None);
    assert_eq!(postgres::count_of_error(&plain, "sqlstate_22xxx"), plain.operations, "{plain:?}");
    refused(&driven_with(&authority, NAME), "the server speaks no TLS");

    server.does(&["ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"]);
    crate::common::wait_for(
        || server.says("SHOW ssl") == "on",
        || crate::common::log(&server.directory),
    );
    let encrypted = driven_with(&authority, NAME);
    assert_eq!(encrypted.outcomes.ok, encrypted.operations, "{:?}", encrypted.outcomes);
    let phases = [&encrypted.connect_time, &encrypted.tls_time, &encrypted.phases.log_in];
    assert_eq!(phases.map(record::Histogram::len), [4; 3], "each in its own phase");
    assert_eq!(driven(None).tls_time.len(), 0);
    refused(&driven_with(&strange, NAME), "another authority");
    refused(&driven_with(&authority, "other.test"), "another name");

    authority.issue_expired();
    server.does(&["SELECT pg_reload_conf()"]);
    // Sessions that begin from now on use the new one, as soon as it was read.
    let ok = || driven_with(&authority, NAME).outcomes.ok == 0;
    crate::common::wait_for(ok, || crate::common::log(&server.directory));
    refused(&driven_with(&authority, NAME), "an expired certificate");
}

#[test]
fn mariadb_is_verified_and_never_silently_plain() {
    let authority = Authority::new("my-certificates", mariadb::USER);
    let mut server = Mariadb::start("tls", &[]);
    let driven = |server: &Mariadb, tls: Option<MysqlTls>| {
        // Returns no row if the session is not encrypted.
        let query = "SELECT VARIABLE_VALUE FROM information_schema.SESSION_STATUS WHERE \
                     VARIABLE_NAME = 'Ssl_cipher' AND VARIABLE_VALUE <> ''";
        let (query, protocol) = (query.to_owned(), Sending::Text);
        let access = with(server.access("t"), |of| {
            of.common.query = query;
            of.sending = protocol;
            of.tls = tls;
        });
        mariadb::driven(&order(server.tcp(), LaneTask::Ask), &access)
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
