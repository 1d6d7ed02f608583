//! RESP2 and RESP3, the protocol of Redis and Valkey, as a client speaks it.
//!
//! [`Opening`] is what is sent on every fresh connection (HELLO, AUTH, SELECT), written once;
//! [`Op`] is one operation, borrowed; [`Resp`] sends it and reads the reply. Replies come in order,
//! so as many operations as the depth says may be in flight, and each reply is reported separately.
//!
//! What a reply means here:
//! - A top-level aggregate's elements are numbered; an element's number is the
//!   `item` of its bytes, also of those further inside. A map's keys and values
//!   count one each, as in RESP2, where a map is an array.
//! - [`Reply::items`](crate::Reply::items) counts the elements that are not
//!   null, or is 1 for a scalar; 0 for `+OK` to a SET and for the count of a
//!   DEL.
//! - `body_len` counts the bytes of strings, numbers and texts, never framing.
//!   The text of an error is passed as body too.
//! - [`Class::Miss`](crate::Class::Miss): null (except in reply to a SET), an aggregate
//!   that holds nothing but nulls, or a DEL that found nothing.
//! - [`Class::Error`](crate::Class::Error): a code of the table in [`codes`];
//!   also if one element of a reply is an error.
//! - Attributes are read and left out. Pushes are passed on as they came,
//!   framing included, and answer no operation.
//!
//! A reply of a type that its command never returns is a [`Fault`](crate::Fault): the replies are
//! out of order.

mod codec;
pub mod codes;
pub mod faults;
mod grammar;
mod in_flight;
mod lexer;
mod limits;
mod nesting;
mod op;
mod opening;
mod request;
mod token;

pub use codec::Resp;
pub use limits::{Limits, MOST_DEEP, MOST_LINE_BYTES};
pub use op::{Op, Set, When};
pub use opening::{Login, Opening, Protocol};
