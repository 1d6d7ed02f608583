//! The handshake, from both sides. Its four messages are described in `wire::remote::handshake`.

use super::{Connection, RemoteError, Token};
use crate::host;
use std::time::Duration;
use wire::remote::handshake::{FromClient, FromServer, Nonce, Refusal, Side, transcript};
use wire::remote::{FrameError, Purpose, UNKNOWN_KIND};

/// The client's side: proves that it knows the token, and checks that the server does.
///
/// # Errors
/// If the server refuses, does not know the token, or does not answer each message within the
/// patience.
pub fn introduce(
    connection: &mut Connection,
    purpose: Purpose,
    token: &Token,
    patience: Duration,
) -> Result<(), RemoteError> {
    let mine = nonce()?;
    connection.send(&FromClient::Hello { purpose, nonce: mine }, patience)?;
    let theirs = match connection.receive(patience)? {
        FromServer::Challenge(nonce) => nonce,
        other => return Err(unexpected(other)),
    };
    let proof = token.sign(&transcript(Side::Client, purpose, &mine, &theirs));
    connection.send(&FromClient::Proof(proof), patience)?;
    let proof = match connection.receive(patience)? {
        FromServer::Welcome(proof) => proof,
        other => return Err(unexpected(other)),
    };
    if token.is_signed(&transcript(Side::Server, purpose, &mine, &theirs), &proof) {
        Ok(())
    } else {
        Err(RemoteError::WrongServer)
    }
}

/// The server's side: admits a client that knows the token and has this purpose, and tells any
/// other client why it is refused. The patience is that for each message.
///
/// # Errors
/// If the client was refused, which the error repeats, or went away.
pub fn admit(
    connection: &mut Connection,
    purpose: Purpose,
    token: &Token,
    patience: Duration,
) -> Result<(), RemoteError> {
    let theirs = match connection.receive(patience) {
        Ok(FromClient::Hello { purpose: wanted, nonce }) if wanted == purpose => nonce,
        Ok(FromClient::Hello { .. }) => return Err(refuse(connection, Refusal::Purpose, patience)),
        Ok(FromClient::Proof(_)) => return Err(out_of_turn()),
        Err(error @ RemoteError::Message(FrameError::OtherVersion(_))) => {
            refuse(connection, Refusal::Version, patience);
            return Err(error);
        }
        Err(error) => return Err(error),
    };
    let mine = nonce()?;
    connection.send(&FromServer::Challenge(mine), patience)?;
    let FromClient::Proof(proof) = connection.receive(patience)? else {
        return Err(out_of_turn());
    };
    if !token.is_signed(&transcript(Side::Client, purpose, &theirs, &mine), &proof) {
        return Err(refuse(connection, Refusal::Token, patience));
    }
    let proof = token.sign(&transcript(Side::Server, purpose, &theirs, &mine));
    connection.send(&FromServer::Welcome(proof), patience)
}

/// Tells a client why it is refused, and returns the refusal.
pub fn refuse(connection: &mut Connection, why: Refusal, patience: Duration) -> RemoteError {
    // It is refused whether it learns the reason or not.
    let _ = connection.send(&FromServer::Refused(why), patience);
    RemoteError::Refused(why)
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
