//! Values to be stored, borrowed.

use crate::Out;
use alloc::sync::Arc;

/// A value in two parts, either of which may be empty: a head that changes with every operation (a
/// verified value holds its key and version there) and a tail that many operations share and that
/// is lent if it is long.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value<'a> {
    /// The first bytes. Always copied.
    pub head: &'a [u8],
    /// The rest.
    pub tail: Option<&'a Arc<[u8]>>,
}

impl Value<'_> {
    /// Bytes in all.
    pub fn len(&self) -> usize {
        self.head.len().saturating_add(self.tail.map_or(0, |tail| tail.len()))
    }

    /// Whether it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends it.
    pub(crate) fn write(&self, out: &mut Out) {
        out.bytes.extend_from_slice(self.head);
        if let Some(tail) = self.tail {
            out.body(tail);
        }
    }
}

impl<'a> From<&'a [u8]> for Value<'a> {
    fn from(head: &'a [u8]) -> Self {
        Value { head, tail: None }
    }
}
