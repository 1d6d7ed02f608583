//! Keys of handshakes and masks of frames.

/// A generator of 64 bits (splitmix64). Masks keep scripts in a browser from choosing the
/// bytes that a proxy sees (RFC 6455, 10.3). The messages here are ours, so the same seed may
/// give the same bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

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
