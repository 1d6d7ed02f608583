//! The meaning of an HTTP reply.

use record::Outcome;
use wire::{Class, Reply};

/// Returns the outcome for a status code. `expect` holds the codes that count as success; if it
/// is empty, these are 200 to 299.
#[inline]
pub(crate) fn outcome(expect: &[u16], reply: &Reply) -> Outcome {
    let expected =
        if expect.is_empty() { reply.class == Class::Ok } else { expect.contains(&reply.code) };
    if expected { Outcome::Ok } else { Outcome::Unexpected }
}
