//! Where the body of a reply ends.

use super::chunked::{Chunked, Taken};
use super::faults;
use crate::{Fault, bytes::up_to};

/// How a body is framed, and how much of it is still to come.
#[derive(Debug)]
pub(super) enum Body {
    /// So many bytes, at least one.
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

    /// Takes what belongs to the body, of an input that is not empty, and
    /// hands its pieces on. Everything taken is done with: nothing is held
    /// back, so a body costs no memory, however it is cut.
    ///
    /// # Errors
    /// When the chunks are malformed or their trailers exceed the limit.
    pub(super) fn take(
        &mut self,
        input: &[u8],
        trailer_bytes: usize,
        mut piece: impl FnMut(&[u8]),
    ) -> Result<Taken, Fault> {
        match self {
            Body::Length(left) => {
                let taken = up_to(left, input);
                piece(taken);
                Ok(Taken { consumed: taken.len(), complete: *left == 0 })
            }
            Body::Chunked(chunked) => chunked.take(input, trailer_bytes, piece),
            Body::UntilClose => {
                piece(input);
                Ok(Taken { consumed: input.len(), complete: false })
            }
        }
    }

    /// The peer closed.
    ///
    /// # Errors
    /// When that is not how this body ends.
    pub(super) fn end(&self) -> Result<(), Fault> {
        match self {
            Body::UntilClose => Ok(()),
            Body::Length(_) | Body::Chunked(_) => Err(faults::CLOSED_IN_REPLY),
        }
    }
}
