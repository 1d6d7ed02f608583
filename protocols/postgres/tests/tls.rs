//! TLS with a real PostgreSQL: what cannot be verified is refused, and nothing is sent unencrypted if TLS was
//! requested.

use crate::common;
use crate::common::certificates::{Authority, NAME, refused};
use crate::common::postgres::{Postgres, USER, count_of_error};
use crate::common::{log, order, wait_for, with};
use engine::TlsAccess;
use record::LaneTask;
use std::path::PathBuf;
use std::sync::Arc;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName, pem::PemObject};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

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
fn the_server_is_verified_and_never_silently_plain() {
    let authority = Authority::new("pg-certificates", USER);
    let strange = Authority::new("pg-stranger", USER);
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
        common::postgres::driven(&order(server.tcp(), LaneTask::Ask), &access)
    };
    let driven_with = |authority: &Authority, name: &str| {
        driven(Some(tls_access(roots(authority.file("ca.pem")), name)))
    };
    let plain = driven(None);
    assert_eq!(count_of_error(&plain, "sqlstate_22xxx"), plain.operations, "{plain:?}");
    refused(&driven_with(&authority, NAME), "the server speaks no TLS");

    server.does(&["ALTER SYSTEM SET ssl = on", "SELECT pg_reload_conf()"]);
    wait_for(|| server.says("SHOW ssl") == "on", || log(&server.directory));
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
    wait_for(ok, || log(&server.directory));
    refused(&driven_with(&authority, NAME), "an expired certificate");
}
