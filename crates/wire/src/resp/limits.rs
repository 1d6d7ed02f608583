//! Limits on how much of a reply the codec holds or waits for.

/// The deepest nesting of aggregates; more is a fault.
pub const MOST_DEEP: usize = 32;

/// The longest line that is parsed as a whole, CR LF included: lengths and numbers. Longer texts
/// are streamed. Nothing more is ever held back.
pub const MOST_LINE_BYTES: usize = 1024;

/// Limits on one string, which is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a bulk string in a reply.
    pub bulk_bytes: u64,
}

impl Default for Limits {
    /// 512 MiB, which is the server's own (`proto-max-bulk-len`).
    fn default() -> Self {
        Limits { bulk_bytes: 512 << 20 }
    }
}
