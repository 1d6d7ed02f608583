//! Plain or TLS: the codec sees plaintext either way.

use super::socket::{Refusal, Socket};
use crate::TlsAccess;
use record::Failure;
use rustls::ClientConnection;
use std::io::{Read, Write};

/// A connected socket, with TLS or without. TLS allocates for each record
/// (rustls does); a plain stream never.
pub(super) enum Stream {
    Plain,
    Tls(Box<ClientConnection>),
}

/// What reading brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// This many bytes of plaintext are in the buffer.
    Bytes(usize),
    /// The peer ended.
    End,
    /// Nothing now.
    Nothing,
}

impl Stream {
    pub(super) fn new(tls: Option<&TlsAccess>) -> Result<Stream, Failure> {
        let Some(tls) = tls else { return Ok(Stream::Plain) };
        let connection = ClientConnection::new(tls.config.clone(), tls.name.clone());
        Ok(Stream::Tls(Box::new(connection.map_err(|_| Failure::Tls)?)))
    }

    /// TLS still shakes hands.
    pub(super) fn handshaking(&self) -> bool {
        matches!(self, Stream::Tls(tls) if tls.is_handshaking())
    }

    /// Moves the handshake, and what TLS wants to say, on.
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

    /// Reads from the socket once at most, into `into`. The second value: the socket
    /// is drained, no other read is needed before its next event. Not drained and
    /// nothing got: TLS took what came for itself.
    #[inline]
    pub(super) fn read(
        &mut self,
        socket: &Socket,
        into: &mut [u8],
    ) -> Result<(Got, bool), Failure> {
        match self {
            Stream::Plain => match socket.receive(into) {
                Ok(0) => Ok((Got::End, true)),
                Ok(got) => Ok((Got::Bytes(got), got < into.len())),
                Err(Refusal::NotNow) => Ok((Got::Nothing, true)),
                Err(Refusal::Failed(failure)) => Err(failure),
            },
            Stream::Tls(tls) => read_tls(tls, socket, into),
        }
    }

    /// Writes, and says how many bytes were taken.
    #[inline]
    pub(super) fn write(&mut self, socket: &Socket, bytes: &[u8]) -> Result<usize, Failure> {
        match self {
            Stream::Plain => match socket.send(bytes) {
                Ok(took) => Ok(took),
                Err(Refusal::NotNow) => Ok(0),
                Err(Refusal::Failed(failure)) => Err(failure),
            },
            Stream::Tls(tls) => {
                let took = tls.writer().write(bytes).map_err(|_| Failure::Tls)?;
                self.push(socket)?;
                Ok(took)
            }
        }
    }

    /// TLS sends its close alert before the socket is closed.
    pub(super) fn finish(&mut self, socket: &Socket) {
        if let Stream::Tls(tls) = self {
            tls.send_close_notify();
            // A peer that no longer listens misses nothing.
            let _ = self.push(socket);
        }
    }
}

fn read_tls(
    tls: &mut ClientConnection,
    socket: &Socket,
    into: &mut [u8],
) -> Result<(Got, bool), Failure> {
    if let Some(got) = plaintext(tls, into) {
        return Ok((got, false));
    }
    match tls.read_tls(&mut Wire(socket)) {
        // Without a close alert a reply that ends with the connection may have been cut:
        // the codec must not take it for whole.
        Ok(0) => return Err(Failure::Closed),
        Ok(_) => tls.process_new_packets().map_err(|_| Failure::Tls)?,
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => {
            return Ok((Got::Nothing, true));
        }
        Err(_) => return Err(Failure::Reset),
    };
    Ok((plaintext(tls, into).unwrap_or(Got::Nothing), false))
}

/// What TLS has decrypted, or None if it needs more of the socket.
fn plaintext(tls: &mut ClientConnection, into: &mut [u8]) -> Option<Got> {
    match tls.reader().read(into) {
        // A clean end: the peer sent its close alert.
        Ok(0) => Some(Got::End),
        Ok(got) => Some(Got::Bytes(got)),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => None,
        // The socket ended without a close alert.
        Err(_) => Some(Got::End),
    }
}

/// The socket as rustls wants it.
struct Wire<'a>(&'a Socket);

impl Read for Wire<'_> {
    fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
        self.0.receive(into).map_err(system)
    }
}

impl Write for Wire<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.send(bytes).map_err(system)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn system(refusal: Refusal) -> std::io::Error {
    match refusal {
        Refusal::NotNow => std::io::ErrorKind::WouldBlock.into(),
        Refusal::Failed(_) => std::io::ErrorKind::ConnectionReset.into(),
    }
}
