//! Limits on how much of a reply the codec holds or waits for.

/// The deepest nesting of structs, lists and maps; more is a fault. A reply of Cassandra has nine
/// levels.
pub const MOST_DEEP: usize = 16;

/// The longest name of a call.
pub(super) const MOST_NAME_BYTES: usize = 32;

/// The longest part that is parsed as a whole: the head of a message. Texts are streamed. Nothing
/// more is ever held back.
pub const MOST_HEAD_BYTES: usize = 4 + 4 + MOST_NAME_BYTES + 4;

/// Limits on one reply, which is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of the frame of a reply.
    pub frame_bytes: u32,
}

impl Default for Limits {
    /// 256 MiB, far above what a server sends (`thrift_framed_transport_size_in_mb` is 15).
    fn default() -> Self {
        Limits { frame_bytes: 256 << 20 }
    }
}
