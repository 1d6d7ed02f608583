//! The lane of HTTP against servers that count and fail on demand: what was sent is what the server
//! received.

mod common;
mod endless;
mod groups;
mod requests;
mod together;
mod waiting;
