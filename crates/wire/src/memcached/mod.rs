//! memcached as a client speaks it: the text protocol and the meta protocol
//! (`doc/protocol.txt` of memcached 1.6), over TCP or a unix socket.
//!
//! [`Op`] is one operation, borrowed; [`Memcached`] writes it in the
//! [`Dialect`] of its connection and reads the reply. Replies come in order, so
//! as many operations as the depth says may be in flight.
//!
//! What a reply means here:
//! - [`Reply::items`](crate::Reply::items) counts the values in it (for `stats`
//!   its lines); 0 for a reply that is only a word, such as `STORED`.
//! - `body_len` counts bytes of values, never framing. The text of an error
//!   reply is passed as body too.
//! - [`Class::Miss`](crate::Class::Miss): no value was found, or `NOT_FOUND`.
//! - [`Class::Error`](crate::Class::Error): a code of the table in [`codes`].
//!
//! A value for a key that was not requested, or a line that is not a reply to the command, is a
//! [`Fault`](crate::Fault): the replies are out of order, and continuing would count one
//! operation's reply as another's.

mod codec;
pub mod codes;
pub mod faults;
mod in_flight;
mod limits;
mod op;
mod reply;
mod request;

pub use codec::Memcached;
pub use limits::{Limits, MOST_KEY_BYTES, MOST_LINE_BYTES};
pub use op::{Dialect, Mode, Op, Store};
pub use reply::stat;
