//! Where the body of a reply ends.

use super::chunked::{Chunked, Consumed};
use super::faults;
use crate::{Fault, bytes::up_to};

/// The framing of a body, and how much of it is still to come.
#[derive(Debug)]
pub(super) enum Body {
    /// This many bytes, at least one.
    Length(u64),
    /// Chunks.
    Chunked(Chunked),
    /// All bytes until the peer closes.
    UntilClose,
}

impl Body {
    pub(super) fn chunked() -> Body {
        Body::Chunked(Chunked::new())
    }

    /// Takes the bytes that belong to the body from a non-empty input, and passes its pieces on.
    /// Nothing is held back, so a body takes no memory however it is split.
    ///
    /// # Errors
    /// When the chunks are malformed or their trailers exceed the limit.
    pub(super) fn take(
        &mut self,
        input: &[u8],
        trailer_bytes: usize,
        mut piece: impl FnMut(&[u8]),
    ) -> Result<Consumed, Fault> {
        match self {
            Body::Length(left) => {
                let taken = up_to(left, input);
                piece(taken);
                Ok(Consumed { consumed: taken.len(), complete: *left == 0 })
            }
            Body::Chunked(chunked) => chunked.take(input, trailer_bytes, piece),
            Body::UntilClose => {
                piece(input);
                Ok(Consumed { consumed: input.len(), complete: false })
            }
        }
    }

    /// Checks that the body may end because the peer closed.
    ///
    /// # Errors
    /// If this body does not end that way.
    pub(super) fn end(&self) -> Result<(), Fault> {
        match self {
            Body::UntilClose => Ok(()),
            Body::Length(_) | Body::Chunked(_) => Err(faults::CLOSED_IN_REPLY),
        }
    }
}
