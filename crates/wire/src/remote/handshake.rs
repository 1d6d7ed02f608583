//! The handshake: both sides prove that they know the token, which itself is never sent.
//!
//! ```text
//! client  → Hello      what the connection is for, the client's nonce, and its first proof
//! server  → Challenge  the server's nonce (or Refused)
//! client  → Proof      the client's second proof
//! server  → Welcome    the server's proof (or Refused)
//! ```
//!
//! A proof is the HMAC-SHA256 of a [`transcript`] with the token as its key. The first proof shows at
//! once who knows the token, so that a server keeps places for those among any number of strangers. It
//! can be recorded and sent again. The other proofs cannot: their transcripts contain both nonces. Each
//! transcript names its [`Role`], so that a proof cannot be sent back to the side that made it. The
//! client proves first, so that a server reveals nothing to an unknown client. The keys of the frames
//! that follow are the HMACs of two more transcripts. The nonces must be random; the code that owns the
//! sockets generates them, and computes the HMAC.

use super::fields::Fields;
use super::{BAD_VALUE, Message, Purpose, UNKNOWN_KIND, VERSION};
use crate::Fault;
use alloc::vec::Vec;

/// The length of a nonce and of a proof, in bytes.
pub const NONCE_BYTES: usize = 32;

/// A nonce, or a proof.
pub type Nonce = [u8; NONCE_BYTES];

/// The length of a transcript.
pub const TRANSCRIPT_BYTES: usize = 18 + 2 * NONCE_BYTES;

/// What the HMAC of a transcript is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The client's first proof. The server's nonce is not known yet, and is all zeros.
    FirstProof,
    /// The client's second proof.
    ClientProof,
    /// The server's proof.
    ServerProof,
    /// The key of the frames that the client sends.
    ClientKey,
    /// The key of the frames that the server sends.
    ServerKey,
}

/// The bytes whose HMAC is a proof or a key.
pub fn transcript(
    role: Role,
    purpose: Purpose,
    client: &Nonce,
    server: &Nonce,
) -> [u8; TRANSCRIPT_BYTES] {
    let mut out = [0; TRANSCRIPT_BYTES];
    out[..15].copy_from_slice(b"tiebreak remote");
    out[15] = VERSION;
    out[16] = match role {
        Role::FirstProof => b'h',
        Role::ClientProof => b'c',
        Role::ServerProof => b's',
        Role::ClientKey => b'C',
        Role::ServerKey => b'S',
    };
    out[17] = purpose.code();
    out[18..18 + NONCE_BYTES].copy_from_slice(client);
    out[18 + NONCE_BYTES..].copy_from_slice(server);
    out
}

/// What the client sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromClient {
    /// Opens the handshake.
    Hello {
        /// What the connection is for.
        purpose: Purpose,
        /// The client's nonce.
        nonce: Nonce,
        /// The client's first proof.
        proof: Nonce,
    },
    /// The client's second proof.
    Proof(Nonce),
}

/// What the server sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FromServer {
    /// The server's nonce.
    Challenge(Nonce),
    /// The server's proof, after which the conversation begins.
    Welcome(Nonce),
    /// There is no conversation, and the server closes.
    Refused(Refusal),
}

/// Why a server refuses a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The version of the format differs. The head of the frame contains the server's version.
    Version,
    /// The server does not serve this [`Purpose`].
    Purpose,
    /// The proof was not made with the server's token.
    Token,
    /// There are too many connections.
    Busy,
}

const REFUSALS: [(u8, Refusal); 4] =
    [(1, Refusal::Version), (2, Refusal::Purpose), (3, Refusal::Token), (4, Refusal::Busy)];

impl Message for FromClient {
    const MOST_BODY_BYTES: usize = 1 + 2 * NONCE_BYTES;

    fn kind(&self) -> u8 {
        match self {
            FromClient::Hello { .. } => 1,
            FromClient::Proof(_) => 3,
        }
    }

    fn write(&self, body: &mut Vec<u8>) {
        match self {
            FromClient::Hello { purpose, nonce, proof } => {
                body.push(purpose.code());
                body.extend_from_slice(nonce);
                body.extend_from_slice(proof);
            }
            FromClient::Proof(proof) => body.extend_from_slice(proof),
        }
    }

    fn read(kind: u8, fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            1 => {
                let purpose = Purpose::of(fields.u8()?).ok_or(BAD_VALUE)?;
                FromClient::Hello { purpose, nonce: fields.array()?, proof: fields.array()? }
            }
            3 => FromClient::Proof(fields.array()?),
            _ => return Err(UNKNOWN_KIND),
        })
    }
}

impl Message for FromServer {
    const MOST_BODY_BYTES: usize = NONCE_BYTES;

    fn kind(&self) -> u8 {
        match self {
            FromServer::Challenge(_) => 2,
            FromServer::Welcome(_) => 4,
            FromServer::Refused(_) => 5,
        }
    }

    fn write(&self, body: &mut Vec<u8>) {
        match self {
            FromServer::Challenge(bytes) | FromServer::Welcome(bytes) => {
                body.extend_from_slice(bytes);
            }
            FromServer::Refused(why) => {
                let codes = REFUSALS.iter().filter(|(_, refusal)| refusal == why);
                body.extend(codes.map(|(code, _)| code));
            }
        }
    }

    fn read(kind: u8, fields: &mut Fields<'_>) -> Result<Self, Fault> {
        Ok(match kind {
            2 => FromServer::Challenge(fields.array()?),
            4 => FromServer::Welcome(fields.array()?),
            5 => {
                let code = fields.u8()?;
                let known = REFUSALS.iter().find(|(known, _)| *known == code);
                FromServer::Refused(known.ok_or(BAD_VALUE)?.1)
            }
            _ => return Err(UNKNOWN_KIND),
        })
    }
}
