//! TLS for tokio-postgres, timed.

use engine::{TlsAccess, clock};
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, TlsConnect, TlsStream};
use tokio_rustls::TlsConnector;

/// Does the TLS handshake after the server has agreed to TLS.
pub(crate) struct Tls {
    access: TlsAccess,
    /// When the handshake was complete. The library owns this value by then.
    done: Arc<AtomicU64>,
}

impl Tls {
    /// Returns the connector, and the cell that will hold the end of the handshake.
    pub(crate) fn new(access: &TlsAccess) -> (Tls, Arc<AtomicU64>) {
        let done = Arc::new(AtomicU64::new(0));
        (Tls { access: access.clone(), done: done.clone() }, done)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> TlsConnect<S> for Tls {
    type Stream = Secured<S>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Secured<S>>> + Send>>;

    fn connect(self, stream: S) -> Self::Future {
        let Tls { access, done } = self;
        Box::pin(async move {
            let connector = TlsConnector::from(access.config);
            let stream = connector.connect(access.name, stream).await?;
            done.store(clock::now(), Ordering::Relaxed);
            Ok(Secured(stream))
        })
    }
}

/// A TLS connection. It has no channel binding, so a SCRAM login is without `-PLUS`, as in most
/// libraries.
pub(crate) struct Secured<S>(tokio_rustls::client::TlsStream<S>);

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for Secured<S> {
    fn channel_binding(&self) -> ChannelBinding {
        ChannelBinding::none()
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncRead for Secured<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        to: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, to)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Secured<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
