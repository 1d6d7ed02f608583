//! How TLS is spoken.

use rustls::pki_types::ServerName;
use std::sync::Arc;

/// How to speak TLS, with its keys: no `Debug`, no `Serialize`.
#[derive(Clone)]
pub struct TlsAccess {
    /// Roots, versions, resumption.
    pub config: Arc<rustls::ClientConfig>,
    /// The name that the certificate must be for.
    pub name: ServerName<'static>,
}
