//! The memcached codec, from outside. The replies in the tables are what
//! memcached 1.6.18 really sends, unless their name says otherwise.

mod check;
mod connection;
mod corpus;
mod faults;
mod meta;
mod properties;
mod requests;
mod streaming;
mod table;
mod text;
