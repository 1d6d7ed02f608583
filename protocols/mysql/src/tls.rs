//! TLS for mysql_async.

use crate::access::MysqlTls;

use engine::EngineError;
use mysql_async::SslOpts;
use record::Address;
use std::sync::Once;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, pem::PemObject};

/// The settings for the library.
///
/// # Errors
/// Returns an error if it would not use TLS, or could trust no certificate.
pub(crate) fn options(tls: &MysqlTls, address: &Address) -> Result<SslOpts, EngineError> {
    let Address::Tcp(to) = address else {
        // The library would silently leave such a connection unencrypted.
        return Err(EngineError::Order(format!(
            "mysql_async does not support TLS to {address}: leave out TLS, or use TCP"
        )));
    };
    settle_provider();
    // Set even if it is the address, because a relay has another one.
    let name = tls.name.clone().unwrap_or_else(|| to.ip().to_string());
    let options = SslOpts::default()
        .with_danger_accept_invalid_certs(tls.insecure)
        .with_danger_tls_hostname_override(Some(name));
    let Some(path) = &tls.roots else { return Ok(options) };
    let broken =
        |why: String| EngineError::Order(format!("certificates of {}: {why}", path.display()));
    let file = std::fs::read(path).map_err(|error| {
        EngineError::system(format!("certificates of {}", path.display()), error)
    })?;
    let roots: Vec<_> = CertificateDer::pem_slice_iter(&file)
        .collect::<Result<_, _>>()
        .map_err(|error| broken(error.to_string()))?;
    if roots.is_empty() {
        return Err(broken("the file has no certificate in PEM format".to_owned()));
    }
    // Passed as bytes, because the library would read files on a thread of its own.
    let roots = roots.into_iter().map(|root| root.to_vec().into()).collect();
    Ok(options.with_root_certs(roots).with_disable_built_in_roots(true))
}

/// Makes ring the provider of cryptography of this process, unless one was chosen before. scylla and
/// oracledb add a second one, and rustls does not choose between two: the library would panic when it
/// creates its settings.
fn settle_provider() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that one was chosen before.
        let _ = ring::default_provider().install_default();
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    #[test]
    fn unsupported_tls_settings_are_rejected() {
        let tcp = || Address::Tcp(([127, 0, 0, 1], 1).into());
        let tls = |roots: Option<&str>| MysqlTls {
            roots: roots.map(PathBuf::from),
            insecure: false,
            name: None,
        };
        for (roots, address, word) in [
            (None, Address::Unix("/tmp/x".to_owned()), "does not support TLS"),
            (Some("/nowhere/ca.pem"), tcp(), "/nowhere/ca.pem"),
            (Some("/dev/null"), tcp(), "the file has no certificate in PEM format"),
        ] {
            let why = options(&tls(roots), &address).expect_err(word).to_string();
            assert!(why.contains(word), "{why}");
        }
        assert!(options(&tls(None), &tcp()).is_ok());
    }

    #[test]
    fn the_library_has_one_provider_of_cryptography() {
        let tls = MysqlTls { roots: None, name: None, insecure: true };
        let address = Address::Tcp(([127, 0, 0, 1], 1).into());
        options(&tls, &address).expect("options");
        // rustls would panic here if it had to choose between two providers.
        tokio_rustls::rustls::ClientConfig::builder();
    }
}
