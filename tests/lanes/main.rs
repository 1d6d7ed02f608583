//! Lanes of every kind driven by the engine, against servers and files that count.
#![allow(clippy::disallowed_types, reason = "the server of a test has a clock of its own")]

mod chat;
mod common;
mod endless;
mod files;
mod files_store;
mod files_workload;
#[cfg(feature = "servers")]
mod groups;
mod http;
mod panics;
mod positions;
#[cfg(feature = "servers")]
mod sharded;
#[cfg(feature = "servers")]
mod stores;
mod thrift;
mod together;
mod toy;
mod waiting;
mod websocket;
