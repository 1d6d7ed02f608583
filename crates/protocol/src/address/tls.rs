//! Which certificates our TLS clients trust.

use crate::Error;
use crate::input;
use engine::TlsAccess;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{Resumption, WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::{CertificateDer, ServerName, UnixTime, pem::PemObject};
use rustls::server::ParsedCertificate;
use rustls::{
    CertificateError, ClientConfig, ClientConnection, DigitallySignedStruct, RootCertStore,
    SignatureScheme,
};
use std::io;
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use text::shown::shown;

/// How long each step may take when a failed handshake is repeated to find the reason.
const TIMEOUT: Duration = Duration::from_secs(5);

/// The largest accepted file of authorities. A system's file has about a quarter of a megabyte.
const LARGEST_BUNDLE: u64 = 16 << 20;

/// What is trusted, and whether sessions are resumed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trust {
    /// Certificates are not verified.
    pub insecure: bool,
    /// Trust these authorities (PEM) in place of the system's.
    pub cacert: Option<PathBuf>,
    /// Resume sessions: fresh connections then skip the costly handshake.
    pub resume: bool,
}

impl Trust {
    /// The settings in words, for the plan.
    pub fn words(&self) -> String {
        let verified = match (self.insecure, &self.cacert) {
            (true, _) => "not verified",
            (false, Some(_)) => "verified against the authorities of --cacert",
            (false, None) => "verified",
        };
        let resumed = if self.resume { ", sessions resumed" } else { "" };
        format!("{verified}{resumed}")
    }

    /// Makes a separate configuration for each contender: a shared session cache would let one
    /// contender warm up the other. `alpn` lists the protocols to offer.
    pub fn config(&self, alpn: &[&[u8]]) -> Result<Arc<ClientConfig>, Error> {
        self.config_with_names(alpn, Vec::new())
    }

    /// Makes the configuration for a client library that verifies certificates against the address of the
    /// server: a certificate for one of these names is accepted, too. A library that learns the
    /// nodes of a cluster from the cluster itself knows only their addresses.
    pub fn config_with_names(
        &self,
        alpn: &[&[u8]],
        names: Vec<ServerName<'static>>,
    ) -> Result<Arc<ClientConfig>, Error> {
        let provider = Arc::new(ring::default_provider());
        let verifier: Arc<dyn ServerCertVerifier> = if self.insecure {
            Arc::new(Unverified(provider.clone()))
        } else {
            Arc::new(Verified { names, ..self.verifier(provider.clone())? })
        };
        let builder = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| Error::failed(format!("TLS: {error}")))?;
        // "Dangerous" is rustls's word for every verifier other than its default; ours calls the
        // default first.
        let builder = builder.dangerous().with_custom_certificate_verifier(verifier);
        let mut config = builder.with_no_client_auth();
        config.alpn_protocols = alpn.iter().map(|name| name.to_vec()).collect();
        if !self.resume {
            config.resumption = Resumption::disabled();
        }
        Ok(Arc::new(config))
    }

    fn verifier(&self, provider: Arc<CryptoProvider>) -> Result<Verified, Error> {
        let (given, trusted) = match &self.cacert {
            Some(file) => {
                let certificates = read_pem(file)?;
                (certificates.clone(), certificates)
            }
            None => (Vec::new(), rustls_native_certs::load_native_certs().certs),
        };
        let mut roots = RootCertStore::empty();
        let (usable, _) = roots.add_parsable_certificates(trusted);
        if usable == 0 {
            return Err(Error::usage(match &self.cacert {
                Some(file) => {
                    let file = shown(file.display().to_string());
                    format!("--cacert {file}: contains no certificate in PEM format")
                }
                None => "this system has no certificate authorities: install ca-certificates, or \
                         pass --cacert FILE or --insecure"
                    .to_owned(),
            }));
        }
        WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider)
            .build()
            .map(|webpki| Verified { webpki, given, names: Vec::new() })
            .map_err(|error| Error::failed(format!("TLS: {error}")))
    }
}

