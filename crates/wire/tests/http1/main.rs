//! The HTTP/1.1 codec, from outside.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/replay.rs"]
mod replay;
#[path = "../common/streamed.rs"]
mod streamed;

mod check;
mod connection;
mod corpus;
mod faults;
mod properties;
mod replies;
mod requests;
mod streaming;
mod table;
