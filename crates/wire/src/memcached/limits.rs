//! Limits on how much the codec holds, waits for or sends.

/// The longest key, in bytes. The server's own limit.
pub const MOST_KEY_BYTES: usize = 250;

/// The longest line of a reply, CR LF included. An incomplete line is not
/// consumed; nothing else is ever held back.
pub const MOST_LINE_BYTES: usize = 2048;

/// Limits on one value, which is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a value, read or written.
    pub value_bytes: u64,
}

impl Default for Limits {
    /// 1 GiB: no server can be configured for more (`-I`).
    fn default() -> Self {
        Limits { value_bytes: 1 << 30 }
    }
}