fn read_pem(file: &Path) -> Result<Vec<CertificateDer<'static>>, Error> {
    let name = || shown(file.display().to_string());
    let bytes = input::plain(file, LARGEST_BUNDLE)
        .map_err(|why| Error::usage(format!("--cacert {}: it {why}", name())))?;
    CertificateDer::pem_slice_iter(&bytes)
        .collect::<Result<_, _>>()
        .map_err(|error| Error::usage(format!("--cacert {}: {error}", name())))
}

/// The name that the certificate must contain, and that SNI sends.
pub fn server_name(host: &str) -> Result<ServerName<'static>, Error> {
    ServerName::try_from(host.to_owned()).map_err(|_| {
        Error::usage(format!(
            "`{host}` is not a host name that a certificate can \
                                           contain"
        ))
    })
}

/// Why there is no TLS with a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NoTls {
    /// What it sends is not TLS.
    NotSpoken,
    /// The handshake failed.
    Failed(String),
}

/// Finds out why a handshake fails by trying one without a request: the engine counts failures by
/// class and keeps no texts.
pub fn why_no_handshake(address: SocketAddr, access: &TlsAccess) -> Option<NoTls> {
    let mut socket = TcpStream::connect_timeout(&address, TIMEOUT).ok()?;
    socket.set_read_timeout(Some(TIMEOUT)).ok()?;
    socket.set_write_timeout(Some(TIMEOUT)).ok()?;
    let name = match &access.name {
        // Each node of a target has its own name.
        ServerName::IpAddress(_) => ServerName::from(address.ip()),
        name => name.clone(),
    };
    let mut connection = ClientConnection::new(access.config.clone(), name).ok()?;
    while connection.is_handshaking() {
        if let Err(error) = connection.complete_io(&mut socket) {
            return Some(why_no_tls(&error));
        }
    }
    None
}

fn why_no_tls(error: &io::Error) -> NoTls {
    let of_tls = error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>());
    match of_tls {
        Some(rustls::Error::InvalidMessage(_)) => NoTls::NotSpoken,
        _ => NoTls::Failed(shown(error.to_string())),
    }
}

/// Verifies as rustls does, and also accepts, as curl does, a server certificate that was itself
/// passed with `--cacert`. rustls rejects such a certificate if it is marked as an authority, and
/// `openssl req -x509` marks all of them so.
#[derive(Debug)]
struct Verified {
    webpki: Arc<WebPkiServerVerifier>,
    given: Vec<CertificateDer<'static>>,
    /// Names that a certificate may have instead of the requested one.
    names: Vec<ServerName<'static>>,
}

