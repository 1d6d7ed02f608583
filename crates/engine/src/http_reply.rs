//! What a reply over HTTP says.

use record::Outcome;
use wire::{Class, Reply};

/// What the code of a reply says; `expect`: the codes that count as
/// success; empty: 200 to 299.
#[inline]
pub(crate) fn outcome(expect: &[u16], reply: &Reply) -> Outcome {
    let expected =
        if expect.is_empty() { reply.class == Class::Ok } else { expect.contains(&reply.code) };
    if expected { Outcome::Ok } else { Outcome::Unexpected }
}
