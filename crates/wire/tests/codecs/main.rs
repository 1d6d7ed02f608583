//! The codecs, from outside.

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/replay.rs"]
mod replay;
#[path = "../common/streamed.rs"]
mod streamed;

mod http1;
mod memcached;
mod remote;
mod resp;
mod thrift;
mod websocket;
