//! The cryptography provider for TLS in libraries that do not choose one.

use std::sync::Once;
use tokio_rustls::rustls::crypto::ring;

/// Makes ring the provider of this process, unless one was chosen before. scylla and oracledb add a
/// second one, and rustls does not choose between two: mysql_async would panic when it creates its
/// settings.
pub fn settle() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error means that one was chosen before.
        let _ = ring::default_provider().install_default();
    });
}
