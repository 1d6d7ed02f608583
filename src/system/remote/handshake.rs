//! The handshake, from both sides. Its four messages are described in `wire::remote::handshake`.

use super::places::Place;
use super::{Connection, RemoteError, Token};
use crate::system::host;
use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};
use wire::remote::handshake::{
    FromClient, FromServer, NONCE_BYTES, Nonce, Refusal, Role, TRANSCRIPT_BYTES, transcript,
};
use wire::remote::{FrameError, Purpose, UNKNOWN_KIND};

/// The pause before another attempt.
const PAUSE: Duration = Duration::from_millis(10);

/// Connects, and proves that it knows the token. A server with too many strangers closes the
/// connections of some, so one that is closed in the handshake is tried again.
///
/// # Errors
/// If no attempt succeeds within the timeout, or the server refuses.
pub fn join(
    address: SocketAddr,
    purpose: Purpose,
    token: &Token,
    timeout: Duration,
) -> Result<Connection, RemoteError> {
    let until = Instant::now() + timeout;
    loop {
        match connect(address, purpose, token, timeout) {
            Err(RemoteError::Closed) if Instant::now() < until => thread::sleep(PAUSE),
            connected => return connected,
        }
    }
}

/// Connects, and proves once that it knows the token.
///
/// # Errors
/// As [`introduce`], or if the address does not accept a connection within the timeout.
pub fn connect(
    address: SocketAddr,
    purpose: Purpose,
    token: &Token,
    timeout: Duration,
) -> Result<Connection, RemoteError> {
    let mut connection = Connection::open(address, timeout)?;
    introduce(&mut connection, purpose, token, timeout)?;
    Ok(connection)
}

/// The client's side: proves that it knows the token, and checks that the server does.
///
/// # Errors
/// If the server refuses, does not know the token, or does not answer each message within the
/// timeout.
pub(super) fn introduce(
    connection: &mut Connection,
    purpose: Purpose,
    token: &Token,
    timeout: Duration,
) -> Result<(), RemoteError> {
    let mine = nonce()?;
    let first_proof = token.sign(&first_transcript(purpose, &mine));
    let hello = FromClient::Hello { purpose, nonce: mine, proof: first_proof };
    connection.send(&hello, timeout)?;
    let theirs = match connection.receive(timeout)? {
        FromServer::Challenge(nonce) => nonce,
        other => return Err(unexpected(other)),
    };
    let transcript_of = |role| transcript(role, purpose, &mine, &theirs);
    let proof = token.sign(&transcript_of(Role::ClientProof));
    connection.send(&FromClient::Proof(proof), timeout)?;
    let proof = match connection.receive(timeout)? {
        FromServer::Welcome(proof) => proof,
        other => return Err(unexpected(other)),
    };
    if !token.is_signed(&transcript_of(Role::ServerProof), &proof) {
        return Err(RemoteError::WrongServer);
    }
    connection.sign(
        &token.sign(&transcript_of(Role::ServerKey)),
        &token.sign(&transcript_of(Role::ClientKey)),
    );
    Ok(())
}

/// The server's side: admits a client that knows the token and has this purpose to its place, and tells
/// any other client why it is refused. The timeout is that for each message.
///
/// # Errors
/// If the client was refused, which the error repeats, or went away.
pub fn admit(
    connection: &mut Connection,
    purpose: Purpose,
    token: &Token,
    place: &Place,
    timeout: Duration,
) -> Result<(), RemoteError> {
    let theirs = match connection.receive(timeout) {
        Ok(FromClient::Hello { purpose: wanted, .. }) if wanted != purpose => {
            return Err(refuse(connection, Refusal::Purpose, timeout));
        }
        Ok(FromClient::Hello { nonce, proof, .. }) => {
            if !token.is_signed(&first_transcript(purpose, &nonce), &proof) {
                return Err(refuse(connection, Refusal::Token, timeout));
            }
            nonce
        }
        Ok(FromClient::Proof(_)) => return Err(out_of_turn()),
        Err(error @ RemoteError::Message(FrameError::OtherVersion(_))) => {
            refuse(connection, Refusal::Version, timeout);
            return Err(error);
        }
        Err(error) => return Err(error),
    };
    place.greet();
    let mine = nonce()?;
    let transcript_of = |role| transcript(role, purpose, &theirs, &mine);
    connection.send(&FromServer::Challenge(mine), timeout)?;
    let FromClient::Proof(proof) = connection.receive(timeout)? else {
        return Err(out_of_turn());
    };
    if !token.is_signed(&transcript_of(Role::ClientProof), &proof) {
        return Err(refuse(connection, Refusal::Token, timeout));
    }
    if !place.admit() {
        return Err(refuse(connection, Refusal::Busy, timeout));
    }
    let proof = token.sign(&transcript_of(Role::ServerProof));
    connection.send(&FromServer::Welcome(proof), timeout)?;
    connection.sign(
        &token.sign(&transcript_of(Role::ClientKey)),
        &token.sign(&transcript_of(Role::ServerKey)),
    );
    Ok(())
}

/// Tells a client why it is refused, and returns the refusal.
fn refuse(connection: &mut Connection, why: Refusal, timeout: Duration) -> RemoteError {
    // It is refused whether it learns the reason or not.
    let _ = connection.send(&FromServer::Refused(why), timeout);
    RemoteError::Refused(why)
}

fn first_transcript(purpose: Purpose, client: &Nonce) -> [u8; TRANSCRIPT_BYTES] {
    transcript(Role::FirstProof, purpose, client, &[0; NONCE_BYTES])
}

fn unexpected(message: FromServer) -> RemoteError {
    match message {
        FromServer::Refused(why) => RemoteError::Refused(why),
        FromServer::Challenge(_) | FromServer::Welcome(_) => out_of_turn(),
    }
}

fn out_of_turn() -> RemoteError {
    RemoteError::Message(FrameError::Malformed(UNKNOWN_KIND))
}

fn nonce() -> Result<Nonce, RemoteError> {
    host::random_bytes().map_err(|error| RemoteError::Io(error.to_string()))
}
