//! Keys of handshakes and masks of frames. Masks keep scripts in a browser from choosing the bytes
//! that a proxy sees (RFC 6455, 10.3). The messages here are ours, so the same seed may give the
//! same bytes.

use crate::SplitMix64;

impl SplitMix64 {
    /// The key that masks a frame.
    pub(super) fn mask(&mut self) -> [u8; 4] {
        ((self.next() >> 32) as u32).to_be_bytes()
    }

    /// The 16 bytes of `Sec-WebSocket-Key`.
    pub(super) fn nonce(&mut self) -> [u8; 16] {
        let mut nonce = [0; 16];
        nonce[..8].copy_from_slice(&self.next().to_be_bytes());
        nonce[8..].copy_from_slice(&self.next().to_be_bytes());
        nonce
    }
}
