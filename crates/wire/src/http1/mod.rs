//! HTTP/1.1 as a client speaks it (RFC 9110, RFC 9112).
//!
//! [`Request`] writes the head of a request once, ahead of the run; [`Op`]
//! lends it for every operation; [`Http1`] sends it and reads the reply.
//!
//! If the standard leaves a choice, the codec is strict: a reply whose end could be read in two
//! ways is a [`Fault`](crate::Fault), never a guess, since a guess would count bytes of one reply
//! as another.

mod body;
mod chunked;
mod codec;
pub mod faults;
mod grammar;
mod head;
mod limits;
mod page;
mod request;
mod timing;

pub use crate::COPIED_BODY_BYTES;
pub use codec::{Http1, Op};
pub(crate) use head::{FirstBytes, end, fault, start};
pub use limits::{Limits, MOST_HEADERS};
pub use page::first_words;
pub use request::Request;