impl Verified {
    /// Whether the certificate is trusted and valid for this name.
    fn verify_for(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verified = self.webpki.verify_server_cert(end_entity, intermediates, name, ocsp, now);
        match verified {
            // Expiry is checked before and has its own error.
            Err(rustls::Error::InvalidCertificate(CertificateError::Other(_)))
                if self.given.iter().any(|given| given == end_entity) =>
            {
                verify_server_name(&ParsedCertificate::try_from(end_entity)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            other => other,
        }
    }
}

impl ServerCertVerifier for Verified {
    fn verify_server_cert(
        &self,
        end_entity: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        let verify = |name: &_| self.verify_for(end_entity, intermediates, name, ocsp, now);
        verify(name).or_else(|error| match error {
            rustls::Error::InvalidCertificate(
                CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
            ) => self.names.iter().find_map(|name| verify(name).ok()).ok_or(error),
            other => Err(other),
        })
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.webpki.verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        self.webpki.verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.webpki.supported_verify_schemes()
    }
}

/// Accepts any certificate: `--insecure`.
#[derive(Debug)]
struct Unverified(Arc<CryptoProvider>);

impl ServerCertVerifier for Unverified {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.0.signature_verification_algorithms.supported_schemes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trust_in_words() {
        let trust = |insecure, cacert: Option<&str>, resume| Trust {
            insecure,
            cacert: cacert.map(PathBuf::from),
            resume,
        };
        for (trust, words) in [
            (trust(false, None, false), "verified"),
            (trust(false, Some("x"), false), "verified against the authorities of --cacert"),
            (trust(true, Some("x"), false), "not verified"),
            (trust(false, None, true), "verified, sessions resumed"),
        ] {
            assert_eq!(trust.words(), words);
        }
    }

    #[test]
    fn a_file_without_certificates_is_refused_by_name() {
        let trust = |file: &str| Trust { cacert: Some(file.into()), ..Trust::default() };
        let missing = trust("/no/such.pem").config(&[]).unwrap_err();
        let text = "--cacert /no/such.pem: it cannot be read: No such file";
        assert!(missing.text.starts_with(text), "{missing:?}");
        for endless in ["/dev/null", "/dev/zero"] {
            let refused = trust(endless).config(&[]).unwrap_err();
            assert_eq!(refused.text, format!("--cacert {endless}: it is not a plain file"));
        }
        let scratch = crate::scratch::Scratch::new();
        let file = scratch.path().join("empty.pem").display().to_string();
        std::fs::write(&file, "").expect("a file");
        let empty = trust(&file).config(&[]).unwrap_err();
        assert_eq!(empty.text, format!("--cacert {file}: contains no certificate in PEM format"));
    }

    /// Made by `openssl req -x509` for app.test: an authority that signed
    /// itself, valid from November 2026 for 100 years.
    const SELF_SIGNED: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/src/address/fixtures/self-signed.pem");

    #[test]
    fn a_server_certificate_that_was_itself_given_is_taken_for_its_name_and_time() {
        let certificate = &read_pem(Path::new(SELF_SIGNED)).expect("a fixture")[0];
        let verify = |cacert: &str, host, year_2026_plus: u64| {
            let trust = Trust { cacert: Some(cacert.into()), ..Trust::default() };
            let verifier = trust.verifier(Arc::new(ring::default_provider())).expect("roots");
            let name = server_name(host).expect("a name");
            let seconds = 1_800_000_000 + year_2026_plus * 31_557_600;
            let now = UnixTime::since_unix_epoch(Duration::from_secs(seconds));
            verifier.verify_server_cert(certificate, &[], &name, &[], now).map(drop)
        };
        assert_eq!(verify(SELF_SIGNED, "app.test", 1), Ok(()));
        let wrong_name = verify(SELF_SIGNED, "web.test", 1).unwrap_err().to_string();
        assert!(wrong_name.contains("not valid for name"), "{wrong_name}");
        let expired = verify(SELF_SIGNED, "app.test", 200).unwrap_err().to_string();
        assert!(expired.contains("expired"), "{expired}");
    }

    #[test]
    fn a_certificate_may_be_for_another_of_the_names_that_were_given() {
        let certificate = &read_pem(Path::new(SELF_SIGNED)).expect("a fixture")[0];
        let trust = Trust { cacert: Some(SELF_SIGNED.into()), ..Trust::default() };
        let address = server_name("127.0.0.1").expect("an address");
        let verify = |names: &[&str], years: u64| {
            let names = names.iter().map(|name| server_name(name).expect("a name")).collect();
            let provider = Arc::new(ring::default_provider());
            let verifier = Verified { names, ..trust.verifier(provider).expect("roots") };
            let now = Duration::from_secs(1_800_000_000 + years * 31_557_600);
            let now = UnixTime::since_unix_epoch(now);
            let verified = verifier.verify_server_cert(certificate, &[], &address, &[], now);
            verified.map(drop).map_err(|error| error.to_string())
        };
        assert_eq!(verify(&["web.test", "app.test"], 1), Ok(()));
        for names in [&[][..], &["web.test"]] {
            let refused = verify(names, 1).expect_err("another name");
            assert!(refused.contains("not valid for name \"127.0.0.1\""), "{refused}");
        }
        let expired = verify(&["app.test"], 200).expect_err("too late");
        assert!(expired.contains("expired"), "{expired}");
    }

    #[test]
    fn names_and_addresses_can_be_borne_and_sessions_are_not_resumed_unless_asked() {
        for host in ["a.test", "127.0.0.1", "::1"] {
            assert!(server_name(host).is_ok(), "{host}");
        }
        assert!(server_name("-").is_err());
        let insecure = Trust { insecure: true, ..Trust::default() };
        let config = insecure.config(&[b"http/1.1"]).expect("no files needed");
        assert!(format!("{:?}", config.resumption).contains("NoClientSessionStorage"));
        assert_eq!(config.alpn_protocols, [b"http/1.1"]);
    }
}
