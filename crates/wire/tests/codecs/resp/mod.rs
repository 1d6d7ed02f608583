//! The RESP codec, from outside. The replies in the tables are what Redis
//! 7.0.15 really sends, unless their name says otherwise.

mod check;
mod connection;
mod corpus;
mod errors;
mod faults;
mod opening;
mod properties;
mod pushes;
mod replies;
mod requests;
mod streaming;
mod table;
