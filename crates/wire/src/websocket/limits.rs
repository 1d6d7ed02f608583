//! Limits on how much a server may send before the connection is given up.

use crate::http1;

/// Limits of one connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Those of the answer to the upgrade.
    pub head: http1::Limits,
    /// Bytes of payload in one frame, at most.
    pub frame_bytes: u64,
    /// Bytes of a message in all its frames, at most.
    pub message_bytes: u64,
    /// How many frames in a row may contain no byte of a message: pings, pongs and empty fragments.
    pub empty_frames: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            head: http1::Limits::default(),
            frame_bytes: 64 << 20,
            message_bytes: 64 << 20,
            empty_frames: 10_000,
        }
    }
}
