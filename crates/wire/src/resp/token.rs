//! The tokens of a RESP stream.

/// What a scalar is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    /// `+`
    Simple,
    /// `-`, `!`, with its code.
    Error(u16),
    /// `:`
    Integer,
    /// `,`, `(`, `#`
    Number,
    /// `$`, `=`
    Bulk,
}

/// What has elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Aggregate {
    Array,
    Set,
    /// Keys and values are elements.
    Map,
    /// Belongs to the value after it.
    Attribute,
    /// Does not answer a request.
    Push,
}

/// A piece of the stream. A scalar is either `Whole`, or `Begin`, its pieces and `End`, depending
/// on how the bytes were split.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Whole(Scalar, &'a [u8]),
    Begin(Scalar),
    Piece(&'a [u8]),
    End,
    Null,
    /// This many elements follow.
    Open(Aggregate, u64),
}
