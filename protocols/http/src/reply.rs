//! The meaning of an HTTP reply.

use record::Outcome;
use wire::Reply;

/// Whether a status code counts as success. `expect` holds those that do; if it is empty, these are
/// 200 to 299.
#[inline]
pub(crate) fn is_expected(expect: &[u16], code: u16) -> bool {
    if expect.is_empty() { (200..=299).contains(&code) } else { expect.contains(&code) }
}

/// Returns the outcome of a reply.
#[inline]
pub(crate) fn outcome(expect: &[u16], reply: &Reply) -> Outcome {
    if is_expected(expect, reply.code) { Outcome::Ok } else { Outcome::Unexpected }
}
