//! What a reply over HTTP says.

use record::Told;
use wire::{Class, Reply};

/// What the code of a reply says; `expect`: the codes that count as
/// success; empty: 200 to 299.
#[inline]
pub(crate) fn told(expect: &[u16], reply: &Reply) -> Told {
    let expected = match expect.is_empty() {
        true => reply.class == Class::Ok,
        false => expect.contains(&reply.code),
    };
    if expected { Told::Ok } else { Told::Unexpected }
}
