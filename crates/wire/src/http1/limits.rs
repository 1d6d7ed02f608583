//! Limits on how much of a reply the codec holds or waits for.

/// The largest value of [`Limits::headers`]: room for this many is on the stack while a head is
/// parsed (4 KiB, left uninitialised).
pub const MOST_HEADERS: usize = 128;

/// Limits on a reply. Its body has none: it is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one head, blank line included; also bytes of the trailers of one chunked body. An
    /// incomplete head is not consumed: the caller needs room for this many bytes. Nothing else is
    /// ever held back.
    pub head_bytes: usize,
    /// Headers in one head; more than [`MOST_HEADERS`] count as that.
    pub headers: usize,
    /// How many 1xx replies may come before the final one.
    pub informational: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { head_bytes: 64 * 1024, headers: MOST_HEADERS, informational: 16 }
    }
}
