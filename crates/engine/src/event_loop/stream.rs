//! Plain or TLS streams: the codec sees plaintext either way.

use super::socket::Socket;
use crate::TlsAccess;
use record::Failure;
use rustls::ClientConnection;
use std::io::{Read, Write};

/// A connected socket, with or without TLS. TLS allocates for each record (rustls does); a plain
/// stream never does.
pub(super) enum Stream {
    Plain,
    Tls(Box<ClientConnection>),
}

/// The result of a read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadResult {
    /// This many bytes of plaintext are in the buffer.
    Bytes(usize),
    /// The peer closed.
    End,
    /// Nothing to read at the moment.
    Nothing,
}

impl Stream {
    pub(super) fn new(tls: Option<&TlsAccess>) -> Result<Stream, Failure> {
        let Some(tls) = tls else { return Ok(Stream::Plain) };
        let connection = ClientConnection::new(tls.config.clone(), tls.name.clone());
        Ok(Stream::Tls(Box::new(connection.map_err(|_| Failure::Tls)?)))
    }

    /// Returns true during the TLS handshake.
    pub(super) fn handshaking(&self) -> bool {
        matches!(self, Stream::Tls(tls) if tls.is_handshaking())
    }

    /// Continues the handshake, and sends what TLS has to send.
    pub(super) fn push(&mut self, socket: &Socket) -> Result<(), Failure> {
        let Stream::Tls(tls) = self else { return Ok(()) };
        while tls.wants_write() {
            match tls.write_tls(&mut Wire(socket)) {
                Ok(_) => {}
                Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => break,
                Err(_) => return Err(Failure::Reset),
            }
        }
        Ok(())
    }

    /// Reads at most once from the socket into `into`. The second value is true if the socket is
    /// drained and need not be read again before its next event. If it is not drained and
    /// nothing was returned, TLS consumed the input itself.
    #[inline]
    pub(super) fn read(
        &mut self,
        socket: &Socket,
        into: &mut [u8],
    ) -> Result<(ReadResult, bool), Failure> {
        match self {
            Stream::Plain => Ok(match socket.receive(into)? {
                Some(0) => (ReadResult::End, true),
                Some(result) => (ReadResult::Bytes(result), result < into.len()),
                None => (ReadResult::Nothing, true),
            }),
            Stream::Tls(tls) => read_tls(tls, socket, into),
        }
    }

    /// Writes, and returns how many bytes were accepted.
    #[inline]
    pub(super) fn write(&mut self, socket: &Socket, bytes: &[u8]) -> Result<usize, Failure> {
        match self {
            Stream::Plain => Ok(socket.send(bytes)?.unwrap_or(0)),
            Stream::Tls(tls) => {
                let took = tls.writer().write(bytes).map_err(|_| Failure::Tls)?;
                self.push(socket)?;
                Ok(took)
            }
        }
    }

    /// Sends the close alert of TLS before the socket is closed.
    pub(super) fn finish(&mut self, socket: &Socket) {
        if let Stream::Tls(tls) = self {
            tls.send_close_notify();
            // If the peer no longer reads, nothing is lost.
            let _ = self.push(socket);
        }
    }
}

fn read_tls(
    tls: &mut ClientConnection,
    socket: &Socket,
    into: &mut [u8],
) -> Result<(ReadResult, bool), Failure> {
    if let Some(result) = plaintext(tls, into) {
        return Ok((result, false));
    }
    match tls.read_tls(&mut Wire(socket)) {
        // Without a close alert, a reply that ends with the connection may have been cut: the
        // codec must not take it for complete.
        Ok(0) => return Err(Failure::Closed),
        Ok(_) => tls.process_new_packets().map_err(|_| Failure::Tls)?,
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            return Ok((ReadResult::Nothing, true));
        }
        Err(_) => return Err(Failure::Reset),
    };
    Ok((plaintext(tls, into).unwrap_or(ReadResult::Nothing), false))
}

/// Returns what TLS has decrypted, or None if it needs more from the socket.
fn plaintext(tls: &mut ClientConnection, into: &mut [u8]) -> Option<ReadResult> {
    match tls.reader().read(into) {
        // A clean end: the peer sent its close alert.
        Ok(0) => Some(ReadResult::End),
        Ok(result) => Some(ReadResult::Bytes(result)),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
        // The socket ended without a close alert.
        Err(_) => Some(ReadResult::End),
    }
}

/// The socket in the form that rustls requires.
struct Wire<'a>(&'a Socket);

impl Read for Wire<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        as_io(self.0.receive(into))
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        as_io(self.0.send(bytes))
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn as_io(result: Result<Option<usize>, Failure>) -> std::io::Result<usize> {
    let length = result.map_err(|_| std::io::ErrorKind::ConnectionReset)?;
    length.ok_or_else(|| std::io::ErrorKind::WouldBlock.into())
}
