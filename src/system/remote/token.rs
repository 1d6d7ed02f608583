//! The token that both machines know.

use crate::system::host;
use hmac::{Hmac, KeyInit, Mac};
use protocol::input;
use sha2::Sha256;
use std::fmt;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use text::hex::hex;
use text::shown::shown;
use wire::remote::handshake::Nonce;

/// Minimum length of a token, in bytes. A program that pretends to be the other side can try tokens on
/// the proof that it gets, so a token must be too long to be guessed.
const FEWEST_BYTES: usize = 16;
/// Maximum length of a token, in bytes.
const MOST_BYTES: usize = 256;
const RANDOM_BYTES: usize = 16;

/// A secret that both sides know. It cannot be serialised, and `Debug` does not show it, so that it
/// is in no journal or message.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl fmt::Debug for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Token")
    }
}

impl Token {
    /// Makes a random token.
    ///
    /// # Errors
    /// If the system returns no random bytes.
    pub fn new() -> Result<Token, String> {
        let bytes = host::random_bytes::<RANDOM_BYTES>()
            .map_err(|error| format!("no token can be read from /dev/urandom: {error}"))?;
        Ok(Token::held(hex(&bytes)))
    }

    fn held(token: String) -> Token {
        sys::limits::hide_memory();
        Token(token)
    }

    /// The token in a text, without white space around it.
    ///
    /// # Errors
    /// If it is too short, too long, or has other than visible ASCII characters; the message does
    /// not quote it.
    pub fn of(text: &str) -> Result<Token, String> {
        let token = text.trim();
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("a token must be one word of visible ASCII characters".to_owned());
        }
        match token.len() {
            FEWEST_BYTES..=MOST_BYTES => Ok(Token::held(token.to_owned())),
            length => Err(format!(
                "a token must have {FEWEST_BYTES} to {MOST_BYTES} characters, but this one has \
                 {length}"
            )),
        }
    }

    /// The token in a file.
    ///
    /// # Errors
    /// If the file cannot be read, is not a plain file, can be written by all users, or does not contain a token;
    /// the message names the file.
    pub fn in_file(path: &Path) -> Result<Token, String> {
        let name = format!("the token file {}", shown(path.as_os_str().as_bytes()));
        let named = |why: String| format!("{name}: {why}");
        let mut text = String::new();
        let file = input::plain_file(path).map_err(|why| format!("{name} {why}"))?;
        if file.metadata().is_ok_and(|about| about.mode() & 0o002 != 0) {
            return Err(named(
                "all users can write to it, so it is no secret (chmod 600)".to_owned(),
            ));
        }
        // Enough to see that it is too long.
        let read = file.take(4 * MOST_BYTES as u64).read_to_string(&mut text);
        read.map_err(|error| named(error.to_string()))?;
        Token::of(&text).map_err(named)
    }

    /// The token itself, for its owner.
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// Proves that this side knows the token.
    pub(super) fn sign(&self, transcript: &[u8]) -> Nonce {
        self.hmac(transcript).finalize().into_bytes().into()
    }

    /// Whether the other side's proof is one of the same token, in constant time.
    pub(super) fn is_signed(&self, transcript: &[u8], proof: &Nonce) -> bool {
        self.hmac(transcript).verify_slice(proof).is_ok()
    }

    fn hmac(&self, transcript: &[u8]) -> Hmac<Sha256> {
        let mut hmac = Hmac::new_from_slice(self.0.as_bytes()).expect("a key of any length");
        hmac.update(transcript);
        hmac
    }
}
