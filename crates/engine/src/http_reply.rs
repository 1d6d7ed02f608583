//! What a reply over HTTP says.

use record::Outcome;
use wire::{Class, Reply};

/// What the code of a reply says; `expect`: the codes that count as
/// success; empty: 200 to 299.
#[inline]
pub(crate) fn outcome(expect: &[u16], reply: &Reply) -> Outcome {
    let expected = match expect.is_empty() {
        true => reply.class == Class::Ok,
        false => expect.contains(&reply.code),
    };
    if expected { Outcome::Ok } else { Outcome::Unexpected }
}
