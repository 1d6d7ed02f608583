//! The HTTP/1.1 codec, from outside.

mod check;
mod connection;
mod corpus;
mod faults;
mod properties;
mod replies;
mod requests;
mod streaming;
mod table;
