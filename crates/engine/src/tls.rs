//! TLS settings of connections.

use rustls::pki_types::ServerName;
use std::sync::Arc;

/// TLS settings including keys, therefore neither `Debug` nor `Serialize`.
#[derive(Clone)]
pub struct TlsAccess {
    /// Root certificates, versions and session resumption.
    pub config: Arc<rustls::ClientConfig>,
    /// The name that the certificate must be valid for.
    pub name: ServerName<'static>,
}
