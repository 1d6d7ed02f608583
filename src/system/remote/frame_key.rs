//! The signatures of frames after the handshake.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use wire::remote::handshake::Nonce;
use wire::remote::{SIGNATURE_BYTES, Signature};

/// Signs or checks the frames of one direction of one connection. Each signature includes the number
/// of its frame, so that no frame can be left out, repeated or moved.
#[derive(Debug)]
pub(super) struct FrameKey {
    /// With the key, so that this is not done again for each frame.
    keyed: Hmac<Sha256>,
    frames: u64,
}

impl FrameKey {
    pub(super) fn new(key: &Nonce) -> FrameKey {
        let keyed = Hmac::new_from_slice(key).expect("a key of any length");
        FrameKey { keyed, frames: 0 }
    }

    pub(super) fn sign(&mut self, frame: &[u8]) -> Signature {
        let mut signature = [0; SIGNATURE_BYTES];
        signature.copy_from_slice(&self.next(frame).finalize().into_bytes());
        signature
    }

    /// Whether this is the signature of the next frame, in constant time.
    pub(super) fn is_signed(&mut self, frame: &[u8], signature: &Signature) -> bool {
        self.next(frame).verify_slice(signature).is_ok()
    }

    fn next(&mut self, frame: &[u8]) -> Hmac<Sha256> {
        let mut hmac = self.keyed.clone();
        hmac.update(&self.frames.to_be_bytes());
        hmac.update(frame);
        self.frames += 1;
        hmac
    }
}
