//! Which cryptography TLS has in libraries that do not say it.

use std::sync::Once;
use tokio_rustls::rustls::crypto::ring;

/// Makes ring the provider of this process, unless one was chosen before. scylla and oracledb
/// bring a second one, and rustls refuses to choose between two: mysql_async would panic where
/// it makes its settings.
pub(crate) fn settle() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // An error says that one was chosen before.
        let _ = ring::default_provider().install_default();
    });
}
